#!/usr/bin/env bash
# A task whose options have their former names trains to the same bytes, and says the new names in one line each.
#   renamed.sh SACCADE
set -uo pipefail
saccade=$1
source "$(dirname "$0")/../check.sh"

write() # FILE TOKENS POSITIONS FEATURES DIFFERENCES: the task by these four names
{
    cat >"$work/$1.yaml" <<END
env: {id: toy}
policy: {kind: iap-rank, stride: 5, top: 4, $2: true, $3: false, $4: positions+values, controller: linear}
search: {method: ars, population: 8, $5: sigma}
train: {generations: 6, checkpoint_every: 2}
evaluation: {every: 3, episodes: 4}
END
}
write now normalise_tokens normalise_positions patch_features normalise
write former normalize normalise features normalize

says_the_new_names()
{
    "$saccade" train "$work/former.yaml" --run "$work/former" --quiet 2>"$work/lines" || return 1
    cat "$work/lines"
    [[ $(wc -l <"$work/lines") == 4 ]] || return 1
    local name
    for name in normalise_tokens normalise_positions patch_features normalise; do
        [[ $(grep -c "is called '$name' now" "$work/lines") == 1 ]] || return 1
    done
}

config_says()
{
    "$saccade" config "$work/now.yaml" --set policy.features=values 2>"$work/lines" | grep -q '^  patch_features: values' &&
        [[ $(cat "$work/lines") == *"--set: policy: the option 'features' is called 'patch_features' now" ]]
}

says_nothing() { [[ -z $("$saccade" "$@" --quiet 2>&1) ]]; }

reads_in_silence() { [[ -z $("$saccade" eval "$work/now/best.safetensors" --seeds 0..1 2>&1 >/dev/null) ]]; }

same_files()
{
    local file
    for file in best.safetensors mean.safetensors task.yaml; do cmp "$work/now/$file" "$work/$1/$file" || return 1; done
}

# as a version before the names has left it
turn_back() # RUN
{
    sed -i -E '/^policy:/,/^search:/ { s/normalise_tokens:/normalize:/; s/normalise_positions:/normalise:/
        s/patch_features:/features:/ }; /^search:/,/^train:/s/normalise:/normalize:/' "$work/$1/task.yaml"
    ! grep -qE 'normalise_|patch_features' "$work/$1/task.yaml"
}

goes_on() # TASK: a run of an earlier version to the same end
{
    rm -rf "$work/on"
    "$saccade" train "$work/now.yaml" --run "$work/on" --generations 3 --quiet || return 1
    turn_back on || return 1
    "$saccade" train "$work/$1.yaml" --run "$work/on" --resume --generations 6 --quiet || return 1
    cmp "$work/now/best.safetensors" "$work/on/best.safetensors" && cmp "$work/now/mean.safetensors" "$work/on/mean.safetensors"
}

check "the names of now say nothing" says_nothing train "$work/now.yaml" --run "$work/now"
check "each former name is one line that says the new one" says_the_new_names
check "the same files come of both" same_files former
check "a run of an earlier version goes on by its own task" goes_on former
check "a run of an earlier version goes on by the task of now" goes_on now
check "one of them with another value does not" \
    refuses 2 "policy.normalise_tokens 'true', now it is 'false'" \
    "$saccade" train "$work/now.yaml" --run "$work/on" --resume --set policy.normalise_tokens=false --quiet
check "saccade config says them, too" config_says
check "a policy file keeps the names of its first version" grep -qaF '\"normalize\":\"true\"' "$work/now/best.safetensors"
check "and is read in silence" reads_in_silence
finish
