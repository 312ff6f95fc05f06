#!/usr/bin/env bash
# Every reading of attention that a task can name is trained from nothing, saved, resumed, evaluated and looked at.
#   readings.sh SACCADE
set -uo pipefail
saccade=$1
source "$(dirname "$0")/../check.sh"

# the toy with few patches: whole runs of a second or two
cat >"$work/task.yaml" <<END
env: {id: toy}
policy: {kind: iap-rank, stride: 5, top: 4, patch_features: positions+values, controller: linear}
search: {method: sep-cma-es, population: 32, sigma: 0.1}
train: {generations: 30, checkpoint_every: 5}
evaluation: {every: 10, episodes: 50}
END

mean_of() # EVAL ARGUMENTS: "mean error" over unseen episodes, the error of the mean of 200
{
    "$saccade" eval "$@" --seeds 0..199 --threads 2 | awk '/^mean/ { gsub(",", ""); print $2, $5 / sqrt($6) }'
}

# better than random actions by more than three standard errors of their difference
learns()
{
    read -r here error < <(mean_of "$work/$1/best.safetensors")
    awk -v a="$here" -v b="$random" -v x="$error" -v y="$random_error" 'BEGIN { exit !(a - b > 3 * sqrt(x * x + y * y)) }'
}

same_after_resuming() # NAME SETTINGS...: ten generations and then the rest leave what all at once do
{
    local name=$1
    shift
    "$saccade" train "$work/task.yaml" --run "$work/two" --generations 10 "$@" >/dev/null || return 1
    "$saccade" train "$work/task.yaml" --run "$work/two" --resume --generations 30 "$@" --threads 2 >/dev/null || return 1
    cmp "$work/$name/best.safetensors" "$work/two/best.safetensors"
    local status=$?
    rm -r "$work/two"
    return $status
}

is_watched() # every step of an episode as a picture, the attention in it
{
    "$saccade" watch "$work/$1/best.safetensors" --frames "$work/frames" || return 1
    local count
    count=$(find "$work/frames" -name '*.png' | wc -l)
    rm -r "$work/frames"
    [[ $count -ge 50 ]]
}

says() { [[ $("$saccade" "${@:2}" 2>&1) == *"$1"* ]]; }

read -r random random_error < <(mean_of --random --env toy)
while read -r name settings; do
    read -ra words <<<"$settings"
    args=()
    for word in "${words[@]}"; do args+=(--set "policy.$word"); done
    check "$name trains" "$saccade" train "$work/task.yaml" --run "$work/$name" "${args[@]}"
    check "$name is better than random actions" learns "$name"
    check "$name ends the same after a stop" same_after_resuming "$name" "${args[@]}"
    check "$name is watched" is_watched "$name"
    check "$name is spelled out by its run" grep -qE "^  ${words[0]%%=*}: ${words[0]#*=}$" "$work/$name/task.yaml"
done <<END
values patch_features=values
projection projection=learned
sample selection=sample
tree selection=tree
heads heads=3
keys key_period=3
all projection=learned selection=sample heads=2 key_period=2
END
check "an export says what it does not have" says "heads is '3', but only '1' can be exported" \
    export "$work/heads/best.safetensors" --c "$work/a.c"
check "a mistake is named" says "did you mean 'learned'" train "$work/task.yaml" --run "$work/no" --set policy.projection=lerned
finish
