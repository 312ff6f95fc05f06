#!/usr/bin/env bash
# Worlds and policies of one's own: builds examples/plugin.c as its first line says and uses it with the whole command;
# what is no plugin, or not of this saccade, is one clear line.
#   plugin.sh SACCADE
set -uo pipefail
saccade=$(realpath "$1")
cd "$(dirname "$0")/../.." || exit 1
source tests/check.sh
source tests/plugins.sh
next=$(($(sed -n 's/^#define SAC_PLUGIN_VERSION //p' include/saccade/plugin.h) + 1))
need_compiler "plugins"
check "examples/plugin.c builds by its own line" builds_as_it_says plugin catch
build "$work/catch.so" examples/plugin.c || exit 1
cd "$work" || exit 1
cat >catch.yaml <<'E2'
env:
  id: catch
policy:
  kind: columns
search:
  method: sep-cma-es
  population: 32
train:
  generations: 20
  checkpoint_every: 5
evaluation:
  every: 5
  episodes: 10
E2

lists() # worlds and options of the plugin, by the flag and by the variable; without either, none
{
    "$saccade" envs --plugin catch.so | grep '^catch: a ball falls' &&
        "$saccade" envs --plugin=catch.so | grep 'steps *at most 120' &&
        SACCADE_PLUGINS=:catch.so: "$saccade" envs | grep '^catch: ' &&
        SACCADE_ENVS_PLUGIN=catch.so "$saccade" envs | grep '^catch: ' &&
        ! "$saccade" envs | grep '^catch: '
}
check "envs knows its world" lists

mean() { sed -nE 's/^mean (-?[0-9.]+),.*/\1/p'; }

trains() # it learns, more than chance can do, and the same bytes for two threads
{
    "$saccade" train catch.yaml --run one --plugin catch.so --quiet &&
        "$saccade" train catch.yaml --run two --plugin catch.so --quiet --threads 2 &&
        cmp one/best.safetensors two/best.safetensors || return 1
    local random learned
    random=$("$saccade" eval --env catch --random --seeds 0..19 --plugin catch.so | mean)
    learned=$("$saccade" eval one/best.safetensors --seeds 0..19 --plugin catch.so | mean)
    echo "random $random, learned $learned"
    # five balls fall in 120 steps; more than four of them caught is not chance's 1.8
    awk -v a="$learned" -v b="$random" 'BEGIN {exit !(a > 4 && a > b + 1)}'
}
check "train and eval" trains

resumes() # in two parts, the same bytes
{
    "$saccade" train catch.yaml --run parts --plugin catch.so --quiet --generations 10 &&
        "$saccade" train catch.yaml --run parts --plugin catch.so --quiet --resume --generations 20 &&
        cmp one/mean.safetensors parts/mean.safetensors
}
check "train --resume" resumes

films()
{
    "$saccade" watch one/best.safetensors --video film.mp4 --frames frames --plugin catch.so | grep 'after 120 steps' &&
        [[ $(find frames -name '*.png' | wc -l) == 121 && -s film.mp4 ]]
}
if [[ -e $(dirname "$saccade")/saccade-film.so ]]; then
    check "watch --video" films
else
    skip "watch --video" "FFmpeg's libraries (make setup)"
fi

