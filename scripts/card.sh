#!/usr/bin/env bash
# card.sh RUN NAME "COMMAND": puts a run's best policy into zoo/car-racing with its card: the command that trained it,
# what it cost, its curve, and how it drives 100 unseen tracks under every variant and both sets of rules.
set -euo pipefail
cd "$(dirname "$0")/.."
run=${1:?run folder} name=${2:?name} command=${3:?command that trained it}
saccade=build/saccade zoo=zoo/car-racing threads=$(nproc)
policy=$zoo/$name.safetensors card=$zoo/$name.md

mkdir -p "$zoo"
"$saccade" eval "$run/best.safetensors" --seeds 0..99 --threads "$threads" --stamp "$policy" >/dev/null
"$saccade" plot "$run" --out "$zoo/$name.svg" --title "car-racing, $name" >/dev/null

# "mean +- standard deviation" over tracks 0..99
score() {
    "$saccade" eval "$policy" --seeds 0..99 --threads "$threads" "$@" |
        sed -n 's/^mean \([-0-9.]*\), standard deviation \([0-9.]*\),.*/\1 +- \2/p'
}

last=$(tail -n 1 "$run/metrics.csv")
IFS=, read -r generation steps seconds _ <<<"$last"
sed_value() { sed -n "s/^ *$1: //p" "$run/task.yaml" | head -n 1; }
cores=$(sed -n 's/.* with \([0-9]*\) threads.*/\1/p' "$run/events.jsonl" | sort -n | tail -n 1)

{
    echo "# car-racing, $name"
    echo
    echo "The attention agent, attention \`$(sed_value attention)\`, 3,667 parameters."
    echo
    echo '```sh'
    echo "$command"
    echo '```'
    echo
    echo "| | |"
    echo "| --- | --- |"
    echo "| trained for | $generation generations, $(awk "BEGIN {printf \"%.1f\", $steps / 1e6}") million steps |"
    echo "| wall clock | $(awk "BEGIN {printf \"%.0f\", $seconds / 60}") minutes on at most $cores cores, which other work shared |"
    echo "| seed | $(sed -n '/^train:/,/^[a-z]*:$/s/^ *seed: //p' "$run/task.yaml" | head -n 1) |"
    echo
    echo "![training curve]($name.svg)"
    echo
    echo "Returns over tracks 0..99, which training never saw (it draws its tracks from seeds above 1,000,000, and the"
    echo "vector was chosen by seeds 1000 and on): \`saccade eval $policy --seeds 0..99 --variant V\`."
    echo
    echo "| variant | mean +- standard deviation of 100 | the paper's agent |"
    echo "| --- | --- | --- |"
    echo "| original, rules v3 | $(score) | |"
    echo "| original, rules v0 (\`--set rules=v0\`) | $(score --set rules=v0) | 914 +- 15 |"
    echo "| color | $(score --variant color) | 866 +- 112 |"
    echo "| bars | $(score --variant bars) | 900 +- 35 |"
    echo "| blob | $(score --variant blob) | 898 +- 53 |"
    echo "| noise | $(score --variant noise) | |"
    echo "| video=procedural | $(score --variant video=procedural) | |"
    echo "| fake-lane | $(score --variant fake-lane) | |"
} >"$card.tmp"
mv "$card.tmp" "$card"
echo "$policy and $card"
