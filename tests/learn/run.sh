#!/usr/bin/env bash
# Runs a test beside PyTorch in the peers' Python, else in the system's: run.sh SCRIPT [argument...]
set -uo pipefail
python=${SACCADE_PEERS:-.venv/bin/python}
command -v "$python" >/dev/null || python=python3
exec "$python" -B "$@"
