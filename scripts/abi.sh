#!/usr/bin/env bash
# The C interface beside that of the last version: what was taken away and which structs have other fields, by abidiff. Fails
# where docs/migration.md does not name one of these. tests/install/abi/VERSION.abi.gz holds the interface of each version
# that was released; --write adds that of the present one, for a release.
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
code=0
abidiff --no-show-locs "$work/last.abi" "$work/now.abi" >"$work/changes" || code=$?
[[ $((code & 3)) == 0 ]] || { cat "$work/changes" >&2; echo "abi.sh: abidiff failed" >&2; exit 1; } # 4 and 8: changes
{
    sed -nE "s/^ +\[D\] .*\{(sac_[a-z0-9_]+)\}$/\1/p" "$work/changes"
    # structs whose fields users can see: those that a header spells out
    grep -oE "type '(const )?(struct )?sac_[a-z0-9_]+' changed" "$work/changes" | grep -oE "sac_[a-z0-9_]+" | sort -u |
        while read -r name; do
            ! grep -qE "^typedef struct $name\$" include/saccade/*.h || echo "$name"
        done
} | sort -u >"$work/names"
unnamed=0
while read -r name; do
    grep -qF "\`$name\`" docs/migration.md && continue
    echo "docs/migration.md does not name $name, which has changed since $(basename "$last" .abi.gz)" >&2
    unnamed=1
done <"$work/names"
echo "$(wc -l <"$work/names") changes since $(basename "$last" .abi.gz), $(grep -c '^ *\[A\]' "$work/changes") additions"
exit $unnamed
