#!/usr/bin/env bash
# A run that is killed (kill -9) at random instants and resumed each time ends in the same files, byte for byte, as the
# run left alone. Prints its seed.
#   kill.sh SACCADE [KILLS] [SEED]           TASK: another task than the toy
set -uo pipefail
saccade=$(realpath "$1") kills=${2:-5} seed=${3:-$(($(date +%s) % 32768))}
RANDOM=$seed
cd "$(dirname "$0")/../.." || exit 1
source tests/check.sh
task=${TASK:-tasks/toy.yaml} generations=${GENERATIONS:-200}
needs_mujoco

train() { "$saccade" train $task --generations "$generations" --threads 2 "$@"; }

digest() # of everything that the promise covers
{
    (cd "$1" && find . -name '*.safetensors' -print0 | LC_ALL=C sort -z | xargs -0 sha256sum)
}

alone() { train --run "$work/alone"; }

# milliseconds of a whole run, so that the kills fall inside it
begin=$(date +%s%N)
check "a run left alone" alone
length=$((($(date +%s%N) - begin) / 1000000))

killed_run()
{
    local done_kills=0 finished=0
    while ((done_kills < kills)); do
        local after=$((RANDOM % (length + 1) + 1))
        # not through a function: the process itself is to be killed, not a shell around it
        "$saccade" train $task --generations "$generations" --threads 2 --run "$work/killed" --resume \
            >"$work/log" 2>&1 &
        local pid=$!
        sleep "$(printf '%d.%03d' $((after / 1000)) $((after % 1000)))"
        if kill -9 "$pid" 2>/dev/null; then
            done_kills=$((done_kills + 1))
            wait "$pid" 2>/dev/null
        else # the run ended first: begin anew, so that every kill hits a living run
            wait "$pid" || { cat "$work/log"; return 1; }
            finished=$((finished + 1))
            compare || return 1
            rm -rf "$work/killed"
        fi
    done
    train --run "$work/killed" --resume >"$work/log" 2>&1 || { cat "$work/log"; return 1; }
    echo "$kills kills, $finished runs ended between them, seed $seed"
}

compare() { diff <(digest "$work/alone") <(digest "$work/killed"); }

# the metrics but for the columns that tell the time: nothing twice, nothing missing
rows() { cut -d, -f1,2,4- "$1/metrics.csv"; }
metrics() { diff <(rows "$work/alone") <(rows "$work/killed"); }

check "killed $kills times and resumed (seed $seed)" killed_run
check "the same files" compare
check "the same metrics" metrics
finish
