#!/usr/bin/env python3
"""Write a file of embeddings for `saccade words` (docs/words.md), with nothing but the standard library.

    python3 examples/embeddings.py OUT.safetensors

As an example, the patches of a picture that is drawn here are embedded by their mean colour, and so are three words.
`write` is for embeddings of any other kind; examples/openclip.py calls it with those of CLIP.
"""

import json
import struct
import sys


def write(path, patches, texts, names):
    """patches [pictures][rows][columns][D] and texts [texts][D] are nested lists of numbers, names the texts."""
    shapes = {"patches": (patches, 4), "texts": (texts, 2)}
    header, data = {"__metadata__": {"texts": "\n".join(names)}}, b""
    for name, (numbers, rank) in shapes.items():
        shape, flat = [len(numbers)], numbers
        for _ in range(rank - 1):
            shape.append(len(flat[0]))
            flat = [x for row in flat for x in row]
        packed = struct.pack(f"<{len(flat)}f", *flat)
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [len(data), len(data) + len(packed)]}
        data += packed
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def main(path):
    """A grey wall of 4 x 6 patches before which a red thing stands on the left and a blue one on the right."""
    grey, red, blue = [0.5, 0.5, 0.5], [0.9, 0.1, 0.1], [0.1, 0.2, 0.9]
    rows = [[grey] * 6, [grey, red, grey, grey, grey, grey], [grey, red, red, grey, blue, grey], [grey] * 6]
    centred = [[[8 * (x - 0.5) for x in patch] for patch in row] for row in rows]
    write(path, [centred], [[1, -0.5, -0.5], [-0.5, 1, -0.5], [-0.5, -0.5, 1]], ["red", "green", "blue"])


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: embeddings.py OUT.safetensors")
    main(sys.argv[1])
