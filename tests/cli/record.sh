#!/usr/bin/env bash
# saccade record and saccade distill as people call them: record.sh SACCADE
set -uo pipefail
saccade=$1
source "$(dirname "$0")/../check.sh"
toy=(--env toy --set max_steps=30 --seeds 1000000..1000006)
task=tests/train/taught.yaml

# the same bytes for any number of threads, and what the line says is what is there
threads()
{
    local who
    for who in random idle; do
        "$saccade" record "--$who" "${toy[@]}" --out "$work/one" >"$work/said" &&
            "$saccade" record "--$who" "${toy[@]}" --out "$work/three" --threads 3 >/dev/null &&
            cmp "$work/one" "$work/three" || return 1
        grep -q "one: 7 episodes, 210 steps, return .* +- .*, 0.6 MB" "$work/said" || { cat "$work/said"; return 1; }
    done
}

json() # the returns are those of eval
{
    "$saccade" record --random "${toy[@]}" --out "$work/one" --json >"$work/recorded" &&
        "$saccade" eval --random "${toy[@]}" --json >"$work/evaluated" || return 1
    [[ $(grep -o '"mean": *[-0-9.]*' "$work/recorded") == $(grep -o '"mean": *[-0-9.]*' "$work/evaluated") ]] &&
        grep -q '"steps": *210' "$work/recorded" && grep -q "\"bytes\": *$(stat -c %s "$work/one")" "$work/recorded"
}

chosen_parts() # a privileged one too; without the camera the file is small
{
    "$saccade" record --random "${toy[@]}" --out "$work/state" --parts state >/dev/null &&
        (($(stat -c %s "$work/state") < 20000)) && grep -q observation.state "$work/state" &&
        ! grep -q observation.camera "$work/state"
}

refusals()
{
    refuses 2 "say which file to write with --out" "$saccade" record --random --env toy &&
        refuses 2 "expected a policy, or one of --random and --idle" "$saccade" record --env toy --out "$work/none" &&
        refuses 2 "did you mean 'camera'?" "$saccade" record --idle --env toy --parts camra --out "$work/none" &&
        refuses 1 "nowhere" "$saccade" record --idle --env toy --out "$work/nowhere/none" &&
        [[ ! -e $work/none ]]
}

interrupted() # nothing is written, not even in part
{
    "$saccade" record --random --env toy --set max_steps=100000 --seeds 1000000..1000100 --out "$work/long/none" \
        >"$work/log" 2>&1 &
    local pid=$! status
    sleep 0.5
    kill -INT "$pid"
    wait "$pid"
    status=$?
    [[ $status == 130 && -z $(ls -A "$work/long") ]] && grep -q "interrupted; nothing is written" "$work/log"
}
mkdir "$work/long"

distills() # the same run by `train`, and from a file
{
    "$saccade" distill "$task" --generations 4 --run "$work/a" --quiet &&
        "$saccade" train "$task" --generations 4 --run "$work/b" --quiet &&
        cmp "$work/a/mean.safetensors" "$work/b/mean.safetensors" || return 1
    "$saccade" record --random --env toy --set size=24 --set max_steps=20 --out "$work/shown" >/dev/null &&
        "$saccade" distill "$task" --demonstrations "$work/shown" --generations 4 --run "$work/c" --quiet &&
        "$saccade" distill "$task" --set teacher.policy= --demonstrations "$work/shown" --generations 4 --run "$work/c2" \
            --quiet && cmp "$work/c/mean.safetensors" "$work/c2/mean.safetensors" && [[ $(wc -l <"$work/c/distill.csv") == 5 ]]
}

goes_on() # after a signal, to the same bytes; another teacher is refused
{
    "$saccade" distill "$task" --generations 4 --run "$work/d" --quiet --seconds 1 &&
        "$saccade" distill "$task" --generations 8 --run "$work/d" --quiet --resume &&
        "$saccade" distill "$task" --generations 8 --run "$work/e" --quiet &&
        cmp "$work/d/mean.safetensors" "$work/e/mean.safetensors" && cmp "$work/d/distill.csv" "$work/e/distill.csv" &&
        refuses 2 "the run was started with teacher.policy" "$saccade" distill "$task" --run "$work/d" --resume \
            --teacher "$work/d/best.safetensors"
}

untaught()
{
    refuses 2 "another search.method than distill" "$saccade" distill tasks/toy.yaml --run "$work/none" &&
        refuses 2 "a policy that is found by search.method: sep-cma-es has no teacher" "$saccade" train tasks/toy.yaml \
            --set teacher.policy=x --run "$work/none" &&
        refuses 1 "nowhere.safetensors" "$saccade" distill "$task" --teacher nowhere.safetensors --run "$work/none" &&
        [[ ! -e $work/none ]]
}

check "any number of threads records the same bytes" threads
check "the JSON has eval's returns" json
check "parts are chosen by name" chosen_parts
check "what cannot be recorded is refused in a line" refusals
check "an interrupted recording leaves nothing" interrupted
check "a task with a teacher is trained by distill, by train, and from a file" distills
check "a run with a teacher goes on" goes_on
check "tasks without a teacher are refused" untaught
finish
