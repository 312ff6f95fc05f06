#!/usr/bin/env bash
# saccade eval --random and --idle, episodes without a policy: baseline.sh SACCADE
set -uo pipefail
saccade=$1
source "$(dirname "$0")/../check.sh"

repeats() # the same seeds, the same returns
{
    "$saccade" eval --random --env toy --seeds 3..5 >"$work/one" && "$saccade" eval --random --env toy --seeds 4..4 >"$work/two" &&
        [[ $(awk '$1 == 4' "$work/one") == "$(awk '$1 == 4' "$work/two")" ]] && grep -q '^mean .* 3 episodes' "$work/one" &&
        [[ $(awk '$1 ~ /^[0-9]+$/ {print $2}' "$work/one" | sort -u | wc -l) == 3 ]]
}

idles() # the return is that of a recording of zeros
{
    printf '0,0\n%.0s' $(seq 60) >"$work/zeros.csv"
    "$saccade" replay toy --seed 3 --actions "$work/zeros.csv" --out "$work/zeros.table" || return 1
    "$saccade" eval --idle --env toy --seeds 3 --json >"$work/idle.json" || return 1
    grep -q '"policy": *"idle"' "$work/idle.json" || return 1
    awk -F, 'FILENAME == ARGV[1] && match($0, /"mean": *[-0-9.e]+/) { idle = substr($0, RSTART + 7, RLENGTH - 7) + 0 }
             FILENAME == ARGV[2] && FNR > 1 { sum += $2 } END { exit !(idle != "" && idle - sum < 1e-9 && sum - idle < 1e-9) }' \
        "$work/idle.json" "$work/zeros.table"
}

idles_with_choices() # a cart that is pushed to the left in every step drops its pole by the eleventh
{
    "$saccade" eval --idle --env gym:CartPole-v1 --seeds 0..19 >"$work/pushed" || return 1
    [[ $(awk '$1 ~ /^[0-9]+$/ && $3 >= 7 && $3 <= 11' "$work/pushed" | wc -l) == 20 ]]
}

# What a world counts is what its columns hold at the ends of its episodes. A plane has no end that could be crossed,
# and the generator that walks there no problem that could be unsolved.
counts()
{
    local world said still last fell crossed unsolved
    for world in flat stones; do
        "$saccade" eval --idle --env legs:$world --set seconds=4 --seeds 3 >"$work/counted" || return 1
        # what is idle: zeros, or the bounds that are nearest to zero
        still=0,0,0,0,0,0,0,0,0,0,0
        [[ $world != flat ]] || still=$still,0,1.5,0,0,0.25
        yes "$still" | head -n "$(awk '$1 == 3 {print $3}' "$work/counted")" >"$work/zeros.csv"
        "$saccade" replay legs:$world --set seconds=4 --seed 3 --actions "$work/zeros.csv" --out "$work/columns.csv" || return 1
        last=$(awk -F, 'NR == 1 {for (i = 1; i <= NF; i++) at[$i] = i} END {print $at["fell"], $at["crossed"], $at["unsolved"]}' "$work/columns.csv")
        read -r fell crossed unsolved <<<"$last"
        said="fell $fell of 1, crossed $crossed of 1, unsolved $unsolved in all"
        [[ $world != flat ]] || said="fell $fell of 1"
        [[ $(tail -n 1 "$work/counted") == "$said" ]] || { echo "expected: $said"; cat "$work/counted"; return 1; }
    done
    # flags are counted, and counts are added up, over any number of threads
    "$saccade" eval --random --env legs:stones --seeds 3..8 --threads 3 >"$work/many" || return 1
    read -r _ fell _ < <(tail -n 1 "$work/many")
    ((fell > 1)) && "$saccade" eval --random --env legs:stones --seeds 3..8 | cmp - "$work/many" &&
        "$saccade" eval --random --env legs:stones --seeds 3..8 --json |
            grep -E "\"counts\": ?\\{\"fell\": ?$fell, ?\"crossed\": ?0, ?\"unsolved\": ?[0-9]+\\}"
}
counts_nothing()
{
    "$saccade" eval --idle --env toy --seeds 3..5 | tail -n 1 | grep '^mean ' &&
        "$saccade" eval --idle --env toy --seeds 3..5 --json | grep -E '"counts": ?\{\}'
}

