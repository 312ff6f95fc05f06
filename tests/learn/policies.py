"""Gradients of whole policies beside PyTorch: policies.py DUMP

DUMP (tests/learn/policies.c) writes policies of every kind and minibatches with the outputs and the gradient that
saccade computes; PyTorch computes them from the same parameters and pictures. Code 77: PyTorch is missing.
"""

import json
import math
import pathlib
import subprocess
import sys
import tempfile

from peer import read, torch

F = torch.nn.functional

STRAIGHT, SOFT, FIXED = range(3)


class Rounded(torch.autograd.Function):
    """Numbers, and the gradients by them, that are off by `error` of themselves at random."""

    @staticmethod
    def forward(context, x, error):
        context.error = error
        return x * (1 + error * (2 * torch.rand_like(x) - 1))

    @staticmethod
    def backward(context, gradient):
        return gradient * (1 + context.error * (2 * torch.rand_like(gradient) - 1)), None


class Squashed(torch.autograd.Function):
    """tanh or sigmoid, off likewise: a number near 1 is rounded as such, and the slope is made of what is left."""

    @staticmethod
    def forward(context, x, curve, error):
        y = Rounded.forward(context, curve(x), error)
        context.curve = curve
        context.save_for_backward(y)
        return y

    @staticmethod
    def backward(context, gradient):
        y, = context.saved_tensors
        return gradient * (1 - y * y if context.curve is torch.tanh else y * (1 - y)), None, None


class Softmax(torch.autograd.Function):
    """softmax over rows, off likewise. By a score it is P (dP - sum dP P), and that sum is one number of its own, found
    as dout . out (Dao et al. 2022), so that its rounding is as large as itself and not as the difference."""

    @staticmethod
    def forward(context, x, error):
        p = Rounded.forward(context, torch.softmax(x, -1), error)
        context.save_for_backward(p)
        return p

    @staticmethod
    def backward(context, gradient):
        p, = context.saved_tensors
        mean, _ = Rounded.backward(context, (gradient * p).sum(-1, keepdim=True))
        return p * (Rounded.backward(context, gradient)[0] - mean), None


