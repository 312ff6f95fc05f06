#!/usr/bin/env python3
"""picture_gallery.py [FOLDER ...] [--out FOLDER]: the page docs/mujoco-gallery.md: every model that comes with the
installed packages, or with a package in one of the folders, and can be loaded, drawn by MuJoCo's OpenGL and by
saccade.mujoco.Renderer side by side, with the mean difference in grey levels and how many times as fast saccade is as
mujoco.Renderer under EGL and under OSMesa.

Each draws the same state at 240 x 320 pixels by update_scene and render. Times are of the processor, on one core, the
best of several, so other programs hardly change them. MuJoCo takes one OpenGL a process, so OSMesa (Debian's
libosmesa6) is timed in another one; where it is missing its column is empty. The folder of --out, docs unless told,
gets the page and its pictures in images/mujoco. PYTHONPATH is to hold the package (tests/python/run.sh unpacks it into
build/python/site).
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import textwrap
import time

os.environ.setdefault("MUJOCO_GL", "egl")
import mujoco  # noqa: E402
import numpy as np  # noqa: E402

import pictures  # noqa: E402

SIZE = 240, 320
REPEAT = 3
HEAD = """# MuJoCo's models by OpenGL and by saccade

The models that come with {packages}: MuJoCo's own picture on the left, that of `saccade.mujoco.Renderer`
([mujoco.md](mujoco.md)) on the right, at half of their size. `bench/peers/picture_gallery.py` draws and measures them,
and writes this page. Above each pair stand the mean difference in grey levels (0 to 255), and how many times as fast
saccade is as `mujoco.Renderer` by Mesa's software OpenGL: under EGL, and under OSMesa (Debian's `libosmesa6`). Times
are of the processor, on one core, for `update_scene` and `render` at 240 x 320 pixels.

On {date}, with MuJoCo {version}, beside other programs, {count} models: the mean difference is {mean:.2f} grey levels in the median and {most:.2f} at
most. saccade is {egl:.1f} times as fast as EGL in the median and {osmesa} as OSMesa; {slow} are less than 5 times as
fast as EGL.
"""


def models(folders):
    """{package/folder/name: path} of installed packages, then of those in these folders; some cannot be loaded alone."""
    found = pictures.found([]) + (pictures.found(folders) if folders else [])
    return {f"{package}/{pictures.named(path)}": path for package, path in found}


def processor(renderer, data, camera, count):
    """Microseconds of a picture; the best of REPEAT times `count`."""
    best = np.inf
    for _ in range(REPEAT):
        begin = time.process_time()
        for _ in range(count):
            renderer.update_scene(data, camera)
            renderer.render()
        best = min(best, (time.process_time() - begin) / count)
    return 1e6 * best


def drawn(kind, path, count):
    """A picture of a model, and the time of one."""
    model, data = pictures.load(path)
    model.vis.global_.offheight, model.vis.global_.offwidth = SIZE
    camera = 0 if model.ncam else -1
    with kind(model, *SIZE) as renderer:
        return pictures.draw(renderer, data, camera), processor(renderer, data, camera, count)


def rows(kind, count, known):
    """(name, picture, microseconds) of the models that can be loaded."""
    for name, path in known.items():
        try:
            yield name, *drawn(kind, path, count)
        except (ValueError, mujoco.FatalError):  # a part of a model
            continue


def times_of_osmesa(folders):
    """{name: microseconds}, in a process of its own; empty where there is no OSMesa."""
    around = {key: value for key, value in os.environ.items() if key != "PYOPENGL_PLATFORM"}  # this process's own
    done = subprocess.run([sys.executable, "-W", "ignore", __file__, *folders, "--times"], text=True,
                          stdout=subprocess.PIPE, env={**around, "MUJOCO_GL": "osmesa"})
    if done.returncode:
        print("picture_gallery.py: without OSMesa (scripts/setup.sh libosmesa6)", file=sys.stderr)
        return {}
    return json.loads(done.stdout)


def keep(path, pair):
    """Both pictures side by side at half of their size, in few colours."""
    from PIL import Image
    path.parent.mkdir(parents=True, exist_ok=True)
    image = Image.fromarray(np.concatenate(pair, 1))
    image.resize((SIZE[1], SIZE[0] // 2), Image.BOX).quantize(96).save(path, optimize=True)


def page(table):
    """The text, and of each package its models."""
    packages = list(dict.fromkeys(name.split("/")[0] for name in table))
    column = {key: [row[key] for row in table.values()] for key in ("mean", "egl", "osmesa")}
    osmesa = [ratio for ratio in column["osmesa"] if ratio]
    text = HEAD.format(
        packages=" and ".join((", ".join(packages[:-1]), packages[-1])) if packages[1:] else packages[0],
        date=time.strftime("%Y-%m-%d"), version=mujoco.__version__, count=len(table), mean=np.median(column["mean"]), most=max(column["mean"]),
        egl=np.median(column["egl"]), osmesa=f"{np.median(osmesa):.1f} times" if osmesa else "not measured",
        slow=sum(ratio < 5 for ratio in column["egl"]))
    text = "\n\n".join(textwrap.fill(part, 120, break_long_words=False) for part in text.split("\n\n")) + "\n"
    for package in packages:
        text += f"\n## {package}\n"
        for name, row in table.items():
            if name.startswith(package + "/"):
                label = name.partition("/")[2]
                osmesa = f", {row['osmesa']:.1f} x OSMesa" if row["osmesa"] else ""
                text += (f"\n{label}: {row['mean']:.2f} grey levels, {row['egl']:.1f} x EGL{osmesa}\n\n"
                         f"![{label} by OpenGL and by saccade](images/mujoco/{name.replace('/', '-')}.png)\n")
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2] / "docs")
    parser.add_argument("--times", action="store_true", help="of this OpenGL alone, as JSON")
    options = parser.parse_args()
    known = models(options.folders)
    theirs = rows(mujoco.Renderer, 1, known)
    if options.times:
        print(json.dumps({name: seconds for name, _, seconds in theirs}))
        return
    osmesa, table = times_of_osmesa(options.folders), {}
    for name, picture, egl in theirs:
        own, seconds = drawn(pictures.saccade.mujoco.Renderer, known[name], 5)
        keep(options.out / "images/mujoco" / (name.replace("/", "-") + ".png"), (picture, own))
        table[name] = {"mean": np.abs(picture.astype(int) - own).mean(), "egl": egl / seconds,
                       "osmesa": osmesa.get(name, 0) / seconds}
        print(f"{name:44.44} {table[name]['mean']:6.2f} {table[name]['egl']:7.1f} {table[name]['osmesa']:7.1f}", flush=True)
    (options.out / "mujoco-gallery.md").write_text(page(table))


if __name__ == "__main__":
    main()
