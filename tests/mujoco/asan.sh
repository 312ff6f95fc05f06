#!/usr/bin/env bash
# The renderer for MuJoCo's models under AddressSanitizer and UBSan, as Python calls it: models and states that nobody
# would draw on purpose, batches and threads, and a thousand pictures of each of twenty models (SACCADE_RENDERS). The
# extension is built in build-dev, the folder of the preset. It takes minutes and runs in make check.
#   asan.sh [pytest argument...]
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$PWD/build-dev
python=${SACCADE_PEERS:-.venv/bin/python}
"$python" -c "import mujoco, pytest" || { echo "asan: needs MuJoCo (make worlds)" >&2; exit 1; }
cmake --preset dev >/dev/null
cmake --build --preset dev -j"$(nproc)" --target saccade_static >/dev/null
wheel=$(SACCADE_BUILD=$build CFLAGS="-fsanitize=address,undefined -fno-omit-frame-pointer" scripts/wheel.sh)
rm -rf "$build/python/site"
"$python" -m zipfile -e "$wheel" "$build/python/site"

# The sanitizer must be there before Python loads anything, and libstdc++ beside it, so that it knows what MuJoCo throws.
# What Python and NumPy never free is no leak; the test of twenty models counts for itself what a picture keeps.
preload="$(gcc -print-file-name=libasan.so) $(gcc -print-file-name=libstdc++.so)"
export SACCADE_RENDERS=${SACCADE_RENDERS:-1000} PYTHONPATH=$build/python/site PYTHONDONTWRITEBYTECODE=1
files=(tests/python/test_mujoco_hostile.py tests/python/test_mujoco_batch.py tests/python/test_mujoco.py)
tests() { LD_PRELOAD=$preload ASAN_OPTIONS=detect_leaks=0 PYTHONMALLOC=malloc "$python" "$@"; }
tests -c 'import ctypes, saccade; ctypes.CDLL(None).__asan_init' # the sanitizer is there
tests -m pytest -q --capture=sys -p no:cacheprovider --import-mode=importlib "$@" "${files[@]}"
