"""render.py DOMAIN TASK HEIGHT WIDTH: steps with their pictures a second, drawn by MuJoCo's OpenGL as cheaply as it can.

MuJoCo's own functions without dm_control around them: no shadows, no reflections, one sample a pixel, the sky on.
"""

import os
import sys
import time

from common import absent, report

os.environ.setdefault("MUJOCO_GL", "egl")
os.environ["LP_NUM_THREADS"] = "0"
try:
    import importlib.util
    import pathlib

    import mujoco
    import numpy as np

    suite = pathlib.Path(importlib.util.find_spec("dm_control").origin).parent / "suite"
    domain, task, height, width = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    model = mujoco.MjModel.from_xml_path(str(suite / f"{domain}.xml"))
    model.vis.quality.offsamples = 0
    model.vis.global_.offwidth, model.vis.global_.offheight = width, height
    renderer = mujoco.Renderer(model, height, width)
except Exception as error:  # no wheel, no EGL
    absent(error)

SUBSTEPS = {"walker": 10, "ball_in_cup": 10}.get(domain, 1)
STEPS, best = 150, 0.0
data, scene, rgb = mujoco.MjData(model), renderer.scene, np.empty((height, width, 3), np.uint8)
option, perturb, camera = mujoco.MjvOption(), mujoco.MjvPerturb(), mujoco.MjvCamera()
camera.type, camera.fixedcamid = mujoco.mjtCamera.mjCAMERA_FIXED, 0
scene.flags[mujoco.mjtRndFlag.mjRND_SHADOW] = scene.flags[mujoco.mjtRndFlag.mjRND_REFLECTION] = False
renderer._gl_context.make_current()
for _ in range(4):
    begin = time.perf_counter()
    for step in range(STEPS):
        data.ctrl[:] = [0.5 * ((step // 7 + i) % 3 - 1) for i in range(model.nu)]
        mujoco.mj_step(model, data, SUBSTEPS)
        mujoco.mjv_updateScene(model, data, option, perturb, camera, mujoco.mjtCatBit.mjCAT_ALL, scene)
        mujoco.mjr_render(renderer._rect, scene, renderer._mjr_context)
        mujoco.mjr_readPixels(rgb, None, renderer._rect, renderer._mjr_context)
    best = max(best, STEPS / (time.perf_counter() - begin))
report(f"MuJoCo {mujoco.__version__} OpenGL at its cheapest", best)
sys.stdout.flush()
os._exit(0)  # contexts are not worth closing
