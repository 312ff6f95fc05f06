#!/usr/bin/env bash
# The tasks of Fashion-MNIST that ship learn from the set's own files, in little: fashion.sh SACCADE
# A part of make check, which installs the set as make data does.
set -uo pipefail
saccade=$(realpath "$1")
cd "$(dirname "$0")/../.." || exit 1
source tests/check.sh

run_little() # TASK RUN [option...]: some seconds of the task, on 500 pictures and as many for testing
{
    local task=$1 run=$2 small=(--set net.layers=1 --set net.width=32 --set net.heads=4)
    shift 2
    [[ $task != *resnet* ]] || small=(--set net.width=8)
    "$saccade" fit "$task" --run "$run" --set data.limit=500 --set train.epochs=8 --set train.batch=10 "${small[@]}" \
        --quiet "$@"
}

# Guessing has a tenth of 500 test pictures right, with a deviation of sqrt(0.1 x 0.9 / 500) = 1.3 points; what has
# learned is six of these above. The loss of a net that does not change is the same in each epoch, but for the crops.
has_learned() # RUN
{
    awk -F, 'NR == 2 {first = $5} END {
        print "loss " first " to " $5 ", right " $8
        exit !(NR == 9 && $5 < 0.9 * first && $8 > 0.1 + 6 * sqrt(0.1 * 0.9 / 500))}' "$1/metrics.csv"
}

learns() # TASK
{
    local run
    run=$work/$(basename "$1" .yaml)
    run_little "$1" "$run" && has_learned "$run"
}

stays() # the same measure does not take a net that learns nothing for one that has learned
{
    run_little tasks/fashion-attention.yaml "$work/stays" --set train.rate=0 && ! has_learned "$work/stays"
}

for task in tasks/fashion-*.yaml; do check "$task learns" learns "$task"; done
check "a net whose rate is 0 has not learned" stays
finish
