"""Every layer and loss of src/learn beside PyTorch: parity.py DUMP

DUMP (tests/learn/dump.c) writes inputs, outputs and gradients; PyTorch computes them from the same inputs in double.
Code 77: PyTorch is missing.
"""

import math

from peer import compare, torch

F = torch.nn.functional

TOLERANCE = 1e-6  # of an array's largest, as in tests/unit/test_learn_layers.c
HEADS, SIZE, VALUE, SIDES = 2, 5, 3, 3  # of attention, see tests/learn_cases.h
PICTURE = (9, 8, 5)


def picture(x):
    return x.reshape(1, *PICTURE).permute(0, 3, 1, 2)


def places(x):
    return x.permute(0, 2, 3, 1)


def convolution(x, weights, bias):
    kernel = weights.reshape(-1, 3, 3, PICTURE[2]).permute(0, 3, 1, 2)
    return places(F.conv2d(picture(x), kernel, bias.reshape(-1), stride=2, padding=1))


def lstm(starts):
    def run(x, hidden, cell, weight_ih, weight_hh, bias_ih, bias_hh):
        state, out = (hidden, cell), []
        for step, row in enumerate(x.reshape(5, 3, 4)):
            keep = torch.tensor([[0.0 if 3 * step + b in starts else 1.0] for b in range(3)], dtype=torch.float64)
            state = torch.lstm_cell(row, [s * keep for s in state], weight_ih, weight_hh, bias_ih[0], bias_hh[0])
            out.append(state[0])
        return torch.stack(out)
    return run


def heads(x, size):
    return x.reshape(x.shape[0], HEADS, size).transpose(0, 1)


def attend(q, k, v):
    scores = 0.699999988079071 * heads(q, SIZE) @ heads(k, SIZE).transpose(1, 2)
    return (torch.softmax(scores, -1) @ heads(v, VALUE)).transpose(0, 1)


def linear_attention(features):
    def run(q, k, v, matrix_q=None, matrix_k=None, gains_q=None, gains_k=None, directions=None):
        q, k = features(heads(q, SIZE), matrix_q, directions), features(heads(k, SIZE), matrix_k, directions)
        if gains_q is not None:
            q, k = q * gains_q[0], k * gains_k[0]
        numerator = q @ (k.transpose(1, 2) @ heads(v, VALUE))
        return (numerator / ((q * k.sum(1, keepdim=True)).sum(-1, keepdim=True) + 0.5)).transpose(0, 1)
    return run


def half(x):
    return (x * x).sum(-1, keepdim=True) / 2


def plain(f):
    return lambda x, matrix, _: f(x if matrix is None else x @ matrix.T)


def positive(x, matrix, _):
    return torch.exp(x @ matrix.T - half(x))


def trig(x, matrix, _):
    u = x @ matrix.T
    return (torch.exp(half(x)).unsqueeze(-1) * torch.stack((torch.sin(u), torch.cos(u)), -1)).flatten(-2)


def hybrid(x, matrix, directions):
    waves, powers = trig(x, matrix, None), positive(x, matrix, None)
    signs = torch.where(x @ directions.T >= 0, 1.0, -1.0)[..., None, :]
    pairs = waves.reshape(*powers.shape, 1, 2) * signs.unsqueeze(-1)
    return torch.cat((waves, powers, pairs.flatten(-3), (powers.unsqueeze(-1) * signs).flatten(-2)), -1)


def gaussian(mean, log, target_mean, target_log):
    normal = torch.distributions.Normal
    one, other = normal(target_mean, target_log.exp()), normal(mean, log.exp())
    return torch.distributions.kl_divergence(one, other).mean()


def likelihood(x, mean, log):
    return torch.distributions.Normal(mean, log.exp()).log_prob(x).sum(-1)


def categorical(x, target):
    return F.kl_div(F.log_softmax(x, -1), F.log_softmax(target, -1), log_target=True, reduction="batchmean")


def expected_cost(x, cost):
    return (F.softmax(x, -1) * (cost - cost.min(-1, keepdim=True).values)).sum(-1).mean()


def choose(scores):
    z = (scores[0] - scores.mean()) / scores.std(unbiased=False) / 0.699999988079071
    rows = []
    for _ in range(5):
        rows.append(torch.softmax(z, -1))
        z = z.index_fill(0, z.argmax(), -math.inf)
    return torch.stack(rows)


