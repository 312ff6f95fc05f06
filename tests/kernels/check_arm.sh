#!/bin/sh
# Cross-builds the attention library, the renderer and their checks for aarch64 and runs these under qemu-user: the NEON
# level against scalar.c and plain.h, and the digests that results have on every machine. Exit code 77 (skip) where a
# tool is missing.
#
#   tests/kernels/check_arm.sh [BUILD_DIR]      CC_ARM, QEMU_ARM: other names of the tools
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
build=${1:-$root/build-arm}
cc=${CC_ARM:-aarch64-linux-gnu-gcc}
qemu=${QEMU_ARM:-qemu-aarch64}
for tool in "$cc" "$qemu"; do
    if ! command -v "$tool" >/dev/null; then
        echo "check_arm: $tool is missing (Debian: gcc-aarch64-linux-gnu, qemu-user)" >&2
        exit 77
    fi
done

mkdir -p "$build"
cmake -S "$root" -B "$build" -DSAC_ATTENTION_ONLY=ON -DCMAKE_BUILD_TYPE=Release -DCMAKE_SYSTEM_NAME=Linux \
    -DCMAKE_SYSTEM_PROCESSOR=aarch64 -DCMAKE_C_COMPILER="$cc" -DCMAKE_EXE_LINKER_FLAGS=-static >"$build/log" ||
    { cat "$build/log"; exit 1; }
cmake --build "$build" -j2 >>"$build/log" 2>&1 || { cat "$build/log"; exit 1; }
"$qemu" "$build/check_kernels"
"$qemu" "$build/check_kernels" --seed=1 "--digest=$(cat "$root/tests/kernels/digest.txt")"
"$qemu" "$build/lanes_bits"
"$qemu" "$build/same_bits"
"$qemu" "$build/learn_bits"
"$qemu" "$build/render_bits"
