#!/usr/bin/env bash
# make wheel: the Python package, build/wheel/saccade-*.whl: one file for every Python from 3.9 on, which holds the library
# and what it needs but libc. Installing it needs no compiler. Debian's packages build it; nothing is downloaded.
# Prints the wheel's path. Does nothing where the wheel is newer than all that it is made of.
set -euo pipefail
cd "$(dirname "$0")/.."
python=${PYTHON:-/usr/bin/python3}
build=${SACCADE_BUILD:-$PWD/build} out=$build/wheel

wheel=$(find "$build" -path "$out/saccade-*.whl" -print -quit)
sources=(python/*.* python/saccade include/saccade LICENSE licences "$build/libsaccade.a" "$build/saccade-worker.py")
for made in "$build/wheel-modules" "$build/saccade-models"; do [[ ! -e $made ]] || sources+=("$made"); done
if [[ -n $wheel && -z $(find "${sources[@]}" -newer "$wheel" -not -name __pycache__ -print -quit) ]]; then
    echo "$wheel"
    exit 0
fi

mkdir -p "$build/python"
rm -rf "$out"/saccade-*.whl "$build"/python/lib* "$build/python/stage"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
(cd python && SACCADE_BUILD=$build "$python" -B -W ignore setup.py -q egg_info --egg-base "$build/python" \
    build --build-base "$build/python" \
    bdist_wheel --bdist-dir "$build/python/stage" --dist-dir "$out") >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
find "$out" -name 'saccade-*.whl'
