#!/usr/bin/env bash
# The command from outside: help everywhere, wrong words answered, start-up time, nothing undocumented.
#   command.sh SACCADE [--time]     --time: start-up is measured too (release builds)
set -uo pipefail
saccade=$1
source "$(dirname "$0")/../check.sh"

helps() # COMMAND...: --help succeeds, explains something, says nothing on standard error
{
    "$saccade" "$@" --help >"$work/help" 2>"$work/err" || { echo "exit code $?"; return 1; }
    [[ -s $work/help && ! -s $work/err ]] && [[ $(wc -l <"$work/help") -ge 3 ]]
}

commands() { "$saccade" --help | sed -nE 's/^  ([a-z]+) .*/\1/p'; }

starts_quickly() # best of 20 under 20 ms
{
    local best=1000000 begin end
    for _ in $(seq 20); do
        begin=$(date +%s%N)
        "$saccade" --help >/dev/null
        end=$(date +%s%N)
        ((end - begin < best * 1000)) && best=$(((end - begin) / 1000))
    done
    echo "$best us"
    ((best < 20000))
}

documented() # the manual holds every command and every option that --help shows
{
    "$saccade" --man | sed 's/\\-/-/g' >"$work/man"
    for command in $(commands); do
        grep -qE "^\.SS \"$command( |\")" "$work/man" || { echo "$command is not in the manual"; return 1; }
        for flag in $("$saccade" "$command" --help | sed -nE 's/^  (--[a-z0-9-]+).*/\1/p'); do
            grep -qE "^\.B $flag( |$)" "$work/man" || { echo "$command $flag is not in the manual"; return 1; }
        done
    done
}

promised() # what design promises is there
{
    for command in train fit classify eval generalise watch attend replay envs tasks zoo compare import bench theory runs sweep plot export dash report config doctor; do
        commands | grep -x "$command" >/dev/null || { echo "no '$command'"; return 1; }
    done
}

completes() # every command and option, in words that the shell understands where it is installed
{
    local shell command flag
    for shell in bash zsh fish; do
        "$saccade" --completion $shell >"$work/completion" || return 1
        if command -v $shell >/dev/null; then $shell -n "$work/completion" || return 1; fi
        for command in $(commands); do
            grep -qE "(^| |')$command([:) ]|$)" "$work/completion" || { echo "$shell: no $command"; return 1; }
            for flag in $("$saccade" "$command" --help | sed -nE 's/^  --([a-z0-9-]+).*/\1/p'); do
                grep -qE -- "(--|-l )${flag}[ ='[]" "$work/completion" || { echo "$shell: no $command --$flag"; return 1; }
            done
        done
    done
}

completes_in_bash()
{
    "$saccade" --completion bash >"$work/completion"
    bash -c 'source "$0"; COMP_WORDS=(saccade pl) COMP_CWORD=1; _saccade; [[ ${COMPREPLY[*]} == plot ]] || exit 1
        COMP_WORDS=(saccade plot --mem) COMP_CWORD=2; _saccade; [[ ${COMPREPLY[*]} == --memory ]]' "$work/completion"
}

offers() # EXPECTED WORD...: what bash offers for the last word, in a folder with one file
{
    local expected=$1
    shift
    "$saccade" --completion bash >"$work/completion"
    mkdir -p "$work/folder" && touch "$work/folder/carfile"
    (cd "$work/folder" && bash -c 'source "$1"; COMP_WORDS=("${@:3}") COMP_CWORD=$(($# - 3)); _saccade; echo "${COMPREPLY[*]}"; [[ ${COMPREPLY[*]} == $2 ]]' \
        - "$work/completion" "$expected" saccade "$@")
}

offers_what_belongs() # worlds, variants, options and axes where they belong, files where files do, nothing for numbers
{
    offers car-racing eval --random --env car- && offers car-racing replay car- && offers "cheetah-run" envs che &&
        offers blob watch zoo/x --variant blo && offers "rules=" eval x --set ru && offers opengl eval x --renderer op &&
        offers "search.sigma= search.sigma_*" train x --set search.sigma && offers "train.patience=" config x --set train.pa &&
        offers "policy.inputs=" train x --set policy.inp && offers "policy.teacher=" train x --set policy.tea &&
        offers "train.stages.0.above=" train x --set train.stages.0.ab && offers carfile zoo ca && offers "" zoo cheetah &&
        offers minutes plot x --x m && offers carfile plot ca && offers carfile watch x --video ca && offers "" eval x --threads ca &&
        offers "" plot x --title ca
}

