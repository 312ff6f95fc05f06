#!/usr/bin/env bash
# The same bits on processors of several kinds: this one with its levels masked, and others under qemu-user, from one
# without AVX to those that have all but AVX-512 (which qemu does not emulate). On each: the golden families, exported
# agents, an episode and a training run must have the bytes that this machine's best level gives.
#
#   tests/kernels/check_cpus.sh [BUILD_DIR] [CPU...]     needs a release build; default: build and the list below
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
build=${1:-build}
shift
cpus=("$@")
[[ ${#cpus[@]} -gt 0 ]] || cpus=(Nehalem SandyBridge Opteron_G5 Haswell Icelake-Server EPYC EPYC-Milan)
source tests/check.sh
digest=$(head -1 tests/kernels/digest.txt)

# what a processor makes of the project, into $work/$1; the rest is how programs are run on it
make_all() # NAME COMMAND...
{
    local out=$work/$1 agent
    shift
    rm -rf "$out"
    mkdir -p "$out"
    for case in tests/golden/data/{agent,features,iap,sara,conv}_*.safetensors; do
        family=$(basename "$case") family=${family%%_*}
        "$@" "$build/golden" "$family" "$case" "$out/$(basename "$case")" || return 1
    done
    for agent in softmax linear trans; do
        "$@" "$build/saccade" export "zoo/car-racing/$agent.safetensors" --c "$out/$agent.c" \
            --onnx "$out/$agent.onnx" >/dev/null || return 1
        "$@" "$build/saccade" eval "zoo/car-racing/$agent.safetensors" --seeds 1000..1000 --set max_steps=20 --json \
            >"$out/$agent.json" || return 1
    done
    "$@" "$build/saccade" train tasks/toy.yaml --run "$out/toy" --generations 2 --quiet || return 1
    mv "$out"/toy/{mean,best}.safetensors "$out" && rm -r "$out/toy"
}

same_bytes() # NAME COMMAND...
{
    make_all "$@" && diff -rq "$work/native" "$work/$1"
}

# what the robots of the zoo return, to the bit
walks() # COMMAND...
{
    local policy
    for policy in zoo/legs/*.safetensors; do
        "$@" "$build/saccade" eval "$policy" --seeds 1000..1001 --json || return 1
    done
}
same_walks() { diff "$work/walks" <(walks "$@"); }

kernels() # COMMAND...
{
    "$@" "$build/check_kernels" --seed=1 "--digest=$digest" --no-guards && "$@" "$build/lanes_bits" &&
        "$@" "$build/same_bits"
}

# Pictures under qemu are drawn by the scalar level alone: Debian's qemu 7.2 computes an instruction of their textures
# wrong in code for AVX2. All processors that were tried give the digest there, and so does valgrind's emulation.
pictures() { "$@" "$build/render_bits"; }

level_of() { "$@" "$build/check_kernels" --best 2>/dev/null; }

check "this machine makes all" make_all native env
walk_here() { walks env >"$work/walks"; }
if [[ -e $build/saccade-mujoco.so ]]; then check "this machine: robots with legs" walk_here; fi
# What libm's sines and cosines change, which come in another form to processors without fused multiply-adds: it is said,
# and is no failure.
if [[ -s $work/walks ]]; then
    if same_walks env GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2,-FMA >/dev/null; then libm=same; else libm=differs; fi
    echo "robots with legs where libm has no FMA: $libm"
fi
for level in scalar avx2 avx512; do
    masked=(env "SACCADE_CPU=$level")
    if [[ $(level_of "${masked[@]}") != "$level" ]]; then
        skip "level $level" "a processor with $level"
        continue
    fi
    check "level $level: kernels" kernels "${masked[@]}"
    check "level $level: pictures" pictures "${masked[@]}"
    check "level $level: the same bytes" same_bytes "$level" "${masked[@]}"
    if [[ -e $build/saccade-mujoco.so ]]; then
        check "level $level: robots with legs" same_walks "${masked[@]}"
    else
        skip "level $level: robots with legs" "MuJoCo (make worlds)"
    fi
    check "level $level: golden families of any shape" "${masked[@]}" tests/golden/twin.sh "$build/golden"
    for unit in kernels maps softmax linear trans rank iap policy cnn camera tokens resize heads hash tree export qp stance walk cloud point_cloud; do
        check "level $level: test_$unit" "${masked[@]}" "$build/test_$unit"
    done
done

if ! command -v qemu-x86_64 >/dev/null || [[ $(uname -m) != x86_64 ]]; then
    skip "other processors" "qemu-user on x86-64"
    finish
fi
unset SACCADE_CPU
declare -A checked=()
for cpu in "${cpus[@]}"; do
    emulated() { qemu-x86_64 -cpu "$cpu" "$@" 2> >(grep -v '^qemu-x86_64: warning' >&2); }
    level=$(level_of emulated)
    # one processor of a level will do for what is emulated in minutes
    [[ -n ${checked[$level]:-} ]] || {
        check "$cpu (level $level): kernels" kernels emulated
        check "$cpu: pictures" pictures env SACCADE_CPU=scalar qemu-x86_64 -cpu "$cpu"
    }
    checked[$level]=yes
    check "$cpu (level $level): the same bytes" same_bytes "$cpu" emulated
    if [[ $cpu == Nehalem && -e $build/saccade-mujoco.so ]]; then
        check "$cpu, without AVX: MuJoCo is refused" refuses 1 "a processor with AVX" emulated \
            "$build/saccade" eval zoo/control/walker-walk.safetensors --seeds 1000..1000
    fi
done
finish
