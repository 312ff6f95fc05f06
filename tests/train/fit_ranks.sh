#!/usr/bin/env bash
# saccade fit over ranks: any number of them, mixed with threads, ends in the same files; so does a job that is killed at
# random instants (one rank with kill -9, or all with SIGTERM) and resumed with another number of ranks. Prints its seed.
#   fit_ranks.sh SACCADE [KILLS] [SEED]
set -uo pipefail
saccade=$(realpath "$1") kills=${2:-4} seed=${3:-$(($(date +%s) % 32768))}
RANDOM=$seed
cd "$(dirname "$0")/../.." || exit 1
source tests/check.sh
# root may run it, more ranks than cores are fine, and no rank is bound to a core
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
if ! command -v mpirun >/dev/null; then
    echo "mpirun is not installed" >&2
    exit 1
fi
python3 examples/pictures.py "$work/stripes" 300 || exit 1
sed '/width\|stages/d; s/epochs: 3/epochs: 2/' tests/train/pictures_fit.yaml >"$work/task.yaml"
cd "$work" || exit 1
tokens=(--set net.layers=1 --set net.width=12 --set net.patch=2 --set net.hidden=16)

net_of() # KIND: its options, into `net`
{
    case $1 in
        resnet) net=(--set net.width=16 --set net.stages=2) ;;
        quadratic) net=(--set net.kind=attention-net --set net.heads=4 --set evaluation.keep=1 "${tokens[@]}") ;;
        content) net=(--set net.kind=attention-net --set net.encoding=transformer-xl --set net.heads=4 --set net.size=4
            --set net.dropout=0.1 "${tokens[@]}") ;;
        vit) net=(--set net.kind=vit --set net.attention=relu-mapped --set net.dropout=0.1 "${tokens[@]}") ;;
    esac
}

ranks() # COUNT THREADS FOLDER [options]
{
    timeout 120 mpirun -n "$1" "$saccade" fit task.yaml --threads "$2" --run "$3" --quiet "${net[@]}" "${@:4}"
}

digest() # of everything that the promise covers; the checkpoint before the last may be that of an interruption
{
    (cd "$1" && find . -name '*.safetensors' | LC_ALL=C sort | grep -vxF "$(before_last)" | xargs sha256sum &&
        cut -d, -f1,2,4- metrics.csv confusion.csv)
}
before_last() { find ./checkpoints -name '*.safetensors' 2>/dev/null | LC_ALL=C sort -r | sed -n 2p; }

mixed() # KIND SHAPE...: ranks x threads
{
    local kind=$1 shape
    net_of "$kind"
    "$saccade" fit task.yaml --run "$kind" --quiet "${net[@]}" || return 1
    for shape in "${@:2}"; do
        ranks "${shape%x*}" "${shape#*x}" "$kind-$shape" && diff <(digest "$kind") <(digest "$kind-$shape") || return 1
    done
}
check "a residual net: the same files for 2 to 5 ranks" mixed resnet 2x1 3x2 5x1
check "heads that look at places: the same files" mixed quadratic 2x1 3x1
check "heads that look at contents, with dropout: the same files" mixed content 2x2
check "a vision transformer with dropout: the same files" mixed vit 2x1 4x1

# SIGTERM to the launcher, and -9 to one rank, behind checkpoints; each time another number of ranks goes on
killed()
{
    local i pid hit target before
    net_of resnet
    # a few seconds long, so that most kills find it at work
    net+=(--set train.epochs=12)
    "$saccade" fit task.yaml --run whole --quiet "${net[@]}" || return 1
    for ((i = 0; i < kills; i++)); do
        before=$(newest killed)
        # mpirun passes the signal on after this many seconds and kills what is still there after as many again
        OMPI_MCA_odls_base_sigkill_timeout=5 mpirun -n $((RANDOM % 3 + 2)) "$saccade" fit task.yaml --run killed \
            --resume --quiet "${net[@]}" >log 2>&1 &
        pid=$!
        while [[ $(newest killed) == "$before" ]] && kill -0 "$pid" 2>/dev/null; do sleep 0.01; done
        sleep "0.$(printf '%03d' $((RANDOM % 300)))"
        hit=term target=$pid
        if ((i % 2)); then hit=rank && target=$(pgrep -P "$pid" -x saccade | shuf -n 1 --random-source=<(yes "$seed")); fi
        [[ $hit == term ]] && kill -TERM "$pid" 2>/dev/null
        [[ $hit == rank && $target ]] && kill -9 "$target" 2>/dev/null
        wait "$pid"
        echo "$hit after which there are $(find killed/checkpoints -name '*.safetensors' 2>/dev/null | wc -l) checkpoints"
    done
    ranks 3 1 killed --resume || { cat log; return 1; }
    grep -q '"resumed"' killed/events.jsonl || { echo "no run was gone on with"; return 1; }
    diff <(digest whole) <(digest killed)
}
check "struck $kills times and resumed with other ranks (seed $seed)" killed

# a fit without an end and SIGTERM to its ranks: one checkpoint, one line, 130
stopped()
{
    local pid
    net_of resnet
    mpirun -n 3 "$saccade" fit task.yaml --run endless --quiet "${net[@]}" --set train.epochs=30000 >log 2>&1 &
    pid=$!
    until [[ -s endless/metrics.csv && $(wc -l <endless/metrics.csv) -gt 1 ]]; do
        kill -0 "$pid" 2>/dev/null || { cat log; return 1; }
        sleep 0.05
    done
    # shellcheck disable=SC2046 # one word a process
    kill -TERM $(pgrep -P "$pid" -x saccade)
    wait "$pid"
    grep -q '"event": "interrupted"' endless/events.jsonl && [[ $(grep -c "^saccade: interrupted at step" log) == 1 ]] ||
        { cat log; return 1; }
}
check "SIGTERM to the ranks ends in a checkpoint" stopped

# what goes wrong is said once, by rank 0
once() # WORDS COMMAND...
{
    local words=$1
    shift
    "$@" >out 2>&1 && return 1
    [[ $(grep -c "^saccade: " out) == 1 ]] && grep -qF -- "$words" out && return 0
    cat out
    return 1
}
net_of resnet
check "an existing run is refused by all, once" once "there is a run already" ranks 3 1 resnet
check "data that are missing are named once" once "nowhere: no such folder" ranks 3 1 no --set data.folder=nowhere
check "a fit that diverges says so once" once "the fit diverged" ranks 2 1 no --set train.rate=1000 \
    --set train.schedule=constant --set train.decay=1000 --set train.momentum=0

# each rank looks at its own folder: what lies there must be the same
unlike()
{
    mkdir elsewhere && python3 "$OLDPWD/examples/pictures.py" elsewhere/stripes 240 && cp task.yaml elsewhere/ || return 1
    # shellcheck disable=SC2016 # the variables are the script's
    printf '#!/bin/sh\n[ "$OMPI_COMM_WORLD_RANK" = 0 ] || cd elsewhere || exit 1\nexec "%s" "$@"\n' \
        "$saccade" >unlike && chmod +x unlike &&
        once "rank 1 has another task or other pictures than rank 0" timeout 60 mpirun -n 2 ./unlike fit task.yaml \
            --run unlike_run --quiet "${net[@]}" && [[ ! -e unlike_run ]]
}
check "ranks with other pictures do not train" unlike

# ranks without the module would each train on their own
lonely() { cp "$saccade" lonely && OMPI_COMM_WORLD_SIZE=4 ./lonely fit task.yaml --run l "${net[@]}"; }
check "ranks that cannot find each other do not train" refuses 1 "saccade-mpi.so" lonely
finish
