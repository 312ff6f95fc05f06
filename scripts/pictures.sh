#!/usr/bin/env bash
# Draws the pictures of docs/images anew: a moment of the shipped policy's drive with what it looks at, and figures of
# docs/theory.md.
set -euo pipefail
cd "$(dirname "$0")/.."
frames=$(mktemp -d)
trap 'rm -rf "$frames"' EXIT
build/saccade watch zoo/car-racing/softmax.safetensors --seed 1 --steps 130 --frames "$frames" >/dev/null
mkdir -p docs/images
cp "$frames/000130.png" docs/images/attention.png
build/saccade theory iap1-counts --svg "$frames/theory" >/dev/null
for name in mse-relative hashing recall; do
    cp "$frames/theory/$name.svg" "docs/images/theory-$name.svg"
done
