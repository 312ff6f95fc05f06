#!/usr/bin/env bash
# A world with two pictures, a depth picture, a state vector and a privileged part, outside the repository's own: builds
# examples/eyes.c as its first line says, and trains, films and scores policies that take some of its parts.
#   eyes.sh SACCADE
set -uo pipefail
saccade=$(realpath "$1")
cd "$(dirname "$0")/../.." || exit 1
source tests/check.sh
source tests/plugins.sh
need_compiler "eyes"
check "examples/eyes.c builds by its own line" builds_as_it_says eyes
cp examples/eyes.yaml "$work"
cd "$work" || exit 1
export SACCADE_PLUGINS=$work/eyes.so

lists()
{
    "$saccade" envs eyes | grep -x '               depth 24 x 32 floats' &&
        "$saccade" envs eyes | grep -x '               ball 2 numbers (privileged: for teachers alone)'
}
check "its parts are listed" lists

mean() { sed -nE 's/^mean (-?[0-9.]+),.*/\1/p'; }
above() { awk -v a="$1" -v b="$2" 'BEGIN {exit !(a > b)}'; }
train() # RUN [option...]
{
    local run=$1
    shift
    "$saccade" train eyes.yaml --run "$run" --quiet "$@"
}

learns() # by picture and state; the same bytes for two threads
{
    train one --generations 20 --threads 1 && train two --generations 20 --threads 2 && cmp one/mean.safetensors two/mean.safetensors || return 1
    local learned random
    learned=$("$saccade" eval one/best.safetensors --seeds 0..49 | mean)
    random=$("$saccade" eval --env eyes --random --seeds 0..49 | mean)
    echo "learned $learned, random $random"
    above "$learned" "$random + 1" && above "$learned" "2 * $random"
}
check "a policy of picture and state learns it" learns

resumes() # a policy of two inputs goes on after a stop, to the byte
{
    train rest --generations 10 && train rest --resume --generations 20 && cmp one/mean.safetensors rest/mean.safetensors
}
check "a run of it is resumed to the byte" resumes

# numbers do not change where it looks, but the image must have the size of its picture
check "attend takes a policy of a picture and numbers" refuses 1 "pixels, the policy looks at" "$saccade" attend \
    one/mean.safetensors "$OLDPWD/docs/images/attention.png"

mixes() # a policy that looks through softmax, of the same parts
{
    train soft --generations 1 --set policy.attention=softmax &&
        refuses 2 "up-training: the policy takes 2 parts, the first of them 'left'" "$saccade" uptrain soft/mean.safetensors --out up.safetensors
}
check "uptrain refuses a policy of several parts" mixes

other_parts() # depth and state; what a teacher alone may see; numbers alone
{
    train depth --generations 2 --set "policy.inputs=depth state" &&
        sed -e '/inputs\|patch\|top\|attention: /d' -e 's/attention-agent/mlp/' eyes.yaml >numbers.yaml &&
        "$saccade" train numbers.yaml --run numbers --quiet --generations 2 &&
        "$saccade" train numbers.yaml --run teacher --quiet --generations 2 --set policy.inputs=ball \
            --set policy.teacher=true &&
        "$saccade" eval teacher/mean.safetensors --seeds 0..3 && "$saccade" eval depth/mean.safetensors --seeds 0..3
}
check "other policies take other parts" other_parts
check "attend refuses a policy of depth" refuses 1 "the policy takes 'depth" "$saccade" attend depth/mean.safetensors \
    "$OLDPWD/docs/images/attention.png"

refuses() # WORDS [option...]
{
    local words=$1
    shift
    "$saccade" train eyes.yaml --run refused --quiet "$@" 2>said && return 1
    [[ $(wc -l <said) == 1 ]] && grep -F -- "$words" said
}
check "a part that is not there is named" refuses "eyes has no part 'lft', did you mean 'left'?" \
    --set "policy.inputs=lft state"
check "a privileged part is for teachers" refuses "'ball' of eyes is privileged: only a teacher may see it" \
    --set "policy.inputs=left ball"
check "an agent looks at one picture" refuses "attention-agent looks at one picture" --set "policy.inputs=left right"
check "a part twice is refused" refuses "'left' stands there twice" --set "policy.inputs=left left"

films() # what a policy looks at is shown, the depth picture too; one of numbers alone shows the world
{
    for run in one depth numbers teacher; do
        "$saccade" watch $run/mean.safetensors --frames film-$run --steps 5 || return 1
        [[ $(find film-$run -name '*.png' | wc -l) -ge 5 ]] || { ls film-$run; return 1; }
    done
}
check "policies of it are filmed" films
finish
