#!/usr/bin/env bash
# make determinism: the same training, to the byte, for every number of threads, at -O0 as at -O3, before and after a
# resume; and at every CPU level. Trains for a few generations each time: the toy by evolution, by reward and by a
# teacher, a policy that says its actions by tokens by a teacher, robots with legs by evolution and from a planner, one
# on wheels from a pilot and by words, a gripper from a planner, and nets that classify pictures.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
generations=${GENERATIONS:-20}
failed=0

cmake --preset release >/dev/null && cmake --build --preset release -j"$(nproc)" >/dev/null || exit 1
cmake -S . -B build-O0 -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG="-O0 -g" -DSAC_SHARED=OFF >/dev/null &&
    cmake --build build-O0 -j"$(nproc)" >/dev/null || exit 1

# what must not depend on anything but the task: the checkpoints, the mean and the best policy
hash_of() { (cd "$1" && find . -name '*.safetensors' -print0 | LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum | cut -c1-16); }

train() # NAME SACCADE [options]: prints the hash of the run
{
    local name=$1 saccade=$2
    shift 2
    rm -rf "${work:?}/$name"
    "$saccade" train "$task" --run "$work/$name" --generations "$generations" "$@" >"$work/log" 2>&1 ||
        { cat "$work/log" >&2; return 1; }
    hash_of "$work/$name"
}

expect() # NAME HASH
{
    printf '%-28s %s\n' "$1" "$2"
    [[ $2 == "$reference" && -n $2 ]] || { echo "  differs from $reference"; failed=1; }
}

# the checkpoint records the CPU level, so for levels the policies alone are compared: the mean and the best
policies() { (cd "$1" && sha256sum mean.safetensors best.safetensors | sha256sum | cut -c1-16); }

compare() # TASK
{
    task=$1
    echo "$task"
    local threads
    reference=$(train reference build/saccade --threads 1) || { failed=1; return; }
    printf '%-28s %s\n' "one thread" "$reference"
    for threads in 2 3; do expect "$threads threads" "$(train "t$threads" build/saccade --threads "$threads")"; done
    expect "again" "$(train again build/saccade --threads 2)"
    expect "-O0" "$(train O0 build-O0/saccade --threads 2)"

    local level level_reference hash
    level_reference=$(policies "$work/reference")
    for level in scalar avx2 avx512; do
        SACCADE_CPU=$level train "$level" build/saccade --threads 2 >/dev/null || { failed=1; continue; }
        hash=$(policies "$work/$level")
        printf '%-28s %s\n' "policies at $level" "$hash"
        [[ $hash == "$level_reference" ]] || { echo "  differs from $level_reference"; failed=1; }
    done

    rm -rf "$work/resumed"
    build/saccade train "$task" --run "$work/resumed" --generations $((generations / 3)) --threads 2 >/dev/null 2>&1
    build/saccade train "$task" --run "$work/resumed" --generations "$generations" --threads 1 --resume >/dev/null 2>&1
    hash=$(policies "$work/resumed")
    printf '%-28s %s\n' "policies after a resume" "$hash"
    [[ $hash == "$level_reference" ]] || { echo "  differs from $level_reference"; failed=1; }
}

# --- nets that classify pictures ---

fit() # NAME SACCADE [option...]: prints the hash of the run
{
    local name=$1 saccade=$2
    shift 2
    "$saccade" fit "$work/fit.yaml" --run "$work/$name" --set data.folder="$work/stripes" --quiet \
        "${net[@]}" "$@" >"$work/log" 2>&1 || { cat "$work/log" >&2; return 1; }
    hash_of "$work/$name"
}

expect_net() # NAME RUN: a checkpoint records the CPU level, so for levels the net alone is compared
{
    local hash
    hash=$(sha256sum <"$work/$2/net.safetensors" | cut -c1-16)
    printf '%-28s %s\n' "$1" "$hash"
    [[ $hash == "$net_reference" ]] || { echo "  differs from $net_reference"; failed=1; }
}

compare_fits() # KIND [option...]
{
    net=("${@:2}")
    echo "saccade fit, $1"
    local threads level
    rm -rf "$work"/fit-*
    reference=$(fit fit-reference build/saccade --threads 1) || { failed=1; return; }
    printf '%-28s %s\n' "one thread" "$reference"
    for threads in 2 3 5; do expect "$threads threads" "$(fit "fit-t$threads" build/saccade --threads "$threads")"; done
    expect "-O0" "$(fit fit-O0 build-O0/saccade --threads 2)"
    timeout -s KILL 0.3 build/saccade fit "$work/fit.yaml" --run "$work/fit-killed" --quiet \
        --set data.folder="$work/stripes" "${net[@]}" >/dev/null 2>&1
    expect "after a kill" "$(fit fit-killed build/saccade --threads 2 --resume)"
    net_reference=$(sha256sum <"$work/fit-reference/net.safetensors" | cut -c1-16)
    for level in scalar avx2 avx512; do
        SACCADE_CPU=$level fit "fit-$level" build/saccade --threads 2 >/dev/null || { failed=1; continue; }
        expect_net "the net at $level" "fit-$level"
    done
}

tasks=(tasks/toy.yaml tests/train/reward.yaml tests/train/taught.yaml tests/train/tokens-taught.yaml)
if build/saccade doctor | grep -q '^legs:flat  *works' && build-O0/saccade doctor | grep -q '^legs:flat  *works'; then
    tasks+=(tests/train/legs-evolved.yaml tests/train/legs-taught.yaml tests/train/legs-reward.yaml tests/train/rooms-taught.yaml
        tests/train/rooms-words.yaml tests/train/grasp-taught.yaml)
else
    echo "without robots with legs and on wheels and grippers, which need MuJoCo (make worlds)"
fi
for task in "${tasks[@]}"; do compare "$task"; done

python3 examples/pictures.py "$work/stripes" 300 || exit 1
sed '/width\|stages/d' tests/train/pictures_fit.yaml >"$work/fit.yaml"
tokens=(--set net.layers=2 --set net.width=12 --set net.patch=2 --set net.hidden=16)
compare_fits resnet --set net.width=16 --set net.stages=2
compare_fits "attention-net, quadratic" --set net.kind=attention-net --set net.heads=4 "${tokens[@]}"
compare_fits "attention-net, transformer-xl with dropout" --set net.kind=attention-net --set net.encoding=transformer-xl \
    --set net.dropout=0.2 --set net.heads=4 --set net.size=4 "${tokens[@]}"
for attention in softmax relu-mapped trig; do
    compare_fits "vit, $attention" --set net.kind=vit --set net.attention=$attention "${tokens[@]}"
done
[[ $failed == 0 ]] && echo "one hash a task" || echo "the results differ"
exit $failed
