#!/usr/bin/env python3
"""Write the small files of tests/golden/data that the tests of files and base read.

usage: make_files_data.py RNG_NPZ     (../shared/golden/envs/rng.npz; needs numpy, safetensors and Pillow)
"""
import pathlib
import sys

import numpy as np
from PIL import Image
from safetensors.numpy import save_file

DATA = pathlib.Path(__file__).parent / "data"


def rng(path):
    """NumPy's draws, unsigned numbers as the signed ones of the same bits; what nothing of ours draws is left out."""
    source = np.load(path)
    arrays = {}
    for name in source.files:
        if "_mt_" in name or name.endswith("normal16"):
            continue
        array = np.atleast_1d(source[name])
        signed = {"uint32": "int32", "uint64": "int64"}.get(str(array.dtype), array.dtype)
        arrays[name] = array.view(signed)
    save_file(arrays, DATA / "rng.safetensors")


def arrays():
    """One array of each type, with an odd length before wider types, an empty one and a single number."""
    out = {}
    for i, dtype in enumerate(("uint8", "int32", "int64", "float32", "float64")):
        out["z" + dtype] = (np.arange(6, dtype=dtype) * 3 + i).reshape(2, 3)
        out["a" + dtype] = np.array([i], dtype=dtype)
    out["odd"] = np.array([1, 2, 255], dtype=np.uint8)
    out["empty"] = np.zeros((0, 4), np.float32)
    out["single"] = np.array(2.5, np.float64)
    return out


def pictures():
    """One picture as every kind of PNG, with the RGB that is expected of each."""
    y, x = np.mgrid[0:5, 0:7]
    rgb = np.stack([x * 40, y * 60, (x + y) % 2 * 255], axis=2).astype(np.uint8)
    picture = Image.fromarray(rgb)
    grey = picture.convert("L")
    alpha = Image.fromarray((x * 36).astype(np.uint8))
    kinds = {
        "rgb": picture,
        "rgba": Image.merge("RGBA", (*picture.split(), alpha)),
        "grey": grey,
        "grey_alpha": Image.merge("LA", (grey, alpha)),
        "palette": picture.quantize(13),
        "bits1": picture.convert("1"),
    }
    expected = {}
    for name, image in kinds.items():
        image.save(DATA / f"png_{name}.png")
        expected[name] = np.asarray(Image.open(DATA / f"png_{name}.png").convert("RGB")).copy()
    save_file(expected, DATA / "png.safetensors")
    Image.fromarray((x * 9000).astype(np.uint16)).save(DATA / "png_16bit.png")


def main():
    DATA.mkdir(exist_ok=True)
    rng(sys.argv[1])
    save_file(arrays(), DATA / "arrays.safetensors")
    np.savez(DATA / "arrays_stored.npz", **arrays())
    np.savez_compressed(DATA / "arrays_deflated.npz", **arrays())
    pictures()


main()
