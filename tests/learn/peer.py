"""PyTorch as the peer of a test, and the arrays that a program of the tests has written for it.

Importing this ends the test with code 77 where PyTorch is missing. Arrays travel as raw bytes, so that NumPy is not
needed.
"""

import json
import sys
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
