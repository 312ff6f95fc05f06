#!/usr/bin/env bash
# The source distribution: two of the same sources have the same bytes, pip builds a wheel from it in a new environment,
# which works, and one line names what is missing. It needs a network and minutes, and runs in make check.
#   sdist.sh BUILD_DIR
set -euo pipefail
build=$(realpath "$1")
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
pack() { (cd python && SACCADE_BUILD=$build /usr/bin/python3 -B -c 'import backend, sys; backend.build_sdist(sys.argv[1])' "$1"); }
pack "$work/first" && pack "$work/second" && cmp "$work"/first/*.tar.gz "$work"/second/*.tar.gz
tarball=$(echo "$work"/first/*.tar.gz)

# unpacked, it packs the same; where a program and a library are missing, one line says so
mkdir "$work/bin" && tar -xzf "$tarball" -C "$work" && cd "$work"/saccade-*/python
SOURCE_DATE_EPOCH=$(stat -c %Y backend.py) /usr/bin/python3 -B -c 'import backend; backend.build_sdist("../../third")'
cmp "$tarball" "$work"/third/*.tar.gz
for tool in python3 make cc objdump; do ln -s "$(command -v "$tool")" "$work/bin"; done
ln -s /bin/false "$work/bin/pkg-config" # knows no library
said=$(PATH=$work/bin /usr/bin/python3 -B -c 'import backend; backend.get_requires_for_build_wheel()' 2>&1) && exit 1
echo "$said"
[[ $said == *"apt-get install cmake "*"libyaml-dev"* && $(wc -l <<<"$said") == 1 ]]

cd "$work"
/usr/bin/python3 -m venv venv
venv/bin/pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir "$work/wheel" "$tarball"
venv/bin/pip install --quiet --disable-pip-version-check "$(echo "$work"/wheel/*.whl)[mujoco]"
env -i venv/bin/python -c '
import saccade
for name in ("toy", "cheetah-run", "rooms"):
    world = saccade.World(name)
    world.reset(1)
    print(name, world.step([0.1] * world.spec.action_size)[1])'
