#!/usr/bin/env python3
"""pictures.py [MODEL.xml|FOLDER ...] [--size 240x320] [--out FOLDER] [--sheet FILE.png] [--repeat N]:
saccade.mujoco.Renderer beside MuJoCo's.

Moves each model, lets both draw the same states by the same calls, in turns in one process on one core, and prints the
mean difference in grey levels, the pixels that are off by more than 24, the median and the worst of depth's relative
difference (what 99.9 % of the pixels are below), the pixels whose segmentation agrees, microseconds of processor time
of update_scene and render, and how many times as fast saccade is. Depth and segmentation are compared without
multisampling, because MuJoCo's blends the numbers of objects. Then it prints what holds for each package.

Without models: all that come with the installed packages. Models may be named as the table names them, such as
suite/cheetah, and a folder stands for all models in it, such as that of a package: gymnasium_robotics, robosuite.
--out writes both pictures and their difference side by side, and --sheet all pairs on one sheet, MuJoCo's on the left.
Ends with 1 where a mean difference is above 1 grey level.

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


SITE = pathlib.Path(mujoco.__file__).parent.parent


def models(folder):
    """The models below a folder; some of them are parts, which cannot be loaded alone."""
    return sorted(path for path in folder.rglob("*.xml") if "<mujoco" in path.read_text(errors="replace")[:5000])


def named(path):
    return f"{path.parent.name}/{path.stem}"


def found(wanted):
    """(package, path) of the models in these folders and of these files or names; of all where none is named."""
    if not wanted:
        return [(path.relative_to(SITE).parts[0], path) for path in models(SITE)]
    by_name = any(not os.path.exists(name) for name in wanted)
    known, out = {named(path): path for path in models(SITE)} if by_name else {}, []
    for name in wanted:
        path = known.get(name, pathlib.Path(name))
        if not path.exists():
            sys.exit(f"pictures.py: '{name}' is no file, no folder and no model of the installed packages")
        out += [(path.resolve().name, model) for model in models(path)] if path.is_dir() else [("models", path)]
    return out


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
    begin = time.process_time()  # other programs have no part in it, and Mesa has no threads of its own
    for _ in range(count):
        renderer.update_scene(data, camera)
        renderer.render()
    return (time.process_time() - begin) / count


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


def summary(rows):
    mean, same, ratio = (np.array([row[key] for row in rows]) for key in ("mean", "same", "ratio"))
    return (f"{len(rows)} models: mean {np.median(mean):.2f} in the median and {mean.max():.2f} at most, segmentation "
            f"{np.median(same):.2f} % in the median and {same.min():.1f} % at least, {np.median(ratio):.1f} times as "
            f"fast in the median and {ratio.min():.1f} times at least, 5 times or more in {(ratio >= 5).sum()}")


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
    rows, pairs = {}, []
    print("model                           mean   off %  depth    worst    same %      us  theirs  ratio")
    for package, path in found(options.models):
        try:
            row = compare(path, size, options.repeat, options.out, pairs)
        except (ValueError, mujoco.FatalError) as error:  # parts of models, which MuJoCo does not load alone
            print(f"{path.stem:30.30} {str(error).splitlines()[0]:.80}", file=sys.stderr)
            continue
        rows.setdefault(package, []).append(row)
        print(f"{named(path):30.30} {row['mean']:6.3f} {row['off']:6.3f}  {row['depth']:.1e}  "
              f"{row['worst']:.1e} {row['same']:7.3f} {row['us']:7.0f} {row['theirs']:7.0f} {row['ratio']:6.1f}", flush=True)
    if not rows:
        return 1
    if options.sheet:
        lay_out(pairs).save(options.sheet, optimize=True)
    for package, some in rows.items():
        print(f"{package}: {summary(some)}")
    every = sum(rows.values(), [])
    if len(rows) > 1:
        print(f"all: {summary(every)}")
    return int(max(row["mean"] for row in every) > 1.0)


if __name__ == "__main__":
    sys.exit(main())
