#!/usr/bin/env bash
# What the check of the site (tests/docs/site.py, a part of make docs) finds, and what the site is made of: site.sh
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
source tests/check.sh

page() # FILE BODY [HEAD]
{
    printf '<!doctype html><html><head><meta name="viewport" content="width=device-width, initial-scale=1"><title>a page</title>%s</head><body><article>%s</article></body></html>\n' "${3:-}" "$2" >"$work/site/$1"
}
whole() # a site without faults
{
    rm -rf "$work/site"
    mkdir -p "$work/site"
    page a.html '<h1 id="top">A</h1><a href="b.html#there">b</a> <a href="https://example.org">far</a>'
    page b.html '<p id="there">B</p><a href="a.html?x=1#top">a</a>'
}
accepted() { whole && python3 -B tests/docs/site.py "$work/site"; }
refused() # WORDS FILE BODY [HEAD]: with this page the site is refused, and why is said
{
    whole
    page "${@:2}"
    ! python3 -B tests/docs/site.py "$work/site" 2>"$work/said" && grep -qF "$1" "$work/said"
}
styled() # a sheet that loads a font from elsewhere
{
    whole
    echo '@font-face {src: url("https://example.org/font.woff2")}' >"$work/site/a.css"
    ! python3 -B tests/docs/site.py "$work/site" 2>"$work/said" && grep -qF "a.css: loads https://example.org/font.woff2" "$work/said"
}
check "a site without faults is accepted" accepted
check "a link that leads nowhere" refused "b.html: c.html leads nowhere" b.html '<p id="there"></p><a href="c.html">c</a>'
check "a place that is not there" refused "b.html: a.html#bottom leads to no place" b.html '<p id="there"></p><a href="a.html#bottom">a</a>'
check "a script from elsewhere" refused "loads https://example.org/x.js from elsewhere" c.html '' '<script src="https://example.org/x.js"></script>'
check "a sheet from elsewhere" refused "loads //example.org/x.css from elsewhere" c.html '' '<link rel="stylesheet" href="//example.org/x.css">'
check "a picture from elsewhere" refused "loads https://example.org/x.png from elsewhere" c.html '<img alt="x" src="https://example.org/x.png">'
check "a font from elsewhere" styled
check "a picture that does not say what it shows" refused "does not say what it shows" c.html '<img src="a.html">'

too_wide() # a page that a phone would have to scroll sideways
{
    whole
    page c.html '<div style="width:900px">wide</div>'
    ! python3 -B tests/docs/site.py "$work/site" --look "$work/look" c.html 2>"$work/said" &&
        grep -q '^phone: c.html: wider than the screen' "$work/said" && ! grep -q '^light: c.html: wider' "$work/said"
}
looked_at()
{
    whole
    python3 -B tests/docs/site.py "$work/site" --look "$work/look" && [[ -s $work/look/sheet-dark-01.png && -s $work/look/phone-b.png ]]
}
if command -v chromium >/dev/null; then
    check "pages are looked at" looked_at
    check "a page that is wider than a phone" too_wide
else
    skip "pages in a browser" "chromium (make setup-dev)"
fi

ordered() # every document has its place in the reading order, once
{
    local document bad=0
    for document in README CONTRIBUTING CHANGELOG docs/*.md zoo/TRAINING; do
        document=${document%.md}
        [[ $(grep -cE "^(.* <)?$document>?\$" docs/site/index.md) == 1 ]] || { echo "docs/site/index.md: $document"; bad=1; }
    done
    return $bad
}
texts() # docstrings keep every character, code stays code
{
    PYTHONPATH=docs/site python3 -B - <<'PYTHON'
import docstrings

lines = ["One line of *all*: |x| and `a_b`.", "", "x: a number_", "    that goes on", "y: `code`", "", "    A = b"]
docstrings.process(None, "function", "f", None, None, lines)
assert lines == ["One line of \\*all\\*: \\|x\\| and ``a_b``.", "", "", "* **x**: a number\\_", "  that goes on",
                 "* **y**: ``code``", "", "", "::", "", "    A = b"], lines
PYTHON
}
headers() # the first comment of a header is its file's; names that share a text have a line each
{
    printf '#pragma once\n\n/// What it does.\n\n/// @param width, height  of it\nvoid f(int width, int height);\n' | awk -f docs/site/header.awk >"$work/h" &&
        printf '#pragma once\n\n/// @file\n///\n/// What it does.\n\n/// @param width  see height\n/// @param height  of it\nvoid f(int width, int height);\n' | diff - "$work/h"
}
check "every document has its place in the reading order" ordered
check "docstrings as pages" texts
check "headers as pages" headers
finish
