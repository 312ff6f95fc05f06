#!/usr/bin/env bash
# What `saccade train` prints: the board on a terminal, lines elsewhere, JSON on demand, and how it ends.
#   board.sh SACCADE
set -uo pipefail
saccade=$1
source "$(dirname "$0")/../check.sh"
escape=$'\033'

train() { "$saccade" train tasks/toy.yaml --run "$work/$1" "${@:2}"; }

on_terminal() # COLUMNS NAME ENVIRONMENT...: as a terminal gets it, into $work/screen
{
    local columns=$1 name=$2
    shift 2
    rm -rf "${work:?}/$name"
    env -u NO_COLOR TERM=xterm LC_ALL=C.UTF-8 "$@" script -qec \
        "stty cols $columns; '$saccade' train tasks/toy.yaml --run '$work/$name' --generations 60" /dev/null |
        tr -d '\r' >"$work/screen"
}

# the last drawing, without codes
last_board() { sed "s/$escape\[[0-9]*[A-Za-z]//g" "$work/screen" | tail -n 6 | head -n 5; }

board()
{
    on_terminal 90 wide || return 1
    last_board | tee "$work/board"
    grep -q '^generation 60/60 .* to go 0:00 ' "$work/board" && grep -q '^best .* mean .* evaluation .*+-' "$work/board" &&
        grep -q '^steps/s .* steps .* time .* sigma' "$work/board" && grep -q '█' "$work/board" &&
        grep -q '^agent .*% .*world .*% .*search .*% .*evaluation .*% .*files .*%' "$work/board"
}

# nothing of the terminal's modes is touched, so that there is nothing to restore; the last words stand below the board
leaves_no_trace()
{
    ! grep -qE "$escape\[\?|$escape\[[0-9;]*r|${escape}[78c]" "$work/screen" &&
        tail -n 1 "$work/screen" | grep 'best.safetensors'
}

narrow() # no line is wider than the terminal
{
    on_terminal 30 narrow || return 1
    [[ $(last_board | LC_ALL=C.UTF-8 wc -L) -le 29 ]]
}

whole_words() # what has no room on a line is left out, not cut
{
    on_terminal 47 words || return 1
    last_board | tee "$work/board"
    ! grep -qE '(evaluatio|evaluati|best so|sear|steps/|ta|tas|task|tasks/?[a-z.]*) *$' "$work/board" && grep -q '^agent .*% *$' "$work/board"
}

# several stages that begin after one generation are all said, on lines that fit
stages()
{
    {
        sed '/^train:/,/^[a-z]/ {/^ *generations:/d}' tasks/toy.yaml | grep -v '^train:'
        printf 'train:\n  stages:\n    - {above: -1000, episodes: 2}\n    - {above: -999, race: 4}\n    - {above: -998, patience: 9}\n'
    } >"$work/staged.yaml"
    env TERM=xterm LC_ALL=C.UTF-8 script -qec "stty cols 60; '$saccade' train '$work/staged.yaml' --run '$work/staged' \
        --generations 2" /dev/null | tr -d '\r' | sed "s/$escape\[[0-9]*[A-Za-z]//g" >"$work/screen"
    cat "$work/screen"
    # the text of the events, as the board wraps it
    python3 - "$work/staged/events.jsonl" "$work/screen" <<'END'
import json, sys
events = [event["text"] for event in map(json.loads, open(sys.argv[1])) if event["event"] == "stage"]
screen = open(sys.argv[2]).read()
assert len(events) == 3 and "; ".join(events).split() == [w for w in screen[screen.index("stage 1"):].split()][:len("; ".join(events).split())], (events, screen)
assert max(map(len, screen[screen.index("stage 1"):].splitlines()[:4])) <= 59
END
}

colourless()
{
    on_terminal 90 grey NO_COLOR=1 || return 1
    ! grep -q "$escape\[[0-9;]*m" "$work/screen" && grep -q '60/60' "$work/screen"
}

ascii() { on_terminal 90 ascii LC_ALL=C && ! LC_ALL=C grep -q '[^ -~[:cntrl:]]' "$work/screen"; }

dumb() { on_terminal 90 dumb TERM=dumb && ! grep -q "$escape" "$work/screen"; }

lines() # a heading, a line a generation, where the files are
{
    train lines --generations 7 >"$work/out" || return 1
    ! grep -q "$escape" "$work/out" && [[ $(wc -l <"$work/out") == 9 && $(grep -cE '^ +[1-7]/7 ' "$work/out") == 7 ]]
}

json()
{
    train json --generations 12 --json >"$work/out" || return 1
    python3 - "$work/out" "$work/json/metrics.csv" <<'END'
import csv, json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
table = list(csv.DictReader(open(sys.argv[2])))
assert [r["generation"] for r in rows] == list(range(1, 13)), rows
for row, line in zip(rows, table):
    assert abs(row["mean"] - float(line["mean"])) < 1e-6 and row["steps"] == int(line["steps"])
    assert (row["evaluation"] is None) == (line["eval_mean"] == "")
    assert set(row["phases"]) == {"agent", "world", "search", "evaluation", "files"}
END
}

