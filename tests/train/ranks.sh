#!/usr/bin/env bash
# Training over ranks: any number of them, mixed with threads, ends in the same files; so does a job that is killed at
# random instants (one rank with kill -9, the launcher with kill -9, or all with SIGTERM) and resumed with another number
# of ranks. Prints its seed.
#   ranks.sh SACCADE [KILLS] [SEED]          TASK: another task than the toy, with the checks alone that depend on it
# Where the task's world lives in worker processes, these are killed too; the job must go on by itself.
set -uo pipefail
saccade=$(realpath "$1") kills=${2:-6} seed=${3:-$(($(date +%s) % 32768))}
RANDOM=$seed
cd "$(dirname "$0")/../.." || exit 1
source tests/check.sh
task=${TASK:-tasks/toy.yaml} generations=${GENERATIONS:-120}
needs_mujoco
bridged() { grep -q "id: gym:" "$task"; }
if bridged; then
    export SACCADE_PYTHON=${SACCADE_PEERS:-.venv/bin/python}
    if ! "$SACCADE_PYTHON" -c "import gymnasium" 2>/dev/null; then
        echo "skip: needs gymnasium (make worlds)"
        exit 77
    fi
fi
# root may run it, more ranks than cores are fine, and no rank is bound to a core
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none

ranks() # COUNT THREADS FOLDER [options]
{
    local count=$1 threads=$2 folder=$3
    shift 3
    timeout 120 mpirun -n "$count" "$saccade" train "$task" --generations "$generations" --threads "$threads" \
        --run "$folder" "$@"
}

digest() # of everything that the promise covers; the checkpoint before the last may be that of an interruption
{
    (cd "$1" && find . -name '*.safetensors' | LC_ALL=C sort | grep -vxF "$(before_last)" | xargs sha256sum)
}
before_last() { find ./checkpoints -name '*.safetensors' 2>/dev/null | LC_ALL=C sort -r | sed -n 2p; }
same() { diff <(digest "$work/alone") <(digest "$1"); }
rows() { cut -d, -f1,2,4- "$1/metrics.csv"; }

if ! command -v mpirun >/dev/null; then
    echo "mpirun is not installed" >&2
    exit 1
fi
alone() { "$saccade" train $task --generations "$generations" --run "$work/alone"; }
check "one process" alone

mixed()
{
    local shape
    for shape in 1x2 2x1 4x1 2x3 3x2; do
        ranks "${shape%x*}" "${shape#*x}" "$work/$shape" --quiet && same "$work/$shape" || return 1
        diff <(rows "$work/alone") <(rows "$work/$shape") || return 1
    done
}
check "1 to 4 ranks of 1 to 3 threads: the same files" mixed

# milliseconds that a job takes, so that the kills fall inside it
begin=$(date +%s%N)
ranks 2 1 "$work/timed" --quiet >/dev/null 2>&1
length=$((($(date +%s%N) - begin) / 1000000))

children() { pgrep -P "$1" -x saccade; }
workers() # LAUNCHER: every rank's, with the guards that wait beside them
{
    local rank guard
    for rank in $(children "$1"); do
        for guard in $(pgrep -P "$rank"); do echo "$guard" && pgrep -P "$guard"; done
    done
}

kill_one() { [[ $# -gt 0 ]] && shift $((RANDOM % $#)) && kill -9 "$1" 2>/dev/null; } # PID...

strike() # worker | rank | launcher | term, LAUNCHER: false when there is nobody to hit
{
    # shellcheck disable=SC2046 # one word a process
    case $1 in
        worker) kill_one $(workers "$2") ;;
        rank) kill_one $(children "$2") ;;
        launcher) kill -9 "$2" 2>/dev/null ;;
        term) kill -TERM "$2" 2>/dev/null ;;
    esac
}

nap()
{
    local after=$((RANDOM % (length + 1) + 1))
    sleep "$(printf '%d.%03d' $((after / 1000)) $((after % 1000)))"
}

# A launcher whose ranks are gone may lock up on its way out (in libpmix, Open MPI 4.1.4; twice in 150 strikes on an
# overloaded machine); who uses it kills it then, and so is done here after a minute. Ranks that stay are our fault.
has_left() # LAUNCHER
{
    for _ in $(seq 600); do
        [[ $(ps -o stat= -p "$1") == [!Z]* ]] || return 0
        sleep 0.1
    done
    if pgrep -P "$1" -x -r R,S,D,T saccade; then
        echo "ranks that do not leave"
        return 1
    fi
    kill -9 "$1"
}

