"""The recorded pictures of the control tasks, small: python make_control_frames.py OUT.npz RECORDINGS

RECORDINGS is the folder with dmc_*_seed1.npz: positions of rows 0, 100 and 200, and what MuJoCo's OpenGL draws there
through camera 0: plain (no shadows, reflections, multisampling) and with its defaults.
"""

import os
import sys

import numpy as np

TASKS = "cheetah_run walker_walk cartpole_swingup ball_in_cup_catch reacher_easy".split()

out = {}
for task in TASKS:
    recorded = np.load(os.path.join(sys.argv[2], f"dmc_{task}_seed1.npz"))
    rows = recorded["frames_100x100_step"]
    out[f"{task}.qpos"] = recorded["qpos"][rows]
    out[f"{task}.plain"] = recorded["frames_100x100_noshadow_norefl_nomsaa"]
    out[f"{task}.default"] = recorded["frames_100x100"]
    assert recorded["frame_240x320_step"] == rows[1]
    out[f"{task}.wide"] = recorded["frame_240x320"]
np.savez_compressed(sys.argv[1], **out)
