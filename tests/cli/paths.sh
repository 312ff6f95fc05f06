#!/usr/bin/env bash
# Paths that a script gets wrong or that cannot be written, paths of any length, and a folder that two trainers want: paths.sh SACCADE
set -uo pipefail
saccade=$1
source "$(dirname "$0")/../check.sh"

commands() { "$saccade" --help | sed -nE 's/^  ([a-z]+) .*/\1/p'; }

# every option and every operand, but for texts, is refused when it is empty: nothing is opened, nothing is written
refuses_empty_options()
{
    local command flag
    for command in $(commands); do
        for flag in $("$saccade" "$command" --help | sed -nE '/ TEXT /d; s/^  --([a-z0-9-]+) [^ ].*/\1/p'); do
            [[ $flag == dash ]] || # may stand alone
                refuses 2 "$command: --$flag is empty, expected " "$saccade" "$command" --"$flag" '' || return 1
            refuses 2 "$command: --$flag is empty, expected " "$saccade" "$command" --"$flag=" || return 1
        done
    done
}

refuses_empty_operands()
{
    local command words word given
    for command in $(commands); do
        words=$("$saccade" "$command" --help | sed -nE "1s/^usage: saccade $command //; 1s/ ?\[options\]//p")
        given=()
        for word in $words; do
            refuses 2 "$command: an argument is empty, expected $word" "$saccade" "$command" "${given[@]}" '' || return 1
            given+=(x)
        done
    done
}

refuses_root() # what --run '' did: task.yaml and checkpoints in the root folder
{
    refuses 2 "train: --run is empty, expected DIR" "$saccade" train tasks/toy.yaml --run '' --generations 1 &&
        [[ ! -e /task.yaml && ! -e /checkpoints ]]
}

empty_variable()
{
    refuses 2 "SACCADE_TRAIN_RUN is empty, expected DIR" env SACCADE_TRAIN_RUN='' "$saccade" train tasks/toy.yaml --generations 1 &&
        SACCADE_CONFIG_SET='' "$saccade" config tasks/toy.yaml >/dev/null
}

# one that names a file or a folder, by every command
empty_path_variable()
{
    local name
    for name in MODULES MODELS PYTHON PEERS PLUGINS ZOO; do
        refuses 2 "SACCADE_$name is empty, expected " env "SACCADE_$name=" "$saccade" envs || return 1
    done
    "$saccade" --man | grep -F 'refused when it is set and empty'
}

empty_start() # is neither drawn nor a file
{
    refuses 2 "toy.yaml: train.start is empty, expected draw, zeros or a policy file" "$saccade" train tasks/toy.yaml \
        --run "$work/started" --generations 1 --set train.start= && [[ ! -e $work/started ]]
}

# a task that begins with what another one makes says so where that is missing, and begins with it where it is there
unmade_start()
(
    tasks=$PWD/tasks saccade=$(realpath "$saccade")
    short=(--generations 1 --set train.steps=2 --set search.population=4 --set env.seconds=1 --set evaluation.episodes=1 --quiet)
    mkdir -p "$work/begins" && cd "$work/begins" || exit 1
    for task in "$tasks"/legs-obstacles{,-cnn,-blind,-rank}.yaml; do
        refuses 1 "train.start: runs/legs-obstacles-guide/best.safetensors: cannot be read: No such file or directory; train this policy first" \
            "$saccade" train "$task" --run next && [[ ! -e next ]] || exit 1
    done
    "$saccade" train "$tasks/legs-obstacles-guide.yaml" "${short[@]}" --set evaluation.every=1 || exit 1
    for task in "$tasks"/legs-obstacles{,-cnn,-blind,-rank}.yaml; do
        "$saccade" train "$task" "${short[@]}" && cmp runs/legs-obstacles-guide/best.safetensors "runs/$(basename "$task" .yaml)/start.safetensors" || exit 1
    done
)

too_long() { refuses 2 "train: --run is longer than 4095 bytes" "$saccade" train tasks/toy.yaml --run "$(printf 'x%.0s' $(seq 5000))"; }

