"""An exported graph in onnxruntime over a recorded episode (episode.c): onnx.py GRAPH FRAMES [STEPS]"""

import sys

import numpy as np
import onnxruntime

options = onnxruntime.SessionOptions()
options.intra_op_num_threads = 1
options.log_severity_level = 3
session = onnxruntime.InferenceSession(sys.argv[1], options, providers=["CPUExecutionProvider"])
inputs = {i.name: np.zeros(i.shape, np.uint8 if "uint8" in i.type else np.float32) for i in session.get_inputs()}
height, width, channels = inputs["image"].shape
actions = session.get_outputs()[[o.name for o in session.get_outputs()].index("action")].shape[0]
step_bytes = height * width * channels + 4 * actions
data = np.fromfile(sys.argv[2], np.uint8)
steps = min(len(data) // step_bytes, int(sys.argv[3]) if len(sys.argv) > 3 else 100000)
names = [o.name for o in session.get_outputs()]
worst, gap = 0.0, np.inf
for step in range(steps):
    record = data[step * step_bytes : (step + 1) * step_bytes]
    inputs["image"] = record[: height * width * channels].reshape(height, width, channels)
    expected = record[height * width * channels :].view(np.float32)
    out = dict(zip(names, session.run(names, inputs)))
    for name in ("hidden", "cell"):
        if name in inputs:
            inputs[name] = out[f"next_{name}"]
    worst = max(worst, float(np.abs(out["action"] - expected).max()))
    print(step, np.abs(out["action"] - expected).max(), out["kept"][:10]) if "-v" in sys.argv else None
print(f"{steps} steps, actions off by {worst:.2e} at most")
sys.exit(not (steps > 0 and worst < 1e-4))
