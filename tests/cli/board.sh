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

if script -qec true /dev/null >/dev/null 2>&1; then
    check "a board on a terminal" board
    check "the terminal is left as it was" leaves_no_trace
    check "a narrow terminal" narrow
    check "NO_COLOR" colourless
    check "a terminal without UTF-8" ascii
    check "TERM=dumb gets lines" dumb
else
    skip "boards on terminals" "a peer: a pseudo-terminal"
fi
check "one line a generation elsewhere" lines
check "--json" json
check "SIGINT says where the checkpoint is and how to go on" interrupted
finish
