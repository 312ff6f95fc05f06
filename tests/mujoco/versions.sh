#!/usr/bin/env bash
# saccade.mujoco with other versions of the package mujoco, the oldest that it takes among them: each draws the scene of
# version.py beside that version's own renderer (EGL). pip puts each in a folder of BUILD_DIR once; it needs a network then,
# and runs in make check.
#   versions.sh BUILD_DIR [VERSION...]
set -euo pipefail
build=$(realpath "$1")
shift
versions=("$@")
[[ $# -gt 0 ]] || versions=(3.2.0 3.3.7 3.8.1 3.12.0 3.17.0 4.0.0)
cd "$(dirname "$0")/../.."
python=${SACCADE_PEERS:-.venv/bin/python}
"$python" -c "import glfw, numpy, OpenGL" || { echo "versions: needs what MuJoCo imports (make worlds)" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$python" -m zipfile -e "$(SACCADE_BUILD=$build scripts/wheel.sh)" "$work/site"

fetch() # VERSION FOLDER
{
    local packages=("mujoco==$1")
    [[ $1 == 3.* ]] || packages+=("mujoco-core==$1") # the library has a package of its own from 4 on
    "$python" -m pip install --quiet --disable-pip-version-check --no-deps --target "$work/$1" "${packages[@]}"
    mkdir -p "${2%/*}" && mv "$work/$1" "$2"
}
close() # VERSION FOLDER: its own renderer's pictures and ours, and that it is this version indeed
{
    PYTHONPATH=$2:$work/site PYTHONDONTWRITEBYTECODE=1 "$python" tests/mujoco/version.py | tee "$work/said" &&
        grep -q "^mujoco $1:" "$work/said"
}
failed=()
for version in "${versions[@]}"; do
    folder=$build/mujoco-versions/$version
    [[ -e $folder ]] || fetch "$version" "$folder"
    close "$version" "$folder" || failed+=("$version")
done
[[ ${#failed[@]} == 0 ]] || { echo "versions: not as their own renderer draws: ${failed[*]}" >&2; exit 1; }
