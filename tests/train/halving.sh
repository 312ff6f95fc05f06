#!/usr/bin/env bash
# A sweep that halves: what goes on is what a plain computation picks, for any number of threads and after kill -9 at
# random instants, and the runs have the same bytes. Prints its seed.
#   halving.sh SACCADE [KILLS] [SEED]
set -uo pipefail
saccade=$(realpath "$1") kills=${2:-4} seed=${3:-$(($(date +%s) % 32768))}
RANDOM=$seed
cd "$(dirname "$0")/../.." || exit 1
source tests/check.sh

cat >"$work/sweep.yaml" <<'END'
task: tasks/toy.yaml
fields: {search: {sigma: [0.02, 0.05, 0.2, 0.6], population: [8, 16]}, evaluation: {every: [5]}}
seeds: [3, 4]
END
sweep() # FOLDER OPTION...
{
    local folder=$1
    shift
    "$saccade" sweep "$work/sweep.yaml" --run "$folder" --halving 2 --rung 8 --generations 64 --quiet "$@"
}

digest() # of everything that the promise covers: no column that tells the time
{
    (cd "$1" && find . -name '*.safetensors' -print0 | LC_ALL=C sort -z | xargs -0 sha256sum && cat rungs.csv halving.yaml &&
        for rows in run-*/metrics.csv; do cut -d, -f1,2,4- "$rows"; done && cut -d, -f1-8,10- results.csv)
}

begin=$(date +%s%N)
check "a sweep that halves" sweep "$work/alone" --threads 1
length=$((($(date +%s%N) - begin) / 1000000))

