#!/usr/bin/env bash
# saccade sweep from outside: files that are none, tables without evaluations, tasks beside the sweep file.
#   sweep.sh SACCADE
set -uo pipefail
saccade=$(realpath "$1")
source "$(dirname "$0")/../check.sh"
root=$PWD

a_task() # the line says what it is, what trains it, and what a sweep looks like; nothing is made
{
    refuses 2 "tasks/toy.yaml is a task, not a sweep: 'saccade train' trains it" "$saccade" sweep tasks/toy.yaml --run "$work/none" &&
        grep -qF '{task: tasks/toy.yaml, fields: {search: {sigma: [0.05, 0.1]}}, seeds: [1, 2]}' "$work/err" && [[ ! -e $work/none ]]
}
as_shown() # and what it shows is a sweep
{
    sed -n 's/.*such as {\(.*\)}$/{\1}/p' "$work/err" >"$work/shown.yaml"
    "$saccade" sweep "$work/shown.yaml" --run "$work/shown" --generations 1 --quiet >/dev/null && [[ $(grep -c '^run-' "$work/shown/results.csv") == 4 ]]
}
a_sweep()
{
    refuses 2 "is a sweep over a task, not a task: 'saccade sweep' carries it out" "$saccade" train "$work/shown.yaml" --run "$work/none" &&
        [[ ! -e $work/none ]]
}

unevaluated() # the table says why it is empty and what to set; what it says to set fills it
{
    printf 'task: tasks/toy.yaml\nfields: {search: {sigma: [0.1, 0.2]}, evaluation: {every: [%s]}}\n' 0 >"$work/never.yaml"
    "$saccade" sweep "$work/never.yaml" --run "$work/never" --generations 2 --quiet >"$work/out" || return 1
    cat "$work/out"
    grep -q "^2 of 2 runs have no evaluation, .* evaluation.every is 0" "$work/out" && ! grep -q '^ *runs *median' "$work/out" || return 1
    sed "s/every: \[0\]/$(grep -oE 'every: \[[0-9]+\]' "$work/out")/" "$work/never.yaml" >"$work/ever.yaml"
    "$saccade" sweep "$work/ever.yaml" --run "$work/ever" --generations 2 --quiet >"$work/out" || return 1
    ! grep -q 'no evaluation' "$work/out" && [[ $(grep -cE '^0\.[12] 10|^0\.[12],10 ' "$work/out") == 2 ]]
}

beside() # a task that is named from where the sweep file lies, from any folder, and the current folder's before it
{
    mkdir -p "$work/far/tasks" "$work/near/inner"
    cp "$root/tasks/toy.yaml" "$work/far/tasks/mine.yaml"
    printf 'task: tasks/mine.yaml\nfields: {search: {sigma: [0.1]}}\n' >"$work/far/sweep.yaml"
    (cd "$work/near" && "$saccade" sweep ../far/sweep.yaml --run found --generations 1 --quiet >/dev/null) || return 1
    grep -q 'population: 32' "$work/near/found/run-0000/task.yaml" || return 1
    mkdir "$work/near/tasks"
    sed 's/population: 32/population: 8/' "$root/tasks/toy.yaml" >"$work/near/tasks/mine.yaml"
    (cd "$work/near" && "$saccade" sweep ../far/sweep.yaml --run here --generations 1 --quiet >/dev/null) &&
        grep -q 'population: 8' "$work/near/here/run-0000/task.yaml"
}
nowhere()
{
    printf 'task: no.yaml\nfields: {search: {sigma: [0.1]}}\n' >"$work/lost.yaml"
    refuses 1 "lost.yaml: the task 'no.yaml' is neither in the current folder nor beside the sweep file" \
        "$saccade" sweep "$work/lost.yaml" --run "$work/none"
}
ours() # every sweep among the tasks names one beside it, which an installed one needs
{
    local file
    for file in "$root"/tasks/*.yaml; do
        grep -q '^task:' "$file" || continue
        [[ -e $root/tasks/$(sed -nE 's/^task: *([^ ]+).*/\1/p' "$file") ]] || { echo "$file"; return 1; }
    done
}

check "a task is no sweep" a_task
check "a sweep is as the line shows it" as_shown
check "a sweep is no task" a_sweep
check "a table without evaluations says why" unevaluated
check "a task beside the sweep file is found" beside
check "a task that is nowhere is said" nowhere
check "our own sweeps find their tasks" ours
finish
