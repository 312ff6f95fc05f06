#!/usr/bin/env bash
# make demo: an agent learns to drive before your eyes, then drives tracks that nobody has seen, and is filmed with what
# it looked at. Everything it writes is in demo/, and what an earlier demo left there stays.
# Ctrl-C during the training goes on with what was learned; later it ends the demo. Each says so.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
saccade=build/saccade
task=tasks/car-racing-pairs.yaml
shipped=zoo/car-racing/trans.safetensors patches=zoo/car-racing/softmax.safetensors
cores=$(nproc) folder=${DEMO:-demo} seconds=${SECONDS_TO_TRAIN:-120} generations=${GENERATIONS_TO_TRAIN:-} seeds=${SEEDS:-0..7} film_steps=${FILM_STEPS:-}

# the first demo's files have plain names, the second's end in -2
last="" number=1
while [[ -e $folder/run$last ]]; do
    number=$((number + 1))
    last=-$number
done
run=$folder/run$last
mkdir -p "$folder" || exit 1

goes_on() # how to go on with the run, where there is one
{
    [[ -e $run/task.yaml ]] || return 0
    echo "The run, to look at or to go on with: $run"
    echo "   $saccade train $task --run $run --resume"
}

leave() # after Ctrl-C
{
    trap '' INT
    echo
    echo "demo: stopped by Ctrl-C; what was written so far is in $folder."
    goes_on
    exit 130
}

step() # COMMAND...: a part of the demo after the training
{
    "$@"
    local status=$?
    [[ $status != 130 ]] || leave
    [[ $status == 0 ]] || { echo "demo: failed, see above: $*" >&2; exit "$status"; }
}

interrupted=""
trap 'interrupted=yes' INT
if [[ -n $last ]]; then
    echo "$folder/run holds the run of an earlier demo, which stays as it is."
    echo "This demo's run is $run."
    echo
fi
echo "1. An agent that mixes all patches of a frame by attention learns CarRacing"
echo "   from nothing, for $seconds seconds; Ctrl-C ends this part early."
echo "   evaluation: its mean return on tracks that training never uses;"
echo "   a good human drives about 800 to 900."
echo
status=130
if [[ -z $interrupted ]]; then
    "$saccade" train "$task" --run "$run" --threads "$cores" --seconds "$seconds" \
        ${generations:+--generations "$generations"} 2>"$folder/errors.txt"
    status=$?
    grep -v '^saccade: interrupted' "$folder/errors.txt" >&2 # that is said below, in lines that fit
    rm -f "$folder/errors.txt"
fi
[[ $status == 0 || $status == 130 ]] || exit "$status"
trap leave INT
if [[ -n $interrupted || $status == 130 ]]; then
    echo
    echo "demo: Ctrl-C ended the training; the demo goes on with what was learned so"
    echo "far. Another Ctrl-C ends the demo."
fi

policies=("$shipped" "$patches")
for trained in "$run/best.safetensors" "$run/mean.safetensors"; do
    [[ ! -e $trained ]] || { policies=("$trained" "${policies[@]}"); break; }
done
[[ -e $trained ]] || echo "It was too short to learn anything: two agents that ship go on alone."

echo
echo "2. It drives tracks $seeds, which it has never seen. So do two that ship: one"
echo "   of its kind that learned longer, and the article's agent, which keeps ten"
echo "   patches of each frame and sees nothing else."
echo
track=""
for policy in "${policies[@]}"; do
    echo "$policy"
    step "$saccade" eval "$policy" --seeds "$seeds" --threads "$cores" >"$folder/returns.txt"
    cat "$folder/returns.txt"
    # the track in the middle of what the first of them made of all
    [[ -n $track ]] || track=$(awk '$1 ~ /^[0-9]+$/ && NF == 3 {print $2, $1}' "$folder/returns.txt" | sort -n |
        awk '{seed[NR] = $2} END {print seed[int(NR / 2) + 1]}')
    echo
done
rm -f "$folder/returns.txt"
echo "The article reports 914 +- 15 for its own agent, over 100 tracks."

echo
echo "3. Films on track $track, which lies in the middle of what the first agent made of"
echo "   these tracks. The attention is drawn on what each sees."
echo
for policy in "${policies[@]}"; do
    case $policy in
        "$shipped") film=$folder/shipped$last.mp4 ;;
        "$patches") film=$folder/patches$last.mp4 ;;
        *) film=$folder/trained$last.mp4 ;;
    esac
    echo "$film"
    step "$saccade" watch "$policy" --seed "$track" --video "$film" ${film_steps:+--steps "$film_steps"}
done
echo
goes_on
