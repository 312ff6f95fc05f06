#!/usr/bin/env bash
# card.sh RUN NAME "COMMAND": puts a run's best policy into the zoo with its card: the command that trained it, what it
# cost, its curve, and its returns over 100 unseen episodes, in other looks of its world, too. The worlds of the control
# suite go to zoo/control, CarRacing to zoo/car-racing, TakeCover to zoo/take-cover.
set -euo pipefail
cd "$(dirname "$0")/.."
run=${1:?run folder} name=${2:?name} command=${3:?command that trained it}
saccade=build/saccade threads=${THREADS:-$(nproc)}
world=$(sed -n '/^env:/,/^[a-z]*:$/s/^ *id: //p' "$run/task.yaml" | head -n 1)
case $world in car-racing | take-cover) zoo=zoo/$world ;; *) zoo=zoo/control ;; esac
policy=$zoo/$name.safetensors card=$zoo/$name.md

mkdir -p "$zoo"
"$saccade" eval "$run/best.safetensors" --seeds 0..99 --threads "$threads" --stamp "$policy" >/dev/null
"$saccade" plot "$run" --out "$zoo/$name.svg" --title "$world, $name" >/dev/null

# score WHAT...: "mean +- standard deviation" over episodes 0..99
score() {
    "$saccade" eval "$@" --seeds 0..99 --threads "$threads" |
        sed -n 's/^mean \([-0-9.]*\), standard deviation \([0-9.]*\),.*/\1 +- \2/p'
}

setting() { sed -n "s/^ *$1: //p" "$run/task.yaml" | head -n 1; }

rows_of_car_racing() {
    echo "Returns over tracks 0..99, which training never saw (it draws its tracks from seeds above 1,000,000, and the"
    echo "vector was chosen by seeds 1000 and on): \`saccade eval $policy --seeds 0..99 --variant V\`."
    echo
    echo "| variant | mean +- standard deviation of 100 | the paper's agent |"
    echo "| --- | --- | --- |"
    echo "| original, rules v3 | $(score "$policy") | |"
    echo "| original, rules v0 (\`--set rules=v0\`) | $(score "$policy" --set rules=v0) | 914 +- 15 |"
    echo "| color | $(score "$policy" --variant color) | 866 +- 112 |"
    echo "| bars | $(score "$policy" --variant bars) | 900 +- 35 |"
    echo "| blob | $(score "$policy" --variant blob) | 898 +- 53 |"
    echo "| noise | $(score "$policy" --variant noise) | |"
    echo "| video=procedural | $(score "$policy" --variant video=procedural) | |"
    echo "| fake-lane | $(score "$policy" --variant fake-lane) | |"
}

rows_of_take_cover() {
    echo "Tics survived over episodes 0..99, which training never saw (it draws its episodes from seeds above 1,000,000, and"
    echo "the vector was chosen by seeds 1000 and on): \`saccade eval $policy --seeds 0..99 --variant V --set skill=S\`."
    echo
    echo "| variant | skill 4, ViZDoom's own | skill 5, released | the paper's agent |"
    echo "| --- | --- | --- | --- |"
    local row variant
    for row in "original 1125 +- 589" "walls 934 +- 560" "floor 1120 +- 613" "text 1035 +- 627"; do
        variant=${row%% *}
        echo "| $variant | $(score "$policy" --variant "$variant" --set skill=4) |" \
            "$(score "$policy" --variant "$variant" --set skill=5) | ${row#* } |"
    done
}

# what the articles report of IAP, SAC and QT-Opt in static distractions of medium strength
papers() {
    case $world in
        cheetah-run) echo "134, 77, 74" ;;
        walker-walk) echo "125, 24, 111" ;;
        cartpole-swingup) echo "196, 167, 212" ;;
        ball-in-cup-catch) echo "135, 109, 62" ;;
        reacher-easy) echo "128, 75, 109" ;;
    esac
}

all() { echo "camera:$1+color:$1+background:$1"; }

rows_of_control() {
    echo "Returns over episodes 0..99, which training never saw (it draws its episodes from seeds above 1,000,000, and the"
    echo "vector was chosen by seeds 1000 and on): \`saccade eval $policy --seeds 0..99 --variant V\`, and"
    echo "\`saccade eval --random --env $world --seeds 0..99\` for random actions. Distractions are of camera, colour and"
    echo "background (procedural)."
    echo
    echo "| variant | mean +- standard deviation of 100 | random actions | the article: IAP, SAC, QT-Opt |"
    echo "| --- | --- | --- | --- |"
    local random
    random=$(score --random --env "$world" --set observe=state --set "action_repeat=$(setting action_repeat)")
    echo "| original | $(score "$policy" --variant original) | $random | |"
    echo "| easy, static | $(score "$policy" --variant "$(all easy)") | | |"
    echo "| medium, static | $(score "$policy" --variant "$(all medium)") | | $(papers) |"
    echo "| easy, dynamic | $(score "$policy" --variant "$(all easy):dynamic") | | |"
}

last=$(tail -n 1 "$run/metrics.csv")
IFS=, read -r generation steps seconds _ <<<"$last"
cores=$(sed -n 's/.* with \([0-9]*\) threads.*/\1/p' "$run/events.jsonl" | sort -n | tail -n 1)
parameters=$("$saccade" zoo | awk -v policy="$policy" '$1 == policy {print $4}' |
    sed ':a; s/\B[0-9]\{3\}\>/,&/; ta')

case $(setting kind) in
    iap-trans) agent="IAP-trans, which mixes all patches by attention" ;;
    *) agent="The attention agent" ;;
esac

{
    if [[ $name == "$world" ]]; then echo "# $world"; else echo "# $world, $name"; fi
    echo
    echo "$agent, attention \`$(setting attention)\`, $parameters parameters."
    echo
    echo '```sh'
    echo "$command"
    echo '```'
    echo
    echo "| | |"
    echo "| --- | --- |"
    echo "| trained in | $(setting variant) |"
    echo "| trained for | $generation generations, $(awk "BEGIN {printf \"%.2f\", $steps / 1e6}") million steps |"
    echo "| wall clock | $(awk "BEGIN {printf \"%.0f\", $seconds / 60}") minutes on at most $cores cores, which other work shared |"
    echo "| seed | $(sed -n '/^train:/,/^[a-z]*:$/s/^ *seed: //p' "$run/task.yaml" | head -n 1) |"
    echo
    echo "![training curve]($name.svg)"
    echo
    case $world in
        car-racing) rows_of_car_racing ;;
        take-cover) rows_of_take_cover ;;
        *) rows_of_control ;;
    esac
} >"$card.tmp"
mv "$card.tmp" "$card"
echo "$policy and $card"