reports()
{
    "$saccade" report one --plugin ./catch.so --out report.html && grep -qx ".*export SACCADE_PLUGINS=$work/catch.so" report.html &&
        mkdir -p "it's a plugin" && cp catch.so "it's a plugin" && "$saccade" report one --plugin "it's a plugin/catch.so" --out quoted.html &&
        (cd / && eval "$(grep -o 'export SACCADE_PLUGINS=.*' "$work/quoted.html" | sed "s/&#39;/'/g")" && "$saccade" envs | grep '^catch: ') &&
        "$saccade" train "$root/tasks/toy.yaml" --run toy --generations 1 --quiet --plugin ./catch.so &&
        "$saccade" report toy --plugin ./catch.so --out toy.html && ! grep SACCADE_PLUGINS toy.html &&
        "$saccade" plot one --out curve.svg --plugin catch.so
}
if [[ -e $(dirname "$saccade")/saccade-plot.so ]]; then
    check "report" reports
else
    skip "report" "cairo (make setup)"
fi

cat >sweep.yaml <<'E2'
task: catch.yaml
method: grid
fields:
  policy:
    bins: [6, 12]
seeds: [1]
E2

others() # the rest of the command that meets a world or a policy
(
    export SACCADE_PLUGINS=catch.so
    printf '0.5\n-1\n1\n' >actions.csv
    "$saccade" replay catch --seed 1 --actions actions.csv --out table.csv && [[ $(wc -l <table.csv) == 5 ]] &&
        "$saccade" config catch.yaml | grep 'bins: 12' &&
        "$saccade" compare one/best.safetensors one/mean.safetensors --seeds 0..9 &&
        "$saccade" eval one/best.safetensors --set speed=2 --seeds 0..4 | grep '^mean' &&
        "$saccade" sweep sweep.yaml --generations 2 --run sweep
)
check "replay, config, compare, sweep" others

# what a name means in a world of one's own only its author knows: every option counts that it does not call harmless
compares_one_world()
{
    "$saccade" train catch.yaml --run large --plugin catch.so --quiet --generations 1 --set env.size=40 &&
        "$saccade" compare one/best.safetensors one/mean.safetensors --seeds 0..1 --plugin catch.so &&
        refuses 2 "size is '24' for the first policy and '40' for the second" "$saccade" compare one/best.safetensors \
            large/mean.safetensors --seeds 0..1 --plugin catch.so &&
        sed 's/^\( *\)\.options = catch_options,/&\n\1.same_world = (const char *const[]){"size", NULL},/' "$root/examples/plugin.c" >harmless.c &&
        grep -q same_world harmless.c &&
        build harmless.so harmless.c &&
        "$saccade" compare one/best.safetensors large/mean.safetensors --seeds 0..1 --plugin harmless.so
}
check "compare takes an option of a plugin's world for a rule unless it says otherwise" compares_one_world

# ---- what goes wrong

env_of() { env SACCADE_PLUGINS="$1" "${@:2}"; }
cat >broken.h <<'E2'
#include <saccade/plugin.h>
static sac_status create(void **s, const void *c, const char *v)
{ (void)c, (void)v; *s = 0; return sac_fail(SAC_ERROR_UNAVAILABLE, "%s: the robot is not plugged in", NAME); }
static void spec(const void *s, sac_env_spec *spec) { (void)s, (void)spec; }
static sac_status reset(void *s, uint64_t seed, const sac_env_row *row) { (void)s, (void)seed, (void)row; return SAC_OK; }
static sac_status step(void *s, const sac_env_row *row) { (void)s, (void)row; return SAC_OK; }
static void destroy(void *s) { (void)s; }
E2
world() # NAME [step]: a world of that name
{
    printf '#define NAME "%s"\n#include "broken.h"\nstatic const sac_env_ops ops = {.name = NAME, .create = create,
        .spec = spec, .reset = reset, .step = %s, .destroy = destroy};\n' "$1" "${2:-step}"
}
list='static const sac_env_ops *const list[] = {&ops, 0};'
{ world unplugged; echo "$list SAC_PLUGIN(list, 0)"; } >unplugged.c
{ world toy; echo "$list SAC_PLUGIN(list, 0)"; } >taken.c
{ world lacking 0; echo "$list SAC_PLUGIN(list, 0)"; } >lacking.c
{ world old; echo "$list"; echo 'SAC_API const sac_plugin sac_plugin_table;
const sac_plugin sac_plugin_table = {SAC_PLUGIN_VERSION + 1, 7, 3, list, 0};'; } >old.c
echo 'int nothing;' >plain.c
{ world unknown; echo 'sac_status sac_no_such_function(void); sac_status call(void);
sac_status call(void) { return sac_no_such_function(); }'; echo "$list SAC_PLUGIN(list, 0)"; } >unknown.c
echo '#include <saccade/plugin.h>
SAC_PLUGIN(0, 0)' >empty.c
for name in unplugged taken lacking old plain unknown empty; do build $name.so $name.c -I. || exit 1; done
echo "no object" >text.so

check "a file that is missing" refuses 1 "plugin 'none.so': No such file" "$saccade" envs --plugin none.so
check "a variable that names what is missing" refuses 1 "SACCADE_PLUGINS: plugin 'none.so': No such file" \
    env_of catch.so:none.so "$saccade" envs
check "a variable that names nothing" refuses 2 "SACCADE_PLUGINS is ':', expected FILE.so" env_of : "$saccade" envs
check "a file that is no shared object" refuses 1 "plugin 'text.so' cannot be opened" "$saccade" envs --plugin text.so
check "a folder" refuses 1 "plugin '/tmp' cannot be opened" "$saccade" envs --plugin /tmp
check "an empty path" refuses 2 "--plugin is empty, expected FILE.so" "$saccade" envs --plugin ""
check "a flag without its value" refuses 2 "--plugin needs a value" "$saccade" envs --plugin
check "a misspelt flag" refuses 2 "did you mean '--plugin'" "$saccade" envs --pluggin catch.so
check "an object without the entry" refuses 1 "'plain.so' is no plugin: it has no sac_plugin_table" \
    "$saccade" envs --plugin plain.so
check "another version" refuses 1 "has version $next of the interface (saccade 7.3)" "$saccade" envs --plugin old.so
check "an undefined function" refuses 1 "sac_no_such_function" "$saccade" envs --plugin unknown.so
check "a plugin of nothing" refuses 1 "offers neither" "$saccade" envs --plugin empty.so
check "a name that is taken" refuses 1 "plugin 'taken.so': environment 'toy': the name is taken" \
    "$saccade" envs --plugin taken.so
check "a world without a step" refuses 1 "environment 'lacking' has no step" "$saccade" envs --plugin lacking.so
cp catch.so again.so
check "two plugins with one name" refuses 1 "plugin 'again.so': environment 'catch': the name is taken" \
    env_of catch.so "$saccade" envs --plugin again.so
check "the same plugin twice is one" env_of catch.so:./catch.so "$saccade" config catch.yaml --plugin "$work/catch.so"
check "a world says why it fails" refuses 1 "saccade: unplugged: the robot is not plugged in" \
    "$saccade" eval --env unplugged --random --plugin unplugged.so
check "a task without its plugin" refuses 2 "env.id: unknown name 'catch'; one that is not built in comes with a plugin" \
    "$saccade" train catch.yaml --run none
check "nothing was begun" test ! -e none
check "a policy without its plugin" refuses 1 "unknown kind 'columns'; one that is not built in comes with a plugin" \
    "$saccade" eval one/best.safetensors
check "no export" refuses 1 "policies of kind 'columns' cannot be exported" \
    "$saccade" export one/best.safetensors --c x.c --plugin catch.so

in_cpp() # the entry has C's name, and its functions are C's
{
    { echo '#include <cstring>'; sed 's/(void)c, (void)v; \*s = 0;/(void)c, (void)v; *s = nullptr;/' broken.h; } >broken.hpp
    printf '#define NAME "unplugged"\n#include "broken.hpp"\nstatic sac_env_ops ops;
        static const sac_env_ops *const list[] = {&ops, nullptr};
        static const bool filled = (ops.name = NAME, ops.create = create, ops.spec = spec, ops.reset = reset,
            ops.step = step, ops.destroy = destroy, true);\nSAC_PLUGIN(list, nullptr)\n' >plus.cpp
    "${CXX:-c++}" -std=c++11 -Wno-unused-variable -shared -fPIC -I"$root/include" -I. plus.cpp -o plus.so &&
        "$saccade" envs --plugin plus.so | grep 'not available: unplugged: the robot is not plugged in'
}
if command -v "${CXX:-c++}" >/dev/null; then check "a plugin in C++" in_cpp; fi

offers_all() # a plugin may call every public function
{
    local function
    nm -D --defined-only "$saccade" | awk '{print $3}' | sort >offered
    # declarations begin a line, and end as functions do
    cat "$root"/include/saccade/*.h | grep -E '^SAC_API ' | grep -oE '\bsac_[a-z0-9_]+\(' | tr -d '(' | sort -u >declared
    while read -r function; do
        grep -qx "$function" offered || { echo "$function is missing"; return 1; }
    done <declared
    [[ $(wc -l <declared) -gt 100 ]]
}
check "the command offers every public function" offers_all
finish
