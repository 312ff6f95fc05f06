#!/usr/bin/env bash
# saccade compare: only what compares, with the right interval; and digits that say something: compare.sh SACCADE
set -uo pipefail
saccade=$1
source "$(dirname "$0")/../check.sh"

train() { "$saccade" train tasks/toy.yaml --run "$work/$1" --generations "$2" --quiet "${@:3}"; }

# the interval from the returns themselves: half = t s / sqrt(n), with Student's t for n - 1 degrees of freedom
interval() # LAST_SEED T
{
    local name
    for name in short long; do "$saccade" eval "$work/$name/mean.safetensors" --seeds 0.."$1" --json >"$work/$name.json" || return 1; done
    "$saccade" compare "$work/short/mean.safetensors" "$work/long/mean.safetensors" --seeds 0.."$1" --json >"$work/both.json" &&
        python3 - "$work" "$2" <<'END'
import json, math, statistics, sys
work, t = sys.argv[1], float(sys.argv[2])
returns = [[e["return"] for e in json.load(open(f"{work}/{name}.json"))["episodes"]] for name in ("short", "long")]
difference = [a - b for a, b in zip(*returns)]
mean, half = statistics.mean(difference), t * statistics.stdev(difference) / math.sqrt(len(difference))
said = json.load(open(f"{work}/both.json"))
assert math.isclose(said["difference"], mean, rel_tol=1e-12), (said, mean)
assert math.isclose(said["interval_95"][0], mean - half, rel_tol=1e-9), (said, mean, half)
assert math.isclose(said["interval_95"][1], mean + half, rel_tol=1e-9), (said, mean, half)
END
}

other() { refuses 2 "$1" "$saccade" compare "$work/short/mean.safetensors" "$2" --seeds 0..1 "${@:3}"; }

# what a policy sees may differ, and one world for both may be asked for
compares()
{
    "$saccade" compare "$work/short/mean.safetensors" "$work/large/mean.safetensors" --seeds 0..1 >/dev/null &&
        "$saccade" compare "$work/short/mean.safetensors" "$work/one/mean.safetensors" --seeds 0..1 --set max_steps=9 >/dev/null &&
        "$saccade" compare "$work/short/mean.safetensors" "$work/noise/mean.safetensors" --seeds 0..1 --variant original >/dev/null
}

train short 3
train long 30
train large 1 --set env.size=40
train noise 1 --set env.variant=noise
train one 20 --set env.max_steps=1
check "two episodes" interval 1 12.706204736174705
check "three episodes" interval 2 4.3026527297494639
check "a hundred episodes" interval 99 1.9842169515086827
check "another world" other "the first policy is for toy and the second for car-racing" zoo/car-racing/linear.safetensors
check "another variant" other "its variant is 'original' for the first policy and 'noise' for the second" "$work/noise/mean.safetensors"
check "other rules" other "max_steps is '50' for the first policy and '1' for the second" "$work/one/mean.safetensors"
check "what compares" compares

# one line where --set asks for another world than the file's, and none where what it asks for leaves the world as it is
# or is what the file says
says_another_world()
{
    local policy=$work/short/mean.safetensors
    "$saccade" eval "$policy" --seeds 0..0 --set max_steps=9 >/dev/null 2>"$work/err" || return 1
    diff "$work/err" <(echo "saccade: this is another world than that of $policy: max_steps is 9, not 50") || return 1
    "$saccade" eval "$policy" --seeds 0..0 --set max_steps=50 >/dev/null 2>"$work/err" && [[ ! -s $work/err ]] || return 1
    "$saccade" watch zoo/car-racing/linear.safetensors --steps 1 --frames "$work/one-frame" --set action_repeat=8 \
        >/dev/null 2>"$work/err" && [[ ! -s $work/err ]]
}
check "another world than the file's" says_another_world

# returns of 0..1: wherever a mean stands beside its spread, the spread has two digits
digits()
{
    local policy=$work/one/mean.safetensors
    mkdir -p "$work/zoo" && cp "$work/one/best.safetensors" "$work/zoo"
    {
        "$saccade" eval "$policy" --seeds 0..9
        "$saccade" compare "$policy" "$work/one/best.safetensors" --seeds 0..9
        "$saccade" generalise "$policy" --seeds 0..9
        "$saccade" runs "$work/one"
        "$saccade" train tasks/toy.yaml --run "$work/lines" --set env.max_steps=1 --generations 10
        SACCADE_ZOO=$work/zoo "$saccade" zoo
    } >"$work/digits" || return 1
    cat "$work/digits"
    ! grep -E '[0-9]\.[0-9] ?\+- ?0(\.[0-9])?( |$)' "$work/digits" && [[ $(grep -cE '0\.[0-9]{2,} ?\+- ?0\.[0-9]{2,}' "$work/digits") -ge 7 ]] &&
        grep -qE '^mean 0\.[0-9]{2,}, standard deviation 0\.[0-9]{2,}, 10 episodes' "$work/digits" &&
        grep -qE '^difference [-+][01]\.[0-9]{2,}, 95 % confidence [-+][01]\.[0-9]{2,} \.\. [-+][01]\.[0-9]{2,}' "$work/digits"
}
check "digits of small returns" digits
finish
