#!/usr/bin/env python3
"""compare.py DRAW [--models a,b] [--sizes 100x100,240x320] [--out FOLDER]: our pictures beside MuJoCo's own.

Loads models of dm_control, moves them, lets MuJoCo draw them through EGL or OSMesa (plain: no shadows, reflections and
multisampling; default: with them), draws the same states with DRAW (tests/render/draw.c) and prints mean absolute
difference, pixels off by more than 24, and the mean relative error of depth without sky. Ends with 1 where a bar is
missed: plain 0.3 and 0.1 %, default 1.0 and 1 %, depth 1e-4; with 77 where MuJoCo or its OpenGL is missing.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

os.environ.setdefault("MUJOCO_GL", "egl")
try:
    import mujoco
    import numpy as np
    with mujoco.Renderer(mujoco.MjModel.from_xml_string("<mujoco/>"), 8, 8):
        pass
except Exception as missing:  # no wheel, or no OpenGL
    print(f"skip: needs a peer: MuJoCo with EGL or OSMesa: {missing}")
    sys.exit(77)

MODELS = ("cheetah walker cartpole ball_in_cup reacher acrobot finger fish hopper humanoid humanoid_CMU manipulator "
          "pendulum point_mass quadruped stacker swimmer dog").split()
BARS = {"plain": (0.3, 0.001), "sra": (1.0, 0.01)}


def suite_folder():
    import importlib.util
    return pathlib.Path(importlib.util.find_spec("dm_control").origin).parent / "suite"


def state_of(model, seed):
    """Positions after a little motion from a random start."""
    data = mujoco.MjData(model)
    random = np.random.RandomState(seed)
    for _ in range(100):
        data.ctrl[:] = random.uniform(-1, 1, model.nu)
        mujoco.mj_step(model, data)
    return data.qpos.copy()


def their_pictures(model, qpos, camera, height, width, mode):
    model.vis.quality.offsamples = 4 if mode != "plain" and "a" in mode else 0
    model.vis.global_.offwidth, model.vis.global_.offheight = width, height
    data = mujoco.MjData(model)
    data.qpos[:] = qpos
    mujoco.mj_forward(model, data)
    with mujoco.Renderer(model, height, width) as renderer:
        def draw():
            for _ in range(2):  # endless planes follow the camera of the update before
                renderer.update_scene(data, camera=camera)
            renderer.scene.flags[mujoco.mjtRndFlag.mjRND_SHADOW] = "s" in mode
            renderer.scene.flags[mujoco.mjtRndFlag.mjRND_REFLECTION] = "r" in mode
            return renderer.render().copy()
        rgb = draw()
        # depth as drawn: what is seen through is not in it
        z = np.empty((height, width), np.float32)
        renderer._gl_context.make_current()
        mujoco.mjr_readPixels(None, z, renderer._rect, renderer._mjr_context)
        near, far = model.vis.map.znear * model.stat.extent, model.vis.map.zfar * model.stat.extent
        depth = near * far / (near + z[::-1] * (far - near))
        renderer.enable_segmentation_rendering()
        ids = draw()
        names = {geom.segid: (geom.objid, geom.objtype) for geom in renderer.scene.geoms[:renderer.scene.ngeom]}
    return rgb, depth, ids, names


def our_pictures(program, path, qpos, camera, height, width, mode, repeat=1):
    done = subprocess.run([program, str(path), str(camera), str(width), str(height), mode, str(repeat)],
                          input=qpos.astype(np.float64).tobytes(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.decode())
    pixels = height * width
    rgb = np.frombuffer(done.stdout[:3 * pixels], np.uint8).reshape(height, width, 3)
    depth = np.frombuffer(done.stdout[3 * pixels:7 * pixels], np.float32).reshape(height, width)
    ids = np.frombuffer(done.stdout[7 * pixels:], np.int32).reshape(height, width)
    return rgb, depth, ids, float(done.stderr.split()[-1])


def save(path, *pictures):
    import zlib, struct
    picture = np.concatenate(pictures, 1)
    height, width, _ = picture.shape
    raw = b"".join(b"\0" + row.tobytes() for row in picture)
    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) +
                     chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b""))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("draw")
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--sizes", default="100x100,240x320")
    parser.add_argument("--modes", default="plain,sra")
    parser.add_argument("--camera", type=int, default=0)
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--repeat", type=int, default=1)
    options = parser.parse_args()
    options.draw = os.path.abspath(options.draw)
    options.out = options.out and options.out.absolute()
    os.chdir(tempfile.mkdtemp())  # MuJoCo leaves a log where it runs
    failed = 0
    for name in options.models.split(","):
        path = pathlib.Path(name) if name.endswith(".xml") else suite_folder() / f"{name}.xml"
        model = mujoco.MjModel.from_xml_path(str(path))
        qpos = state_of(model, 1)
        for size in options.sizes.split(","):
            height, width = map(int, size.split("x"))
            for mode in options.modes.split(","):
                camera = options.camera if model.ncam else -1
                rgb, depth, ids, names = their_pictures(model, qpos, camera, height, width, mode)
                own, own_depth, own_ids, took = our_pictures(options.draw, path, qpos, camera, height, width, mode,
                                                             options.repeat)
                difference = np.abs(rgb.astype(int) - own)
                mad, off = difference.mean(), (difference.max(2) > 24).mean()
                solid = (own_ids >= 0) & (ids[..., 0] >= 0)
                error = np.abs(own_depth - depth)[solid] / depth[solid]
                near = np.median(error) if solid.any() else 0.0
                mean = error[error < 0.05].mean() if solid.any() else 0.0
                jumps = (error >= 0.05).sum()
                named = np.array([names.get(i, (-1, -1)) for i in range(-1, max(names, default=-1) + 1)])[own_ids + 1]
                agree = (named == ids).all(2).mean()
                bar = BARS.get(mode, BARS["sra"])
                well = mad <= bar[0] and off < bar[1] and ("s" in mode or mean <= 1e-4)
                failed += not well
                print(f"{name:13} {size:8} {mode:6} mean {mad:6.3f}  off {100 * off:6.3f} %  depth {mean:.1e} "
                      f"(median {near:.0e}, {jumps} jumps)  ids {100 * agree:6.2f} %  {took:7.1f} us"
                      f"{'' if well else '  <-- misses the bar'}", flush=True)
                if options.out:
                    options.out.mkdir(exist_ok=True)
                    save(options.out / f"{path.stem}-{size}-{mode}.png", rgb, own,
                         np.minimum(255, difference * 4).astype(np.uint8))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
