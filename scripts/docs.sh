#!/usr/bin/env bash
# make docs: the guides, the zoo and the reference of C and Python as a site, build/docs/index.html. It needs no server and
# loads nothing from elsewhere. Fails on a warning, on a link that leads nowhere, and on a page that loads something from
# elsewhere.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/setup.sh python doxygen python3-venv python3-pip
python=${SACCADE_DOCS:-.venv/docs/bin/python} # one that has what scripts/python.sh docs installs
[[ -n ${SACCADE_DOCS:-} ]] || scripts/python.sh docs
mkdir -p build
rm -rf build/docs build/docs-xml build/docs-python
doxygen docs/Doxyfile
"$python" -m zipfile -e "$(scripts/wheel.sh)" build/docs-python
"$python" -B docs/site/stage.py build/docs-source
PYTHONPATH=build/docs-python PYTHONDONTWRITEBYTECODE=1 \
    "$python" -m sphinx -q -W --keep-going -j 1 -b html -c docs/site -d build/docs-doctrees build/docs-source build/docs
"$python" -B tests/docs/site.py build/docs
echo "build/docs/index.html"
