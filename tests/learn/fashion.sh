#!/usr/bin/env bash
# The tasks of Fashion-MNIST that ship learn from the set's own files, in little: fashion.sh SACCADE
# A part of make check, which installs the set as make data does.
set -uo pipefail
saccade=$(realpath "$1")
cd "$(dirname "$0")/../.." || exit 1
source tests/check.sh

learns() # TASK
{
    local run small=(--set data.limit=200 --set train.epochs=1 --set net.width=16 --set evaluation.every=0 --quiet)
    run=$work/$(basename "$1" .yaml)
    [[ $1 == *resnet* ]] || small+=(--set net.layers=1 --set net.hidden=16 --set net.heads=4)
    "$saccade" fit "$1" --run "$run" "${small[@]}" &&
        awk -F, 'END {print $5, $8; exit !($5 > 0 && $5 < 3 && $8 > 0)}' "$run/metrics.csv"
}
for task in tasks/fashion-*.yaml; do check "$task learns" learns "$task"; done
finish
