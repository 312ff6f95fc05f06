#!/usr/bin/env bash
# What a release consists of: the tarball has what is committed and nothing else, to the same bytes each time, and says in
# FILES what it has; the list of what is linked names every library that the loader opens.
#   dist.sh BUILD_DIR
set -uo pipefail
build=$(cd "$1" && pwd)
cd "$(dirname "$0")/../.." || exit 1
source tests/check.sh

# a checkout that has this one's scripts: what is committed is then known, and a tarball can run this test, too
project=$work/project
mkdir -p "$project/src/deep" "$project/zoo" "$project/build"
cp -r scripts CMakeLists.txt CITATION.cff "$project"
mkdir "$project/python" && cp python/archives.py "$project/python"
echo one >"$project/src/one.c"
echo two >"$project/src/deep/two.c"
echo three >"$project/zoo/a b.txt"
echo "/build/" >"$project/.gitignore"
cp "$build/saccade" "$project/build" # the list is of what was built there
version=$(sed -nE 's/^project\(saccade VERSION ([0-9.]+).*/\1/p' CMakeLists.txt)
wheel=saccade-$version-cp39-abi3-any.whl # one that holds a library as small as can be
mkdir -p "$work/wheel/saccade" "$project/build/wheel"
echo 'const char *zlibVersion(void); const char *version(void) { return zlibVersion(); }' |
    gcc -shared -fPIC -x c - -o "$work/wheel/saccade/_saccade.abi3.so" -lz || exit 1
(cd "$work/wheel" && python3 -m zipfile -c "$project/build/wheel/$wheel" saccade) || exit 1
{
    git -C "$project" init -q && git -C "$project" add -A &&
        git -C "$project" -c user.name=x -c user.email=x@example.org commit -q -m x
} || exit 1
dist() { OUT=$work/$1 "$project/scripts/dist.sh" 2>"$work/said"; }

