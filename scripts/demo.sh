#!/usr/bin/env bash
# make demo: an agent learns to drive before your eyes, then drives tracks that nobody has seen, and is filmed with what
# it looked at. Everything it writes is in demo/.
set -euo pipefail
cd "$(dirname "$0")/.."
saccade=build/saccade
task=tasks/car-racing-pairs.yaml
shipped=zoo/car-racing/trans.safetensors patches=zoo/car-racing/softmax.safetensors
seconds=${SECONDS_TO_TRAIN:-120} seeds=${SEEDS:-0..7}

mkdir -p demo
rm -rf demo/run

echo "1. An agent that mixes all patches of a frame by attention learns CarRacing from nothing, for $seconds seconds."
echo "   (held-out: its mean return on tracks that training never uses; a good human drives about 800 to 900)"
echo
# an interrupt is the ordinary way to end a run early: it leaves a checkpoint and the best policy so far
status=0
timeout --foreground --signal=INT "$seconds" \
    "$saccade" train "$task" --run demo/run --threads "$(nproc)" || status=$?
[[ $status == 0 || $status == 1 || $status == 124 || $status == 130 ]] || exit "$status"
trained=demo/run/best.safetensors
[[ -e $trained ]] || { echo "demo: the run left no policy in demo/run" >&2; exit 1; }

echo
echo "2. It drives tracks $seeds, which it has never seen; so do two that ship: one of its kind that learned longer, and"
echo "   the article's agent, which keeps ten patches of each frame and sees nothing else."
echo
for policy in "$trained" "$shipped" "$patches"; do
    echo "$policy"
    "$saccade" eval "$policy" --seeds "$seeds" --threads "$(nproc)"
    echo
done
echo "The paper's agent: 914 +- 15 (mean of 100 tracks; 96 CPUs for ten hours)."

echo
echo "3. Films of all three, with the attention drawn on what they see."
echo
"$saccade" watch "$trained" --seed 0 --video demo/trained.mp4
"$saccade" watch "$shipped" --seed 0 --video demo/shipped.mp4
"$saccade" watch "$patches" --seed 0 --video demo/patches.mp4
echo
echo "The films: demo/trained.mp4, demo/shipped.mp4, demo/patches.mp4. The run, to look at or to go on with: demo/run"
echo "   $saccade train $task --run demo/run --resume"
