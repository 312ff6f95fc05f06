"""Forward and backward in PyTorch: learn.py lstm; learn.py vit TOKENS; learn.py student

The LSTM has 16 units and runs over 64 sequences of 128 steps of 20 numbers; the layer of a vision transformer is 768
wide, with 12 heads of softmax attention, norms first and GELU. The faster of eager PyTorch's own layers is what counts.
The student is a policy of kind iap-trans, 9,752 numbers, and its step is a whole one: 192 pairs of bytes [64, 64, 3]
taken out of 400, to floats, forward, mean square error, backward, Adam.
"""

import sys

from common import absent, best_of, report

try:
    import torch
except Exception as error:
    absent(error)

torch.set_num_threads(1)


def lstm():
    module, x = torch.nn.LSTM(20, 16), torch.randn(128, 64, 20, requires_grad=True)
    gradient = torch.randn(128, 64, 16)
    return lambda: module(x)[0].backward(gradient)


def vit(tokens):
    layer = torch.nn.TransformerEncoderLayer(
        768, 12, 3072, dropout=0.0, activation="gelu", batch_first=True, norm_first=True
    )
    x, gradient = torch.randn(1, tokens, 768, requires_grad=True), torch.randn(1, tokens, 768)
    return lambda: layer(x).backward(gradient)


class Student(torch.nn.Module):
    """256 patches of 4 x 4 become 10 tokens, LN(P V + P Q (K^T V)); an MLP is told them and how they have changed."""

    def __init__(self, key=8, value=6, rows=10, hidden=48, actions=6):
        super().__init__()
        self.key, self.value = key, value
        self.embed = torch.nn.Linear(48, 2 * key + value)
        self.mix = torch.nn.Parameter(torch.randn(rows, 256) / 16)
        self.norm = torch.nn.LayerNorm(value)
        self.act = torch.nn.Sequential(torch.nn.Linear(2 * rows * value, hidden), torch.nn.Tanh(),
                                       torch.nn.Linear(hidden, actions), torch.nn.Tanh())

    def forward(self, pictures):
        count = pictures.shape[0]
        patches = pictures.reshape(count, 16, 4, 16, 12).transpose(2, 3).reshape(count, 256, 48)
        q, k, v = self.embed(patches.float() / 255).split((self.key, self.key, self.value), -1)
        q, k = (torch.relu(torch.nn.functional.normalize(x, dim=-1)) for x in (q, k))
        out = self.mix @ v + (self.mix @ q) @ (k.transpose(1, 2) @ v)
        told = self.norm(out).flatten(1)
        last, now = told[:count // 2], told[count // 2:]
        return self.act(torch.cat((now, now - last), 1))


def student():
    torch.manual_seed(1)
    model = Student()
    assert sum(p.numel() for p in model.parameters()) == 9752
    optimiser = torch.optim.Adam(model.parameters(), 1e-3)
    pictures = torch.randint(0, 256, (400, 64, 64, 3), dtype=torch.uint8)
    actions = torch.rand(400, 6) * 2 - 1

    def step():
        now = torch.randperm(399)[:192] + 1
        optimiser.zero_grad()
        loss = torch.nn.functional.mse_loss(model(pictures[torch.cat((now - 1, now))]), actions[now])
        loss.backward()
        optimiser.step()

    return step


runs = {"lstm": lstm, "student": student}
run = runs[sys.argv[1]]() if sys.argv[1] in runs else vit(int(sys.argv[2]))
report(f"PyTorch {torch.__version__}", best_of(run, runs=5) * 1e6)
