#!/usr/bin/env bash
# TensorBoard reads what a run has written, also after a resume: every generation once, with the values of metrics.csv,
# and, for the HPARAMS tab, the settings of task.yaml.
#   tensorboard.sh SACCADE
set -uo pipefail
saccade=$(realpath "$1")
cd "$(dirname "$0")/../.." || exit 1
source tests/check.sh
python=${SACCADE_PEERS:-.venv/bin/python}

name="tensorboard reads the events of a resumed run"
"$saccade" train tasks/toy.yaml --run "$work/run" --generations 13 --quiet &&
    "$saccade" train tasks/toy.yaml --run "$work/run" --generations 30 --resume --quiet &&
    "$saccade" train tasks/toy.yaml --run "$work/beside" --set search.sigma=0.3 --set policy.attention=relu --quiet
[[ -x $python ]] && "$python" -c "import tensorboard" 2>/dev/null || { skip "$name" "tensorboard 2.20.0 (scripts/python.sh readers)"; finish; }
check "$name" "$python" tests/peers/read_events.py "$work/run" 17 search.sigma policy.attention
finish
