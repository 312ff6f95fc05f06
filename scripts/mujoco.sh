#!/usr/bin/env bash
# make mujoco: MuJoCo (headers and library) and the models of dm_control, pinned, into .venv. Quiet when they are there.
# Without them everything else builds; the control suite's worlds then say so.
set -euo pipefail
cd "$(dirname "$0")/.."

mujoco=3.17.0 dm_control=1.0.50
for site in .venv/lib/python3*/site-packages; do
    [[ -d $site/mujoco-$mujoco.dist-info && -d $site/dm_control-$dm_control.dist-info ]] && exit 0
done
scripts/setup.sh python3-venv python3-pip
[[ -x .venv/bin/python ]] || /usr/bin/python3 -m venv --system-site-packages .venv
# the library and the model files are all that is needed of the two packages, not what their Python sides import
.venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps mujoco==$mujoco dm_control==$dm_control
echo "mujoco: $mujoco and the models of dm_control $dm_control are in .venv; build again to use them"