long_folder() # BYTES: a relative path of just that length
{
    local path=deep
    while ((${#path} + 202 < $1)); do path+=/$(printf 'x%.0s' $(seq 200)); done
    path+=/$(printf 'y%.0s' $(seq $(($1 - ${#path} - 1))))
    echo "$path"
}

# a run in a path of any length lands there alone, goes on, is listed and reported
trains_in() # BYTES
{
    local run here
    run=$(long_folder "$1") here=$PWD
    [[ ${#run} == "$1" ]] || return 1
    rm -rf "$work/deep" && cd "$work" || return 1
    "$saccade" train "$here/tasks/toy.yaml" --run "$run" --generations 2 --quiet &&
        "$saccade" train "$here/tasks/toy.yaml" --run "$run" --generations 4 --quiet --resume &&
        [[ $(find deep -name task.yaml) == "$run/task.yaml" && -s $run/checkpoints/00000004.safetensors ]] &&
        "$saccade" eval "$run/mean.safetensors" --seeds 0..1 >/dev/null &&
        "$saccade" runs "$run" | grep -q ' finished *4/4 '
    local status=$?
    cd "$here" && return $status
}

# one that leaves no room for the names in it is refused before anything is made
too_long_for_names()
{
    local run
    run=$(long_folder 4080)
    rm -rf "$work/deep"
    (cd "$work" && refuses 2 "the path is longer than 4095 bytes" "$saccade" train "$OLDPWD/tasks/toy.yaml" --run "$run") &&
        [[ ! -e $work/deep ]]
}

# the second trainer of a folder says at once who has it, and goes on once the first is gone
waits()
{
    local first second begin
    "$saccade" train tasks/toy.yaml --run "$work/held" --generations 1000000 --quiet &
    first=$!
    for _ in $(seq 100); do [[ -s $work/held/task.yaml ]] && break || sleep 0.1; done
    begin=$(date +%s%N)
    "$saccade" train tasks/toy.yaml --run "$work/held" --generations 1 --resume --quiet 2>"$work/said" &
    second=$!
    for _ in $(seq 30); do [[ -s $work/said ]] && break || sleep 0.1; done
    echo "after $((($(date +%s%N) - begin) / 1000000)) ms"
    cat "$work/said"
    grep -q "held: process $first on $(uname -n) is training there; waiting up to 10 seconds" "$work/said"
    local status=$?
    kill -INT "$first"
    wait "$first"
    wait "$second" || status=1
    [[ $(wc -l <"$work/said") == 1 ]] && return $status
}

gives_up() # after ten seconds
{
    local first
    "$saccade" train tasks/toy.yaml --run "$work/kept" --generations 1000000 --quiet &
    first=$!
    for _ in $(seq 100); do [[ -s $work/kept/task.yaml ]] && break || sleep 0.1; done
    "$saccade" train tasks/toy.yaml --run "$work/kept" --generations 1 --resume --quiet 2>"$work/said"
    local status=$?
    kill -INT "$first"
    wait "$first"
    [[ $status == 2 && $(wc -l <"$work/said") == 2 ]] &&
        sed -n 2p "$work/said" | grep "kept: process $first on .* is training there; stop it first or name another folder"
}

# what is written in the end is looked at before the episodes are driven, which are so many that nobody waits for them
refuses_targets()
{
    local policy=zoo/car-racing/linear.safetensors
    refuses 1 "$work/no/p: cannot be written: No such file" timeout 60 "$saccade" eval "$policy" --seeds 0..99999 --stamp "$work/no/p" &&
        refuses 1 "$work: cannot be written: Is a directory" timeout 60 "$saccade" export "$policy" --c "$work" --int8 --seeds 0..99999 &&
        refuses 1 "$work/no/p: cannot be written: No such file" "$saccade" record "$policy" --seeds 0 --out "$work/no/p" &&
        refuses 1 "$work/no/p.svg: cannot be written: No such file" "$saccade" plot bench/results/amd-epyc-avx512/attention.csv --out "$work/no/p.svg" &&
        : >"$work/kept.c" && "$saccade" export "$policy" --c "$work/kept.c" >/dev/null && [[ -s $work/kept.c && ! -e $work/kept.c.tmp ]]
}

check "a file that cannot be written is refused first" refuses_targets
check "an empty option is refused" refuses_empty_options
check "an empty operand is refused" refuses_empty_operands
check "an empty --run is not the root folder" refuses_root
check "an empty variable is refused as an empty option is" empty_variable
check "an empty variable that names a path is refused" empty_path_variable
check "an empty start is refused" empty_start
if "$saccade" doctor | grep -q '^legs:flat  *works'; then
    check "a start that another task makes is asked for, and taken" unmade_start
else
    skip "a start that another task makes is asked for, and taken" "MuJoCo (make worlds)"
fi
check "a path that is too long is refused" too_long
check "a run in a path of 256 bytes" trains_in 256
check "a run in a path of 1,100 bytes" trains_in 1100
check "a run in a path of 4,040 bytes" trains_in 4040
check "a path that leaves no room for the names in it" too_long_for_names
check "the second trainer of a folder says who has it" waits
check "and gives up in the end" gives_up
finish
