#!/usr/bin/env bash
# What is printed arrives, or the command says that it does not and fails: output.sh SACCADE
set -uo pipefail
saccade=$1
source "$(dirname "$0")/../check.sh"
if [[ ! -w /dev/full ]]; then
    skip "a full disk" "/dev/full"
    finish
fi

full() # ARGUMENT...: onto a full disk; exit code 1, one line
{
    local status
    "$saccade" "$@" >/dev/full 2>"$work/err"
    status=$?
    [[ $status == 1 && $(wc -l <"$work/err") == 1 ]] &&
        grep -q '^saccade: the output cannot be written: No space left on device$\|^saccade: the output cannot be written$' "$work/err" && return
    echo "exit code $status: $*"
    cat "$work/err"
    return 1
}

every_help()
{
    local command
    for command in $("$saccade" --help | sed -nE 's/^  ([a-z]+) .*/\1/p'); do full "$command" --help || return 1; done
    full --help && full --version && full --man && full --completion bash
}

# one of each that prints something without a part that may be missing
every_command()
{
    local out=$work/files policy=$work/run/mean.safetensors
    mkdir -p "$out"
    "$saccade" replay toy --seed 1 --actions "$work/zeros.csv" --out "$out/table.csv" --frames "$out" >/dev/null || return 1
    full eval "$policy" --seeds 0..1 && full eval "$policy" --seeds 0..1 --json &&
        full eval --random --env toy --seeds 0..1 && full compare "$policy" "$policy" --seeds 0..1 &&
        full compare "$policy" "$policy" --seeds 0..1 --json && full generalise "$policy" --seeds 0..1 &&
        full attend "$policy" "$out/000000.png" && full watch "$policy" --frames "$out" --steps 2 &&
        full runs "$work" && full runs "$work" --json && full zoo && full zoo --json && full envs && full doctor &&
        full config tasks/toy.yaml && full export "$policy" --c "$out/policy.c"
}

# a run that nobody can follow is trained all the same
trains()
{
    full train tasks/toy.yaml --run "$work/unheard" --generations 3 && full train tasks/toy.yaml --run "$work/json" --generations 3 --json &&
        [[ -s $work/unheard/checkpoints/00000003.safetensors && -s $work/json/checkpoints/00000003.safetensors ]]
}

closed() { refuses 1 "the output cannot be written" bash -c "'$saccade' envs >&-"; }

# a failure of its own stays the only line
once() { "$saccade" eval nothing.safetensors >/dev/full 2>"$work/err"; [[ $? == 1 && $(wc -l <"$work/err") == 1 ]] && grep -q nothing.safetensors "$work/err"; }

files() # that a flag names
{
    refuses 1 "No space left" "$saccade" replay toy --seed 1 --actions "$work/zeros.csv" --out /dev/full
}

echo 0,0 >"$work/zeros.csv"
"$saccade" train tasks/toy.yaml --run "$work/run" --generations 2 --quiet
check "help onto a full disk" every_help
check "every command onto a full disk" every_command
check "training onto a full disk" trains
check "a closed output" closed
check "a failure of its own is the only line" once
check "a file on a full disk" files
finish
