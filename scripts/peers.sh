#!/usr/bin/env bash
# make peers: what saccade is measured against and checked with, into .venv: pinned versions, PyTorch from Debian.
# Nothing in saccade needs it; benches print null and tests skip where it is missing.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/setup.sh python3-venv python3-pip python3-torch
[[ -x .venv/bin/python ]] || /usr/bin/python3 -m venv --system-site-packages .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check \
    mujoco==3.17.0 dm_control==1.0.50 gymnasium==1.4.0 box2d==2.3.10 pygame-ce==2.5.8 numpy==2.4.6 cma==4.5.0 mypy==2.4.1 safetensors==0.8.0 pillow==13.0.0 \
    vizdoom==1.3.2 jax==0.10.2 evosax==0.3.2 evojax==0.2.17 tensorboard==2.20.0 setuptools==80.9.0 onnxruntime==1.31.1
.venv/bin/python - <<'PYTHON'
import importlib.metadata as m
print("peers:", ", ".join(f"{n} {m.version(n)}" for n in ("gymnasium", "box2d", "vizdoom", "numpy", "cma", "safetensors", "jax", "evosax", "evojax")))
PYTHON
