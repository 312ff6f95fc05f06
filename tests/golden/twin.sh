#!/usr/bin/env bash
# The golden harness at odd shapes, beside NumPy (twin.py): twin.sh GOLDEN
set -uo pipefail
python=/usr/bin/python3
for candidate in "$python" .venv/bin/python; do
    "$candidate" -c "import numpy" 2>/dev/null && exec "$candidate" -B "$(dirname "$0")/twin.py" "$1"
done
echo "skip: needs numpy (make setup-dev)"
exit 77
