"""A training step of a net for images in PyTorch:

    images.py resnet WIDTH BLOCKS BATCH | quadratic | transformer-xl | vit

Forward, cross entropy, backward and a step of SGD with momentum over pictures [28, 28, 1]. Of the resnets, the faster of
the two orders of PyTorch's numbers in memory is what counts. The attention nets have 49 tokens of 128 numbers, 4 layers,
9 heads and 256 hidden units; heads that look at places alone compute their weights once a step, as ours do.
"""

import math
import sys

from common import absent, best_of, report

try:
    import torch
except Exception as error:
    absent(error)

torch.set_num_threads(1)
nn = torch.nn


class Block(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.convolution1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.norm1 = nn.BatchNorm2d(outputs)
        self.convolution2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.norm2 = nn.BatchNorm2d(outputs)
        self.beside = nn.Identity()
        if stride > 1 or inputs != outputs:
            self.beside = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x):
        y = torch.relu(self.norm1(self.convolution1(x)))
        return torch.relu(self.norm2(self.convolution2(y)) + self.beside(x))


def resnet(width, blocks):
    layers = [nn.Conv2d(1, width, 3, 1, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU()]
    inputs = width
    for stage in range(4):
        for block in range(blocks):
            outputs = width << stage
            layers.append(Block(inputs, outputs, 2 if stage and not block else 1))
            inputs = outputs
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(inputs, 10))


def step_of(model, batch, order):
    model = model.to(memory_format=order)
    optimiser = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9, weight_decay=1e-4)
    x = torch.randn(batch, 1, 28, 28).to(memory_format=order)
    labels = torch.randint(0, 10, (batch,))

    def step():
        optimiser.zero_grad()
        nn.functional.cross_entropy(model(x), labels).backward()
        optimiser.step()

    return step




def blocks_of(x):
    """Tokens of 4 x 4 pixels, [batch, 49, 16]."""
    return nn.functional.unfold(x, 4, stride=4).transpose(1, 2)


def differences():
    places = torch.tensor([[i // 7, i % 7] for i in range(49)])
    return places[:, None] - places[None]


class QuadraticHeads(nn.Module):
    def __init__(self, heads=9):
        super().__init__()
        self.centres = nn.Parameter(2 * torch.randn(heads, 2))
        self.roots = nn.Parameter(torch.eye(2).repeat(heads, 1, 1))
        self.register_buffer("places", differences().float())

    def forward(self, x):
        offsets = (self.places - self.centres[:, None, None]) @ self.roots[:, None].transpose(-1, -2)
        weights = torch.softmax(-(offsets ** 2).sum(-1) / 2, -1)
        return (weights @ x[:, None]).transpose(1, 2).flatten(2)


class ContentHeads(nn.Module):
    def __init__(self, width=128, heads=9, size=16):
        super().__init__()
        self.heads, self.size = heads, size
        self.embed = nn.Linear(width, 2 * heads * size, bias=False)
        self.u, self.v = (nn.Parameter(torch.randn(heads, 1, size)) for _ in range(2))
        self.rows, self.columns = (nn.Parameter(torch.randn(heads, 13, size) / math.sqrt(size)) for _ in range(2))
        down, right = (differences() + 6).unbind(-1)
        self.register_buffer("down", down)
        self.register_buffer("right", right)

    def forward(self, x):
        q, k = (part.reshape(*x.shape[:2], self.heads, self.size).transpose(1, 2) for part in self.embed(x).chunk(2, -1))
        places = q + self.v
        down = (places @ self.rows.transpose(1, 2)).gather(-1, self.down.expand(*q.shape[:2], -1, -1))
        right = (places @ self.columns.transpose(1, 2)).gather(-1, self.right.expand(*q.shape[:2], -1, -1))
        scores = (q + self.u) @ k.transpose(2, 3) + down + right
        return (torch.softmax(scores / math.sqrt(self.size), -1) @ x[:, None]).transpose(1, 2).flatten(2)


class AttentionNet(nn.Module):
    def __init__(self, heads, width=128, hidden=256, layers=4):
        super().__init__()
        self.embed, self.out = nn.Linear(16, width), nn.Linear(width, 10)
        self.layers = nn.ModuleList(nn.ModuleDict({
            "heads": heads(), "mix": nn.Linear(9 * width, width), "norm1": nn.LayerNorm(width),
            "up": nn.Linear(width, hidden), "down": nn.Linear(hidden, width), "norm2": nn.LayerNorm(width),
        }) for _ in range(layers))

    def forward(self, x):
        x = self.embed(blocks_of(x))
        for layer in self.layers:
            x = layer["norm1"](layer["mix"](layer["heads"](x)) + x)
            x = layer["norm2"](layer["down"](nn.functional.gelu(layer["up"](x))) + x)
        return self.out(x.mean(1))


class Vit(nn.Module):
    def __init__(self, width=64, heads=4, hidden=128, layers=4):
        super().__init__()
        self.embed, self.out, self.norm = nn.Linear(16, width), nn.Linear(width, 10), nn.LayerNorm(width)
        self.places = nn.Parameter(0.02 * torch.randn(49, width))
        layer = nn.TransformerEncoderLayer(width, heads, hidden, dropout=0.0, activation="gelu", batch_first=True,
                                           norm_first=True)
        self.layers = nn.TransformerEncoder(layer, layers)

    def forward(self, x):
        return self.out(self.norm(self.layers(self.embed(blocks_of(x)) + self.places)).mean(1))


kind = sys.argv[1]
if kind == "resnet":
    width, blocks, batch = (int(word) for word in sys.argv[2:5])
    best = min(best_of(step_of(resnet(width, blocks), batch, order), runs=5)
               for order in (torch.contiguous_format, torch.channels_last))
else:
    make, batch = {"quadratic": (lambda: AttentionNet(QuadraticHeads), 100),
                   "transformer-xl": (lambda: AttentionNet(ContentHeads), 100), "vit": (Vit, 128)}[kind]
    best = best_of(step_of(make(), batch, torch.contiguous_format), runs=5)
report(f"PyTorch {torch.__version__}", best * 1e3)