same_bytes()
{
    dist first && sleep 1.1 && touch "$project/src/one.c" && dist second &&
        cmp "$work"/first/saccade-*.tar.gz "$work"/second/saccade-*.tar.gz &&
        cmp "$work"/first/saccade-*.spdx.json "$work"/second/saccade-*.spdx.json &&
        (cd "$work/first" && sha256sum -c saccade-*.sha256)
}
unpacked() # what is committed, and the list of it
{
    tar -C "$work" -xzf "$work"/first/saccade-*.tar.gz && mv "$work"/saccade-*/ "$work/unpacked" &&
        diff <(cd "$work/unpacked" && find . -type f -printf '%P\n' | grep -vx FILES | LC_ALL=C sort) \
            <(git -C "$project" ls-files -z | tr '\0' '\n' | LC_ALL=C sort) &&
        diff <(LC_ALL=C sort "$work/unpacked/FILES") <(git -C "$project" ls-files -z | tr '\0' '\n' | LC_ALL=C sort)
}
says_what_is_left_out()
{
    echo four >>"$project/src/one.c"
    dist third && grep -q 'not committed' "$work/said" && cmp "$work"/first/saccade-*.tar.gz "$work"/third/saccade-*.tar.gz
}
lists_agree() # of git, and of the tarball without git
{
    local pattern
    for pattern in '*.c' src 'src/*.c' 'zoo/*.txt' 'src/one.c'; do
        [[ -n $("$project/scripts/tracked.sh" "$pattern") ]] || return 1
        diff <("$project/scripts/tracked.sh" "$pattern") <("$work/unpacked/scripts/tracked.sh" "$pattern") || return 1
    done
    ! "$project/scripts/tracked.sh" nothing && ! "$work/unpacked/scripts/tracked.sh" nothing
}
not_of_a_tarball() # which holds no commit
{
    ! OUT=$work/none "$work/unpacked/scripts/dist.sh" 2>"$work/said" && grep -q 'no checkout of git' "$work/said" &&
        [[ ! -e $work/none ]]
}
linked() # each name of the dynamic section is in the list
{
    local name list=("$work"/first/saccade-*.spdx.json)
    python3 -m json.tool "${list[0]}" >"$work/list" || return 1
    for name in $(readelf -d "$project/build/saccade" | sed -nE 's/.*\(NEEDED\).*\[(.*)\]/\1/p' | grep -v '^ld-linux'); do
        grep -q "\"comment\": \"$name, SHA-256 [0-9a-f]\{64\}\"" "$work/list" || { echo "$name"; return 1; }
    done
    grep -q pkg:deb/debian/zlib1g@ "$work/list"
}
in_the_wheel() # what its library opens, and the archives that it was made of
{
    python3 - "$work"/first/saccade-*.spdx.json "$wheel" <<'PYTHON'
import json, sys
sys.path.insert(0, "python")
import archives
document = json.load(open(sys.argv[1]))
(own,) = [file["SPDXID"] for file in document["files"] if file["fileName"] == f"./{sys.argv[2]}"]
names = {package["SPDXID"]: package["name"] for package in document["packages"]}
linked = {(link["relationshipType"], link["comment"].split(",")[0]): names[link["relatedSpdxElement"]]
          for link in document["relationships"] if link["spdxElementId"] == own}
assert linked["DYNAMIC_LINK", "libz.so.1"] == "zlib1g" and linked["STATIC_LINK", "libz.a"] == "zlib1g-dev", linked
assert {name for how, name in linked if how == "STATIC_LINK"} == {*archives.names(), "libgcc.a"}, linked
PYTHON
}
licences_stated() # of every package, in SPDX's names or with the text
{
    python3 - "$work"/first/saccade-*.spdx.json <<'PYTHON'
import json, re, sys
document = json.load(open(sys.argv[1]))
of = {package["name"]: package["licenseDeclared"] for package in document["packages"]}
assert "NOASSERTION" not in of.values() and of["zlib1g"] == "Zlib" and of["libjansson4"] == "MIT", of
texts = {text["licenseId"]: text["extractedText"] for text in document["hasExtractedLicensingInfos"]}
assert set(texts) == set(re.findall(r"LicenseRef-[A-Za-z0-9.-]+", " ".join(of.values()))), texts.keys()
assert "GNU C Library" in texts["LicenseRef-libc6"] and all(texts.values())
PYTHON
}
licences_read()
{
    (cd scripts && python3 -B) <<'PYTHON'
import licences
for words, expected in {
        "GPL-2+": "GPL-2.0-or-later", "LGPL-2.1": "LGPL-2.1-only", "Expat": "MIT", "Apache-2.0": "Apache-2.0",
        "GPL-2+ or Expat and Zlib": "GPL-2.0-or-later OR (MIT AND Zlib)",
        "GPL-2+ or Expat, and Zlib": "(GPL-2.0-or-later OR MIT) AND Zlib",
        "GPL-3+ with Libtool exception": "LicenseRef-x-GPL-3-with-Libtool-exception"}.items():
    assert licences.expression(words, "x") == expected, (words, licences.expression(words, "x"))
file = """Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/

Files: *
Copyright: somebody
License: Expat or own

Files: debian/*
License: GPL-3

License: own
 Do as you like.
 .
 Really."""
assert licences.declared(file, "x") == ("(MIT OR LicenseRef-x-own)", {"LicenseRef-x-own": "Do as you like.\n\nReally."}), \
    licences.declared(file, "x")
assert licences.declared("Free text.", "x") == ("LicenseRef-x", {"LicenseRef-x": "Free text."})
PYTHON
}
of_nowhere() # a library that no package holds
{
    mkdir -p "$work/odd"
    echo 'int odd(void) { return 0; }' | gcc -shared -x c - -o "$work/libodd.so" -fPIC || return 1
    echo 'int odd(void); int main(void) { return odd(); }' |
        gcc -x c - -o "$work/odd/saccade" -L"$work" -lodd -Wl,-rpath,"$work" || return 1
    ! python3 scripts/sbom.py "$work/odd" 2026-01-01T00:00:00Z 2>"$work/said" && grep -q 'links .*libodd.so, which no package' "$work/said"
}
check "a commit gives the same bytes twice" same_bytes
check "the tarball holds what is committed and says so" unpacked
check "what is not committed is left out with a word" says_what_is_left_out
check "files are listed the same with git and without" lists_agree
check "a tarball makes no tarball" not_of_a_tarball
check "the list of what is linked names every library" linked
check "the list says what went into the wheel" in_the_wheel
check "every package's licences are stated" licences_stated
check "licences of copyright files are read" licences_read
check "a library of no package is refused" of_nowhere
finish