all_tasks() # each with its world and a line of its own, and its path can be used
{
    "$saccade" tasks >"$work/tasks" || return 1
    cat "$work/tasks"
    local file
    for file in tasks/*.yaml; do
        grep -qE "^$file +[A-Za-z0-9:-]+ +[^ ].{10,}[^ ]$" "$work/tasks" || { echo "no $file"; return 1; }
    done
    [[ $(grep -c '^tasks/' "$work/tasks") == $(ls tasks/*.yaml | wc -l) ]] && grep -qE '^tasks/toy.yaml +toy +Keep the sight on a drifting square$' "$work/tasks" &&
        "$saccade" tasks --json | python3 -c 'import json, sys; rows = json.load(sys.stdin); assert all(set(r) == {"task", "env", "about"} and r["env"] for r in rows)'
}

one_world() # alone, with all of its options; in the list of all, what the control suite shares stands once
{
    "$saccade" envs cheetah-run >"$work/one" && "$saccade" envs >"$work/envs" || return 1
    grep -q '^cheetah-run: ' "$work/one" && [[ $(grep -cE '^[a-z-]+: ' "$work/one") == 1 ]] && grep -q '^  shadows ' "$work/one" &&
        [[ $(grep -c '^  shadows ' "$work/envs") == 1 && $(grep -cE '^  \* .* shadows ' "$work/envs") == 7 ]] &&
        grep -qxF '  action       steer [-1, 1] gas [0, 1] brake [0, 1]' "$work/envs" &&
        refuses 2 "did you mean 'cheetah-run'?" "$saccade" envs cheeta-run
}

task_words() # a task's mistakes are answered with what would be right
{
    refuses 2 "controller is 'lstn', expected one of: lstm, mlp, linear, did you mean 'lstm'?" "$saccade" config tasks/toy.yaml --set policy.controller=lstn &&
        refuses 2 "population is '10000000000', expected a whole number from " "$saccade" config tasks/toy.yaml --set search.population=10000000000 &&
        printf 'env:\n  id: toy\npolicy:\n  kind: attention-agent\nsearch:\n  method: sep-cma-es\ntrain:\n  episodes: [1, 2]\n' >"$work/list.yaml" &&
        refuses 2 "list.yaml:8: train: episodes takes one value, not a list" "$saccade" config "$work/list.yaml"
}

resolves() # a task as its run writes it
{
    "$saccade" train tasks/toy.yaml --run "$work/run" --generations 1 --set search.sigma=0.3 --quiet &&
        "$saccade" config tasks/toy.yaml --set search.sigma=0.3 >"$work/task" &&
        diff "$work/run/task.yaml" "$work/task"
}

from_environment() # the same as on the command line, which comes after it
{
    "$saccade" config tasks/toy.yaml --set search.sigma=0.3 --set train.tune='lstm output:0.5' >"$work/flags" || return 1
    SACCADE_CONFIG_SET='search.sigma=0.3;train.tune=lstm output:0.5' SACCADE_EVAL_SEEDS=x \
        "$saccade" config tasks/toy.yaml >"$work/variables" && diff "$work/flags" "$work/variables" || return 1
    SACCADE_CONFIG_SET='search.sigma=0.2;train.tune=lstm output:0.5' \
        "$saccade" config tasks/toy.yaml --set search.sigma=0.3 >"$work/both" && diff "$work/flags" "$work/both"
}

examines() # the level is said, and every module is one that is beside the command or one that is missing
{
    SACCADE_CPU=scalar "$saccade" doctor >"$work/doctor" || return 1
    grep -q 'level scalar (limited by SACCADE_CPU)' "$work/doctor" && grep -qE '^car-racing +works$' "$work/doctor" || return 1
    local module
    for module in film window plot web mpi mujoco; do
        if [[ -e $(dirname "$saccade")/saccade-$module.so ]]; then grep -qE "^$module +works " "$work/doctor"
        else grep -A1 -E "^$module +missing " "$work/doctor" | grep -E 'apt-get install|make mujoco' >/dev/null; fi || { echo "$module"; return 1; }
    done
}

levels() # a level that is misspelt is refused, with those that there are
{
    refuses 2 "SACCADE_CPU is 'avx1024', expected one of: scalar, neon, avx2, avx512" env SACCADE_CPU=avx1024 "$saccade" doctor &&
        refuses 2 "SACCADE_CPU is 'AVX2'" env SACCADE_CPU=AVX2 "$saccade" eval --env toy --random --seeds 0 &&
        SACCADE_CPU='' "$saccade" doctor >"$work/doctor" && ! grep 'limited by' "$work/doctor"
}

# the help names each kind that can be exported, each that cannot, and the options that are refused, and it holds
exports_what_it_says()
{
    local kind set
    "$saccade" export --help >"$work/help"
    for kind in attention-agent iap-rank iap-trans cnn mlp heads projection selection key_period 'one picture'; do
        grep -qF "$kind" "$work/help" || { echo "export --help says nothing of $kind"; return 1; }
    done
    for kind in attention-agent iap-rank iap-trans cnn; do
        sed '/^policy:/,/^[a-z]*:$/ {/^  /{/kind/!d}}; s/kind: .*/kind: '$kind'/' tasks/toy.yaml >"$work/$kind.yaml"
        [[ $kind != cnn ]] || echo '  conv_channels: 4' | sed -i '/^  kind: cnn/r /dev/stdin' "$work/cnn.yaml"
        "$saccade" train "$work/$kind.yaml" --run "$work/$kind" --generations 1 --quiet --set evaluation.every=0 --set search.population=4 &&
            "$saccade" export "$work/$kind/mean.safetensors" --c "$work/x.c" --onnx "$work/x.onnx" || return 1
    done
    for set in heads=2 projection=learned selection=sample key_period=2; do
        "$saccade" train "$work/iap-rank.yaml" --run "$work/$set" --generations 1 --quiet --set evaluation.every=0 \
            --set search.population=4 --set policy.attention=relu --set "policy.$set" || return 1
        refuses 1 "can be exported" "$saccade" export "$work/$set/mean.safetensors" --c "$work/x.c" || return 1
    done
}

