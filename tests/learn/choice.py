"""Which way an agent that keeps patches learns where to look: PYTHONPATH=build/python/site choice.py

A picture of 36 patches has one bright blue one, whose red and green are the answer; three patches of any red and
green without blue distract. The agent is told learned values of the patches that it keeps. Prints the mean square error
over unseen pictures, of the policy as it acts, after 1,000 steps of Adam from five seeds. With the word `place` the answer
is where a red square is, a green one distracts, and the agent is told positions alone.
"""

import sys

import numpy as np
import saccade

STEPS, SIDE = 1000, 24
WAYS = {
    "fixed": {"choosing": "fixed"},
    "straight, temperature 1": {"choosing": "straight"},
    "straight, 0.3": {"choosing": "straight", "temperature": 0.3},
    "straight, falling from 1 to 0.1": {"choosing": "straight", "last_temperature": 0.1},
    "soft, 0.3": {"choosing": "soft", "temperature": 0.3},
    "soft, falling from 1 to 0.1": {"choosing": "soft", "last_temperature": 0.1},
    "soft, falling from 1 to 0.03": {"choosing": "soft", "last_temperature": 0.03},
}


PLACE = sys.argv[1:] == ["place"]


def paint(frame, cell, colour):
    row, column = cell // 6 * 4, cell % 6 * 4
    frame[row:row + 4, column:column + 4] = colour


def pictures(count, seed):
    random = np.random.default_rng(seed)
    frames = random.integers(60, 120, (count, SIDE, SIDE, 3)).astype(np.uint8)
    answers = np.empty((count, 2), np.float32)
    for frame, answer in zip(frames, answers):
        cells = random.choice(36, 2 if PLACE else 4, replace=False)
        colour = random.integers(0, 256, 2)
        for k, cell in enumerate(cells):
            other = (40, 220, 40) if PLACE else (*random.integers(0, 256, 2), 0)
            paint(frame, cell, other if k else (220, 40, 40) if PLACE else (*colour, 250))
        answer[:] = 0.8 * (np.array(divmod(cells[0], 6)) / 2.5 - 1 if PLACE else colour / 127.5 - 1)
    return frames, answers


def agent(attention, top, seed):
    policy = saccade.Policy("attention-agent", observation_shape=(SIDE, SIDE, 3), action_size=2, patch=4, stride=0,
                            top=top, attention=attention, controller="mlp", hidden=16,
                            patch_features="positions" if PLACE else "values", value_size=4)
    return policy.with_parameters(policy.draw(seed))


def error(policy, frames, answers):
    state = policy.state()
    return float(((np.array([state.act(frame) for frame in frames]) - answers) ** 2).mean())


def main():
    frames, answers = pictures(1500, 1)
    unseen = pictures(400, 2)
    print(f"a constant: {((unseen[1] - unseen[1].mean(0)) ** 2).mean():.3f}")
    for attention in ("softmax", "relu"):
        for top in (1, 3):
            for name, way in WAYS.items():
                found = []
                for seed in range(1, 6):
                    policy = agent(attention, top, seed)
                    fit = saccade.learn.Fit(policy, rate=5e-3, total_steps=STEPS, last_rate=0.1, **way)
                    fit.run(frames, answers, starts=np.ones(len(frames), bool), steps=STEPS)
                    found.append(error(fit.policy, *unseen))
                print(f"{attention:8} K = {top}  {name:32} " + " ".join(f"{x:.4f}" for x in sorted(found)), flush=True)


main()
