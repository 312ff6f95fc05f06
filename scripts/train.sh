#!/usr/bin/env bash
# make train: starts the full CarRacing training, or goes on where it stopped. Ctrl-C ends it with a checkpoint.
set -euo pipefail
cd "$(dirname "$0")/.."
exec build/saccade train "${TASK:-tasks/car-racing.yaml}" --run "${RUN:-runs/car-racing}" --resume \
    --threads "${THREADS:-$(nproc)}"
