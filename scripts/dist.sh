#!/usr/bin/env bash
# make dist: what a release consists of, in build/dist (or the folder in OUT): saccade-VERSION.tar.gz of the last
# commit, its checksum, and what the build in build/ links and what is in its wheel (SPDX, scripts/sbom.py). The same
# commit gives the same bytes: names are in git's order, times are the commit's, and gzip writes neither a name nor a
# time.
# With `check` (make distcheck): then unpacks the tarball where no checkout is around it, and runs `make test` there.
set -euo pipefail
cd "$(dirname "$0")/.."
fail() { echo "dist.sh: $*" >&2; exit 1; }

[[ ! -e FILES ]] && git rev-parse --verify -q HEAD >/dev/null ||
    fail "a tarball is made of a commit, and this folder is no checkout of git"
version=$(sed -nE 's/^project\(saccade VERSION ([0-9.]+).*/\1/p' CMakeLists.txt)
name=saccade-$version out=${OUT:-build/dist}
[[ -z $(git status --porcelain --untracked-files=no) ]] || echo "dist.sh: what is not committed is not in the tarball" >&2

mkdir -p "$out"
git ls-tree -r --name-only HEAD >"$out/FILES" # scripts/tracked.sh reads it where there is no git
git -c tar.umask=0022 archive --prefix="$name/" --add-file="$out/FILES" HEAD | gzip -9 -n >"$out/$name.tar.gz"
rm "$out/FILES"
python3 scripts/sbom.py build "$(TZ=UTC git log -1 --format=%cd --date=format-local:%Y-%m-%dT%H:%M:%SZ)" >"$out/$name.spdx.json"
(cd "$out" && sha256sum "$name.tar.gz" >"$name.tar.gz.sha256")
ls "$out/$name".*
[[ ${1:-} == check ]] || exit 0

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
tar -C "$folder" -xzf "$out/$name.tar.gz"
GIT_CEILING_DIRECTORIES=$folder make -C "$folder/$name" test