def gaussian_heads(x, targets, roots):
    places = torch.tensor([[i // 4, i % 4] for i in range(20)], dtype=torch.float64)
    offsets = places[:, None] - places[None] - targets[:, None, None]  # [H, L, L, 2]
    turned = offsets @ roots.reshape(-1, 1, 2, 2).transpose(-1, -2)
    return torch.softmax(-(turned ** 2).sum(-1) / 2, -1) @ x


def columns(features, waves=0, last=0):
    """Planar tokens: the first 2 `waves` features share gains in pairs, the `last` ones have negative gains."""
    def run(x, matrix=None, gains=None, directions=None):
        phi = features(x.T, matrix, directions).T
        if gains is None:
            return phi
        gain = torch.cat((gains[0, :2 * waves:2].repeat_interleave(2), gains[0, 2 * waves:]))
        sign = torch.cat((torch.ones(len(gain) - last), -torch.ones(last)))
        return phi * (gain * sign)[:, None]
    return run


def pixels(weights, bias):
    """A picture of bytes whose numbers learn_pixel of tests/learn_cases.h draws, as numbers in 0..1."""
    image = torch.tensor([i * 2654435761 % 2**32 >> 24 for i in range(19 * 33 * 3)], dtype=torch.float64) / 255
    kernel = weights.reshape(-1, 3, 3, 3).permute(0, 3, 1, 2)
    return F.conv2d(image.reshape(1, 19, 33, 3).permute(0, 3, 1, 2), kernel, bias.reshape(-1), stride=2)


def tiles(x, weights):
    kernel = weights.reshape(16, 3, 3, 16).permute(0, 3, 1, 2)
    return places(F.conv2d(x.reshape(2, 3, 5, 16).permute(0, 3, 1, 2), kernel, padding=1))


CASES = {
    "tiles": tiles,
    "entropy": lambda x: torch.distributions.Categorical(logits=x).entropy(),
    "gaussian_entropy": lambda log: torch.distributions.Normal(0.0, log.exp()).entropy().sum().expand(7),
    "choose": choose,
    "unit_columns": lambda x: F.normalize(x, dim=0),
    "columns_plain": columns(plain(torch.relu)),
    "columns_relu": columns(plain(torch.relu)),
    "columns_exp": columns(plain(torch.exp)),
    "columns_square": columns(plain(torch.square)),
    "columns_positive": columns(positive),
    "columns_trig": columns(trig, 17),
    "columns_hybrid": columns(hybrid, 17, 17 * 3),
    "pixels": pixels,
    "heads": gaussian_heads,
    "linear": lambda x, weights, bias: torch.tanh(F.linear(x, weights, bias[0])),
    "relu": torch.relu,
    "tanh": torch.tanh,
    "sigmoid": torch.sigmoid,
    "gelu": F.gelu,
    "norm": lambda x, gain, shift: F.layer_norm(x, (37,), gain[0], shift[0], 1e-5),
    "batch_norm": lambda x, gain, shift, beside: torch.relu(
        F.batch_norm(x, None, None, gain[0], shift[0], training=True) + beside),
    "unit": lambda x: 1.5 * F.normalize(x, dim=-1),
    "softmax": lambda x: torch.softmax(x, -1),
    "convolution": convolution,
    "max_pooling": lambda x: places(F.max_pool2d(picture(x), 3, 2)),
    "average_pooling": lambda x: places(F.avg_pool2d(picture(x), 3, 2)),
    "lstm": lstm(()),
    "lstm_starts": lstm((7, 9)),
    "attend": attend,
    "plain": linear_attention(plain(torch.relu)),
    "map_relu": linear_attention(plain(torch.relu)),
    "map_exp": linear_attention(plain(torch.exp)),
    "map_square": linear_attention(plain(torch.square)),
    "map_positive": linear_attention(positive),
    "map_trig": linear_attention(trig),
    "map_hybrid": linear_attention(hybrid),
    "square_loss": lambda x, target: F.mse_loss(x, target),
    "huber_loss": lambda x, target: F.huber_loss(x, target, delta=0.5),
    "cross_entropy": lambda x: F.cross_entropy(x, torch.tensor([i * 11 % 37 for i in range(7)])),
    "categorical": categorical,
    "expected_cost": expected_cost,
    "gaussian": gaussian,
    "likelihood": likelihood,
    "likelihood_rows": likelihood,
}


def distance(got, expected):
    return float((got.reshape(-1) - expected.reshape(-1)).abs().max() / expected.abs().max())


def check(name, tensors):
    """The largest distance of a case's arrays, as a share of the array's largest."""
    inputs = {key.split(".")[2]: tensors[key].requires_grad_() for key in tensors if key.startswith(f"{name}.in.")}
    out = CASES[name](*inputs.values()) if list(inputs) == ["x"] else CASES[name](**inputs)
    distances = {"out": distance(tensors[f"{name}.out"], out.detach())}
    out.reshape(-1).backward(tensors[f"{name}.dout"].reshape(-1))
    for key, array in inputs.items():
        if f"{name}.gradient.{key}" in tensors:
            distances[key] = distance(tensors[f"{name}.gradient.{key}"], array.grad)
    return distances


compare("cases", CASES, lambda key: key.split(".")[0], check, TOLERANCE)
