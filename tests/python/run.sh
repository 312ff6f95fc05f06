#!/usr/bin/env bash
# The Python package as people get it: builds the wheel, unpacks it and runs the tests beside this file on it.
#   run.sh BUILD_DIR [pytest argument...]
# The tests in baselines/ run in the environment of that name within the peers' own, see scripts/python.sh.
set -uo pipefail
build=$(realpath "$1")
shift
cd "$(dirname "$0")/../.." || exit 1
has() { "$1" -c "import $2" 2>/dev/null; }
python=${SACCADE_PEERS:-.venv/bin/python}
has "$python" "numpy, cffi, pytest" || python=/usr/bin/python3
header='sysconfig, os; open(os.path.join(sysconfig.get_path("include"), "Python.h"))'
if ! has "$python" "numpy, cffi, pytest" || ! has /usr/bin/python3 "setuptools, wheel, cffi, $header"; then
    echo "skip: needs Python's development files, cffi, setuptools, numpy and pytest (make setup-dev)"
    exit 77
fi
wheel=$(SACCADE_BUILD=$build scripts/wheel.sh) || exit 1
site=$build/python/site
if [[ ! $site/saccade -nt $wheel ]]; then
    rm -rf "$site"
    "$python" -m zipfile -e "$wheel" "$site" && touch "$site/saccade" || exit 1
fi
older=${python%/bin/python}/baselines/bin/python
has "$older" "numpy, cffi, pytest" || older=$python # where they are skipped
tests() # PYTHON [pytest argument...]
{
    SACCADE_BUILD=$build SACCADE_SITE=$site PYTHONPATH=$site \
        "$1" -m pytest -q -p no:cacheprovider --import-mode=importlib "${@:2}"
}
tests "$python" --ignore tests/python/baselines "$@" tests/python
status=$?
tests "$older" "$@" tests/python/baselines
other=$?
# 5: the arguments choose none of them
if [[ $status == 0 || $status == 5 ]] && [[ $other != 5 ]]; then status=$other; fi
exit "$status"
