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

# A policy that says its actions by tokens is cloned from a file, to the same bytes with any number of threads, and ends
# nearer to what it was shown than to random actions.
speaks()
{
    local world=(--env toy --set size=24 --set max_steps=20) shown clone random n
    cat >"$work/tokens.yaml" <<'END'
env: {id: toy, size: 24, max_steps: 20}
policy: {kind: action-tokens, image_size: 0, patch: 4, bins: 9, history: 2}
search: {method: distill, share: 1, fit_steps: 100, batch: 8, steps: 4, rate: 0.005, largest_norm: 1}
train: {generations: 3}
END
    "$saccade" record tests/train/teacher.safetensors "${world[@]}" --seeds 1000000..1000039 --out "$work/told" || return 1
    for n in 1 3; do
        "$saccade" distill "$work/tokens.yaml" --demonstrations "$work/told" --run "$work/tokens$n" --threads "$n" \
            --quiet || return 1
    done
    cmp "$work/tokens1/mean.safetensors" "$work/tokens3/mean.safetensors" || return 1
    cat "$work/tokens1/distill.csv"
    awk -F, 'NR == 2 {first = $5} END {exit !(NR == 4 && $6 < 0.9 * first)}' "$work/tokens1/distill.csv" || return 1
    shown=$(mean_of tests/train/teacher.safetensors) && clone=$(mean_of "$work/tokens1/mean.safetensors") &&
        random=$(mean_of --random) || return 1
    echo "shown $shown, the clone $clone, random actions $random"
    awk -v s="$shown" -v c="$clone" -v r="$random" 'BEGIN {exit !(s > r && 2 * c > s + r)}'
}

mean_of() # WHO: in the world of `speaks`, over 50 episodes
{
    "$saccade" eval "$@" "${world[@]}" --seeds 0..49 | sed -n 's/^mean \([-0-9.]*\), .*/\1/p' | grep .
}

# The same kind in the control suite, cloned from a policy that ships and from a recording of it: the loss falls.
speaks_in_control()
{
    local run
    cat >"$work/control.yaml" <<'END'
env: {id: cartpole-swingup, height: 64, width: 64, action_repeat: 6}
policy: {kind: action-tokens, image_size: 0, patch: 8, bins: 33, history: 3}
search: {method: distill, episodes: 4, share: 1, fit_steps: 20, batch: 8, steps: 4, rate: 0.005, largest_norm: 1}
train: {generations: 2}
teacher: {policy: zoo/control/cartpole-swingup-taught.safetensors}
END
    "$saccade" distill "$work/control.yaml" --run "$work/by_teacher" --set evaluation.every=0 --quiet &&
        "$saccade" record zoo/control/cartpole-swingup-taught.safetensors --seeds 1000000..1000003 --out "$work/swung" &&
        "$saccade" distill "$work/control.yaml" --set teacher.policy= --demonstrations "$work/swung" \
            --run "$work/by_file" --set evaluation.every=0 --quiet || return 1
    for run in by_teacher by_file; do
        cat "$work/$run/distill.csv"
        awk -F, 'NR == 2 {first = $5} END {exit !(NR == 3 && $6 < 0.9 * first)}' "$work/$run/distill.csv" || return 1
    done
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
        refuses 2 "search.spread is 1, and the policy says its numbers digit by digit" \
            "$saccade" distill tests/train/decimals-taught.yaml --set search.spread=1 --run "$work/none" &&
        refuses 1 "nowhere.safetensors" "$saccade" distill "$task" --teacher nowhere.safetensors --run "$work/none" &&
        [[ ! -e $work/none ]]
}

check "any number of threads records the same bytes" threads
check "the JSON has eval's returns" json
check "parts are chosen by name" chosen_parts
check "what cannot be recorded is refused in a line" refusals
check "an interrupted recording leaves nothing" interrupted
check "a task with a teacher is trained by distill, by train, and from a file" distills
check "actions by tokens are cloned from a file" speaks
if "$saccade" doctor | grep -q '^cartpole-swingup  *works'; then
    check "actions by tokens are cloned in the control suite" speaks_in_control
else
    skip "actions by tokens are cloned in the control suite" "MuJoCo (make mujoco)"
fi
check "a run with a teacher goes on" goes_on
check "tasks that cannot be taught are refused" untaught
finish
