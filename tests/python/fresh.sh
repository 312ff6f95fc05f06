#!/usr/bin/env bash
# A machine that has Python alone: installs the wheel with its extras into a new environment, with what pip fetches for
# them, runs the Python lines of README in an empty folder without any variable, and says how long both took. More than
# a minute of processor time is a failure; on a machine that does nothing else the clock shows hardly more, but for the
# network. It runs in make check.
#   fresh.sh BUILD_DIR
set -euo pipefail
build=$(realpath "$1")
cd "$(dirname "$0")/../.."
wheel=$(SACCADE_BUILD=$build scripts/wheel.sh)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/empty"
awk '/^```python test/ {inside = 1; next} /^```/ {inside = 0} inside' README.md >"$work/readme.py"
[[ -s $work/readme.py ]] || { echo "fresh: README has no Python lines" >&2; exit 1; }
cp "$wheel" "$work"

begin=$(date +%s%N)
clock() { awk -v begin="$begin" -v now="$(date +%s%N)" 'BEGIN {printf "%.1f", (now - begin) / 1e9}'; }
processor() # seconds of this script's children, user's and system's
{
    awk -F '[ms ]' 'NR == 2 {printf "%.1f", 60 * $1 + $2 + 60 * $4 + $5}' "$work/times"
}
times >"$work/times" # in a pipe it would tell of the pipe's own
before=$(processor)
cd "$work/empty"
/usr/bin/python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check "$work/$(basename "$wheel")[mujoco,gym,film,plots]"
installed=$(clock)
env -i "$work/venv/bin/python" "$work/readme.py"
seconds=$(clock)
times >"$work/times"
work_done=$(awk -v before="$before" -v now="$(processor)" 'BEGIN {printf "%.1f", now - before}')
env -i "$work/venv/bin/python" -c 'import saccade, sys; sys.exit("site-packages" not in saccade.__file__)'
echo "installed after $installed s, README's lines done after $seconds s; $work_done s of processor time"
awk -v seconds="$work_done" 'BEGIN {exit seconds > 60}' || { echo "fresh: expected a minute at most" >&2; exit 1; }
