#!/usr/bin/env python3
"""renders.py COUNT [--models N] [--leak BYTES]: draws N models of the installed packages, twenty unless told, COUNT times
each, in colour, depth and segmentation by turns, and says how many bytes of the heap each picture has kept. Ends with 1
where that is more than MOST, or where there are fewer models.

--leak BYTES keeps so many bytes a picture on purpose, to show that they are seen. PYTHONMALLOC=malloc lets Python's
objects be counted, too. Where AddressSanitizer is loaded its own count is asked, because libc then has none.
"""
import argparse
import ctypes
import gc
import pathlib
import sys
import warnings

import mujoco
import numpy as np
import saccade.mujoco

MOST = 31  # bytes a picture: the smallest piece of libc's heap has 32
WARMUP = 30  # pictures, after which caches of Python and libc are full
LIBC = ctypes.CDLL(None)


class _Mallinfo2(ctypes.Structure):
    """What libc says of its heap; mallinfo(3)."""

    _fields_ = [(name, ctypes.c_size_t) for name in (
        "arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost")]


def heap():
    """Bytes that were allocated and not freed, in all of the process."""
    gc.collect()
    if hasattr(LIBC, "__sanitizer_get_current_allocated_bytes"):
        count = LIBC.__sanitizer_get_current_allocated_bytes
        count.restype = ctypes.c_size_t
        return count()
    LIBC.mallinfo2.restype = _Mallinfo2
    of_libc = LIBC.mallinfo2()
    return of_libc.uordblks + of_libc.hblkhd  # small pieces, and those that are mapped one by one


def models(most):
    """(name, model) of `most` models, taken from all over the packages; large files are left out."""
    site = pathlib.Path(mujoco.__file__).parent.parent
    paths = sorted(path for path in site.rglob("*.xml") if "<mujoco" in path.read_text(errors="replace")[:5000])
    count = 0
    for path in paths[::3] + paths[1::3] + paths[2::3]:
        if count == most:
            break
        try:
            if path.stat().st_size <= 100_000:
                yield f"{path.parent.name}/{path.stem}", mujoco.MjModel.from_xml_path(str(path))
                count += 1
        except ValueError:  # a part of a model
            continue


def draw(renderer, data, i):
    """The i-th picture: cameras by turns, and of each colour, depth and segmentation."""
    model = renderer.model
    (renderer.disable_depth_rendering, renderer.enable_depth_rendering, renderer.enable_segmentation_rendering)[i % 3]()
    if i % 3 == 0:
        renderer.disable_segmentation_rendering()
    renderer.update_scene(data, i // 3 % (model.ncam + 1) - 1)
    return renderer.render()


def kept(model, count, leak):
    """Bytes of the heap that a picture has kept, on the mean of `count`."""
    data, held = mujoco.MjData(model), []
    mujoco.mj_step(model, data)
    with saccade.mujoco.Renderer(model, 30, 40, max_geom=1000) as renderer:
        for i in range(WARMUP):
            draw(renderer, data, i)
        before = heap()
        for i in range(count):
            draw(renderer, data, i)
            if leak:
                held.append(np.ones(leak, np.uint8))
        return (heap() - before) / count


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("count", type=int)
    parser.add_argument("--models", type=int, default=20)
    parser.add_argument("--leak", type=int, default=0)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    bytes_of = {}
    for name, model in models(options.models):
        bytes_of[name] = kept(model, options.count, options.leak)
        print(f"{name:32.32} {bytes_of[name]:10.1f} bytes a picture", flush=True)
    worst = max(bytes_of, key=bytes_of.get)
    print(f"{len(bytes_of)} models, {options.count} pictures each; {worst} kept most, {bytes_of[worst]:.1f} bytes a picture")
    return int(len(bytes_of) < options.models or bytes_of[worst] > MOST)


if __name__ == "__main__":
    sys.exit(main())
