#!/usr/bin/env bash
# make demo: an agent learns to drive before your eyes, then drives tracks that nobody has seen, and is filmed with what
# it looked at. Everything it writes is in demo/, and what an earlier demo left there stays.
# make demo FROM=pixels: the agent learns by evolution from pixels alone, without the teacher that is told the road.
# Ctrl-C during the training goes on with what was learned; later it ends the demo. Each says so.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
saccade=build/saccade
from=${FROM:-teacher}
shipped=zoo/car-racing/trans.safetensors patches=zoo/car-racing/softmax.safetensors
cores=$(nproc) folder=${DEMO:-demo} seconds=${SECONDS_TO_TRAIN:-120} generations=${GENERATIONS_TO_TRAIN:-} seeds=${SEEDS:-0..7} film_steps=${FILM_STEPS:-}
case $from in
    teacher) task=tasks/car-racing-student.yaml how=distill ;;
    pixels) task=tasks/car-racing-pairs.yaml how=train ;;
    *)
        echo "demo: FROM is '$from', expected teacher or pixels" >&2
        exit 2
        ;;
esac

# the first demo's files have plain names, the second's end in -2
last="" number=1
while [[ -e $folder/run$last || -e $folder/teacher$last ]]; do
    number=$((number + 1))
    last=-$number
done
run=$folder/run$last teacher=$folder/teacher$last
mkdir -p "$folder" || exit 1

goes_on() # how to go on with the run, where there is one
{
    [[ -e $run/task.yaml ]] || return 0
    echo "The run, to look at or to go on with: $run"
    if [[ $from == teacher ]]; then
        echo "   $saccade $how $task --run $run --resume \\"
        echo "      --teacher $taught_by"
    else
        echo "   $saccade $how $task --run $run --resume"
    fi
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

learn() # COMMAND...: a part of the training, which Ctrl-C ends early, or before it begins
{
    local status=130
    if [[ -z $interrupted ]]; then
        "$saccade" "$@" --threads "$cores" 2>"$folder/errors.txt"
        status=$?
        grep -v '^saccade: interrupted' "$folder/errors.txt" >&2 # that is said below, in lines that fit
        rm -f "$folder/errors.txt"
    fi
    [[ $status == 0 || $status == 130 ]] || exit "$status"
    [[ $status == 0 ]] || interrupted=yes
}

newest() # RUN: the vector that it has come to; nothing where there is none
{
    local vector
    for vector in "$1/best.safetensors" "$1/mean.safetensors"; do
        [[ ! -e $vector ]] || { echo "$vector"; return; }
    done
}

from_pixels()
{
    echo "1. An agent that mixes all patches of a frame by attention learns CarRacing"
    echo "   from nothing, by evolution from pixels alone, for $seconds seconds;"
    echo "   Ctrl-C ends this part early."
    explain
    learn train "$task" --run "$run" --seconds "$seconds" ${generations:+--generations "$generations"}
}

from_teacher()
{
    echo "1. An agent that mixes all patches of a frame by attention learns CarRacing"
    echo "   from nothing, in about two minutes on two cores. First a teacher learns by"
    echo "   reward. It is told the car's motion and the road ahead, which the agent"
    echo "   never is. Ctrl-C ends this part early."
    explain
    learn train tasks/car-racing-teacher.yaml --run "$teacher" ${generations:+--generations "$generations"}
    taught_by=$(newest "$teacher")
    [[ -n $taught_by ]] || return
    [[ -z $interrupted ]] || { echo; echo "demo: Ctrl-C ended the teacher's training; what it knows so far is taught."; }
    interrupted=""
    echo
    echo "   Now the agent, which sees pixels alone, learns to do what its teacher does."
    echo "   Ctrl-C ends this part early."
    echo
    learn "$how" "$task" --run "$run" --teacher "$taught_by" ${generations:+--generations "$generations"}
}

explain() # the words of the table
{
    echo "   evaluation: the mean return on tracks that training never uses; a good human"
    echo "   drives about 800 to 900."
    echo
}

interrupted=""
trap 'interrupted=yes' INT
if [[ -n $last ]]; then
    echo "$folder holds the run of an earlier demo, which stays as it is."
    echo "This demo's run is $run."
    echo
fi
"from_$from"
trap leave INT
if [[ -n $interrupted ]]; then
    echo
    echo "demo: Ctrl-C ended the training; the demo goes on with what was learned so"
    echo "far. Another Ctrl-C ends the demo."
fi

policies=("$shipped" "$patches")
trained=$(newest "$run")
if [[ -n $trained ]]; then
    policies=("$trained" "${policies[@]}")
else
    echo "It was too short to learn anything: two agents that ship go on alone."
fi

echo
echo "2. It drives tracks $seeds, which it has never seen. So do two that ship: one"
echo "   of its kind, by evolution, and the article's agent, which keeps ten"
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
    fps=50 # the world's own
    case $policy in
        "$shipped") film=$folder/shipped$last.mp4 ;;
        "$patches") film=$folder/patches$last.mp4 ;;
        *)
            film=$folder/trained$last.mp4
            [[ $from == pixels ]] || fps=12 # it acts, and is filmed, at every fourth step
            ;;
    esac
    echo "$film"
    step "$saccade" watch "$policy" --seed "$track" --video "$film" --fps $fps ${film_steps:+--steps "$film_steps"}
done
echo
goes_on
