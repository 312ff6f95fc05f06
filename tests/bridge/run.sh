#!/usr/bin/env bash
# Runs a test of the bridge in the Python of the worlds: run.sh SCRIPT [argument...]
set -uo pipefail
python=${SACCADE_PEERS:-.venv/bin/python}
if ! "$python" -c "import gymnasium" 2>/dev/null; then
    echo "skip: needs gymnasium (make worlds)"
    exit 77
fi
exec "$python" -B "$@"