class Policy:
    """A policy of saccade in PyTorch, in double precision.

    With `error`, every intermediate result and its gradient is off by that share of itself.
    """

    def __init__(self, text, tensors, case, error, top, dtype=torch.float64):
        self.made = json.loads(text)
        self.options = self.made["settings"]
        self.error, self.top = error, top
        self.dtype = dtype
        self.tensors = {name: value.to(dtype).requires_grad_() for name, value in tensors.items()}
        self.case = {name: value.to(dtype) for name, value in case.items()}
        self.choosing = int(self.case["words"][0, 0])

    def on(self, name):
        return self.options.get(name) == "true"

    def number(self, name):
        return int(self.options[name])

    def rounded(self, x):
        return Rounded.apply(x, self.error) if self.error else x

    def layer(self, x, name):
        return self.rounded(x @ self.tensors[name + ".weight"].T + self.tensors[name + ".bias"])

    # frames to tokens

    def patches(self):
        height, width, channels = (int(x) for x in self.case["shape"][0])
        self.height = height
        pictures = self.case["pictures"] / 255 if "pictures" in self.case else self.case["depth"]
        pictures = pictures.reshape(-1, height, width, channels).permute(0, 3, 1, 2)
        if self.made["kind"] == "cnn":
            return pictures
        size = self.number("patch")
        stride = self.number("stride") or size
        self.grid = [(edge - size) // stride + 1 for edge in (height, width)]
        columns = F.unfold(pictures, size, stride=stride)  # [F, channels size size, N]
        count = columns.shape[-1]
        return columns.reshape(-1, channels, size * size, count).permute(0, 3, 2, 1).flatten(2)

    def placed(self):
        """The pixels of patches, with the positions that are added to them."""
        x = self.pixels - 0.5 if self.on("centre_pixels") else self.pixels
        return x + self.case["positions"][:, :x.shape[1]].T if "positions" in self.case else x

    def tokens(self, name):
        return self.heads(self.layer(self.placed(), name))

    def heads(self, x):
        return x.reshape(*x.shape[:2], int(self.options.get("heads", 1)), -1).transpose(1, 2)  # [F, H, N, D]

    # attention

    def unit(self, x):
        return self.rounded(F.normalize(x, dim=-1)) if self.on("normalize") else x

    def phi(self, x, side):
        x, form, square = self.unit(x), self.options["attention"], self.case["numbers"][0, 1]
        matrix, gains = self.case["matrix"], self.case["gains_" + side]
        if self.options.get("attention_map") == "learned":
            change = self.tensors[{"q": "attention.query_map", "k": "attention.key_map"}[side]]
            heads = x.shape[1]
            matrix = matrix + self.case["numbers"][0, 2] * change.reshape(heads, -1, x.shape[-1])
            gains = gains + self.tensors["attention.gain"].reshape(heads, 1, -1)
        u = self.rounded(x @ matrix.transpose(-2, -1))
        half = square * (x * x).sum(-1, keepdim=True)
        if form in ("relu", "sara-relu"):
            phi = torch.relu(u)
        elif form == "sara-square":
            phi = u * u
        elif form in ("positive", "sara-exp"):
            phi = torch.exp2(u + half)
        else:
            turns = u * math.log(2)  # from log2 units
            waves = (torch.exp2(-half).unsqueeze(-1) * torch.stack((torch.sin(turns), torch.cos(turns)), -1))
            phi = waves.flatten(-2)
            if form == "hybrid":
                powers = torch.exp2(u + half)
                signs = torch.where(x @ self.case["directions"].T >= 0, 1.0, -1.0).to(self.dtype)[..., None, :]
                pairs = (waves.unsqueeze(-2) * signs.unsqueeze(-1)).flatten(-3)
                phi = torch.cat((phi, powers, pairs, (powers.unsqueeze(-1) * signs).flatten(-2)), -1)
        return self.rounded(phi * gains)

    def queries_and_keys(self):
        """Features; those of the queries divided by the sums of their rows of attention where that is asked for."""
        q, k = self.phi(self.tokens("query"), "q"), self.phi(self.tokens("key"), "k")
        if self.on("divide"):
            sums = (q * self.rounded(k.sum(2, keepdim=True))).sum(-1, keepdim=True)
            q = self.rounded(torch.where(sums == 0, 0.0, q / torch.where(sums == 0, 1.0, sums)))
        return q, k

    def softmax(self):
        products = self.unit(self.tokens("query")) @ self.unit(self.tokens("key")).transpose(2, 3)
        return Softmax.apply(self.rounded(self.case["numbers"][0, 0] * products), self.error)

    def scores(self):
        if self.options["attention"] == "softmax":
            return self.rounded(self.softmax().sum(2).mean(1))
        weights = 1 + self.tensors["rank.projection"] if "rank.projection" in self.tensors else 1
        q, k = self.queries_and_keys()
        z = self.rounded((q.transpose(2, 3) * weights).sum(-1))  # [F, H, M]
        return self.rounded((k * z[:, :, None]).sum(-1).mean(1) / (1 if self.on("divide") else q.shape[2]))

    # readings

    def mixed(self):
        v, p = self.tokens("value"), self.tensors["trans.projection"]
        if self.options["attention"] == "softmax":
            out = self.rounded(p @ self.rounded(self.softmax() @ v))
        else:
            q, k = self.queries_and_keys()
            out = self.rounded(self.rounded(p @ q) @ self.rounded(k.transpose(2, 3) @ v))
        if self.on("residual"):
            out = out + self.rounded(p @ v)
        if self.on("layer_norm"):
            size, heads = v.shape[-1], v.shape[1]
            gain = (1 + self.tensors["trans.gain"]).reshape(heads, 1, size)
            out = F.layer_norm(out, (size,), eps=1e-5) * gain + self.tensors["trans.bias"].reshape(heads, 1, size)
        return out.flatten(1)

    def patch_features(self):
        """What can be told of every patch, [F, N, size]."""
        parts, patch = [], self.number("patch")
        frames, count = self.pixels.shape[:2]
        for word in self.options["features"].split("+"):
            if word == "positions":
                step = self.number("stride") or patch
                places = torch.arange(count)
                rows, columns = places // self.grid[1] * step + patch // 2, places % self.grid[1] * step + patch // 2
                unit = self.height if self.on("normalise") else 1
                parts.append((torch.stack((rows, columns), -1).to(self.dtype) / unit).expand(frames, count, 2))
            elif word == "values":
                parts.append(self.layer(self.pixels, "value"))
            else:
                bins = self.number("bins")
                pixels = self.pixels.reshape(frames, count, patch * patch, -1)
                # whole numbers, as a byte on an edge between bins must not be rounded
                place = (pixels * 255).round() * bins // 255
                at = place.clamp(max=bins - 1).long()
                parts.append(F.one_hot(at, bins).to(self.dtype).mean(2).flatten(2))
        return torch.cat(parts, -1)

    def kept(self):
        scores, numbers, count = self.scores(), self.patch_features(), self.number("top")
        if self.top is None:  # errors must not change what is kept
            self.top = torch.sort(scores, dim=-1, descending=True, stable=True)[1][:, :count]
        top = self.top
        z = scores - scores.mean(-1, keepdim=True)
        z = z / (z * z).mean(-1, keepdim=True).sqrt() / self.case["words"][0, 1]
        rows, taken = [], torch.zeros_like(scores, dtype=torch.bool)
        for k in range(count):
            rows.append(torch.softmax(z.masked_fill(taken, -math.inf), -1))
            taken = taken.scatter(1, top[:, k:k + 1], True)
        choices = self.rounded(torch.stack(rows, 1))  # [F, K, N]
        hard = F.one_hot(top, scores.shape[1]).to(self.dtype)
        if self.on("masking"):
            choices, hard = choices.sum(1).unsqueeze(-1), hard.sum(1).unsqueeze(-1)
            soft, kept, still = choices * numbers, hard * numbers, choices * numbers.detach()
        else:
            soft, kept, still = choices @ numbers, hard @ numbers, choices @ numbers.detach()
        if self.choosing == SOFT:
            return soft.flatten(1)
        told = kept.flatten(1)
        return told + (still - still.detach()).flatten(1) if self.choosing == STRAIGHT else told

    def layers(self):
        x, index = self.pixels, 0
        while f"conv{index}.weight" in self.tensors:
            weight = self.tensors[f"conv{index}.weight"].permute(0, 3, 1, 2)
            x = F.conv2d(x, weight, self.tensors[f"conv{index}.bias"], stride=self.number("conv_stride"))
            x = torch.relu(self.rounded(x))
            pools = [int(side) for side in self.options["conv_pool"].split(",")]
            x = F.max_pool2d(x, max(1, pools[index % len(pools)]))
            index += 1
        return x.permute(0, 2, 3, 1).flatten(1)

    # actions said by tokens: rows are tokens [N, W], of one frame at a time

    def norm(self, x, gain):
        return self.rounded(F.layer_norm(x, (x.shape[-1],), 1 + gain, eps=1e-5))

    def linear(self, x, weight, bias):
        return self.rounded(x @ weight.T + bias)

    def gathered(self, q, k, v, ages, allowed):
        """Attention of each head. ages: [H, keys] logarithms of factors; allowed: [queries, keys] 0, or -inf."""
        form = self.options["attention"]
        q, k, v = (x.reshape(x.shape[0], self.number("heads"), -1).transpose(0, 1) for x in (q, k, v))
        if form == "softmax":
            scale = float(self.options["scale"]) or 1 / math.sqrt(q.shape[-1])
            scores = self.rounded(scale * self.rounded(q @ k.transpose(1, 2))) + ages[:, None] + allowed
            return self.rounded(Softmax.apply(scores, self.error) @ v).transpose(0, 1).flatten(1)
        phi = {"exp": torch.exp, "square": lambda x: x * x}.get(form.removeprefix("sara-"), torch.relu)
        weights = self.rounded(self.rounded(phi(q)) @ self.rounded(phi(k)).transpose(1, 2))
        weights = self.rounded(weights * self.rounded(torch.exp(ages))[:, None]) * torch.exp(allowed)
        total = self.rounded(weights.sum(-1, keepdim=True) + 1e-6)
        return self.rounded(self.rounded(weights @ v) / total).transpose(0, 1).flatten(1)

    def block(self, x, name, attend, *at):
        """A block of the encoder or decoder, of those that lie one behind the other the one `at` its place."""
        def of(part, end=""):
            return self.tensors[f"{name}.{part}{end}"][at[0] if at else 0]

        def through(x, part):
            return self.linear(x, of(part, ".weight"), of(part, ".bias"))

        q, k, v = through(self.norm(x, of("norm")), "mix").chunk(3, -1)
        middle = self.rounded(x + through(attend(q, k, v), "out"))
        units = torch.relu(through(self.norm(middle, of("middle_norm")), "up"))
        return self.rounded(middle + through(units, "down"))

    def encoded(self, x):
        """What the decoder looks at of a frame: keys and values."""
        none = torch.zeros(self.number("heads"), x.shape[0], dtype=self.dtype)
        for layer in range(self.number("layers")):
            x = self.block(x, "encoder", lambda q, k, v: self.gathered(q, k, v, none, none[:1]), layer)
        return self.layer(self.norm(x, self.tensors["memory.norm"]), "memory").chunk(2, -1)

    def decoded(self, frames, said):
        """Logits from the frames of a history, the newest one first, and the tokens that are said."""
        before = torch.cat((torch.zeros_like(self.tensors["bins"][:1]), self.tensors["bins"][said[:-1]]))
        x, places = self.tensors["dimensions"] + before, frames[0][0].shape[0]
        count = x.shape[0]
        ages = self.tensors["memory.ages"][:, :len(frames)].repeat_interleave(places, 1)
        ages = torch.cat((ages, torch.zeros(ages.shape[0], count, dtype=self.dtype)), 1)
        allowed = torch.full((count, count), -math.inf, dtype=self.dtype).triu(1)
        allowed = torch.cat((torch.zeros(count, len(frames) * places, dtype=self.dtype), allowed), 1)

        def attend(q, k, v):
            keys, values = (torch.cat([frame[i] for frame in frames] + [own]) for i, own in enumerate((k, v)))
            return self.gathered(q, keys, values, ages, allowed)

        x = self.norm(self.block(x, "decoder", attend), self.tensors["logits.norm"])
        return self.linear(x, self.tensors["logits.weight"], self.tensors["logits.bias"]).flatten()

    def words(self, actions):
        """The tokens of actions [N, numbers]: a bin each, or the sign (10, 11) and the digits of each."""
        if self.options.get("spelling") == "decimals":
            return torch.tensor([[word for number in row for word in self.spelled(number)] for row in actions.tolist()])
        low, high = (torch.tensor(self.made["action_" + side], dtype=self.dtype) for side in ("low", "high"))
        return ((actions - low) / (high - low) * (self.number("bins") - 1)).round().long()

    def spelled(self, number):
        whole = max(len(f"{abs(bound):.4f}") for side in ("low", "high") for bound in self.made["action_" + side])
        digits = [int(digit) for digit in f"{abs(number):0{whole}.4f}" if digit != "."]
        return [11 if number < 0 and any(digits) else 10, *digits]

    def speech(self):
        self.pixels = self.patches()
        steps, sequences = self.case["starts"].shape
        history, said = self.number("history"), self.words(self.case["said"])
        longest = max(history * self.pixels.shape[1] + said.shape[1], self.pixels.shape[2], self.number("units"))
        self.error *= LIKELY * math.sqrt(longest)
        frames = [self.encoded(x) for x in self.layer(self.placed(), "patches")]
        out = []
        for step in range(steps):
            for sequence in range(sequences):
                seen = []
                for at in range(step, max(step - history, -1), -1):
                    seen.append(frames[at * sequences + sequence])
                    if self.case["starts"][at, sequence]:
                        break
                out.append(self.decoded(seen, said[step * sequences + sequence]))
        return torch.stack(out)

    # the controller

    def inputs(self, told):
        steps, sequences = self.case["starts"].shape
        if self.on("motion"):
            told = told.reshape(steps, sequences, -1)
            last = torch.cat((self.case["before"][None], told[:-1]))
            told = torch.cat((told, torch.where(self.case["starts"][..., None] > 0, 0 * told, told - last)), -1)
            told = told.flatten(0, 1)
        if self.on("filter"):
            deviation = self.tensors["filter.deviation"].detach()
            told = (told - self.tensors["filter.mean"].detach()) / torch.where(deviation > 0, deviation, 1.0)
            limit = float(self.made["settings"].get("filter_limit", 0))
            told = told.clamp(-limit, limit) if limit > 0 else told
        return told

    def lstm_step(self, x, hidden, cell):
        gates = x @ self.tensors["lstm.weight_ih"].T + hidden @ self.tensors["lstm.weight_hh"].T
        gates = self.rounded(gates + self.tensors["lstm.bias_ih"] + self.tensors["lstm.bias_hh"])
        i, f, g, o = gates.chunk(4, 1)
        i, f, o = (Squashed.apply(x, torch.sigmoid, self.error) for x in (i, f, o))
        cell = self.rounded(f * cell + i * Squashed.apply(g, torch.tanh, self.error))
        return self.rounded(o * Squashed.apply(cell, torch.tanh, self.error)), cell

    def lstm(self, x):
        steps, sequences = self.case["starts"].shape
        state, out = (self.case["hidden"], self.case["cell"]), []
        for row, starts in zip(x.reshape(steps, sequences, -1), self.case["starts"]):
            keep = (starts == 0).to(self.dtype)[:, None]
            state = self.lstm_step(row, *(s * keep for s in state))
            out.append(state[0])
        return torch.cat(out)

    def places(self):
        """How many patches a picture is cut into."""
        if self.made["kind"] != "cnn":
            return self.pixels.shape[1]
        size, stride = self.number("conv_kernel"), self.number("conv_stride")
        return math.prod((edge - size) // stride + 1 for edge in self.pixels.shape[2:])

    def told(self):
        """What is read of the pictures, then the numbers of vectors."""
        kind = self.made["kind"]
        if kind == "mlp":
            self.error *= LIKELY * math.sqrt(max(x.shape[1] for x in self.tensors.values() if x.dim() == 2))
            return self.case["vectors"]
        self.pixels = self.patches()
        self.error *= LIKELY * math.sqrt(self.places())
        told = self.layers() if kind == "cnn" else self.mixed() if kind == "iap-trans" else self.kept()
        return torch.cat((told, self.case["vectors"]), 1) if "vectors" in self.case else told

    def run(self):
        if self.made["kind"] == "action-tokens":
            return self.speech()
        x = self.inputs(self.told())
        if self.options["controller"] == "lstm":
            x = self.lstm(x)
        elif self.options["controller"] == "mlp":
            for name in ("hidden", "hidden2", "hidden3", "hidden4"):
                if name + ".weight" in self.tensors:
                    x = Squashed.apply(self.layer(x, name), torch.tanh, self.error)
        x = self.layer(x, "output")
        if self.options["activation"] == "tanh":
            x = Squashed.apply(x, torch.tanh, self.error)
        if self.options["activation"] == "none":
            return x
        low, high = (torch.tensor(self.made["action_" + side], dtype=self.dtype) for side in ("low", "high"))
        return x * (high - low) / 2 + (high + low) / 2


def compute(text, tensors, case, error=0.0, top=None):
    """The outputs and the gradient by each tensor, and which patches were kept."""
    policy = Policy(text, tensors, case, error, top)
    outputs = policy.run()
    outputs.backward(policy.case["doutputs"])
    found = {name: torch.zeros_like(x) if x.grad is None else x.grad for name, x in policy.tensors.items()}
    return {"outputs": outputs.detach(), **found}, policy.top


def computed(case, tensors):
    """What saccade has computed: the order of tensors in the vector is that of the case's names."""
    found, at = {"outputs": case["outputs"]}, 0
    for name in bytes(case["names"].reshape(-1).tolist()).decode().split():
        found[name] = case["gradient"][0, at:at + tensors[name].numel()].reshape(tensors[name].shape)
        at += tensors[name].numel()
    return found


def distance(got, expected):
    return float((got.double().reshape(-1) - expected.reshape(-1)).abs().max())


DRAWS, LIKELY = 3, 4.0
FURTHEST = {"action-tokens": 1e-4}  # of an array's largest number, a promise beside what rounding explains


def check(folder, number):
    """Print each array's distance from PyTorch's in double as a share of what rounding explains; count those above 1.

    A sum of n products in single precision is the exact sum of products that are off by LIKELY sqrt(n) 2^-24 each at
    most, but for a chance of 2 n exp(-LIKELY^2 / 2) (Higham and Mary 2019, theorem 2.4), so what errors of that size in
    every intermediate result do to the array, n the number of patches (of an mlp the longest row of weights), is what
    rounding explains.
    """
    metadata, tensors = read(folder / f"{number:03}.policy.safetensors")
    _, case = read(folder / f"{number:03}.safetensors")
    text = metadata["policy"]
    (exact, top), got = compute(text, tensors, case), computed(case, tensors)
    noisy = [compute(text, tensors, case, 2.0 ** -24, top)[0] for _ in range(DRAWS)]
    made = json.loads(text)
    limit, furthest, shares, bad = FURTHEST.get(made["kind"], math.inf), 0.0, {}, []
    for name, expected in exact.items():
        largest = float(expected.abs().max())
        explained = max(distance(other[name], expected) for other in noisy) + 2.0 ** -23 * largest
        off = distance(got[name], expected)
        shares[name] = off / explained if explained else off
        furthest = max(furthest, off / largest if largest else 0)
        may_be_nothing = name.startswith("filter.") or number_is_fixed(case)
        if not off <= explained or off > limit * largest or not (largest > 0 or may_be_nothing):
            bad.append(name)
    words = (made["kind"], made["settings"].get("attention", ""), made["settings"].get("controller", ""),
             ("straight", "soft", "fixed")[int(case["words"][0, 0])] if "top" in made["settings"] else "")
    worst = max(shares, key=shares.get)
    name = " ".join(word for word in words if word)
    print(f"{name:40} {len(shares):2} arrays, {worst} at {shares[worst]:.2f} of what rounding explains"
          f"{f', {furthest:.0e} of the largest at most' if limit < math.inf else ''}"
          f"{' TOO FAR: ' + ' '.join(bad) if bad else ''}")
    return len(bad)


def number_is_fixed(case):
    return int(case["words"][0, 0]) == FIXED


def main():
    torch.manual_seed(1)
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([sys.argv[1], folder], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            sys.exit(done.stdout)
        folder = pathlib.Path(folder)
        count = len(list(folder.glob("*.policy.safetensors")))
        failures = sum(check(folder, number) for number in range(count))
    print(f"{count} policies, {failures} arrays too far")
    sys.exit(failures > 0 or count == 0)


main()
