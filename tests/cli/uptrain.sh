#!/usr/bin/env bash
# saccade uptrain: a softmax policy of the toy world becomes linear and keeps its return; the same bytes for any number of
# threads; an interrupt leaves nothing; bad input is one line: uptrain.sh SACCADE
set -uo pipefail
saccade=$1
source "$(dirname "$0")/../check.sh"
soft=$work/soft/best.safetensors
# one feature is so few that a random G loses the return
small=(--features 1 --frames 1024 --match 400 --tune 200 --rounds 2 --seeds 1000..1039)

trained()
{
    "$saccade" train tasks/toy.yaml --run "$work/soft" --quiet &&
        "$saccade" train tasks/toy.yaml --run "$work/linear" --generations 1 --quiet --set policy.attention=relu
}

# what a person reads
table()
{
    "$saccade" uptrain "$soft" "${small[@]}" --out "$work/up.safetensors" >"$work/table" 2>"$work/progress" || return 1
    cat "$work/table" "$work/progress"
    grep -qE '^toy, variant original, seeds 1000..1039; sara-exp, 1 feature, 1024 pictures of [0-9]+ episodes$' "$work/table" &&
        grep -qE '^softmax +[0-9.]+ \+- [0-9.]+$' "$work/table" &&
        grep -qE '^up-trained +[0-9.]+ \+- [0-9.]+ +difference [-+][0-9.]+, 95 % confidence' "$work/table" &&
        grep -qE '^one look, patches +softmax us +linear us +ratio$' "$work/table" &&
        grep -qE '^saccade: match, step 400 of 400' "$work/progress"
}

# the interval is that of compare, the file says what it is, and the return is back: within 2 % of softmax's, where the
# twin without up-training is not
recovers()
{
    "$saccade" uptrain "$soft" "${small[@]}" --out "$work/up.safetensors" --json >"$work/up.json" &&
        "$saccade" compare "$work/up.safetensors" "$soft" --seeds 1000..1039 --json >"$work/compare.json" &&
        cat "$work/up.json" && python3 - "$work" <<'END'
import json, sys
work = sys.argv[1]
up, compared = (json.load(open(f"{work}/{name}.json")) for name in ("up", "compare"))
soft, twin, trained = up["policies"]
assert trained["difference"] == compared["difference"] and trained["interval_95"] == compared["interval_95"]
assert trained["mean"] >= 0.98 * soft["mean"] > twin["mean"], (soft, twin, trained)
assert up["match_last"] < 0.5 * up["match_first"] and up["kept_last"] > up["kept_first"]
patches = [look["patches"] for look in up["looks"]]
assert len(patches) > 3 and patches == sorted(patches) and all(look["softmax_us"] > 0 for look in up["looks"])
last = up["looks"][-1]
assert last["patches"] > 3000 and last["noise"] and last["linear_us"] < last["softmax_us"], last
END
}

threads()
{
    local n
    for n in 1 3; do
        "$saccade" uptrain "$soft" --features 4 --frames 512 --match 40 --tune 10 --rounds 2 --seeds 1000..1001 \
            --threads "$n" --out "$work/threads$n.safetensors" >/dev/null 2>&1 || return 1
    done
    cmp "$work/threads1.safetensors" "$work/threads3.safetensors"
}

# A policy that says its actions by tokens has the numbers of a head as features, four of them here, and no first phase;
# what is about either is refused.
speaks()
{
    local n
    cat >"$work/tokens.yaml" <<'END'
env: {id: toy}
policy: {kind: action-tokens, image_size: 0, patch: 8, width: 8, heads: 2, units: 8, bins: 9, history: 2}
search: {method: sep-cma-es, population: 4}
END
    "$saccade" train "$work/tokens.yaml" --run "$work/tokens" --generations 1 --quiet || return 1
    for n in 1 3; do
        "$saccade" uptrain "$work/tokens/best.safetensors" --frames 512 --tune 10 \
            --rounds 2 --seeds 1000..1001 --threads "$n" --out "$work/tokens$n.safetensors" >"$work/table" || return 1
    done 2>"$work/progress"
    cat "$work/table" "$work/progress"
    grep -qE '; sara-relu, 4 features, 512 pictures of [0-9]+ episodes$' "$work/table" &&
        grep -q '^loss of acting as before: ' "$work/table" && ! grep -q '^what softmax gives' "$work/table" &&
        ! grep -q ' match, ' "$work/progress" && cmp "$work/tokens1.safetensors" "$work/tokens3.safetensors" || return 1
    for n in "features 16" random "match 10" "match-rounds 2" "match-rate 0.1"; do
        # shellcheck disable=SC2086 # an option and its value
        refuses 2 "uptrain: --${n% *} means nothing for action-tokens" \
            "$saccade" uptrain "$work/tokens/best.safetensors" --$n --out "$work/no.safetensors" || return 1
    done
    # the defaults are those of its kind
    "$saccade" uptrain "$work/tokens/best.safetensors" --frames 512 --rounds 60 --seeds 1000..1001 \
        --out "$work/long.safetensors" >/dev/null 2>"$work/progress" &
    n=$!
    until grep -q ' of ' "$work/progress" || ! kill -0 "$n" 2>/dev/null; do sleep 0.05; done
    kill -INT "$n"
    wait "$n"
    cat "$work/progress"
    grep -q 'tune, step 100 of 6000' "$work/progress"
}

