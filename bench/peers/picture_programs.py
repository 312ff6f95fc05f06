#!/usr/bin/env python3
"""picture_programs.py [PROGRAM ...] [--repeat N]: programs of others that draw by mujoco.Renderer, as they are installed.

Each runs by saccade.mujoco.Renderer in the place of mujoco.Renderer and by that itself (EGL, Mesa on one core), with
nothing else changed, in turns in one process. Prints how many pictures it drew, the mean difference of those in colour
in grey levels (of all, and of the worst picture), microseconds of update_scene and render for a picture, and how many
times as fast saccade is. Ends with 1 where a mean is above 1 grey level, a program draws other pictures, or one is left
out because its package is not there (make peers).

    renderer_test  the tests of mujoco.Renderer, which come with the package mujoco
    sysid          its mujoco.sysid: a film of several rollouts at once
    brax           brax.io.image: a film of a trajectory (the package brax)
    playground     a film of an environment of MuJoCo Playground's (the package playground)
    myosuite       the renderer of MyoSuite's environments: colour, depth and segmentation (the package myosuite)

PYTHONPATH is to hold saccade's package (tests/python/run.sh unpacks it into build/python/site).
"""
import argparse
import importlib
import importlib.util
import os
import pathlib
import sys
import time
import types
import unittest

os.environ.setdefault("MUJOCO_GL", "egl")
os.environ.setdefault("LP_NUM_THREADS", "0")  # Mesa on one core
import mujoco  # noqa: E402
import numpy as np  # noqa: E402

import saccade.mujoco  # noqa: E402

THEIRS = mujoco.Renderer
FRAMES = 10


def recording(kind, log):
    """The class of a renderer that also keeps its pictures, and how long it took."""

    class Renderer(kind):
        def update_scene(self, *arguments, **named):
            begin = time.perf_counter()
            super().update_scene(*arguments, **named)
            log.seconds += time.perf_counter() - begin

        def render(self, *arguments, **named):
            begin = time.perf_counter()
            picture = super().render(*arguments, **named)
            log.seconds += time.perf_counter() - begin
            log.pictures.append(picture.copy())
            return picture

    return Renderer


def run(program, kind):
    """What a program draws by a renderer."""
    log = types.SimpleNamespace(pictures=[], seconds=0.0, remark="")
    mujoco.Renderer = recording(kind, log)
    try:
        log.remark = program() or ""
    finally:
        mujoco.Renderer = THEIRS
    return log


def package(name):
    return pathlib.Path(importlib.util.find_spec(name).submodule_search_locations[0])


