#!/usr/bin/env python3
"""pictures.py [MODEL.xml ...] [--size 240x320] [--out FOLDER] [--sheet FILE.png] [--repeat N]: saccade.mujoco.Renderer
beside MuJoCo's.

Moves each model, lets both draw the same states by the same calls, in turns in one process on one core, and prints the
mean difference in grey levels, the pixels that are off by more than 24, the median and the worst of depth's relative
difference (what 99.9 % of the pixels are below), the pixels whose segmentation agrees, microseconds of update_scene and
render, and how many times as fast saccade is. Depth and segmentation are compared without multisampling, because
MuJoCo's blends the numbers of objects. Without models: all that come with the installed packages. FOLDER gets
both pictures and their difference side by side, and FILE.png all pairs on one sheet, MuJoCo's on the left. Models may
be named as the table names them, such as suite/cheetah. Ends with 1 where a mean difference is above 1 grey level.

PYTHONPATH is to hold the package (tests/python/run.sh unpacks it into build/python/site).
"""
import argparse
import os
import pathlib
import sys
import time

os.environ.setdefault("MUJOCO_GL", "egl")
os.environ.setdefault("LP_NUM_THREADS", "0")  # Mesa on one core
import mujoco  # noqa: E402
import numpy as np  # noqa: E402

import saccade.mujoco  # noqa: E402

WARMUP = 2  # endless planes of MuJoCo's follow the camera of the update before


def models():
    """The models that come with the packages of this Python and can be loaded as they are."""
    site = pathlib.Path(mujoco.__file__).parent.parent
    return sorted(path for path in site.rglob("*.xml") if "<mujoco" in path.read_text(errors="replace")[:5000])


def named(path):
    return f"{path.parent.name}/{path.stem}"


def found(wanted):
    """The models of these files or names; all of them where none is named."""
    if not wanted:
        return models()
    known = {named(path): path for path in models()}
    return [pathlib.Path(name) if name.endswith(".xml") else known[name] for name in wanted]


def lay_out(pairs, columns=3, gap=4, line=12):
    """All pairs of pictures on one sheet, each with its name below."""
    from PIL import Image, ImageDraw
    height, width = pairs[0][1].shape[:2]
    across, down = 2 * width + gap, height + line + gap
    sheet = Image.new("RGB", (columns * across - gap, -(-len(pairs) // columns) * down - gap), "white")
    pen = ImageDraw.Draw(sheet)
    for i, (name, theirs, ours) in enumerate(pairs):
        left, top = i % columns * across, i // columns * down
        sheet.paste(Image.fromarray(np.concatenate((theirs, ours), 1)), (left, top))
        pen.text((left, top + height), name, "black")
    return sheet


def load(path):
    """A model and a state after a little motion."""
    model = mujoco.MjModel.from_xml_path(str(path))
    data, random = mujoco.MjData(model), np.random.RandomState(1)
    for _ in range(100):
        data.ctrl[:] = random.uniform(-1, 1, model.nu)
        mujoco.mj_step(model, data)
    mujoco.mj_forward(model, data)
    return model, data


def draw(renderer, data, camera):
    for _ in range(WARMUP):
        renderer.update_scene(data, camera)
    return renderer.render()


def exact(kind, model, data, camera, size):
    """Depth and segmentation without multisampling."""
    samples, model.vis.quality.offsamples = int(model.vis.quality.offsamples), 0
    with kind(model, *size) as renderer:
        renderer.enable_depth_rendering()
        depth = draw(renderer, data, camera)
        renderer.enable_segmentation_rendering()
        seen = renderer.render()
    model.vis.quality.offsamples = samples
    return depth, seen


def seconds(renderer, data, camera, count):
    begin = time.perf_counter()
    for _ in range(count):
        renderer.update_scene(data, camera)
        renderer.render()
    return (time.perf_counter() - begin) / count


def compare(path, size, repeat, out, pairs):
    model, data = load(path)
    model.vis.global_.offheight, model.vis.global_.offwidth = size
    camera = 0 if model.ncam else -1
    kinds = (saccade.mujoco.Renderer, mujoco.Renderer)
    (depth, seen), (their_depth, their_seen) = (exact(kind, model, data, camera, size) for kind in kinds)
    ours, theirs = (kind(model, *size) for kind in kinds)
    with ours, theirs:
        own, other = draw(ours, data, camera), draw(theirs, data, camera)
        times = [[seconds(ours, data, camera, 10), seconds(theirs, data, camera, 1)] for _ in range(repeat)]
    difference = np.abs(own.astype(int) - other)
    relative = np.abs(depth - their_depth) / their_depth
    best = np.min(times, 0) * 1e6
    row = {"mean": difference.mean(), "off": 100 * (difference.max(2) > 24).mean(),
           "depth": np.median(relative), "worst": np.quantile(relative, 0.999),
           "same": 100 * (seen == their_seen).all(2).mean(), "us": best[0], "theirs": best[1], "ratio": best[1] / best[0]}
    pairs.append((named(path), other, own))
    if out:
        from PIL import Image
        sides = (other, own, np.minimum(255, 4 * difference).astype(np.uint8))
        Image.fromarray(np.concatenate(sides, 1)).save(out / f"{path.parent.name}-{path.stem}.png")
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*")
    parser.add_argument("--size", default="240x320")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--sheet", type=pathlib.Path)
    options = parser.parse_args()
    size = [int(x) for x in options.size.split("x")]
    if options.out:
        options.out.mkdir(exist_ok=True)
    rows, pairs = [], []
    print("model                           mean   off %  depth    worst    same %      us  theirs  ratio")
    for path in found(options.models):
        try:
            row = compare(path, size, options.repeat, options.out, pairs)
        except (ValueError, mujoco.FatalError) as error:  # parts of models, which MuJoCo does not load alone
            print(f"{path.stem:30.30} {str(error).splitlines()[0]:.80}", file=sys.stderr)
            continue
        rows.append(row)
        print(f"{named(path):30.30} {row['mean']:6.3f} {row['off']:6.3f}  {row['depth']:.1e}  "
              f"{row['worst']:.1e} {row['same']:7.3f} {row['us']:7.0f} {row['theirs']:7.0f} {row['ratio']:6.1f}", flush=True)
    if not rows:
        return 1
    if options.sheet:
        lay_out(pairs).save(options.sheet, optimize=True)
    median = {key: np.median([row[key] for row in rows]) for key in rows[0]}
    print(f"{len(rows)} models, medians: mean {median['mean']:.3f}, {median['us']:.0f} us, {median['ratio']:.1f} times as fast")
    return int(max(row["mean"] for row in rows) > 1.0)


if __name__ == "__main__":
    sys.exit(main())
