"""Gradients of policies of kind point-cloud beside PyTorch: grasps.py DUMP

DUMP (tests/learn/grasps.c) writes policies with every map of SARA, clouds, and the outputs and gradients that saccade
computes; PyTorch computes them in double precision from the same parameters. Each array may be off by 1e-4 of its
largest number: a promise, as for golden values. Code 77: PyTorch is missing.
"""

import math
import pathlib
import subprocess
import sys
import tempfile

from peer import read, torch

F = torch.nn.functional
MAPS = {"sara-relu": F.relu, "sara-exp": torch.exp, "sara-square": torch.square}
PROMISE = 1e-4


def attend(form, q, k, v):
    if form == "softmax":
        return torch.softmax(q @ k.T / math.sqrt(q.shape[1]), -1) @ v
    q, k = MAPS[form](q), MAPS[form](k)
    return q @ (k.T @ v) / (q @ k.sum(0)[:, None] + 1e-6)


def grasp(form, t, cloud):
    """The seven numbers from a cloud [N, 3]."""
    norm = lambda x, name, l: F.layer_norm(x, x.shape[1:], 1 + t[name + ".gain"][l], t[name + ".shift"][l])
    center = cloud.mean(0)
    points = cloud - center
    axis = torch.linalg.eigh(points.T @ points)[1][:, 2]
    axis = axis * axis[axis.abs().argmax()].sign()
    x = F.relu(F.linear(points, t["near.weight"], t["near.bias"]))
    x = F.relu(F.linear(x, t["embed.weight"], t["embed.bias"]))
    for l in range(len(t["mix.weight"])):
        gathered = attend(form, *(x @ t["mix.weight"][l].T).chunk(3, -1))
        x = norm(x + F.linear(gathered, t["out.weight"][l], t["out.bias"][l]), "middle_norm", l)
        units = F.relu(F.linear(x, t["up.weight"][l], t["up.bias"][l]))
        x = norm(x + F.linear(units, t["down.weight"][l], t["down.bias"][l]), "norm", l)
    pooled = torch.cat((x.amax(0), x.mean(0), center, axis))
    raw = F.linear(torch.tanh(F.linear(pooled, t["head.weight"], t["head.bias"])), t["grasp.weight"], t["grasp.bias"])
    return torch.cat((raw[:3], F.normalize(raw[3:6], dim=0), math.pi * torch.tanh(raw[6:])))


def check(path):
    form, (_, case) = path.stem, read(path)
    case = {name: x.double() for name, x in case.items()}
    tensors = {name[2:]: x.requires_grad_() for name, x in case.items() if name.startswith("p.")}
    outputs = torch.stack([grasp(form, tensors, cloud) for cloud in case["clouds"]])
    outputs.backward(case["doutputs"])
    pairs = {"outputs": (case["outputs"], outputs.detach())}
    pairs.update({name: (case["d." + name], x.grad) for name, x in tensors.items()})
    off = {name: float((a - b).abs().max() / b.abs().max()) for name, (a, b) in pairs.items()}
    bad = [name for name, x in off.items() if not x <= PROMISE]
    worst = max(off, key=off.get)
    print(f"{form:12} {len(off)} arrays, {worst} off by {off[worst]:.1e} of its largest number",
          "TOO FAR: " + " ".join(bad) if bad else "")
    return len(bad)


def main():
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([sys.argv[1], folder], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            sys.exit(done.stdout)
        paths = sorted(pathlib.Path(folder).glob("*.safetensors"))
        failures = sum(check(path) for path in paths)
    sys.exit(failures > 0 or not paths)


main()
