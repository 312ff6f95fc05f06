#!/usr/bin/env bash
# Runs the examples of the documents: every block that is fenced as "sh test", in order, in an empty folder with tasks/,
# zoo/, examples/ and include/ beside it and the command on the path. A block passes when its last command does and none before fails.
#   run.sh BUILD_DIR
set -uo pipefail
build=$(realpath "$1")
cd "$(dirname "$0")/../.." || exit 1
source tests/check.sh
root=$PWD

place() # an empty folder for one document
{
    local part
    mkdir "$1"
    for part in tasks zoo examples include; do [[ ! -e $part ]] || cp -r "$part" "$1/"; done
}

block() # FILE FOLDER
{
    (cd "$2" && PATH=$build:$PATH SACCADE_ZOO=$2/zoo bash -euo pipefail "$1")
}

count=0
for document in README.md CONTRIBUTING.md docs/*.md; do
    folder=$work/$(basename "$document" .md)
    place "$folder"
    awk -v prefix="$folder-" '/^```sh test$/ {n++; file = prefix sprintf("%02d", n) ".sh"; printf "" >file; next}
        /^```/ {file = ""} file {print >file}' "$document"
    for script in "$folder"-*.sh; do
        [[ -e $script ]] || continue
        count=$((count + 1))
        check "$document: $(grep -vE '^ *(#|$)' "$script" | head -n 1)" block "$script" "$folder"
    done
done
check "there are examples" test "$count" -gt 0

links() # relative links lead somewhere
{
    local bad=0 document target
    for document in "$root"/README.md "$root"/CHANGELOG.md "$root"/CONTRIBUTING.md "$root"/docs/*.md; do
        while read -r target; do
            [[ -e $(dirname "$document")/$target ]] || { echo "$document: $target"; bad=1; }
        done < <(grep -oE '\]\([^)#: ]+' "$document" | sed 's/^](//')
    done
    return $bad
}
versions() # the headers', the command's, the changelog's newest, and that to be cited
{
    local version
    version=$("$build/saccade" --version | sed 's/^saccade //')
    grep -qx "version: $version" CITATION.cff && grep -m 1 '^## ' CHANGELOG.md | grep -E "^## $version(,|$)" &&
        [[ $(sed -nE 's/^#define SAC_VERSION_(MAJOR|MINOR|PATCH) ([0-9]+)$/\2/p' include/saccade/base.h | paste -sd.) == "$version" ]]
}
installable() # Debian refuses its own pip: packages go into a virtual environment, whose pip has a path
{
    ! grep -nE '^[^`|#]*(^|[ ;&])(sudo )?pip3? install' README.md CONTRIBUTING.md docs/*.md
}
check "links lead somewhere" links
check "packages are installed where Debian allows it" installable
check "one version everywhere" versions
finish