interrupted() # the checkpoint's place and how to go on, then going on
{
    "$saccade" train tasks/toy.yaml --run "$work/stopped" --generations 1000000 --quiet 2>"$work/err" &
    local pid=$!
    for _ in $(seq 300); do
        [[ -s $work/stopped/metrics.csv ]] && (($(wc -l <"$work/stopped/metrics.csv") > 3)) && break
        sleep 0.1
    done
    kill -INT "$pid"
    wait "$pid"
    grep -qE "interrupted at generation [0-9]+; the checkpoint is in $work/stopped/checkpoints; .*--resume goes on" \
        "$work/err" || return 1
    local at
    at=$(tail -n 1 "$work/stopped/metrics.csv" | cut -d, -f1)
    train stopped --generations $((at + 1)) --resume >"$work/out" && grep -q "$((at + 1))/$((at + 1))" "$work/out"
}

timed() # a limit of time: an end without failure that --resume goes on from, and what is to go counts towards it
{
    local begin=$SECONDS
    train timed --generations 1000000 --seconds 2 >"$work/out" || return 1
    ((SECONDS - begin >= 1 && SECONDS - begin < 30)) || { echo "it took $((SECONDS - begin)) s"; return 1; }
    [[ -n $(ls "$work/timed/checkpoints"/*.safetensors) ]] || return 1
    grep -qE '^interrupted at generation [0-9]+, after 2 s; .*--resume goes on$' "$work/out" || return 1
    if grep -q '/1000000' "$work/out"; then echo "it counts towards generations that it will not reach"; return 1; fi
    # the last column is what is to go
    awk '/^ +[0-9]+ / { if ($NF !~ /^0:0[0-2]$/) bad = $0; n++ } END { if (bad) print bad; exit bad || n < 1 }' "$work/out" || return 1
    local at
    at=$(tail -n 1 "$work/timed/metrics.csv" | cut -d, -f1)
    train timed --generations $((at + 1)) --seconds 1000 --resume >"$work/out" && grep -q "$((at + 1))/$((at + 1))" "$work/out"
}

timed_json()
{
    train timed-json --generations 1000000 --seconds 2 --json >"$work/out" || return 1
    python3 - "$work/out" <<'END'
import json, sys
left = [json.loads(line)["seconds_left"] for line in open(sys.argv[1])]
assert left and left == sorted(left, reverse=True) and 0 <= left[-1] and left[0] <= 2, left
END
}

timed_board() # the bar shows the time: well filled at its end, however slow the machine, where generations are far from it
{
    rm -rf "$work/timed-board"
    env TERM=xterm LC_ALL=C.UTF-8 script -qec "stty cols 90; '$saccade' train tasks/toy.yaml --run '$work/timed-board' \
        --generations 1000000 --seconds 4" /dev/null | tr -d '\r' >"$work/screen"
    grep -aE "interrupted at generation [0-9]+, after 4 s" "$work/screen" || return 1
    sed "s/$escape\[[0-9]*[A-Za-z]//g" "$work/screen" | grep -a '^generation ' | tail -n 1 | tee "$work/board"
    grep -qE '^generation [0-9]+   █{10,20}░*   to go 0:0[0-2] ' "$work/board"
}

timed_on_sigint() # a signal before that is an interruption as ever
{
    "$saccade" train tasks/toy.yaml --run "$work/early" --generations 1000000 --seconds 1000 --quiet 2>"$work/err" &
    local pid=$!
    for _ in $(seq 300); do
        [[ -s $work/early/metrics.csv ]] && (($(wc -l <"$work/early/metrics.csv") > 3)) && break
        sleep 0.1
    done
    kill -INT "$pid"
    wait "$pid"
    [[ $? == 130 ]] && grep -q "interrupted at generation" "$work/err"
}

unevaluated() # a run without an evaluation has no best one
{
    printf 'task: %s\nfields:\n  evaluation:\n    every: [0]\n' "$PWD/tasks/toy.yaml" >"$work/sweep.yaml"
    "$saccade" sweep "$work/sweep.yaml" --run "$work/swept" --generations 3 >"$work/out" || return 1
    grep -q '^  3/3  mean ' "$work/out" && ! grep -qi 'inf\|nan' "$work/out"
}

if script -qec true /dev/null >/dev/null 2>&1; then
    check "a board on a terminal" board
    check "the terminal is left as it was" leaves_no_trace
    check "a narrow terminal" narrow
    check "no word is cut on a narrow one" whole_words
    check "every stage of a generation is said" stages
    check "NO_COLOR" colourless
    check "a terminal without UTF-8" ascii
    check "TERM=dumb gets lines" dumb
    check "--seconds on the board" timed_board
else
    skip "boards on terminals" "a pseudo-terminal (/dev/pts)"
fi
check "one line a generation elsewhere" lines
check "--json" json
check "--seconds ends a run, and what is to go counts towards it" timed
check "--seconds and --json" timed_json
check "--seconds and SIGINT" timed_on_sigint
check "--seconds is a number of seconds" refuses 2 "--seconds is '0'" "$saccade" train tasks/toy.yaml --run "$work/none" --seconds 0
check "a sweep without evaluations says nothing of a best one" unevaluated
check "SIGINT says where the checkpoint is and how to go on" interrupted
finish
