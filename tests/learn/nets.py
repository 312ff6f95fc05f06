"""Nets for images beside PyTorch: nets.py DUMP

DUMP (tests/learn/nets.c) writes parameters, pictures, outputs and gradients; PyTorch computes the same nets from the
same parameters in double, over two shapes of pictures, and large ones of 1,122 tokens: in training, and as an
evaluation does, with the means and variances that batch norms have kept of one minibatch. Code 77: PyTorch is missing.
"""

import math

from peer import compare, torch

F = torch.nn.functional

TOLERANCE = 1e-4  # of an array's largest; floats through 20 layers are about 1e-5 off
HEADS = 3


def resnet(t, pictures, kept=None):
    x = pictures.permute(0, 3, 1, 2)

    def convolution(x, name, patch, stride=1):
        weight = t[f"{name}.weight"]
        kernel = weight.reshape(weight.shape[0], patch, patch, -1).permute(0, 3, 1, 2)
        return F.conv2d(x, kernel, stride=stride, padding=patch // 2)

    def norm(x, name):
        weight, bias = t[f"{name}.weight"], t[f"{name}.bias"]
        if kept is not None:
            return F.batch_norm(x, *kept[name], weight, bias, training=False)
        moments = t.measured[name] = torch.stack((torch.zeros_like(weight), torch.ones_like(weight))).detach()
        return F.batch_norm(x, *moments, weight, bias, training=True)  # which keeps a tenth of the new ones

    x = F.relu(norm(convolution(x, "convolution", 3), "norm"))
    stage, block = 0, 0
    while f"stage{stage}.block0.norm1.weight" in t:
        name = f"stage{stage}.block{block}"
        stride = 2 if stage > 0 and block == 0 else 1
        y = F.relu(norm(convolution(x, f"{name}.convolution1", 3, stride), f"{name}.norm1"))
        y = norm(convolution(y, f"{name}.convolution2", 3), f"{name}.norm2")
        if f"{name}.shortcut.weight" in t:
            x = norm(convolution(x, f"{name}.shortcut", 1, stride), f"{name}.shortcut_norm")
        x = F.relu(x + y)
        block += 1
        if f"stage{stage}.block{block}.norm1.weight" not in t:
            stage, block = stage + 1, 0
    return linear(t, x.mean((2, 3)), "linear")


class Tensors(dict):
    """A net's tensors by name, and what its batch norms have measured."""

    def __init__(self, tensors):
        super().__init__(tensors)
        self.measured = {}


def linear(t, x, name):
    return F.linear(x, t[f"{name}.weight"], t.get(f"{name}.bias"))


def layer_norm(t, x, name, epsilon):
    return F.layer_norm(x, x.shape[-1:], t[f"{name}.weight"], t[f"{name}.bias"], epsilon)


def blocks(pictures, side=2):
    count, rows, columns, channels = pictures.shape
    x = pictures.reshape(count, rows // side, side, columns // side, side, channels).transpose(2, 3)
    return x.reshape(count, -1, side * side * channels)


def differences(rows, columns):
    """p_i - p_j, [N, N, 2]."""
    places = torch.tensor([[i // columns, i % columns] for i in range(rows * columns)])
    return places[:, None] - places[None]


def logits(t, name, x, form, sides):
    """[1 or samples, heads, N, N]."""
    d = differences(*sides)
    down, right = d[..., 0] + sides[0] - 1, d[..., 1] + sides[1] - 1
    if form in ("isotropic", "quadratic"):
        offsets = d.double() - t[f"{name}.heads.centres"][:, None, None]
        if form == "isotropic":
            turned = offsets * t[f"{name}.heads.spreads"][:, None, None, None]
        else:
            turned = offsets @ t[f"{name}.heads.roots"].reshape(-1, 1, 2, 2).transpose(-1, -2)
        return -(turned ** 2).sum(-1)[None] / 2
    rows, columns = t[f"{name}.heads.rows"], t[f"{name}.heads.columns"]
    if form == "relative":
        table = torch.cat((rows[down], columns[right]), -1)  # [N, N, 2 E]
        return torch.einsum("he,ije->hij", t[f"{name}.heads.vectors"], table)[None]
    both = linear(t, x, f"{name}.queries_keys")
    q, k = (part.reshape(*x.shape[:2], HEADS, -1) for part in both.chunk(2, -1))
    u, v = t[f"{name}.heads.vectors"].reshape(2, HEADS, -1)
    r = (rows[down] + columns[right]).reshape(len(d), len(d), HEADS, -1)
    content, place = torch.einsum("bihd,bjhd->bhij", q, k), torch.einsum("hd,ijhd->hij", v, r)[None]
    if form == "transformer_xl":
        content = content + torch.einsum("hd,bjhd->bhj", u, k)[:, :, None]
        place = place + torch.einsum("bihd,ijhd->bhij", q, r)
    return (content + place) / math.sqrt(q.shape[-1])


def attention_net(form):
    def run(t, pictures, kept=None):
        x, index = linear(t, blocks(pictures), "embedding"), 0
        sides = [side // 2 for side in pictures.shape[1:3]]
        while f"layer{index}.norm1.weight" in t:
            name = f"layer{index}"
            weights = torch.softmax(logits(t, name, x, form, sides), -1)
            seen = (weights @ x[:, None]).transpose(1, 2).flatten(2)  # [samples, N, heads width]
            x = layer_norm(t, linear(t, seen, f"{name}.values") + x, f"{name}.norm1", 1e-12)
            y = linear(t, F.gelu(linear(t, x, f"{name}.up")), f"{name}.down")
            x = layer_norm(t, y + x, f"{name}.norm2", 1e-12)
            index += 1
        return linear(t, x.mean(1), "linear")
    return run


def features(form, x, matrix):
    u = x if matrix is None else x @ matrix.T
    half = (x * x).sum(-1, keepdim=True) / 2
    if form in ("relu", "relu_mapped"):
        return F.relu(u)
    if form == "trig":
        return torch.cat((torch.exp(half) * torch.sin(u), torch.exp(half) * torch.cos(u)), -1)
    return {"exp": torch.exp(u), "square": u * u, "positive": torch.exp(u - half)}[form]


def vit(form):
    def run(t, pictures, kept=None):
        x, index = linear(t, blocks(pictures), "embedding") + t["places.weight"], 0
        while f"layer{index}.norm1.weight" in t:
            name = f"layer{index}"
            y = linear(t, layer_norm(t, x, f"{name}.norm1", 1e-6), f"{name}.queries_keys_values")
            q, k, v = (part.reshape(*x.shape[:2], HEADS, -1).transpose(1, 2) for part in y.chunk(3, -1))
            root = math.sqrt(math.sqrt(q.shape[-1]))
            q, k = q / root, k / root
            if form == "softmax":
                y = torch.softmax(q @ k.transpose(2, 3), -1) @ v
            else:
                q, k = (features(form, part, t.get(f"{name}.attention.matrix")) for part in (q, k))
                y = q @ (k.transpose(2, 3) @ v) / ((q * k.sum(2, keepdim=True)).sum(-1, keepdim=True) + 1e-6)
            x = x + linear(t, y.transpose(1, 2).flatten(2), f"{name}.out")
            y = layer_norm(t, x, f"{name}.norm2", 1e-6)
            x = x + linear(t, F.gelu(linear(t, y, f"{name}.up")), f"{name}.down")
            index += 1
        return linear(t, layer_norm(t, x, "norm", 1e-6).mean(1), "linear")
    return run


FORMS = {"resnet": resnet, "resnet_deep": resnet}
FORMS.update({form: attention_net(form) for form in ("isotropic", "quadratic", "relative", "content", "transformer_xl")})
FORMS.update({form: vit(form) for form in ("softmax", "relu", "relu_mapped", "exp", "square", "positive", "trig")})
FORMS.update({f"{form}_wide": run for form, run in FORMS.items()})
FORMS.update({f"{form}_large": FORMS[form] for form in ("softmax", "square", "positive", "resnet")})


def distance(got, expected):
    return float((got - expected).abs().max() / (expected.abs().max() + 1e-30))


def check(form, arrays):
    tensors = Tensors({key.split("/", 2)[2]: arrays[key].clone().requires_grad_() for key in arrays
                       if key.startswith(f"{form}/tensor/")})
    measured = {key.split("/", 2)[2]: arrays[key] for key in arrays if key.startswith(f"{form}/measured/")}
    out = FORMS[form](tensors, arrays[f"{form}/in/pictures"])
    labels = torch.arange(len(out)) % out.shape[1]
    F.cross_entropy(out, labels).backward()
    distances = {"logits": distance(arrays[f"{form}/out/logits"], out.detach())}
    assert measured.keys() == tensors.measured.keys(), form
    distances.update({f"measured {name}": distance(measured[name], tensors.measured[name]) for name in measured})
    with torch.no_grad():
        evaluated = FORMS[form](tensors, arrays[f"{form}/in/pictures"], measured)
    distances["evaluated"] = distance(arrays[f"{form}/out/evaluated"], evaluated)
    largest = max(float(tensor.grad.abs().max()) for tensor in tensors.values() if tensor.grad is not None)
    for name, tensor in tensors.items():
        expected = torch.zeros_like(tensor) if tensor.grad is None else tensor.grad
        # a gradient that vanishes, such as that of a bias before a norm, is compared with the largest of all
        scale = max(float(expected.abs().max()), 1e-3 * largest)
        distances[name] = float((arrays[f"{form}/gradient/{name}"] - expected).abs().max()) / scale
    return distances


compare("nets", FORMS, lambda key: key.split("/")[0], check, TOLERANCE)
