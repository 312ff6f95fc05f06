#!/usr/bin/env bash
# A planner outside the repository's own rooms, as the policy that acts and as a teacher: builds examples/planner.c as its
# first line says, and lets it play, record and teach in the world of examples/eyes.c.
#   planner.sh SACCADE
set -uo pipefail
saccade=$(realpath "$1")
cd "$(dirname "$0")/../.." || exit 1
source tests/check.sh
source tests/plugins.sh
need_compiler "planners"
check "examples/planner.c builds by its own line" builds_as_it_says planner
cp examples/planner.yaml examples/planned.yaml "$work"
cd "$work" || exit 1
build eyes.so "$root/examples/eyes.c" && build catch.so "$root/examples/plugin.c" || exit 1
export SACCADE_PLUGINS=$work/planner.so:$work/eyes.so

mean() { sed -nE 's/^mean (-?[0-9.]+),.*/\1/p'; }
above() { awk -v a="$1" -v b="$2" 'BEGIN {exit !(a > b)}'; }
score() { "$saccade" eval "$@" --seeds 0..49 | mean; }

plans() # far better than chance, by any number of threads and lanes; without tries ahead it is not
{
    "$saccade" train planner.yaml --run runs/planner --quiet || return 1
    local planned blind random
    planned=$(score runs/planner/best.safetensors)
    random=$(score --env eyes --random)
    "$saccade" train planner.yaml --run blind --quiet --set policy.hold=1 && blind=$(score blind/best.safetensors)
    echo "planner $planned, one that looks one step ahead $blind, random $random"
    above "$planned" "3 * $random" && above "$planned" "2 * $blind" &&
        "$saccade" eval runs/planner/best.safetensors --seeds 0..9 >one.txt &&
        "$saccade" eval runs/planner/best.safetensors --seeds 0..9 --threads 2 >two.txt && cmp one.txt two.txt
}
check "a planner acts by what it has tried out" plans

is_shown() # also in the picture after the end of an episode, where nothing can be tried out
{
    "$saccade" record runs/planner/best.safetensors --seeds 1000000..1000003 --out shown --parts "state ball" &&
        "$saccade" watch runs/planner/best.safetensors --frames film --steps 100 --seed 3 &&
        [[ $(find film -name '*.png' | wc -l) -ge 100 ]]
}
check "it is recorded, and filmed to the end of an episode" is_shown

teaches() # a student from pictures learns of it; the same bytes for two threads, and for a run that was stopped
{
    "$saccade" distill planned.yaml --run one --quiet --threads 1 &&
        "$saccade" distill planned.yaml --run two --quiet --threads 2 && cmp one/mean.safetensors two/mean.safetensors || return 1
    "$saccade" distill planned.yaml --run rest --quiet --generations 3 &&
        "$saccade" distill planned.yaml --run rest --quiet --resume && cmp one/mean.safetensors rest/mean.safetensors || return 1
    local learned random
    learned=$(score one/best.safetensors)
    random=$(score --env eyes --random)
    echo "student $learned, random $random"
    above "$learned" "2 * $random"
}
check "a student learns from it, the same for any number of threads and after a stop" teaches

ranks()
{
    mpirun --version || return 0
    # Open MPI keeps memory until the process ends, which a build with sanitizers would call a leak
    ASAN_OPTIONS=detect_leaks=0 mpirun --allow-run-as-root --oversubscribe -n 2 "$saccade" distill planned.yaml --run ranks --quiet &&
        cmp one/mean.safetensors ranks/mean.safetensors
}
"$saccade" doctor 2>/dev/null | grep -q '^mpi *works' && check "and on two ranks" ranks

sed -e 's/id: eyes/id: catch/' -e '/inputs/d' planner.yaml >catch.yaml
check "a world that cannot be saved is refused" refuses 2 \
    "planner tries actions out in a copy of the world, and catch cannot be saved" \
    "$saccade" train catch.yaml --run refused --quiet --plugin catch.so

fails() # a planner whose tries fail: a line with its own words ends what it takes part in
{
    sed -e 's/"planner"/"failing"/' \
        -e 's/(void)inputs; .*the world itself.*/return sac_fail(SAC_ERROR_ENVIRONMENT, "failing: no plan today");/' \
        "$root/examples/planner.c" >failing.c && build failing.so failing.c || return 1
    sed 's/kind: planner/kind: failing/' planner.yaml >failing.yaml
    refuses 1 "failing: no plan today" "$saccade" train failing.yaml --run failing --quiet --plugin failing.so
}
check "a planner that fails says why" fails
finish
