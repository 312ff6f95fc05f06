#!/usr/bin/env bash
# Which episodes choose and which report: seeds.sh SACCADE
set -uo pipefail
saccade=$1
source "$(dirname "$0")/../check.sh"

chooses() # TASK: its evaluation lies within 1000..1999 (first_seed 1000 and 20 episodes are the defaults)
{
    awk '/^evaluation:/ {inside = 1; next} /^[a-z]/ {inside = 0}
        inside && $1 == "first_seed:" {first = $2} inside && $1 == "episodes:" {episodes = $2}
        END {if (first == "") first = 1000; if (episodes == "") episodes = 20
             exit !(first >= 1000 && first + episodes <= 2000)}' "$1"
}
for task in $(scripts/tracked.sh 'tasks/*.yaml' 'zoo/tasks/*.yaml' 'zoo/training/*.yaml'); do
    check "$task chooses by seeds 1000..1999" chooses "$task"
done

"$saccade" train tasks/toy.yaml --run "$work/run" --generations 4 --quiet
best=$work/run/best.safetensors mean=$work/run/mean.safetensors
comparison() # default and 1000..1099 are one, and not those that report
{
    "$saccade" compare "$best" "$mean" >"$work/default" && "$saccade" compare "$best" "$mean" --seeds 1000..1099 >"$work/choosing" &&
        cmp "$work/default" "$work/choosing"
}
report() # eval looks at 0..99 unless it is told otherwise
{
    "$saccade" eval "$best" >"$work/default" && "$saccade" eval "$best" --seeds 0..99 >"$work/reporting" &&
        cmp "$work/default" "$work/reporting"
}
check "compare, which chooses, drives 1000..1099" comparison
check "eval, which reports, drives 0..99" report
check "a run that would choose by what is for reporting is refused" refuses 2 "0..99 are for reporting alone" \
    "$saccade" train tasks/toy.yaml --run "$work/refused" --set evaluation.first_seed=50
finish