# The same where it spells its numbers, a digit a token.
spells()
{
    local n
    sed 's/bins: 9/spelling: decimals/' "$work/tokens.yaml" >"$work/decimals.yaml" &&
        "$saccade" train "$work/decimals.yaml" --run "$work/decimals" --generations 1 --quiet || return 1
    for n in 1 3; do
        "$saccade" uptrain "$work/decimals/best.safetensors" --frames 512 --tune 10 --rounds 2 --seeds 1000..1001 \
            --threads "$n" --json --out "$work/decimals$n.safetensors" >"$work/up.json" || return 1
    done 2>"$work/progress"
    cat "$work/up.json" "$work/progress"
    cmp "$work/decimals1.safetensors" "$work/decimals3.safetensors" && python3 - "$work" <<'END'
import json, sys
work = sys.argv[1]
up = json.load(open(f"{work}/up.json"))
assert (up["attention"], up["features"], up["match_first"]) == ("relu", 4, None), up
assert up["tune_last"] < up["tune_first"], up
metadata = open(f"{work}/decimals1.safetensors", "rb").read(10000)
assert b"decimals" in metadata and b"sara-relu" in metadata, metadata[:2000]
END
}

# One look at a cloud is timed from four points on, where linear attention saves nothing yet.
clouds()
{
    "$saccade" uptrain zoo/grasp/student.safetensors --frames 512 --tune 1 --rounds 1 --seeds 1100..1101 --json \
        --out "$work/grasps.safetensors" >"$work/grasps.json" && cat "$work/grasps.json" && python3 - "$work" <<'END'
import json, sys
looks = json.load(open(f"{sys.argv[1]}/grasps.json"))["looks"]
assert [look["patches"] for look in looks] == [4 << i for i in range(12)], looks
assert looks[-1]["linear_us"] < looks[-1]["softmax_us"], looks
END
}

interrupted()
{
    local code process
    "$saccade" uptrain "$soft" --match 100000000 --out "$work/never.safetensors" >"$work/out" 2>"$work/err" &
    process=$!
    for ((i = 0; i < 1200; i++)); do # until it is at work, however slow the machine
        ! grep -q ', step ' "$work/err" || break
        sleep 0.05
    done
    kill -INT "$process"
    wait "$process"
    code=$?
    cat "$work/err"
    [[ $code == 130 ]] && [[ ! -e $work/never.safetensors && ! -s $work/out ]] &&
        [[ $(grep -v ', step ' "$work/err") == "saccade: uptrain was interrupted; nothing was written" ]]
}

out=(--out "$work/bad.safetensors")
check "two policies are trained" trained
check "the table" table
check "the return is back" recovers
check "the same bytes for any number of threads" threads
check "actions that are said by tokens" speaks
check "actions that are spelt in decimals" spells
if "$saccade" doctor | grep -q '^legs:flat  *works'; then
    check "clouds of any number of points" clouds
else
    skip "clouds of any number of points" "MuJoCo (make worlds)"
fi
check "an interrupt leaves nothing" interrupted
check "a policy without softmax" refuses 2 "the policy's attention is relu" "$saccade" uptrain "$work/linear/best.safetensors" "${out[@]}"
check "a map that is not there" refuses 2 "did you mean 'square'" "$saccade" uptrain "$soft" --attention sqare "${out[@]}"
check "no features" refuses 2 "features" "$saccade" uptrain "$soft" --features 0 "${out[@]}"
check "no place for the result" refuses 2 "say with --out" "$saccade" uptrain "$soft"
check "episodes that are learned from" refuses 2 "are learned from" "$saccade" uptrain "$soft" --seeds 999999..1000001 "${out[@]}"
check "no rate" refuses 2 "uptrain: rate is '-1', expected" "$saccade" uptrain "$soft" --rate -1 "${out[@]}"
check "a file that is none" refuses 1 "no-such" "$saccade" uptrain no-such.safetensors "${out[@]}"
# a place that cannot be written is said before anything is learned, which would print its progress
check "no such folder" refuses 1 "$work/nowhere/x: cannot be written" "$saccade" uptrain "$soft" --out "$work/nowhere/x"
check "a folder" refuses 1 "$work/soft: cannot be written" "$saccade" uptrain "$soft" --out "$work/soft"
diverges() # WORDS FLAG...
{
    local words=$1 code
    shift
    "$saccade" uptrain "$soft" "${small[@]}" "$@" "${out[@]}" >"$work/table" 2>"$work/progress"
    code=$?
    cat "$work/table" "$work/progress"
    [[ $code == 1 && ! -s $work/table ]] && tail -n 1 "$work/progress" | grep -qE "^saccade: $words"
}
check "a rate that is too large" diverges \
    'the second phase of up-training: the fit diverged: after step [0-9]+ of the optimiser, [a-z_.]+ is not finite; try a rate below 1000$' --rate 1000
check "and one of the first phase" diverges \
    'the first phase of up-training diverged: after step [0-9]+, attention.[a-z_]+ is not finite; try a match_rate below 1000$' --match-rate 1000
check "nothing was written" test ! -e "$work/bad.safetensors"
finish
