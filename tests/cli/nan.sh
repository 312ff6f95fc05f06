#!/usr/bin/env bash
# Numbers that are not finite: parameters of learners that diverge, and rewards of a world in Python: nan.sh SACCADE
set -uo pipefail
saccade=$1
source "$(dirname "$0")/../check.sh"

# --- learners that diverge on the toy ---

# it learns a little in generation 1, and its parameters overflow in generation 2
cat >"$work/taught.yaml" <<'END'
env: {id: toy, size: 24, max_steps: 20}
policy: {kind: iap-trans, attention: relu, attention_features: 0, patch: 6, stride: 0, key_size: 4, value_size: 4, rows: 4, controller: linear, activation: clip}
search: {method: distill, episodes: 7, fit_steps: 5, batch: 16, optimiser: sgd, rate: 0.3}
train: {generations: 9, checkpoint_every: 1}
evaluation: {every: 1, episodes: 2}
teacher: {policy: tests/train/teacher.safetensors}
END
# Adam takes steps of 10 without a limit
cat >"$work/reward.yaml" <<'END'
env: {id: toy, size: 24, max_steps: 12}
policy: {kind: mlp, inputs: state, teacher: true, controller: mlp, hidden: 8}
search: {method: ppo, worlds: 8, steps: 16, minibatch: 64, rate: 10, largest_norm: 0, anneal: false}
train: {generations: 9, checkpoint_every: 1}
evaluation: {every: 1, episodes: 2}
END

# One line says what happened and how to mend it, the exit code and the folder that the run failed. The generations
# before keep their checkpoint and policies to the byte, and a resume says the same again.
diverges() # NAME GENERATION WORDS
{
    local run=$work/$1 failing=$2 words=$3
    refuses 1 "generation $failing: $words" "$saccade" train "$work/$1.yaml" --run "$run" --quiet || return 1
    cat "$work/err" "$run/events.jsonl"
    grep -q '; try a ' "$work/err" || return 1
    tail -n 1 "$run/events.jsonl" | grep -qF "\"generation\": $failing, \"event\": \"failed\", \"text\": \"generation $failing: $words" || return 1
    "$saccade" runs "$run" | grep -q ' failed ' || return 1
    "$saccade" train "$work/$1.yaml" --run "$run-before" --quiet --generations "$((failing - 1))" || return 1
    local file
    for file in best.safetensors mean.safetensors "checkpoints/$(printf %08d "$((failing - 1))").safetensors"; do
        cmp "$run/$file" "$run-before/$file" || return 1
    done
    [[ $(ls "$run/checkpoints") == $(ls "$run-before/checkpoints") ]] || return 1
    "$saccade" train "$work/$1.yaml" --run "$run" --quiet --resume 2>"$work/err"
    [[ $? == 1 ]] && tail -n 1 "$work/err" | grep -qF "saccade: generation $failing: $words"
}
check "a student that diverges" diverges taught 2 "the fit diverged: after step "
check "PPO that diverges" diverges reward 2 "ppo diverged: after step "
check "Adam without an epsilon, which divides 0 by 0" refuses 2 "search of ppo: epsilon is '0', expected 1e-12 to 1" \
    "$saccade" train "$work/reward.yaml" --run "$work/none" --set search.epsilon=0

# --- a world whose rewards are not numbers ---

python=${SACCADE_PEERS:-$PWD/.venv/bin/python}
if ! "$python" -c "import gymnasium" 2>/dev/null; then
    skip "rewards that are not numbers" "gymnasium (make worlds)"
    finish
fi
export SACCADE_PYTHON=$python PYTHONPATH=$work
cat >"$work/broken_world.py" <<'END'
import gymnasium as gym
import numpy as np


class Broken(gym.Env):
    """A reward that is NaN for actions above `above`, or only where the file `once` is not there yet."""
    observation_space = gym.spaces.Box(0, 255, (16, 16, 3), np.uint8)
    action_space = gym.spaces.Box(-1, 1, (1,), np.float32)

    def __init__(self, above=0.0, once=None):
        self.above, self.once = above, once

    def reset(self, seed=None, options=None):
        return np.full((16, 16, 3), 7, np.uint8), {}

    def step(self, action):
        bad = action[0] > self.above
        if self.once:
            try:
                bad = not open(self.once, "x").close()
            except FileExistsError:
                bad = False
        return np.full((16, 16, 3), 7, np.uint8), float("nan") if bad else 1.0, True, False, {}