as_planned() # 8 points: rungs of 8, 16, 32 generations with 8, 4, 2 of them; the last one goes to the end
{
    cat "$work/alone/rungs.csv"
    [[ $(cut -d, -f1,2 "$work/alone/rungs.csv" | uniq -c | tr -s ' ' | tr '\n' ';') == \
        " 1 rung,generations; 16 1,8; 8 2,16; 4 3,32;" ]] || return 1
    [[ $(grep -c ',goes on$' "$work/alone/rungs.csv") == 14 && $(grep -c ',pruned$' "$work/alone/rungs.csv") == 14 ]] || return 1
    for rung in 8,8 16,4 32,2; do
        [[ $(grep -cE "^run-[0-9]+,[34],pruned,[^,]+,[^,]+,5,${rung%,*}," "$work/alone/results.csv") == "${rung#*,}" ]] || return 1
    done
    [[ $(grep -cE '^run-[0-9]+,[34],finished,[^,]+,[^,]+,5,64,' "$work/alone/results.csv") == 2 ]]
}
# every point is trained to the rung by a sweep that does not halve, and its results are ranked here
plainly()
{
    local budget
    for budget in 8 16 32; do
        "$saccade" sweep "$work/sweep.yaml" --run "$work/plain-$budget" --generations "$budget" --quiet >/dev/null || return 1
    done
    python3 -B - "$work" <<'END'
import csv, statistics, sys

work = sys.argv[1]
fields = ("search.sigma", "search.population", "evaluation.every")
alive = None
with open(f"{work}/alone/rungs.csv") as file:
    told = list(csv.DictReader(file))
for rung, budget in enumerate((8, 16, 32), 1):
    with open(f"{work}/plain-{budget}/results.csv") as file:
        rows = list(csv.DictReader(file))
    points = {}
    for row in rows:
        points.setdefault(tuple(row[f] for f in fields), []).append(float(row["best_mean"]))
    if alive is None:
        alive = list(points)
    alive.sort(key=lambda p: -statistics.median(points[p]))  # stable: equal ones stay in the order of the sweep
    kept = alive[:len(alive) // 2]
    here = [row for row in told if int(row["rung"]) == rung]
    assert {tuple(row[f] for f in fields) for row in here} == set(alive), rung
    assert {tuple(row[f] for f in fields) for row in here if row["decision"] == "goes on"} == set(kept), (rung, kept)
    for row in here:
        point = tuple(row[f] for f in fields)
        assert abs(float(row["score"]) - statistics.median(points[point])) < 1e-6, row
        assert alive[int(row["rank"]) - 1] == point, row
    alive = [p for p in points if p in kept]
print("three rungs, as a plain computation picks")
END
}
same() { diff <(digest "$work/alone") <(digest "$1"); }
threads() { sweep "$work/threads" --threads 3 >/dev/null && same "$work/threads"; }

killed_sweep()
{
    local done_kills=0 finished=0
    while ((done_kills < kills)); do
        local after=$((RANDOM % (length + 1) + 1))
        # not through a function: the process itself is to be killed, not a shell around it
        "$saccade" sweep "$work/sweep.yaml" --run "$work/killed" --halving 2 --rung 8 --generations 64 --quiet --threads 2 \
            >"$work/log" 2>&1 &
        local pid=$!
        sleep "$(printf '%d.%03d' $((after / 1000)) $((after % 1000)))"
        if kill -9 "$pid" 2>/dev/null; then
            done_kills=$((done_kills + 1))
            wait "$pid" 2>/dev/null
        else # it ended first: begin anew, so that every kill hits a living sweep
            wait "$pid" || { cat "$work/log"; return 1; }
            finished=$((finished + 1))
            same "$work/killed" || return 1
            rm -rf "$work/killed"
        fi
    done
    sweep "$work/killed" --threads 2 >"$work/log" 2>&1 || { cat "$work/log"; return 1; }
    echo "$kills kills, $finished sweeps ended between them, seed $seed"
}
# a sweep that is at its end does nothing, and writes its table again where someone has removed it
again()
{
    rm "$work/killed/rungs.csv"
    sweep "$work/killed" >/dev/null && same "$work/killed"
}

told() # by the list of runs and the printed table
{
    "$saccade" runs "$work/alone" >"$work/runs" && "$saccade" sweep "$work/sweep.yaml" --run "$work/alone" --table >"$work/table" || return 1
    cat "$work/runs" "$work/table"
    [[ $(grep -cE ' pruned .*\(rung [123], [0-9]+ generations: rank [2-8] of [248] by a score of .*; the best( [42] go| goes) on\)$' "$work/runs") == 14 ]] &&
        [[ $(grep -cE '  pruned at generation (8|16|32)$' "$work/table") == 7 ]] && grep -q 'rungs.csv says why' "$work/table"
}
by_hand() # a run that was left goes on, as if it had never been left; the sweep keeps to what it has decided
{
    local run
    run=$(grep -m1 ',pruned$' "$work/killed/rungs.csv" | cut -d, -f3)
    "$saccade" train "$work/killed/$run/task.yaml" --run "$work/killed/$run" --resume --generations 64 --quiet &&
        "$saccade" train "$work/killed/$run/task.yaml" --run "$work/never-left" --generations 64 --quiet &&
        cmp "$work/killed/$run/mean.safetensors" "$work/never-left/mean.safetensors" &&
        cmp "$work/killed/$run/best.safetensors" "$work/never-left/best.safetensors" || return 1
    sweep "$work/killed" >/dev/null && cmp "$work/killed/rungs.csv" "$work/alone/rungs.csv" &&
        grep -qE "^$run,[34],finished,.*,64," "$work/killed/results.csv"
}
longer() # with more generations it goes on from where it ended, by the same rungs
{
    "$saccade" sweep "$work/sweep.yaml" --run "$work/short" --halving 2 --rung 8 --generations 12 --quiet >/dev/null &&
        [[ $(wc -l <"$work/short/rungs.csv") == 17 ]] && sweep "$work/short" >/dev/null &&
        cmp "$work/short/rungs.csv" "$work/alone/rungs.csv"
}
by_steps() # rungs in environment steps: a larger population reaches them in fewer generations
{
    "$saccade" sweep "$work/sweep.yaml" --run "$work/steps" --halving 4 --rung-steps 4000 --generations 64 --quiet >"$work/out" || return 1
    cat "$work/steps/rungs.csv"
    python3 -B - "$work/steps" <<'END'
import csv, sys
with open(sys.argv[1] + "/rungs.csv") as file:
    rows = [row for row in csv.DictReader(file) if row["rung"] == "1"]
assert {row["steps"] for row in rows} == {"4000"} and len(rows) == 16
for row in rows:
    with open(f"{sys.argv[1]}/{row['run']}/metrics.csv") as file:
        reached = next(m["generation"] for m in csv.DictReader(file) if int(m["steps"]) >= 4000)
    assert reached == row["generation"], row
assert len({row["generation"] for row in rows}) > 1
END
}
nowhere() # runs that diverge, or have no number, come last and end nothing
{
    cat >"$work/bad.yaml" <<'END'
env: {id: toy, size: 24, max_steps: 12}
policy: {kind: mlp, inputs: state, teacher: true, controller: mlp, hidden: 8}
search: {method: ppo, worlds: 8, steps: 16, minibatch: 64, largest_norm: 0, anneal: false}
train: {generations: 4}
evaluation: {every: 2}
END
    printf 'task: %s\nfields: {search: {rate: [10, 0.001]}}\n' "$work/bad.yaml" >"$work/rates.yaml"
    "$saccade" sweep "$work/rates.yaml" --run "$work/rates" --halving 2 --rung 2 --quiet >/dev/null 2>&1 || return 1
    cat "$work/rates/rungs.csv"
    grep -qE '^1,2,run-0000,1,10,0,,,2,pruned$' "$work/rates/rungs.csv" && grep -qE '^run-0001,1,finished,' "$work/rates/results.csv" &&
        grep -qE '^run-0000,1,failed,' "$work/rates/results.csv"
}

too_far() # a first rung beyond the runs' ends halves nothing, and that is said
{
    "$saccade" sweep "$work/sweep.yaml" --run "$work/far" --halving 2 --rung 5 --generations 4 --quiet | tee "$work/said" &&
        grep -qxF "pruned: none, because all runs had ended at the first rung; a lower --rung halves them" "$work/said"
}

stopped() # by a signal: it says how to go on, and that goes on
{
    "$saccade" sweep "$work/sweep.yaml" --run "$work/stopped" --halving 2 --rung 8 --generations 64 --quiet >"$work/out" 2>"$work/err" &
    local pid=$!
    for _ in $(seq 200); do [[ ! -e $work/stopped/run-0002 ]] || break; sleep 0.05; done
    kill -INT "$pid"
    wait "$pid"
    [[ $? == 130 && $(wc -l <"$work/err") == 1 ]] && grep -qF "the checkpoint is in $work/stopped; the same command goes on" "$work/err" &&
        sweep "$work/stopped" >/dev/null && same "$work/stopped"
}

refused() # options that cannot be, and folders of other sweeps: one line each, and nothing is trained
{
    local none=("$saccade" sweep "$work/sweep.yaml" --run "$work/none")
    refuses 2 "--halving is '1'" "${none[@]}" --halving 1 --rung 3 &&
        refuses 2 "--halving needs its first rung: --rung GENERATIONS or --rung-steps STEPS" "${none[@]}" --halving 2 &&
        refuses 2 "--rung and --rung-steps are for a sweep with --halving N" "${none[@]}" --rung 3 &&
        refuses 2 "exclude each other" "${none[@]}" --halving 2 --rung 3 --rung-steps 3 &&
        refuses 2 "--rung is '0'" "${none[@]}" --halving 2 --rung 0 &&
        refuses 2 "did you mean '--halving'" "${none[@]}" --halvin 2 --rung 1 || return 1
    printf 'task: tasks/toy.yaml\nfields: {evaluation: {every: [0]}}\n' >"$work/never.yaml"
    refuses 2 "halving judges runs by their evaluations, and evaluation.every is 0" \
        "$saccade" sweep "$work/never.yaml" --run "$work/none" --halving 2 --rung 3 && [[ ! -e $work/none ]] || return 1
    refuses 2 "the folder is of a sweep with other rungs" "$saccade" sweep "$work/sweep.yaml" --run "$work/alone" --halving 2 --rung 4 &&
        refuses 2 "the folder is of a sweep with --halving; use another --run" "$saccade" sweep "$work/sweep.yaml" --run "$work/alone" &&
        refuses 2 "the folder is of a sweep without --halving; use another --run" \
            "$saccade" sweep "$work/sweep.yaml" --run "$work/plain-8" --halving 2 --rung 8
}

check "the rungs are as planned" as_planned
check "what goes on is what a plain computation picks" plainly
check "three threads, the same bytes" threads
check "killed $kills times and gone on with (seed $seed)" killed_sweep
check "the same table and the same bytes" same "$work/killed"
check "a sweep at its end does nothing" again
check "runs and table say what was pruned and why" told
check "a pruned run can be gone on with" by_hand
check "a rung that is too far is said" too_far
check "with more generations it goes on by the same rungs" longer
check "rungs in steps" by_steps
check "what diverges comes last" nowhere
check "a signal stops it, and the same command goes on" stopped
check "what cannot be is said" refused
finish
