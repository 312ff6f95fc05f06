"""A vision transformer of any resolution in PyTorch, one picture a step, forward and forward with backward:

    vision.py SIDE PATCH FORM|all

Sizes are those of ViT-Tiny: 12 layers of width 192, 3 heads, 768 hidden units, 1,000 classes, three channels. Softmax is
F.scaled_dot_product_attention where PyTorch has it, from 2.0 on, else its three operations; linear forms are matrix
products in the cheaper order. One forked process a measurement, so that memory of one does not count for the next: it is
the largest resident memory of a step less that before the net was made.
"""

import json
import os
import sys
import time

from common import absent, report

try:
    import torch
except Exception as error:
    absent(error)

torch.set_num_threads(1)
nn, F = torch.nn, torch.nn.functional
LAYERS, WIDTH, HEADS, HIDDEN, CLASSES, CHANNELS, FEATURES = 12, 192, 3, 768, 1000, 3, 64
FORMS = ("softmax", "relu", "relu-mapped", "exp", "square", "positive", "trig")


def softmax(q, k, v):
    if hasattr(F, "scaled_dot_product_attention"):
        return F.scaled_dot_product_attention(q, k, v)
    return torch.softmax((q * q.shape[-1] ** -0.5) @ k.transpose(2, 3), -1) @ v


def features(form, x, matrix):
    """phi of tokens [B, H, N, D], as matrices [B, H, N, F]."""
    u = x if matrix is None else x @ matrix.T
    if form in ("relu", "relu-mapped"):
        return F.relu(u)
    if form == "exp":
        return torch.exp(u)
    if form == "square":
        return u * u
    half = (x * x).sum(-1, keepdim=True) / 2
    if form == "positive":
        return torch.exp(u - half)
    return torch.cat((torch.sin(u), torch.cos(u)), -1) * torch.exp(half)


class Attention(nn.Module):
    def __init__(self, form):
        super().__init__()
        self.form = form
        self.joint, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        mapped = form not in ("softmax", "relu")
        self.matrix = nn.Parameter(torch.randn(FEATURES, WIDTH // HEADS)) if mapped else None

    def forward(self, x):
        q, k, v = self.joint(x).reshape(*x.shape[:2], 3, HEADS, -1).permute(2, 0, 3, 1, 4)
        if self.form == "softmax":
            y = softmax(q, k, v)
        else:
            root = q.shape[-1] ** -0.25
            q, k = features(self.form, q * root, self.matrix), features(self.form, k * root, self.matrix)
            y = q @ (k.transpose(2, 3) @ v) / (q @ k.sum(2)[..., None] + 1e-6)
        return self.out(y.transpose(1, 2).flatten(2))


class Layer(nn.Module):
    def __init__(self, form):
        super().__init__()
        self.norm1, self.attention = nn.LayerNorm(WIDTH, 1e-6), Attention(form)
        self.norm2 = nn.LayerNorm(WIDTH, 1e-6)
        self.wide = nn.Sequential(nn.Linear(WIDTH, HIDDEN), nn.GELU(), nn.Linear(HIDDEN, WIDTH))

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.wide(self.norm2(x))


class Vision(nn.Module):
    def __init__(self, side, patch, form):
        super().__init__()
        self.embedding = nn.Conv2d(CHANNELS, WIDTH, patch, patch)
        self.places = nn.Parameter(0.02 * torch.randn(1, (side // patch) ** 2, WIDTH))
        self.layers = nn.Sequential(*(Layer(form) for _ in range(LAYERS)))
        self.norm, self.linear = nn.LayerNorm(WIDTH, 1e-6), nn.Linear(WIDTH, CLASSES)

    def forward(self, x):
        x = self.embedding(x).flatten(2).transpose(1, 2) + self.places
        return self.linear(self.norm(self.layers(x)).mean(1))


def status(word):
    """Bytes of a line of /proc/self/status."""
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith(word + ":"))


def measure(side, patch, form, back):
    torch.manual_seed(1)
    begin = status("VmRSS")
    model, x, label = Vision(side, patch, form), torch.randn(1, CHANNELS, side, side), torch.tensor([3])

    def both():
        model.zero_grad(set_to_none=True)
        F.cross_entropy(model(x), label).backward()

    def forward():
        with torch.no_grad():
            model(x)

    run = both if back else forward
    run()
    memory, times, start = status("VmHWM") - begin, [], time.perf_counter()
    while len(times) < 3 or (len(times) < 200 and time.perf_counter() - start < 0.6):
        now = time.perf_counter()
        run()
        times.append(time.perf_counter() - now)
    return {"form": form, "back": back, "best": min(times) * 1e3, "memory": memory,
            "parameters": sum(p.numel() for p in model.parameters())}


def apart(*arguments):
    """measure(), in a process of its own."""
    ends = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(ends[0])
        with os.fdopen(ends[1], "w") as file:
            json.dump(measure(*arguments), file)
        os._exit(0)
    os.close(ends[1])
    with os.fdopen(ends[0]) as file:
        answer = file.read()
    os.waitpid(child, 0)
    return json.loads(answer)


def main(side, patch, only):
    rows = [apart(int(side), int(patch), form, back) for form in FORMS if only in ("all", form)
            for back in (False, True)]
    report(f"PyTorch {torch.__version__.split('+')[0]}", 0, rows=rows)


main(*sys.argv[1:])
