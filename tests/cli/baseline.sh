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

check "idle is a recording of zeros" idles
if "${SACCADE_PEERS:-.venv/bin/python}" -c "import gymnasium" 2>/dev/null; then
    export SACCADE_PYTHON=${SACCADE_PYTHON:-${SACCADE_PEERS:-.venv/bin/python}}
    check "idle takes the first of choices" idles_with_choices
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