# threads are used, and change no byte
threads()
{
    local who
    for who in random idle; do
        "$saccade" eval "--$who" --env car-racing --set max_steps=60 --seeds 0..6 --json >"$work/single" &&
            "$saccade" eval "--$who" --env car-racing --set max_steps=60 --seeds 0..6 --threads 3 --json >"$work/three" &&
            "$saccade" eval "--$who" --env car-racing --set max_steps=60 --seeds 0..6 --threads 50 --json >"$work/many" &&
            cmp "$work/single" "$work/three" && cmp "$work/single" "$work/many" || return 1
    done
}
tasks() # THREADS: the most tasks that the process had at once; a library may have some of its own
{
    "$saccade" eval --random --env car-racing --seeds 0..19 --threads "$1" >/dev/null &
    local pid=$! most=0 now
    while now=$(find "/proc/$pid/task" -mindepth 1 -maxdepth 1 2>/dev/null | wc -l) && ((now > 0)); do ((now <= most)) || most=$now; done
    wait "$pid" && echo "$most"
}
really()
{
    local one three
    one=$(tasks 1) three=$(tasks 3)
    ((three == one + 2)) || { echo "$one tasks with one thread, $three with three"; return 1; }
}
failing() # what fails in several threads is one line
{
    cat >"$work/broken.py" <<'END'
import gymnasium
import numpy as np


class Broken(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0, 1, (2,), np.float32)
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, seed=None, options=None):
        return np.zeros(2, np.float32), {}

    def step(self, action):
        raise RuntimeError("no way on")


gymnasium.register("Broken-v0", Broken)
END
    PYTHONPATH=$work refuses 1 "no way on" \
        "$saccade" eval --random --env gym:broken:Broken-v0 --set restarts=0 --seeds 0..9 --threads 3
}

check "idle is a recording of zeros" idles
check "any number of threads gives the same bytes" threads
check "a world that counts nothing says nothing" counts_nothing
if "$saccade" doctor | grep -q '^legs:flat  *works'; then
    check "what a world counts is what its columns hold" counts
else
    skip "what a world counts is what its columns hold" "MuJoCo (make worlds)"
fi
check "the threads that were asked for drive" really
if "${SACCADE_PEERS:-.venv/bin/python}" -c "import gymnasium" 2>/dev/null; then
    export SACCADE_PYTHON=${SACCADE_PYTHON:-${SACCADE_PEERS:-.venv/bin/python}}
    check "idle takes the first of choices" idles_with_choices
    check "a failure in one of several threads is one line" failing
else
    skip "idle takes the first of choices" "gymnasium (make worlds)"
fi
check "one episode is one episode" bash -c "'$saccade' eval --idle --env toy --seeds 3..3 | grep -q ', 1 episode$'"
check "idle and random" refuses 2 "one of --random and --idle" "$saccade" eval --random --idle --env toy
check "idle has nothing to stamp" refuses 2 "--idle has no policy to stamp" "$saccade" eval --idle --env toy --stamp out.safetensors
check "random actions are those of the seed" repeats
check "random actions for choices" bash -c "'$saccade' eval --random --env toy --seeds 1..2 --json | grep -q '\"policy\": *\"random\"'"
check "neither policy nor --random" refuses 2 "one of --random and --idle with --env" "$saccade" eval
check "both" refuses 2 "one of --random and --idle with --env" "$saccade" eval policy.safetensors --random
check "--random without a world" refuses 2 "say which with --env" "$saccade" eval --random
check "nothing to stamp" refuses 2 "no policy to stamp" "$saccade" eval --random --env toy --stamp out.safetensors
finish