def at_path(path):
    """A module that is loaded alone."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def trajectory(model, steps_a_frame=10):
    """A model, or what is read from a path, and data along a rollout of random controls."""
    if isinstance(model, pathlib.Path):
        model = mujoco.MjModel.from_xml_path(str(model))
    model.vis.global_.offwidth, model.vis.global_.offheight = 640, 480
    data, random, datas = mujoco.MjData(model), np.random.RandomState(1), []
    for _ in range(FRAMES):
        data.ctrl[:] = random.uniform(-1, 1, model.nu)
        mujoco.mj_step(model, data, steps_a_frame)
        datas.append(data.__copy__())
    return model, datas


# ----------------------------------------------------------------------------------------------------------------------
# the programs: each is given what it takes once, and can then be run


def renderer_test():
    module = at_path(package("mujoco") / "renderer_test.py")

    def program():
        tests = unittest.defaultTestLoader.loadTestsFromModule(module)
        result = unittest.TestResult()
        tests.run(result)
        failed = [test.id().rpartition(".")[2] for test, _ in result.failures + result.errors]
        return f"{result.testsRun - len(failed)} of {result.testsRun} tests pass" + "".join(f"; not {x}" for x in failed)

    return program


def sysid():
    plotting = at_path(package("mujoco") / "sysid/_src/plotting.py")
    model, datas = trajectory(package("gymnasium") / "envs/mujoco/assets/ant.xml", 1)
    kind = mujoco.mjtState.mjSTATE_FULLPHYSICS
    states = np.empty((2, FRAMES, mujoco.mj_stateSize(model, kind)))
    for i, data in enumerate(datas):
        for j in range(2):
            mujoco.mj_getState(model, data, states[j, i], kind)
            states[j, i, 2] += j  # the second one is beside the first
    frames_a_second = round(1 / model.opt.timestep)

    def program():
        plotting.render_rollout(model, mujoco.MjData(model), states, frames_a_second, light_pos=(0, 0, 3))

    return program


def brax():
    image = importlib.import_module("brax.io.image")
    model, datas = trajectory(package("brax") / "envs/assets/humanoid.xml")
    system = types.SimpleNamespace(mj_model=model)
    states = [types.SimpleNamespace(q=data.qpos, qd=data.qvel) for data in datas]
    return lambda: image.render_array(system, states, 240, 320, model.camera(0).name if model.ncam else None) and None


def playground():
    environment = importlib.import_module("mujoco_playground._src.mjx_env")
    environment.tqdm.tqdm = lambda frames: frames  # no bar
    model, datas = trajectory(package("mujoco_playground") / "_src/dm_control_suite/xmls/cheetah.xml")
    states = [types.SimpleNamespace(data=data) for data in datas]
    return lambda: environment.render_array(model, states, 480, 640, model.camera(0).name) and None


def myosuite():
    renderer = importlib.import_module("myosuite.viz.mj_renderer")
    model, datas = trajectory(importlib.import_module("myo_sim").load_model("myoelbow"))

    def program():
        data = mujoco.MjData(model)
        drawing = renderer.MJRenderer(model, data)
        for state in datas:
            data.qpos[:] = state.qpos
            mujoco.mj_forward(model, data)
            drawing.render_offscreen(320, 240, depth=True, segmentation=True)
        drawing.close()

    return program


PROGRAMS = {make.__name__: make for make in (renderer_test, sysid, brax, playground, myosuite)}


# ----------------------------------------------------------------------------------------------------------------------


def compare(name, repeat):
    """One row; False where the pictures are not close."""
    program = PROGRAMS[name]()
    ours, theirs = (run(program, kind) for kind in (saccade.mujoco.Renderer, THEIRS))
    best = [ours.seconds, theirs.seconds]
    for _ in range(repeat - 1):
        for i, kind in enumerate((saccade.mujoco.Renderer, THEIRS)):
            best[i] = min(best[i], run(program, kind).seconds)
    shapes = [[(picture.shape, picture.dtype) for picture in log.pictures] for log in (ours, theirs)]
    means = [np.abs(a.astype(int) - b).mean() for a, b in zip(ours.pictures, theirs.pictures)
             if a.dtype == np.uint8 and a.shape == b.shape]
    count = max(1, len(ours.pictures))
    print(f"{name:14} {count:5}  {np.mean(means):6.3f} {np.max(means):6.3f}  {1e6 * best[0] / count:8.0f} "
          f"{1e6 * best[1] / count:8.0f}  {best[1] / best[0]:6.1f}  {ours.remark}", flush=True)
    return shapes[0] == shapes[1] and np.mean(means) <= 1.0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="*", choices=[*PROGRAMS, []])
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    same, wanted, left_out = True, options.programs or [*PROGRAMS], []
    print("program     pictures    mean  worst        us   theirs   ratio")
    for name in wanted:
        try:
            same = compare(name, options.repeat) and same
        except ImportError as error:
            print(f"{name:14} left out: {error} (make peers)")
            left_out.append(name)
    print(f"{len(wanted) - len(left_out)} of {len(wanted)} programs ran" + "".join(f"; not {name}" for name in left_out))
    return int(not same or bool(left_out))


if __name__ == "__main__":
    sys.exit(main())
