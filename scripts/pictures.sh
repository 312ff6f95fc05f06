#!/usr/bin/env bash
# Draws docs/images/attention.png anew: a moment of the shipped policy's drive, with what it looks at.
set -euo pipefail
cd "$(dirname "$0")/.."
frames=$(mktemp -d)
trap 'rm -rf "$frames"' EXIT
build/saccade watch zoo/car-racing/softmax.safetensors --seed 1 --steps 130 --frames "$frames" >/dev/null
mkdir -p docs/images
cp "$frames/000130.png" docs/images/attention.png
