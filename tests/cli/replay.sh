#!/usr/bin/env bash
# `saccade replay` from outside: the table, the pictures, and every way to be wrong.
#   replay.sh SACCADE
set -uo pipefail
saccade=$1
source "$(dirname "$0")/../check.sh"

actions=$work/actions.csv
table=$work/table.csv
frames=$work/frames
for i in $(seq 60); do echo "$((i % 3 - 1)), 0.5,0"; done >"$actions"

replay() { "$saccade" replay car-racing --seed 3 --actions "$actions" --out "$table" "$@"; }

writes_a_table()
{
    replay || return 1
    [[ $(head -1 "$table") == step,reward,terminated,truncated,x,y,angle,vx,vy,omega,tiles ]] || return 1
    [[ $(wc -l <"$table") == 62 && $(sed -n 2p "$table") == 0,0,0,0,* && $(tail -1 "$table") == 60,* ]]
}

is_repeatable() { cp "$table" "$work/first.csv" && replay && cmp "$table" "$work/first.csv"; }

stops_at_the_end() # after the first truncated row
{
    replay --set max_steps=10 || return 1
    [[ $(wc -l <"$table") == 12 && $(cut -d, -f1,3,4 <(tail -1 "$table")) == 10,0,1 ]]
}

numbers_frames_by_row()
{
    replay --frames "$frames" --every 25 || return 1
    [[ $(ls "$frames" | tr '\n' ' ') == "000000.png 000025.png 000050.png " ]]
}

plays_another_environment() # its own actions and columns
{
    printf '0,1\n1,-1\n' >"$work/toy.csv"
    "$saccade" replay toy --seed 1 --actions "$work/toy.csv" --out "$table" && [[ $(wc -l <"$table") == 4 ]]
}

bad() # WORDS LINE...: an action file with these lines is refused, and no table is left
{
    local words=$1
    shift
    printf '%s\n' "$@" >"$work/bad.csv"
    rm -f "$table"
    refuses 1 "$words" "$saccade" replay car-racing --seed 3 --actions "$work/bad.csv" --out "$table" || return 1
    [[ ! -e $table && ! -e $table.tmp ]]
}

check "the table has a header, row 0 and a row an action" writes_a_table
check "the same again gives the same bytes" is_repeatable
check "it stops at the first end" stops_at_the_end
check "pictures are numbered by row" numbers_frames_by_row
check "another environment" plays_another_environment
check "an unknown environment" refuses 2 "did you mean 'car-racing'?" \
    "$saccade" replay car-race --seed 1 --actions "$actions" --out "$table"
check "too few numbers" bad "bad.csv:2: 2 columns, expected 3" 0,0,0 0,0
check "too many numbers" bad "bad.csv:1: more than 3 columns" 0,0,0,0
check "no number" bad "'left'" 0,0,0 left,0,0
check "a number out of bounds" bad "bad.csv:2: column 1: 1.5, expected -1..1" 0,0,0 1.5,0,0
check "not finite" bad "nan" nan,0,0
check "no action file" refuses 1 "missing.csv" \
    "$saccade" replay car-racing --seed 1 --actions "$work/missing.csv" --out "$table"
check "no seed" refuses 2 "--seed is needed" "$saccade" replay car-racing --actions "$actions" --out "$table"
check "a bad seed" refuses 2 "--seed is '-1'" "$saccade" replay car-racing --seed -1 --actions "$actions" --out "$table"
check "an unknown option of the environment" refuses 2 "did you mean 'max_steps'?" replay --set max_step=3
check "an unknown variant" refuses 2 "did you mean 'color'?" replay --variant colr
check "--every alone" refuses 2 "--frames" replay --every 2
check "--state-from where it cannot be" refuses 2 "car-racing cannot start from a stored state" \
    replay --state-from "$actions"
check "a folder that cannot be" refuses 1 "actions.csv" replay --frames "$actions/x"
check "a table that cannot be" refuses 1 "nowhere" \
    "$saccade" replay car-racing --seed 3 --actions "$actions" --out "$work/nowhere/table.csv"
finish
