#!/usr/bin/env bash
# The C interface beside that of the last version, as abidw describes them: what was taken away, and which structs have
# other members (scripts/abi.py). Fails where docs/migration.md does not name one of these.
# tests/install/abi/VERSION.abi.gz holds the interface of each version that was released; --write adds that of the present
# one, for a release.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/setup.sh abigail-tools
version=$(sed -nE 's/^project\(saccade VERSION ([0-9.]+).*/\1/p' CMakeLists.txt)
kept=tests/install/abi/$version.abi.gz
# the version before this one, whichever versions are kept
last=$(printf '%s\n' tests/install/abi/*.abi.gz | grep -vxF "$kept" | sort -V | tail -n 1 || true)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake -S . -B build/abi -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS=-g >/dev/null
cmake --build build/abi -j"${JOBS:-$(nproc)}" --target saccade_shared >/dev/null
abidw --headers-dir include --drop-private-types --no-show-locs --no-corpus-path build/abi/libsaccade.so \
    --out-file "$work/now.abi"
if [[ ${1:-} == --write ]]; then
    gzip -9 -n -c "$work/now.abi" >"$kept"
    echo "$kept"
    exit
fi
[[ -n $last ]] || { echo "abi.sh: no earlier version is kept" >&2; exit 1; }

gzip -dc "$last" >"$work/last.abi"
python3 scripts/abi.py "$work/last.abi" "$work/now.abi" >"$work/names"
unnamed=0
while read -r name; do
    grep -qF "\`$name\`" docs/migration.md && continue
    echo "docs/migration.md does not name $name, which has changed since $(basename "$last" .abi.gz)" >&2
    unnamed=1
done <"$work/names"
echo "$(wc -l <"$work/names") names have changed since $(basename "$last" .abi.gz)"
exit $unnamed