# a Python without gymnasium and vizdoom, and one without numpy: each world that needs them says what to type
says_what_to_type()
{
    local bare=$work/bare module
    /usr/bin/python3 -m venv --without-pip "$bare" || return 1
    SACCADE_PYTHON=$bare/bin/python "$saccade" doctor >"$work/doctor" || return 1
    cat "$work/doctor"
    grep -qE '^take-cover +missing$' "$work/doctor" && grep -qE '^gym:CartPole-v1 +missing$' "$work/doctor" &&
        grep -qE '^toy +works$' "$work/doctor" && ! grep -qE 'Error|Traceback' "$work/doctor" || return 1
    grep -qF "$bare/bin/python has no module 'numpy': type '$bare/bin/python -m pip install numpy vizdoom', or in a checkout 'make worlds'" "$work/doctor" || return 1
    grep -qF "type '$bare/bin/python -m pip install numpy gymnasium'" "$work/doctor" || return 1
    # each world that lacks it says so
    [[ $(grep -cF "has no module 'numpy': type " "$work/doctor") == 2 ]] || return 1
    # with NumPy in its place, what is missing next
    mkdir -p "$work/modules/numpy" && touch "$work/modules/numpy/__init__.py"
    for module in gymnasium vizdoom; do
        PYTHONPATH=$work/modules SACCADE_PYTHON=$bare/bin/python "$saccade" doctor | grep -F "has no module '$module': type " || return 1
    done
    # the system's own Python refuses pip where a file says so: a virtual one is what works there
    local stdlib
    stdlib=$(/usr/bin/python3 -c 'import sysconfig; print(sysconfig.get_path("stdlib"))')
    if [[ ! -e $stdlib/EXTERNALLY-MANAGED ]] || /usr/bin/python3 -c 'import gymnasium' 2>/dev/null; then return 0; fi
    PYTHONPATH=$work/modules SACCADE_PYTHON=/usr/bin/python3 "$saccade" doctor >"$work/doctor"
    cat "$work/doctor"
    grep -F "/usr/bin/python3 has no module 'gymnasium': type 'make worlds' in a checkout, or 'python3 -m venv ~/venv && ~/venv/bin/pip install gymnasium' and 'export SACCADE_PYTHON=~/venv/bin/python'" "$work/doctor" &&
        ! grep -F '/usr/bin/python3 -m pip install' "$work/doctor"
}

check "--help" helps
check "no command is a wrong command line" test "$("$saccade" >/dev/null 2>&1; echo $?)" = 2
check "--version" grep -qE '^saccade [0-9]+\.[0-9]+\.[0-9]+$' <("$saccade" --version)
check "every promised command" promised
for command in $(commands); do
    check "$command --help" helps "$command"
    check "$command refuses an unknown option" refuses 2 "unknown option '--hlep'" "$saccade" "$command" --hlep
done
family() { [[ $("$saccade" envs legs | cut -d: -f1,2 | tr '\n' ' ') == "legs:flat legs:obstacles legs:stones legs:grid legs:stairs " ]]; }
check "a family of worlds is listed" family
check "unknown command" refuses 2 "did you mean 'envs'?" "$saccade" env
check "unknown command far from all" refuses 2 "unknown command 'xyzzyxyzzy'" "$saccade" xyzzyxyzzy
check "everything is in the manual" documented
check "everything is completed" completes
check "bash completes" completes_in_bash
check "bash offers what belongs" offers_what_belongs
check "every task is listed" all_tasks
check "one world, and what worlds share" one_world
check "mistakes in a task" task_words
check "more arguments than there is room for" refuses 2 "classify: more than 16384 arguments" "$saccade" classify $(seq 16385)
check "config has one form" refuses 2 "unknown option '--resolved'" "$saccade" config tasks/toy.yaml --resolved
check "a shell that is not known" refuses 2 "bash, zsh or fish" "$saccade" --completion tcsh
check "config spells a task out" resolves
check "options from environment variables" from_environment
check "a variable that names no option" refuses 2 "did you mean '--set'?" env SACCADE_CONFIG_SETS=a "$saccade" config tasks/toy.yaml
check "a variable for a switch" refuses 2 "expected 1 or 0" env SACCADE_EVAL_JSON=yes "$saccade" eval
check "doctor says what there is" examines
check "a level of the processor that there is not" levels
check "export --help says what can be exported" exports_what_it_says
if /usr/bin/python3 -c "import venv" 2>/dev/null; then
    check "doctor says what to type for worlds in Python" says_what_to_type
else
    skip "doctor says what to type for worlds in Python" "python3-venv (make setup-dev)"
fi
[[ ${2:-} != --time ]] || check "--help within 20 ms" starts_quickly
finish
