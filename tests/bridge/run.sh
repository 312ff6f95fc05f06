#!/usr/bin/env bash
# Runs a test of the bridge in the peers' Python: run.sh SCRIPT [argument...]
set -uo pipefail
python=${SACCADE_PEERS:-.venv/bin/python}
if ! "$python" -c "import gymnasium" 2>/dev/null; then
    echo "skip: needs a peer: gymnasium (make peers)"
    exit 77
fi
exec "$python" -B "$@"
