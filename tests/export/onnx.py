"""An exported graph in onnxruntime over a recorded episode (episode.c): onnx.py GRAPH FRAMES [STEPS]

The graph runs on its own states from the first step to the last. Its actions must be the library's but for rounding,
and it must keep the same patches. Where two patches are as important as each other but for rounding, either may be
kept: such a tie is counted, its gap is held against the bound, and the graph goes on from the library's states."""

import os
import sys

import numpy as np
import onnxruntime

options = onnxruntime.SessionOptions()
options.intra_op_num_threads = 1
session = onnxruntime.InferenceSession(sys.argv[1], options, providers=["CPUExecutionProvider"])
inputs = {i.name: np.zeros(i.shape, np.uint8 if "uint8" in i.type else np.float32) for i in session.get_inputs()}
outputs = {o.name: o.shape for o in session.get_outputs()}
names = list(outputs)
height, width, channels = inputs["image"].shape
pixels, actions = height * width * channels, outputs["action"][0]
looks = {"kept": outputs.get("kept", [0])[0], "hidden": 0, "cell": 0, "before": 0}
looks.update({n: x.size for n, x in inputs.items() if n in looks})

# An importance is a sum over patches and then one over features, in an order that is the runtime's own. With N patches
# each of the two programs is off by less than N roundings of 2^-24 in the first and a few in the second, for either of
# two patches: a gap below 4 N 2^-24 of the largest importance is none.
tie = 4 * (outputs.get("importance", [0])[0] + 100) * 2.0**-24

# With the same patches kept what differs is the order of sums: a gate adds some 40 products of which the largest is
# below 40, each rounded to 2^-24, and no function after it is steeper than 1: 40 * 40 * 2^-24 < 1e-4 of the action's
# range, which is 2 here. An agent that mixes patches is told sums over N of them, which the graph takes in double: what
# differs is the library's rounding of 16 parts of N / 16 terms, of either sign, so some sqrt(N / 16 + 4) 2^-24 = 4e-7
# of what is summed. Where the norm divides that by a deviation ten times smaller, and a gate's weights, whose sum is below
# 15, add it up, that is 6e-5, and within the bound, too.
bound = 1e-4

size = os.path.getsize(sys.argv[2])
steps = min(size // (pixels + 4 * actions), int(sys.argv[3]) if len(sys.argv) > 3 else 100000)
worst, ties = 0.0, 0
with open(sys.argv[2], "rb") as frames, open(sys.argv[2] + ".look", "rb") as look:
    for step in range(steps):
        inputs["image"] = np.frombuffer(frames.read(pixels), np.uint8).reshape(height, width, channels)
        expected = np.frombuffer(frames.read(4 * actions), np.float32)
        seen = {n: np.frombuffer(look.read(4 * count), np.float32) for n, count in looks.items()}
        out = dict(zip(names, session.run(names, inputs)))
        for name in inputs:
            if name != "image":
                inputs[name] = out[f"next_{name}"]
        kept = seen["kept"].astype(int)
        if "kept" in out and (out["kept"] != kept).any():
            gap = np.abs(out["importance"][out["kept"]] - out["importance"][kept]).max() / out["importance"].max()
            if gap > tie:
                sys.exit(f"step {step}: keeps {out['kept']}, expected {kept}: {gap:.2g} apart, {tie:.2g} is no tie")
            ties += 1
            inputs.update({n: seen[n].reshape(inputs[n].shape) for n in inputs if n in seen})
            continue
        worst = max(worst, float(np.abs(out["action"] - expected).max()))
print(f"{steps} steps, {ties} of them with ties, actions off by {worst:.2e} at most")
sys.exit(not (steps > 0 and worst < bound and ties < steps / 2))