killed_run()
{
    local finished=0 hit kinds=(launcher term rank) struck=() fatal pid
    bridged && kinds+=(worker worker worker)
    while ((${#struck[@]} < kills)); do
        mpirun -n $((RANDOM % 4 + 1)) "$saccade" train $task --generations "$generations" --threads \
            $((RANDOM % 2 + 1)) --run "$work/killed" --resume --quiet >"$work/log" 2>&1 &
        pid=$! fatal=
        while nap && kill -0 "$pid" 2>/dev/null; do
            hit=${kinds[RANDOM % ${#kinds[@]}]}
            strike "$hit" "$pid" || continue
            struck+=("$hit")
            # a job that has lost a worker goes on
            if [[ $hit != worker ]]; then fatal=1 && break; fi
        done
        has_left "$pid" || return 1
        if wait "$pid"; then # the job ended first: begin anew, so that every strike hits a living job
            finished=$((finished + 1))
            same "$work/killed" || return 1
            rm -rf "$work/killed"
        elif [[ ! $fatal ]]; then
            cat "$work/log"
            return 1
        fi
        # whatever was orphaned leaves by itself; a job that is still on its way out keeps the folder until then
    done
    ranks 3 1 "$work/killed" --resume --quiet || return 1
    echo "$(printf '%s\n' "${struck[@]}" | sort | uniq -c | xargs), $finished jobs ended between them, seed $seed"
    same "$work/killed" && diff <(rows "$work/alone") <(rows "$work/killed")
}
check "struck $kills times and resumed with other ranks (seed $seed)" killed_run

swept()
{
    local field=sigma
    ! grep -qE "method: (ppo|distill|contrast)" "$task" || field=rate
    printf 'task: %s\nfields:\n  search:\n    %s: [0.05, 0.1]\nseeds: [1, 2]\n' "$task" $field >"$work/sweep.yaml"
    "$saccade" sweep "$work/sweep.yaml" --run "$work/swept" --generations 5 --quiet || return 1
    timeout 120 mpirun -n 3 "$saccade" sweep "$work/sweep.yaml" --run "$work/swept3" --generations 5 --quiet || return 1
    diff <(digest "$work/swept") <(digest "$work/swept3") && [[ $(wc -l <"$work/swept3/results.csv") == 5 ]]
}
check "a sweep over ranks gives the same runs" swept
[[ -v TASK ]] && finish

halved() # what goes on from a rung is decided once, for all ranks
{
    local rungs=(--halving 2 --rung 3 --generations 12 --quiet)
    printf 'task: %s\nfields: {search: {sigma: [0.02, 0.05, 0.1, 0.3]}}\n' "$task" >"$work/points.yaml"
    "$saccade" sweep "$work/points.yaml" --run "$work/halved" "${rungs[@]}" || return 1
    timeout 120 mpirun -n 3 "$saccade" sweep "$work/points.yaml" --run "$work/halved3" "${rungs[@]}" || return 1
    diff <(digest "$work/halved") <(digest "$work/halved3") && cmp "$work/halved/rungs.csv" "$work/halved3/rungs.csv" &&
        [[ $(wc -l <"$work/halved3/rungs.csv") == 7 ]]
}
check "a sweep that halves over ranks decides the same" halved

# a task without an end and SIGTERM, to the launcher or to the ranks: a checkpoint, and the words for it
terminated() # launcher | ranks
{
    local pid checkpoint generation row begin told=0
    # mpirun passes the signal on after this many seconds and kills what is still there after as many again; one second,
    # which is its own choice, may be too short on a machine that is busy with other tests
    OMPI_MCA_odls_base_sigkill_timeout=5 mpirun -n 3 "$saccade" train tasks/toy.yaml --generations 1000000 --quiet \
        --run "$work/endless-$1" >"$work/log" 2>&1 &
    pid=$!
    for _ in $(seq 100); do
        [[ -s $work/endless-$1/metrics.csv ]] && (($(wc -l <"$work/endless-$1/metrics.csv") > 20)) && break
        sleep 0.1
    done
    begin=$(date +%s%N)
    # shellcheck disable=SC2046 # one word a process
    if [[ $1 == launcher ]]; then told=5000 && kill -TERM "$pid"; else kill -TERM $(children "$pid"); fi
    wait "$pid"
    grep -q '"event": "interrupted"' "$work/endless-$1/events.jsonl" || { cat "$work/log"; return 1; }
    # what was written last is the checkpoint of that event
    checkpoint=$(find "$work/endless-$1/checkpoints" -name '*.safetensors' | LC_ALL=C sort | tail -1)
    echo "checkpoint $((($(date -r "$checkpoint" +%s%N) - begin) / 1000000 - told)) ms after the ranks were told"
    # the row of a generation follows its evaluation, which the signal may have cut short
    generation=$((10#$(basename "$checkpoint" .safetensors))) row=$(tail -1 "$work/endless-$1/metrics.csv" | cut -d, -f1)
    [[ $generation == "$row" || ($generation == $((row + 1)) && $((generation % 10)) == 0) ]]
}
check "SIGTERM to the launcher ends in a checkpoint of the last generation" terminated launcher
check "SIGTERM to the ranks ends in a checkpoint of the last generation" terminated ranks

# 32 ranks on however many cores: every unit is done once, and everyone hears of all (the program checks it)
check "32 ranks share a queue" timeout 120 mpirun -n 32 "$(dirname "$saccade")/queue" 5 6 2

# what goes wrong is said once, by rank 0
once() # WORDS COMMAND...
{
    local words=$1
    shift
    "$@" >"$work/out" 2>&1 && return 1
    [[ $(grep -c "^saccade: " "$work/out") == 1 ]] && grep -qF -- "$words" "$work/out" && return 0
    cat "$work/out"
    return 1
}
check "an existing run is refused by all, once" once "there is a run already" ranks 3 1 "$work/alone"
check "a bad option is refused by all, once" once "did you mean" ranks 3 1 "$work/bad" --set train.sead=1

# ranks without the module would each train on their own
lonely() { cp "$saccade" "$work/lonely" && OMPI_COMM_WORLD_SIZE=4 "$work/lonely" train $task --run "$work/l"; }
check "ranks that cannot find each other do not train" refuses 1 "saccade-mpi.so" lonely
finish
