"""control.py DOMAIN TASK HEIGHT WIDTH: dm_control's steps a second, each with its picture from camera 0."""

import os
import sys
import time

from common import absent, report

os.environ.setdefault("MUJOCO_GL", "egl")
try:
    import numpy as np
    from dm_control import suite
    from importlib.metadata import version
except Exception as error:  # no library, or none that draws
    absent(error)

domain, task, height, width = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
env, best, steps = suite.load(domain, task, task_kwargs={"random": 1}), 0, 40
size = env.action_spec().shape[0]
for _ in range(3):
    env.reset()
    begin = time.perf_counter()
    for step in range(steps):
        env.step(np.array([0.5 * ((step // 7 + i) % 3 - 1) for i in range(size)]))
        env.physics.render(height, width, camera_id=0)
    best = max(best, steps / (time.perf_counter() - begin))
report(f"dm_control {version('dm_control')}", best)
