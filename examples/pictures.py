#!/usr/bin/env python3
"""Write pictures with labels as `saccade fit` reads them: pictures.py FOLDER [COUNT]

COUNT pictures for training (default 600) and a third as many for testing, 8 x 8 bytes each, in the four IDX files of
the MNIST family. The four classes are stripes: lying, standing, and along both diagonals. The standard library is
enough, and these few lines are a start for data of one's own.
"""

import gzip
import random
import struct
import sys
from pathlib import Path

SIDE = 8


def stripes(label, draw):
    phase, noise = draw.randrange(4), 60
    steps = ((1, 0), (0, 1), (1, 1), (1, -1))[label]
    for y in range(SIDE):
        for x in range(SIDE):
            bright = (steps[0] * y + steps[1] * x + phase) % 4 < 2
            yield min(255, max(0, (190 if bright else 60) + draw.randint(-noise, noise)))


def write(folder, part, count, draw, packed):
    labels = [draw.randrange(4) for _ in range(count)]
    pictures = bytes(value for label in labels for value in stripes(label, draw))
    # two zero bytes, the type (8: bytes), the rank, and each size with the highest byte first
    files = {f"{part}-images-idx3-ubyte": struct.pack(">HBBIII", 0, 8, 3, count, SIDE, SIDE) + pictures,
             f"{part}-labels-idx1-ubyte": struct.pack(">HBBI", 0, 8, 1, count) + bytes(labels)}
    for name, content in files.items():
        if packed:
            (folder / f"{name}.gz").write_bytes(gzip.compress(content, mtime=0))
        else:
            (folder / name).write_bytes(content)


def main():
    folder, count = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 600
    folder.mkdir(parents=True, exist_ok=True)
    draw = random.Random(1)
    write(folder, "train", count, draw, False)
    write(folder, "t10k", count // 3, draw, True)


main()
