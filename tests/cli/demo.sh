#!/usr/bin/env bash
# make demo, made short: Ctrl-C in its training goes on to the drive and the films, later it ends the demo, and each says
# so; a second demo leaves the first one's run alone.
#   demo.sh
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
source tests/check.sh
folder=$work/demo

demo() # MARK...: the demo as a person runs it, with Ctrl-C pressed at each mark
{
    FROM=${from:-pixels} DEMO=$folder SECONDS_TO_TRAIN=${seconds:-100} SEEDS=0..2 FILM_STEPS=5 \
        GENERATIONS_TO_TRAIN=${generations:-} timeout 300 python3 -B tests/cli/press.py "$work/said" "$@" -- make --no-print-directory -o build demo
}

last_event() { tail -n 1 "$1/events.jsonl" | sed 's/.*"event": "\([a-z]*\)".*/\1/'; }
narrow() { narrow_of "$folder"; }
narrow_of() # FOLDER, beside the table that training prints where there is no terminal
{
    sed "s|$1|demo|g" "$work/said" | grep -vE '^ +([0-9]+(/[0-9]+)?|generation) ' | awk 'length > 80 {print; bad = 1} END {exit bad}'
}

stopped_training()
{
    demo '^ +2[ /]' # the second generation is done
    cat "$work/said"
    grep -q 'Ctrl-C ended the training; the demo goes on' "$work/said" && [[ $(last_event "$folder/run") == interrupted ]] &&
        [[ -s $folder/run/mean.safetensors && -n $(ls "$folder"/run/checkpoints/*.safetensors) ]] &&
        [[ -s $folder/trained.mp4 && -s $folder/shipped.mp4 && -s $folder/patches.mp4 ]] &&
        grep -qF "train tasks/car-racing-pairs.yaml --run $folder/run --resume" "$work/said"
}

taught() # Ctrl-C in the teacher's training goes on to its student's, and there to the drive and the films
{
    local folder=$work/taught line
    from=teacher demo '^ +2[ /]' '^ +2[ /]'
    cat "$work/said"
    grep -q "Ctrl-C ended the teacher's training; what it knows so far is taught" "$work/said" &&
        grep -q 'Ctrl-C ended the training; the demo goes on' "$work/said" &&
        [[ $(last_event "$folder/teacher") == interrupted && $(last_event "$folder/run") == interrupted ]] &&
        [[ -s $folder/trained.mp4 && -s $folder/shipped.mp4 && -s $folder/patches.mp4 ]] || return 1
    line=$(tail -n 2 "$work/said" | tr -d '\\\n' | tr -s ' ')
    [[ $line == " build/saccade distill tasks/car-racing-student.yaml --run $folder/run --resume --teacher $folder/teacher/"* ]] &&
        eval "$line --generations 3 --quiet" && [[ $(tail -n 1 "$folder/run/metrics.csv" | cut -d, -f1) == 3 ]]
}

too_early() # before anything may have been learned: then the agents that ship go on alone
{
    local folder=$work/early
    demo 'about 800'
    cat "$work/said"
    grep -q 'Ctrl-C ended the training; the demo goes on' "$work/said" && [[ -s $folder/shipped.mp4 && -s $folder/patches.mp4 ]] &&
        ! grep -q Error "$work/said" && { [[ -s $folder/trained.mp4 ]] || grep -q 'too short to learn' "$work/said"; }
}

middle() # the film's track is neither the best nor the worst of the first table
{
    local track
    track=$(awk '$1 ~ /^[0-9]+$/ && NF == 3 && $2 ~ /\./ {print $2, $1}' "$work/said" | head -n 3 | sort -n | sed -n '2s/.* //p')
    grep -q "^3. Films on track $track," "$work/said" && [[ $(grep -c "original, seed $track)" "$work/said") == 3 ]]
}

earlier() { (cd "$folder" && find run trained.mp4 -type f | LC_ALL=C sort | xargs sha256sum); }

again() # ends its training by itself, after a generation however slow it is here; Ctrl-C while it films
{
    earlier >"$work/before"
    generations=2 demo 'trained-2.mp4'
    local status=$?
    cat "$work/said"
    earlier >"$work/after"
    diff "$work/before" "$work/after" && [[ $status != 0 && $(last_event "$folder/run-2") == finished ]] &&
        grep -q 'the run of an earlier demo, which stays as it is' "$work/said" &&
        grep -q 'demo: stopped by Ctrl-C' "$work/said" && [[ ! -e $folder/patches-2.mp4 ]] &&
        grep -qF -- "--run $folder/run-2 --resume" "$work/said"
}
# 2000 generations take minutes, however short the first ones are, and the demo has 100 seconds
no_thousands() { [[ -s $work/said ]] && ! grep -q '/2000' "$work/said"; }

goes_on() # with the command that it has told
{
    local at
    at=$(tail -n 1 "$folder/run-2/metrics.csv" | cut -d, -f1)
    [[ $at =~ ^[0-9]+$ ]] || { echo "the second demo's run has finished no generation: '$at'"; return 1; }
    eval "$(sed -n 's/^   \(build\/saccade train .*run-2 --resume\)$/\1/p' "$work/said") --generations $((at + 1)) --quiet" &&
        [[ $(tail -n 1 "$folder/run-2/metrics.csv" | cut -d, -f1) == "$((at + 1))" ]]
}

check "Ctrl-C in the training goes on to the drive and the films" stopped_training
check "no line is wider than 80 columns" narrow
check "the films show a track from the middle" middle
check "no generations are promised that there is no time for" no_thousands
check "a second demo keeps the first one's run; Ctrl-C in the films ends it with a message" again
check "no line of the second is wider than 80 columns" narrow
check "the run goes on with the command that the demo told" goes_on
check "Ctrl-C before anything was learned" too_early
check "Ctrl-C in the teacher's training, and in its student's" taught
check "no line of it is wider than 80 columns" narrow_of "$work/taught"
check "an unknown FROM is refused" refuses 2 "FROM is 'pixel', expected teacher or pixels" env FROM=pixel scripts/demo.sh
finish
