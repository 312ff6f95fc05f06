"""rollout.py STEPS PARAMETERS: agent and world together, steps a second: the NumPy agent driving Gymnasium's CarRacing."""

import sys
import time

from common import absent, report, tensors

try:
    import gymnasium
    import numpy as np
    from agents import NumPyAgent

    env = gymnasium.make("CarRacing-v3").unwrapped
except (ImportError, gymnasium.error.Error) as error:
    absent(error)

steps, best = int(sys.argv[1]), 0
agent = NumPyAgent(np, tensors(np, sys.argv[2]))
low, high = env.action_space.low, env.action_space.high
for _ in range(3):
    frame, _ = env.reset(seed=1)
    agent.reset()
    begin = time.perf_counter()
    for _ in range(steps):
        output, _ = agent.act(frame)
        frame, _, terminated, truncated, _ = env.step(low + (output + 1) * 0.5 * (high - low))
        if terminated or truncated:
            frame, _ = env.reset()
            agent.reset()
    best = max(best, steps / (time.perf_counter() - begin))
report(f"numpy {np.__version__} and gymnasium {gymnasium.__version__}", best)
