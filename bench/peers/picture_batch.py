#!/usr/bin/env python3
"""picture_batch.py [MODEL.xml ...] [--size 84x84] [--count 64] [--threads 1,2] [--repeat N]: pictures a second.

Moves as many states of each model as --count says, and lets saccade.mujoco.BatchRenderer draw all of them by each number
of threads, saccade.mujoco.Renderer one after another, and mujoco.Renderer some of them (EGL, Mesa on one core). Times
are the best of N of update_scene and render together, all in turns. Ends with 1 where a pixel of a batch is not that of
Renderer. Without models: five of the control suite.

PYTHONPATH is to hold the package (tests/python/run.sh unpacks it into build/python/site).
"""
import argparse
import pathlib
import sys
import time

import pictures  # first, because it chooses EGL
import mujoco
import numpy as np

import saccade.mujoco

SUITE = ("cheetah", "walker", "humanoid", "quadruped", "dog")
THEIRS = 4  # pictures by mujoco.Renderer, which takes long


def states(model, count):
    """States of a model that differ."""
    datas, random = [mujoco.MjData(model) for _ in range(count)], np.random.RandomState(1)
    for data in datas:
        data.ctrl[:] = random.uniform(-1, 1, model.nu)
        mujoco.mj_step(model, data, 20)
        mujoco.mj_forward(model, data)
    return datas


def one_by_one(renderer, datas, camera):
    pixels = []
    for data in datas:
        renderer.update_scene(data, camera)
        pixels.append(renderer.render())
    return np.stack(pixels)


def at_once(renderer, datas, camera):
    renderer.update_scene(datas, camera)
    return renderer.render()


def compare(path, options):
    model = mujoco.MjModel.from_xml_path(str(path))
    size = [int(x) for x in options.size.split("x")]
    camera, datas = 0 if model.ncam else -1, states(model, options.count)
    runs = [(at_once, saccade.mujoco.BatchRenderer(model, *size, threads=threads), datas)
            for threads in options.threads]
    runs += [(one_by_one, saccade.mujoco.Renderer(model, *size), datas)]
    expected = one_by_one(runs[-1][1], datas, camera)
    same = all(np.array_equal(draw(renderer, some, camera), expected) for draw, renderer, some in runs)
    runs += [(one_by_one, mujoco.Renderer(model, *size), datas[:THEIRS])]
    best = [0.0] * len(runs)
    for _ in range(options.repeat):
        for i, (draw, renderer, some) in enumerate(runs):
            begin = time.perf_counter()
            draw(renderer, some, camera)
            best[i] = max(best[i], len(some) / (time.perf_counter() - begin))
    for _, renderer, _ in runs:
        renderer.close()
    return best, same


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", type=pathlib.Path)
    parser.add_argument("--size", default="84x84")
    parser.add_argument("--count", type=int, default=64)
    parser.add_argument("--threads", type=lambda text: [int(x) for x in text.split(",")], default=[1, 2])
    parser.add_argument("--repeat", type=int, default=10)
    options = parser.parse_args()
    known = {path.stem: path for path in pictures.models(pictures.SITE) if path.parent.name == "suite"}
    same = True
    print("pictures a second     " + "".join(f"{f'{n} thread' + 's' * (n > 1):>12}" for n in options.threads)
          + f"{'one by one':>12}{'MuJoCo':>12}")
    for path in options.models or [known[name] for name in SUITE]:
        best, equal = compare(path, options)
        same = same and equal
        print(f"{path.stem:22.22}" + "".join(f"{x:12.0f}" for x in best) + ("" if equal else "  OTHER PIXELS"), flush=True)
    return int(not same)


if __name__ == "__main__":
    sys.exit(main())
