"""env.py STEPS: Gymnasium's CarRacing steps a second, each with its picture, by the actions that saccade bench uses."""

import sys
import time

from common import absent, report

try:
    import gymnasium
    import numpy as np

    env = gymnasium.make("CarRacing-v3").unwrapped
except (ImportError, gymnasium.error.Error) as error:
    absent(error)

steps, best = int(sys.argv[1]), 0
for _ in range(3):
    env.reset(seed=1)
    seconds = 0
    for step in range(steps):
        action = np.array([0.3 * (step // 20 % 3 - 1), 0.3, 0.0], np.float32)
        begin = time.perf_counter()
        _, _, terminated, truncated, _ = env.step(action)
        seconds += time.perf_counter() - begin
        if terminated or truncated:
            env.reset()
    best = max(best, steps / seconds)
report(f"gymnasium {gymnasium.__version__}", best)
