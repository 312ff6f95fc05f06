#!/usr/bin/env bash
# saccade bench from outside: its JSON, its refusals, and that the peers compute the same agent.
#   bench.sh SACCADE
set -uo pipefail
saccade=$(realpath "$1")
cd "$(dirname "$0")/../.." || exit 1
source tests/check.sh

fields() # a list of rows with the promised keys, and null where the peer is absent
{
    SACCADE_PEERS=/nonexistent "$saccade" bench agent-relu --json >"$work/json" || return 1
    for key in name value unit peer peer_value ratio; do
        [[ $(grep -c "\"$key\":" "$work/json") == 1 ]] || { echo "not one \"$key\""; cat "$work/json"; return 1; }
    done
    [[ $(head -c 1 "$work/json") == "[" ]] && grep -q '"peer": null' "$work/json" && grep -q '"ratio": null' "$work/json"
}

# Two that are timed in turns are compared run by run; the share of an article stands beside it. What lands has the median
# over runs, and a row that landed without it stays as it is.
paired()
{
    local old=act-tokens-784,337.385,us,346.151,softmax,866.55 file
    (cd "$work" && "$saccade" bench act-tokens-196 --json --land >"$work/json") || return 1
    file=$(echo "$work"/bench/results/*/bench.csv)
    echo "$old" >>"$file"
    (cd "$work" && "$saccade" bench act-tokens-196 --json --land >"$work/json") || return 1
    cat "$file"
    grep -qx "$old" "$file" && python3 - "$work/json" "$file" <<'PYTHON'
import csv, json, sys
(row,) = json.load(open(sys.argv[1]))
assert row["article_less_time"] == 0.14 and row["article"] == "SARA-RT-2 with 196 tokens", row
assert abs(1 - 1 / row["ratio"] - row["less_time"]) < 1e-4 and 0 < row["less_time"] < 0.9, row
landed, old = csv.DictReader(open(sys.argv[2]))
assert landed["name"] == row["name"] and abs(float(landed["paired"]) - (1 - row["less_time"])) < 1e-4, landed
assert old["paired"] is None, old
PYTHON
}

# the ranking of patches may differ where two importances are equal to rounding: on one frame of 16, not on more
same_agent() # ROW
{
    "$saccade" bench "$1" --json >"$work/json" 2>"$work/err" || return 1
    cat "$work/err"
    grep -q '"peer": "' "$work/json" || return 1
    ! grep -q 'looked at the same patches' "$work/err" || grep -q 'patches on 15 of 16' "$work/err"
}

attention() # every form at one size, with its figures and its file; in a folder where nothing has landed
{
    mkdir -p "$work/attention"
    (cd "$work/attention" && SACCADE_PEERS=/nonexistent "$saccade" bench attention --tokens 64 --svg plots --land) \
        >"$work/table" 2>"$work/err" || { cat "$work/err"; return 1; }
    local form
    for form in softmax relu-output positive trig hybrid sara-exp rank trans hash; do
        grep -q "^$form, microseconds" "$work/table" || { echo "no table of $form"; return 1; }
        grep -qE "^saccade,,$form,64,[0-9.e+]+,[0-9.e+]+,[0-9.e+]+,[0-9]+,[0-9]+$" \
            "$work"/attention/bench/results/*/attention.csv || { echo "no point of $form"; return 1; }
    done
    [[ $(find "$work/attention/plots" -name '*.svg' | wc -l) == 5 ]] || return 1
    # one form that lands later replaces its own points and keeps the others
    local points
    points=$(wc -l <"$(echo "$work"/attention/bench/results/*/attention.csv)")
    (cd "$work/attention" && SACCADE_PEERS=/nonexistent "$saccade" bench attention --tokens 64 --form rank --land) \
        >"$work/table" 2>"$work/err" || { cat "$work/err"; return 1; }
    [[ $(wc -l <"$(echo "$work"/attention/bench/results/*/attention.csv)") == "$points" ]]
}

# Of one side, each form crosses softmax there where it is 1.03 times as fast or more, or nowhere.
crossings() # FILE TABLE
{
    local pass name patch
    grep -q '^1.03 times as fast as softmax, or more, from so many pixels on:$' "$2" || return 1
    for patch in 16 32; do
        for pass in forward both; do
            name=forward
            [[ $pass == forward ]] || name="forward and backward"
            awk -F, -v pass=$pass -v patch=$patch -v name="$name" '
                $2 != pass || $3 != patch {next}
                $1 == "softmax" {softmax = $5; next}
                {line = line " " $1 " " (softmax >= 1.03 * $5 ? $4 : "-")}
                END {print "patches of " patch ", " name ":" line}' "$1"
        done
    done >"$work/crossings"
    diff "$work/crossings" <(grep '^patches of .*:' "$2")
}

vision() # every form at one side, with its table and its file; a form that lands later keeps the others
{
    local file form
    mkdir -p "$work/vision"
    (cd "$work/vision" && SACCADE_PEERS=/nonexistent "$saccade" bench vision --pixels 224 --land) \
        >"$work/table" 2>"$work/err" || { cat "$work/err"; return 1; }
    file=$(echo "$work"/vision/bench/results/*/vision.csv)
    for form in softmax relu relu-mapped exp square positive trig; do
        [[ $(grep -cE "^$form,(forward|both),(16|32),224,[0-9.e+]+,[0-9]+$" "$file") == 4 ]] || { cat "$file"; return 1; }
    done
    grep -q '^patches of 16, forward and backward, MiB$' "$work/table" && crossings "$file" "$work/table" || return 1
    cp "$file" "$work/swept"
    (cd "$work/vision" && SACCADE_PEERS=/nonexistent "$saccade" bench vision --pixels 224 --form exp --land) >"$work/table" 2>&1 &&
        [[ $(wc -l <"$file") == 29 ]] || return 1
    # what a form measured alone and behind other forms is the same memory: a tenth apart, pages of libraries included
    paste -d, <(grep "^exp," "$work/swept") <(grep "^exp," "$file") | awk -F, '
        {count++; if ($6 > 1.1 * $12 || $12 > 1.1 * $6) {print; bad = 1}} END {exit bad || count != 4}' || return 1
    grep -q "^saccade: bench: without peers: bench/peers is not here" "$work/err"
}

vision_json() # a list of points, and nothing else
{
    SACCADE_PEERS=/nonexistent "$saccade" bench vision --pixels 224 --form relu --json >"$work/json" 2>"$work/err" &&
        grep -q "^saccade: bench: without peers: there is no Python that has them" "$work/err" && python3 - "$work/json" <<'PYTHON'
import json, sys
rows = json.load(open(sys.argv[1]))
assert [(row["form"], row["pass"], row["patch"], row["side"]) for row in rows] == [
    ("relu", name, patch, 224) for patch in (16, 32) for name in ("forward", "both")]
assert all(row["runs"] >= 2 and row["worst_ms"] >= row["ms"] for row in rows)
assert all(row["ms"] > 0 and row["bytes"] >= 0 and row["peer"] is None and row["ratio"] is None for row in rows)
PYTHON
}

misplaced() # what means nothing for a sweep or a row is refused before anything is measured
{
    refuses 2 "--seeds is not for 'vision'" "$saccade" bench vision --seeds 1..2 &&
        refuses 2 "--svg is not for 'vision'" "$saccade" bench vision --svg plots &&
        refuses 2 "--tokens is not for 'vision'" "$saccade" bench vision --tokens 64..128 &&
        refuses 2 "--json is not for 'attention'" "$saccade" bench attention --json &&
        refuses 2 "--pixels is not for 'attention'" "$saccade" bench attention --pixels 224 &&
        refuses 2 "--form is not for rows" "$saccade" bench agent-relu --form relu
}

same_vision() # PyTorch's nets have as many parameters, or the command fails
{
    "$saccade" bench vision --pixels 224 --form relu-mapped >"$work/table" 2>"$work/err" || { cat "$work/err"; return 1; }
    [[ $(grep -c '^ *the peer ' "$work/table") == 8 ]] || { cat "$work/table"; return 1; }
}

same_attention() # PEER computes every form at an odd size, or the command fails
{
    "$saccade" bench attention --tokens 529 >"$work/table" 2>"$work/err" || { cat "$work/err"; return 1; }
    [[ $(grep -cE "^ +529 .* x$" "$work/table") -ge 15 ]] || { cat "$work/table"; return 1; }
}

times_training() # one run a seed for all three targets, and one that is not reached is said
{
    sed 's/generations: 60/generations: 2/; s/every: 10/every: 1/' tasks/toy.yaml >"$work/short.yaml"
    "$saccade" bench train --task "$work/short.yaml" --seeds 1..2 >"$work/table" 2>"$work/err" || { cat "$work/err"; return 1; }
    [[ $(grep -cE '^train-to-(800|850|900) +not reached$' "$work/table") == 3 && $(grep -c 'held-out' "$work/err") == 4 ]]
}

searches() # PEER measures each of its rows
{
    local row
    for row in "${@:2}"; do
        "$saccade" bench "$row" --seeds 1..2 --json >"$work/json" 2>"$work/err" || { cat "$work/err"; return 1; }
        grep -q "\"peer\": \"$1 " "$work/json" || { echo "$row has no figure of $1"; cat "$work/err"; return 1; }
    done
}

# a Python that says why it fails: only --verbose, or its variable, lets it be heard
silent_peer()
{
    printf '#!/bin/sh\necho "no module named peer" >&2\nexit 1\n' >"$work/python"
    chmod +x "$work/python"
    SACCADE_PEERS=$work/python "$saccade" bench agent-relu --json >/dev/null 2>"$work/err" &&
        grep -q 'the peer failed (--verbose shows why)$' "$work/err" && ! grep -q 'no module named peer' "$work/err"
}
heard_peer()
{
    SACCADE_PEERS=$work/python "$saccade" bench agent-relu --json --verbose >/dev/null 2>"$work/err" &&
        grep -qx 'no module named peer' "$work/err" && ! grep -q 'shows why' "$work/err" || return 1
    SACCADE_PEERS=$work/python SACCADE_BENCH_VERBOSE=1 "$saccade" bench agent-relu --json >/dev/null 2>"$work/err" &&
        grep -qx 'no module named peer' "$work/err"
}

has() { "${SACCADE_PEERS:-.venv/bin/python}" -c "import $1" >/dev/null 2>&1; }

check "bench --json" fields
check "an action by tokens costs less with linear attention, in pairs" paired
check "a peer that fails says how to hear why" silent_peer
check "--verbose lets a peer be heard" heard_peer
listed() # names alone, of all rows or of some
{
    "$saccade" bench --list >"$work/list" && grep -q "^env-step " "$work/list" && grep -q "^vision " "$work/list" &&
        [[ $("$saccade" bench net --list | wc -l) == $("$saccade" bench --list | grep -c "^net-") ]]
}

check "bench lists its rows" listed
check "bench refuses an unknown row" refuses 2 "did you mean 'env-step'?" "$saccade" bench env-stp
check "bench refuses bad seeds" refuses 2 "--seeds is '5..1'" "$saccade" bench env-step --seeds 5..1
check "bench train" times_training
check "bench attention refuses an unknown form" refuses 2 "did you mean 'hybrid'?" \
    "$saccade" bench attention --form hybird
check "bench attention refuses sizes between two" refuses 2 "--tokens 65..127 holds no" \
    "$saccade" bench attention --tokens 65..127
check "bench attention" attention
check "bench vision refuses an unknown form" refuses 2 "did you mean 'softmax'?" \
    "$saccade" bench vision --form sotfmax
check "bench vision names its forms" refuses 2 "'zebra', expected softmax, " "$saccade" bench vision --form zebra
check "bench vision refuses sides between two" refuses 2 "--pixels 225..447 holds none of" \
    "$saccade" bench vision --pixels 225..447
check "bench vision" vision
check "bench vision --json" vision_json
check "options that mean nothing there are refused" misplaced
if has torch; then
    check "PyTorch's vision transformers have the same sizes" same_vision
else
    skip "PyTorch's vision transformers have the same sizes" "a peer: torch"
fi
if has evojax; then
    check "evojax searches" searches evojax search-pgpe-evojax search-ars-evojax search-ga-evojax \
        evals-sphere-10-cma-es-evojax
else
    skip "evojax searches" "a peer: evojax"
fi
if has numpy && (has torch || has jax); then
    check "the peers compute the same attention" same_attention
else
    skip "the peers compute the same attention" "a peer: numpy with torch or jax"
fi
for peer in numpy jax torch; do
    row=agent-softmax-$peer
    [[ $peer != jax ]] || row=agent-softmax
    if has $peer && has numpy; then
        check "$peer computes the same agent" same_agent "$row"
    else
        skip "$peer computes the same agent" "a peer: $peer"
    fi
done
finish
