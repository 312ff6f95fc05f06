#!/usr/bin/env bash
# keep.sh RUN NAME: keeps what a stopped run needs to go on, in zoo/training/NAME (well under 1 MiB): its task, its
# metrics and events, the newest checkpoint, the best vector. zoo/TRAINING.md says how to go on from there.
set -euo pipefail
cd "$(dirname "$0")/.."
run=${1:?run folder} kept=zoo/training/${2:?name}
newest=$(find "$run/checkpoints" -name '*.safetensors' | sort | tail -n 1)
rm -rf "$kept/checkpoints"
mkdir -p "$kept/checkpoints"
cp "$run"/{task.yaml,metrics.csv,events.jsonl,best.safetensors,mean.safetensors} "$kept/"
cp "$newest" "$kept/checkpoints/"
du -sh "$kept"
