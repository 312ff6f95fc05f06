"""grasp.py FORM N: microseconds that PyTorch takes from N points to a grasp, by the point-cloud transformer of SARA-RT.

FORM is softmax or sara-relu. The network is that of kind point-cloud with its defaults: two layers of width 16, 32 hidden
units, the largest numbers and the means of all points, 16 hidden units, and 7 outputs. The cloud's mean and main axis are
computed, too.
"""

import math
import sys

from common import absent, best_of, report

try:
    import torch
except Exception as error:
    absent(error)

torch.set_num_threads(1)
nn, F = torch.nn, torch.nn.functional
WIDTH, LAYERS, UNITS, HIDDEN = 16, 2, 32, 16


class Layer(nn.Module):
    def __init__(self, form):
        super().__init__()
        self.form = form
        self.mix, self.out = nn.Linear(WIDTH, 3 * WIDTH, bias=False), nn.Linear(WIDTH, WIDTH)
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.up, self.down = nn.Linear(WIDTH, UNITS), nn.Linear(UNITS, WIDTH)

    def attend(self, q, k, v):
        if self.form != "softmax":
            q, k = F.relu(q), F.relu(k)
            return q @ (k.T @ v) / (q @ k.sum(0)[:, None] + 1e-6)
        if hasattr(F, "scaled_dot_product_attention"):
            return F.scaled_dot_product_attention(q[None], k[None], v[None])[0]
        return torch.softmax(q @ k.T * WIDTH**-0.5, -1) @ v

    def forward(self, x):
        x = self.norm1(x + self.out(self.attend(*self.mix(x).chunk(3, -1))))
        return self.norm2(x + self.down(F.relu(self.up(x))))


class Grasp(nn.Module):
    def __init__(self, form):
        super().__init__()
        self.near, self.embed = nn.Linear(3, WIDTH), nn.Linear(WIDTH, WIDTH)
        self.layers = nn.Sequential(*(Layer(form) for _ in range(LAYERS)))
        self.head, self.grasp = nn.Linear(2 * WIDTH + 6, HIDDEN), nn.Linear(HIDDEN, 7)

    def forward(self, cloud):
        center = cloud.mean(0)
        points = cloud - center
        axis = torch.linalg.eigh(points.T @ points)[1][:, 2]
        x = self.layers(F.relu(self.embed(F.relu(self.near(points)))))
        raw = self.grasp(torch.tanh(self.head(torch.cat((x.amax(0), x.mean(0), center, axis)))))
        return torch.cat((raw[:3], F.normalize(raw[3:6], dim=0), math.pi * torch.tanh(raw[6:])))


def main():
    form, count = sys.argv[1], int(sys.argv[2])
    torch.manual_seed(1)
    net, cloud = Grasp(form), torch.rand(count, 3) * 0.2 - 0.1
    with torch.inference_mode():
        report("PyTorch " + torch.__version__, best_of(lambda: net(cloud)) * 1e6)


main()
