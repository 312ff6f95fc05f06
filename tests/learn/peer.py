"""PyTorch as the peer of a test, and the arrays that a program of the tests has written for it.

Importing this ends the test with code 77 where PyTorch is missing. Arrays travel as raw bytes, so that NumPy is not
needed.
"""

import json
import math
import subprocess
import sys
import tempfile
import warnings

try:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import torch
except Exception as error:
    print(f"skip: needs a peer: PyTorch ({error})")
    sys.exit(77)

TYPES = {"F32": torch.float32, "F64": torch.float64, "U8": torch.uint8}


def read(path):
    """A safetensors file: its metadata, and {name: tensor}."""
    with open(path, "rb") as file:
        data = bytearray(file.read())
    length = int.from_bytes(data[:8], "little")
    header, tensors = json.loads(data[8:8 + length]), {}
    for name, entry in header.items():
        if name != "__metadata__":
            begin, end = (8 + length + offset for offset in entry["data_offsets"])
            flat = torch.frombuffer(data[begin:end], dtype=TYPES[entry["dtype"]])
            tensors[name] = flat.reshape(entry["shape"])
    return header.get("__metadata__", {}), tensors


def compare(noun, known, name_of, check, tolerance):
    """Runs the program of the command line, which writes arrays, and ends with whether they are near enough.

    known: the names that both sides must have; name_of(key): whose an array is; check(name, arrays): {array: distance}.
    """
    with tempfile.NamedTemporaryFile(suffix=".safetensors") as file:
        subprocess.run([sys.argv[1], file.name], check=True)
        arrays = {name: tensor.double() for name, tensor in read(file.name)[1].items()}
    names = {name_of(key) for key in arrays}
    if names != set(known):
        sys.exit(f"only one side has {', '.join(sorted(names ^ set(known)))}")
    failures = 0
    for name in sorted(names):
        distances = check(name, arrays)
        worst = max(distances, key=lambda key: distances[key] if not math.isnan(distances[key]) else math.inf)
        bad = not distances[worst] <= tolerance
        failures += bad
        print(f"{name:16} {len(distances):2} arrays, {worst} off by {distances[worst]:.1e}{' TOO FAR' if bad else ''}")
    print(f"{len(names)} {noun}, {failures} too far")
    sys.exit(failures > 0)
