"""agent.py LIBRARY PARAMETERS FRAMES: microseconds a frame of the whole agent, and what it looked at first.

LIBRARY is numpy, jax or torch; PARAMETERS float32, FRAMES uint8 [n, 96, 96, 3], both raw.
"""

import sys

from common import absent, best_of, frames, report, tensors

try:
    import numpy as np
    from agents import JaxAgent, NumPyAgent, TorchAgent

    library, parameters, pictures = sys.argv[1:]
    make = {"numpy": NumPyAgent, "jax": JaxAgent, "torch": TorchAgent}[library]
    agent = make(np, tensors(np, parameters))
except ImportError as error:
    absent(error)

images = [np.ascontiguousarray(frame) for frame in frames(np, pictures)]
first = [bytearray(image.tobytes()) for image in images] if library == "torch" else images
top = [[int(index) for index in agent.act(frame)[1]] for frame in first]


def run():
    for frame in first:
        agent.act(frame)



report(f"{library} {sys.modules[library].__version__}", best_of(run) / len(first) * 1e6, top=top)
