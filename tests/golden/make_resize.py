"""Images resized by Pillow, the reference of src/tokens/resize.c: python make_resize.py OUT.safetensors"""

import sys

import numpy as np
from PIL import Image
from safetensors.numpy import save_file

rng = np.random.default_rng(1)
SHAPES = [(13, 11, 7, 7), (13, 11, 20, 20), (30, 40, 24, 24), (9, 9, 9, 5)]  # height, width -> height, width
arrays = {}
for i, (height, width, new_height, new_width) in enumerate(SHAPES):
    image = rng.integers(0, 256, (height, width, 3), dtype=np.uint8)
    size = (new_width, new_height)
    arrays[f"bytes{i}_in"] = image
    arrays[f"bytes{i}_out"] = np.asarray(Image.fromarray(image).resize(size, Image.BILINEAR))
    floats = image[:, :, 0].astype(np.float32) / np.float32(255)
    arrays[f"floats{i}_in"] = floats
    arrays[f"floats{i}_out"] = np.asarray(Image.fromarray(floats, mode="F").resize(size, Image.BILINEAR))
save_file({k: np.ascontiguousarray(v) for k, v in arrays.items()}, sys.argv[1])
