#!/usr/bin/env bash
# Draws the pictures of docs/images anew: a moment of the shipped policy's drive with what it looks at, the examples of
# docs/plots.md, figures of docs/theory.md, and what the site shows (docs/site). The agents drive 100 episodes in every
# variant: some minutes.
#   pictures.sh        all of them
#   pictures.sh site   what the site alone shows: the film, a picture of each policy at work, docs/how-it-works.md
set -euo pipefail
cd "$(dirname "$0")/.."
frames=$(mktemp -d)
trap 'rm -rf "$frames"' EXIT

of_site()
{
    local policy world steps name
    scripts/setup.sh python ffmpeg python3-matplotlib
    build/saccade watch zoo/car-racing/evolved.safetensors --seed 5 --steps 150 --video "$frames/drive.mp4" \
        --size 640x406 --fps 12
    ffmpeg -loglevel error -y -i "$frames/drive.mp4" -an -c:v libx264 -preset slow -crf 30 -pix_fmt yuv420p \
        -movflags +faststart docs/images/drive.mp4
    mkdir -p docs/images/zoo
    for policy in zoo/*/*.safetensors; do
        world=$(basename "$(dirname "$policy")")
        name=$world-$(basename "$policy" .safetensors)
        case $world in control) steps=100 ;; legs) steps=150 ;; rooms) steps=40 ;; grasp) steps=1 ;; *) steps=120 ;; esac
        build/saccade watch "$policy" --seed 5 --steps $steps --frames "$frames/$name" --size 426x270 >/dev/null
        cp "$(find "$frames/$name" -name '*.png' | sort | tail -n 1)" "docs/images/zoo/$name.png"
        rm -r "${frames:?}/$name"
    done
    .venv/bin/python -m zipfile -e "$(scripts/wheel.sh)" "$frames/python"
    PYTHONPATH=$frames/python PYTHONDONTWRITEBYTECODE=1 SACCADE_MODULES=$PWD/build .venv/bin/python scripts/how-it-works.py docs/images
}

if [[ ${1:-} == site ]]; then
    of_site
    exit
fi
build/saccade watch zoo/car-racing/softmax.safetensors --seed 1 --steps 130 --frames "$frames" >/dev/null
mkdir -p docs/images
cp "$frames/000130.png" docs/images/attention.png
build/saccade watch zoo/car-racing/taught.safetensors --seed 5 --steps 45 --frames "$frames" >/dev/null
cp "$frames/000045.png" docs/images/contribution.png
build/saccade watch zoo/legs/stones.safetensors --seed 1103 --steps 314 --frames "$frames" >/dev/null
cp "$frames/000314.png" docs/images/legs-stones.png
build/saccade watch zoo/legs/stairs.safetensors --seed 1103 --steps 100 --frames "$frames" >/dev/null
cp "$frames/000100.png" docs/images/legs-stairs.png
build/saccade watch zoo/legs/obstacles-taught.safetensors --seed 1103 --steps 560 --frames "$frames" >/dev/null
cp "$frames/000560.png" docs/images/legs-obstacles.png
build/saccade watch zoo/grasp/student.safetensors --seed 1110 --frames "$frames/grasp" >/dev/null
cp "$frames/grasp/000045.png" docs/images/grasping.png
build/saccade train tasks/rooms-teacher.yaml --run "$frames/rooms-teacher" --quiet
build/saccade distill tasks/rooms.yaml --run "$frames/rooms" --set policy.attention=softmax --generations 4 --quiet \
    --set teacher.policy="$frames/rooms-teacher/best.safetensors"
build/saccade watch "$frames/rooms/best.safetensors" --seed 1108 --steps 60 --frames "$frames/plans" >/dev/null
cp "$frames/plans/000060.png" docs/images/rooms.png
policy=zoo/car-racing/softmax.safetensors
build/saccade plot zoo/training/car-racing-pairs-4-screen --out docs/images/plot-run.svg
build/saccade generalise zoo/car-racing/*.safetensors --out "$frames/worlds.csv"
build/saccade plot "$frames/worlds.csv" --out docs/images/plot-worlds.svg
build/saccade watch $policy --seed 3 --attention "$frames/attention.csv" >/dev/null
build/saccade plot "$frames/attention.csv" --out docs/images/plot-attention.png
yes 0,0.2,0 | head -n 60 >"$frames/actions.csv" || true
build/saccade replay car-racing --seed 3 --actions "$frames/actions.csv" --out "$frames/steps.csv" --frames "$frames/seen" --every 60
build/saccade attend $policy "$frames/seen/000060.png" --csv "$frames/importance.csv" >/dev/null
build/saccade plot "$frames/importance.csv" --out docs/images/plot-importance.png
build/saccade plot bench/results/*/attention.csv --out docs/images/attention-time.svg
build/saccade plot bench/results/*/attention.csv --memory --out docs/images/attention-memory.svg
build/saccade theory iap1-counts --svg "$frames/theory" >/dev/null
for name in mse-relative hashing recall; do
    cp "$frames/theory/$name.svg" "docs/images/theory-$name.svg"
done
of_site
