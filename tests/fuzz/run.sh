#!/usr/bin/env bash
# Fuzzes one parser with libFuzzer under AddressSanitizer and UBSan: tests/fuzz/run.sh TARGET SECONDS
# Starts from the committed corpus. What it learns stays in build-fuzz/corpus/TARGET; an input that breaks something is
# copied to tests/fuzz/corpus/TARGET, where it is a test from then on, and the exit code is 1.
set -euo pipefail
cd "$(dirname "$0")/../.."

target=${1:-} seconds=${2:-60}
if [[ ! -f tests/fuzz/fuzz_$target.c || ! $seconds =~ ^[0-9]+$ ]]; then
    echo "usage: tests/fuzz/run.sh TARGET SECONDS, with TARGET one of:" >&2
    for source in tests/fuzz/fuzz_*.c; do
        name=$(basename "$source" .c)
        echo "  ${name#fuzz_}" >&2
    done
    exit 2
fi

cmake -S . -B build-fuzz -DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=Debug -DSAC_FUZZERS=ON -DSAC_SHARED=OFF \
    -DSAC_SANITIZE=fuzzer-no-link,address,undefined >/dev/null
cmake --build build-fuzz -j"${JOBS:-$(nproc)}" --target "fuzz_$target" >/dev/null

mkdir -p "build-fuzz/corpus/$target" "build-fuzz/crashes/$target"
rm -f "build-fuzz/crashes/$target"/*
if nice -n 19 "build-fuzz/fuzz_$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1024 -max_len=65536 \
    -print_final_stats=1 -artifact_prefix="build-fuzz/crashes/$target/" "build-fuzz/corpus/$target" \
    "tests/fuzz/corpus/$target" >"build-fuzz/$target.log" 2>&1; then
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "build-fuzz/$target.log")
    echo "$target: no finding in $runs runs, $seconds s"
    exit 0
fi
tail -n 40 "build-fuzz/$target.log"
cp -v "build-fuzz/crashes/$target"/* "tests/fuzz/corpus/$target/" || true
exit 1
