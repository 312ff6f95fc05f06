#!/usr/bin/env bash
# saccade eval --random, episodes without a policy: random.sh SACCADE
set -uo pipefail
saccade=$1
source "$(dirname "$0")/../check.sh"

repeats() # the same seeds, the same returns
{
    "$saccade" eval --random --env toy --seeds 3..5 >"$work/one" && "$saccade" eval --random --env toy --seeds 4..4 >"$work/two" &&
        [[ $(awk '$1 == 4' "$work/one") == "$(awk '$1 == 4' "$work/two")" ]] && grep -q '^mean .* 3 episodes' "$work/one" &&
        [[ $(awk '$1 ~ /^[0-9]+$/ {print $2}' "$work/one" | sort -u | wc -l) == 3 ]]
}

check "random actions are those of the seed" repeats
check "random actions for choices" bash -c "'$saccade' eval --random --env toy --seeds 1..2 --json | grep -q '\"policy\": *\"random\"'"
check "neither policy nor --random" refuses 2 "or --random with --env" "$saccade" eval
check "both" refuses 2 "or --random with --env" "$saccade" eval policy.safetensors --random
check "--random without a world" refuses 2 "say which with --env" "$saccade" eval --random
check "nothing to stamp" refuses 2 "no policy to stamp" "$saccade" eval --random --env toy --stamp out.safetensors
finish
