#!/usr/bin/env bash
# What is printed arrives, or the command says that it does not and fails: output.sh SACCADE
set -uo pipefail
saccade=$1
source "$(dirname "$0")/../check.sh"
if [[ ! -w /dev/full ]]; then
    skip "a full disk" "/dev/full"
    finish
fi

full() # ARGUMENT...: onto a full disk; exit code 1, one line, beside one that says why there are no peers
{
    local status
    echo "$1" >>"$work/tried"
    "$saccade" "$@" >/dev/full 2>"$work/err"
    status=$?
    [[ $status == 1 && $(grep -vc '^saccade: bench: without peers: ' "$work/err") == 1 ]] &&
        grep -q '^saccade: the output cannot be written: No space left on device$\|^saccade: the output cannot be written$' "$work/err" && return
    echo "exit code $status: $*"
    cat "$work/err"
    return 1
}

every_help()
{
    local command work=$work/help
    mkdir -p "$work"
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
        full attend "$policy" "$out/000000.png" && full cloud tests/cloud/data/table_0.safetensors &&
        full cloud tests/cloud/data/table_0.safetensors --json && full watch "$policy" --frames "$out" --steps 2 &&
        python3 examples/embeddings.py "$out/views.safetensors" && full words "$out/views.safetensors" &&
        full words "$out/views.safetensors" --text red --json &&
        full runs "$work" && full runs "$work" --json && full zoo && full zoo --json && full envs && full doctor &&
        full config tasks/toy.yaml && full export "$policy" --c "$out/policy.c" && full tasks && full tasks --json &&
        full zoo --commands && full record "$policy" --seeds 0..1 --out "$out/shown" &&
        full record --idle --env toy --seeds 0..1 --out "$out/shown" --json &&
        full uptrain "$policy" --features 2 --frames 512 --match 5 --tune 2 --rounds 1 --seeds 1000..1001 --json \
            --out "$out/linear.safetensors" &&
        full import attention-agent-npz tests/golden/data/agent_made_up.npz "$out/imported.safetensors"
}

sweeps() # runs nobody hears of are there all the same, and so is their table
{
    printf 'task: tasks/toy.yaml\nfields: {search: {sigma: [0.1, 0.2]}}\n' >"$work/sweep.yaml"
    full sweep "$work/sweep.yaml" --run "$work/sweep" --generations 1 && full sweep "$work/sweep.yaml" --run "$work/sweep" --table &&
        full sweep "$work/sweep.yaml" --run "$work/sweep" --generations 2 --quiet &&
        [[ $(grep -c ',finished,.*,2,' "$work/sweep/results.csv") == 2 ]]
}

# the figures of a theorem and of a bench row; what is a matter of minutes prints by the same calls
figures()
{
    full convolution --alpha 4 && full convolution --alpha 4 --json &&
        full theory --list && full theory agent-parameters && full theory agent-parameters --json &&
        SACCADE_PEERS=/nonexistent full bench agent-relu && SACCADE_PEERS=/nonexistent full bench agent-relu --json &&
        SACCADE_PEERS=/nonexistent full bench attention --tokens 64
}

# a page whose address nobody could be told is not served
pages()
{
    [[ -e $(dirname "$saccade")/saccade-web.so ]] || { full_is_moot dash; return; }
    full dash "$work/run" --port 0
}
full_is_moot() { echo "$1" >>"$work/tried"; }

# so that a new command is not forgotten; plot and replay print nothing but the file that they are told
all_of_them()
{
    local command
    for command in $("$saccade" --help | sed -nE 's/^  ([a-z]+) .*/\1/p'); do
        [[ $command == plot || $command == replay ]] || grep -qx "$command" "$work/tried" || { echo "$command was not tried"; return 1; }
    done
}

# a run that nobody can follow is trained all the same
trains()
{
    full train tasks/toy.yaml --run "$work/unheard" --generations 3 && full train tasks/toy.yaml --run "$work/json" --generations 3 --json &&
        full distill tests/train/taught.yaml --run "$work/taught" --generations 3 && [[ -s $work/taught/mean.safetensors ]] &&
        [[ -s $work/unheard/checkpoints/00000003.safetensors && -s $work/json/checkpoints/00000003.safetensors ]]
}
fits()
{
    local small=(--set data.folder="$work/stripes" --set train.epochs=1)
    python3 examples/pictures.py "$work/stripes" 60 &&
        full fit tests/train/pictures_fit.yaml --run "$work/fitted" "${small[@]}" --profile &&
        full fit tests/train/pictures_fit.yaml --run "$work/fitted_json" "${small[@]}" --json &&
        [[ -s $work/fitted/net.safetensors && -s $work/fitted_json/net.safetensors ]] &&
        full classify "$work/fitted/net.safetensors" && full classify "$work/fitted/net.safetensors" --json &&
        "$saccade" fit tests/train/attention_fit.yaml --run "$work/attention" "${small[@]}" --quiet &&
        full heads "$work/attention" && full heads "$work/attention" --json
}

closed() { refuses 1 "the output cannot be written" bash -c "'$saccade' envs >&-"; }

# a failure of its own stays the only line
once() { "$saccade" eval nothing.safetensors >/dev/full 2>"$work/err"; [[ $? == 1 && $(wc -l <"$work/err") == 1 ]] && grep -q nothing.safetensors "$work/err"; }

files() # that a flag names
{
    refuses 1 "No space left" "$saccade" replay toy --seed 1 --actions "$work/zeros.csv" --out /dev/full
}
report()
{
    full report "$work/run" --out "$work/files/report.html" &&
        refuses 1 "No space left" "$saccade" report "$work/run" --out /dev/full
}
cut_off() # a file that may not be as long as it is: none is left, not even a part
{
    mkdir "$work/cut" && refuses 1 "cut/p.svg: " bash -c "trap '' XFSZ; ulimit -f 1; exec '$saccade' plot '$work/run' --out '$work/cut/p.svg'" &&
        [[ -z $(ls -A "$work/cut") ]]
}

echo 0,0 >"$work/zeros.csv"
"$saccade" train tasks/toy.yaml --run "$work/run" --generations 2 --quiet
check "help onto a full disk" every_help
check "every command onto a full disk" every_command
check "sweeps onto a full disk" sweeps
check "theorems and benches onto a full disk" figures
check "the live page onto a full disk" pages
check "training onto a full disk" trains
check "fitting a net onto a full disk" fits
if [[ -e $(dirname "$saccade")/saccade-plot.so ]]; then
    check "a report onto a full disk" report
    check "a plot that is cut off" cut_off
else
    full_is_moot report
    skip "a report and a plot onto a full disk" "libcairo2-dev (make setup)"
fi
check "no command was forgotten" all_of_them
check "a closed output" closed
check "a failure of its own is the only line" once
check "a file on a full disk" files
finish
