#!/usr/bin/env bash
# make test: every test under AddressSanitizer and UBSan, then the tests of the whole as people run it (label "whole":
# start-up time, installation, documents, kill and resume) against the release build.
# It installs the worlds of other makers first; where that fails, the tests that need them are skipped, which is said at
# the end and is a failure under CI (CI=true) alone.
# The last line is "N passed, N failed, N skipped", counted in single tests.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
jobs=$(nproc)
log=$(mktemp -d)
trap 'rm -rf "$log"' EXIT

run() # PRESET [ctest options]: results on the screen as they come, everything into $log/PRESET
{
    local preset=$1
    shift
    echo "== $preset"
    cmake --preset "$preset" >"$log/configure" || { cat "$log/configure"; return 1; }
    cmake --build --preset "$preset" -j"$jobs" >"$log/build" 2>&1 || { cat "$log/build"; return 1; }
    ctest --preset "$preset" -V -j"$jobs" --timeout 1200 --no-tests=error "$@" 2>&1 | tee "$log/$preset" |
        grep --line-buffered -E '^ *[0-9]+/[0-9]+ Test +#|No tests were found'
    return 0
}

worlds=0
scripts/python.sh worlds readers || worlds=1

built=0
run dev || built=1
run release -L whole || built=1

awk -v ci="${CI:-}" -v built=$built -v worlds=$worlds -f scripts/count.awk "$log"/dev "$log"/release
