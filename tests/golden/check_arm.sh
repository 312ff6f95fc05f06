#!/bin/sh
# Cross-builds the golden harness for aarch64 and runs every family of attention under qemu-user: the same bytes as the
# native harness writes. Exit code 77 (skip) where a tool or a library is missing:
#   dpkg --add-architecture arm64; apt-get update
#   apt-get install gcc-aarch64-linux-gnu qemu-user lib{jansson,png,yaml,openblas}-dev:arm64 liblapacke-dev:arm64
#
#   tests/golden/check_arm.sh [BUILD_DIR]      needs build/golden
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
build=${1:-$root/build-arm-golden}
libraries=/usr/lib/aarch64-linux-gnu
for needed in "$(command -v aarch64-linux-gnu-gcc)" "$(command -v qemu-aarch64)" "$libraries/libjansson.so" \
    "$libraries/libpng.so" "$libraries/libyaml.so" "$libraries/liblapacke.so"; do
    [ -e "$needed" ] || { echo "check_arm: a tool or library for aarch64 is missing, see the head of this script" >&2; exit 77; }
done

mkdir -p "$build"
PKG_CONFIG_LIBDIR=$libraries/pkgconfig cmake -S "$root" -B "$build" -DCMAKE_BUILD_TYPE=Release -DSAC_SHARED=OFF \
    -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 -DCMAKE_C_COMPILER=aarch64-linux-gnu-gcc \
    >"$build/log" || { cat "$build/log"; exit 1; }
cmake --build "$build" -j2 --target golden >>"$build/log" 2>&1 || { cat "$build/log"; exit 1; }

for family in agent features iap sara conv theory; do
    for case in "$root/tests/golden/data/${family}"_*.safetensors; do
        [ -e "$case" ] || { echo "check_arm: no case of $family" >&2; exit 1; }
        qemu-aarch64 "$build/golden" "$family" "$case" "$build/arm.safetensors"
        "$root/build/golden" "$family" "$case" "$build/native.safetensors"
        cmp "$build/arm.safetensors" "$build/native.safetensors"
        echo "$(basename "$case"): the same bytes"
    done
done