gym.register("Broken-v0", Broken, max_episode_steps=5)
END
cat >"$work/task.yaml" <<'END'
env:
  id: gym:broken_world:Broken-v0
policy:
  kind: attention-agent
  top: 2
  hidden: 4
search:
  method: sep-cma-es
  population: 8
evaluation:
  every: 0
END

# half of the candidates fail: the events stay few, the number of such episodes is said in the end, and all is well
some()
{
    "$saccade" train "$work/task.yaml" --run "$work/some" --generations 60 --quiet 2>"$work/said" || return 1
    cat "$work/said"
    [[ $(wc -l <"$work/some/events.jsonl") -lt 14 && $(wc -l <"$work/said") == 1 ]] &&
        grep -qE '^saccade: [0-9]+ episodes gave no number and ranked last; .*/some/events.jsonl names the first$' "$work/said"
}

one() # is one episode, not "1 episodes"
{
    "$saccade" train "$work/task.yaml" --run "$work/one" --generations 3 --quiet --set "env.kwargs={\"once\": \"$work/once\"}" 2>"$work/said" || return 1
    cat "$work/said"
    grep -qE '^saccade: 1 episode gave no number and ranked last; ' "$work/said" &&
        grep -qF 'all generations are done; 1 episode gave no number' "$work/one/events.jsonl"
}

# all of them: a failure at once, which the list of runs shows
all()
{
    refuses 1 "no candidate of generation 1 has a return that is a number: candidate 0, episode seed" \
        "$saccade" train "$work/task.yaml" --run "$work/all" --generations 60 --quiet --set 'env.kwargs={"above": -2}' &&
        "$saccade" runs "$work/all" | grep -q ' failed '
}
without_note() # COMMAND...: what it says, but for the note that --set asks for another world than the policy's
{
    local code
    "$@" 2>"$work/noted"
    code=$?
    grep -v ': this is another world' "$work/noted" >&2
    return $code
}

# a mean of what is no number, and a comparison by it, are failures that name the first such episode
means_nothing()
{
    local policy=$work/some/mean.safetensors code
    "$saccade" eval "$policy" --set 'kwargs={"above": -2}' --seeds 3..5 --stamp "$work/stamped.safetensors" >"$work/out" 2>"$work/err"
    code=$?
    cat "$work/out" "$work/err"
    [[ $code == 1 && ! -e $work/stamped.safetensors ]] && grep -q '^ *4 *nan' "$work/out" || return 1
    grep -qxF 'saccade: eval: the return of 3 of 3 episodes is no number, first that of seed 3' "$work/err" || return 1
    "$saccade" eval "$policy" --set 'kwargs={"above": -2}' --seeds 3..5 --json >"$work/out" 2>"$work/err"
    code=$?
    cat "$work/out" "$work/err"
    [[ $code == 1 ]] && grep -q '"mean": *null' "$work/out" && [[ $(grep -vc ': this is another world' "$work/err") == 1 ]] &&
        refuses 1 "compare: the return of 2 of 2 episodes is no number, first that of seed 0" \
            without_note "$saccade" compare "$policy" "$policy" --set 'kwargs={"above": -2}' --seeds 0..1 &&
        refuses 1 "export: the return of 2 of 2 episodes is no number" \
            without_note "$saccade" export "$policy" --c "$work/agent.c" --int8 --set 'kwargs={"above": -2}' --seeds 0..1 && [[ ! -e $work/agent.c ]]
}

tables() # the table is whole, and what is no number in it is a failure
{
    "$saccade" generalise "$work/some/mean.safetensors" --set 'kwargs={"above": -2}' --seeds 0..1 >"$work/out" 2>"$work/err"
    local code=$?
    cat "$work/out" "$work/err"
    [[ $code == 1 ]] && grep -qF '| original | nan' "$work/out" &&
        grep -qxF 'saccade: generalise: the return of 2 of 2 episodes is no number, first that of seed 0' "$work/err"
}
check "some candidates without a number" some
check "a mean of them is a failure" means_nothing
check "and in a table" tables
check "one episode without a number" one
check "no candidate with a number" all
finish
