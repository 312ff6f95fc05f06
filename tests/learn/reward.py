"""The loss of PPO and its gradient beside PyTorch: reward.py REWARD

REWARD (tests/learn/reward.c) writes minibatches, losses and gradients; PyTorch computes them from the same minibatches
in double. Code 77: PyTorch is missing.
"""

import subprocess
import sys
import tempfile

from peer import read, torch

# of an array's largest: likelihoods of a few units are floats, off by some 2^-22, and ratios with them; the gradient by
# a deviation is a sum of such over all rows. No row lies so near an edge of a clip that this decides.
TOLERANCE = 1e-5


def cases_of(path):
    """{case: {array: tensor}}"""
    cases = {}
    for name, tensor in read(path)[1].items():
        case, array = name.split(".")
        cases.setdefault(case, {})[array] = tensor.double()
    return cases


def distribution(case, outputs, logs):
    if case["words"][0, 0]:
        return torch.distributions.Categorical(logits=outputs)
    return torch.distributions.Independent(torch.distributions.Normal(outputs, logs.exp()[0]), 1)


def compute(case):
    """Losses and gradients, as Huang et al. (2022) write them."""
    choice, clip, value_weight, entropy_weight, clip_value, normalise = case["words"][0].tolist()
    outputs, logs, values = (case[name].clone().requires_grad_() for name in ("outputs", "logs", "values"))
    rows = case["counts"][:, 0] > 0
    law = distribution(case, outputs, logs)
    likelihood = law.log_prob(case["drawn"][:, 0] if choice else case["drawn"])
    difference = (likelihood - case["old"][:, 0])[rows]
    ratio, advantages = difference.exp(), case["advantages"][rows, 0]
    if normalise:
        advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
    policy = torch.max(-advantages * ratio, -advantages * ratio.clamp(1 - clip, 1 + clip)).mean()
    now, old, targets = values[rows, 0], case["old_values"][rows, 0], case["targets"][rows, 0]
    squares = (now - targets) ** 2
    if clip_value:
        squares = torch.max(squares, (old + (now - old).clamp(-clip, clip) - targets) ** 2)
    value, entropy = 0.5 * squares.mean(), law.entropy()[rows].mean()
    (policy - entropy_weight * entropy + value_weight * value).backward()
    divergence, clipped = (ratio - 1 - difference).mean(), ((ratio - 1).abs() > clip).double().mean()
    sums = torch.stack([policy, value, entropy, divergence, clipped]).detach()
    zero = torch.zeros_like(logs)
    return {"sums": sums, "doutputs": outputs.grad, "dlogs": zero if logs.grad is None else logs.grad,
            "dvalues": values.grad}


def distance(got, expected):
    largest = float(expected.abs().max())
    off = float((got.reshape(-1) - expected.reshape(-1)).abs().max())
    return off / largest if largest else off


def main():
    with tempfile.NamedTemporaryFile(suffix=".safetensors") as file:
        subprocess.run([sys.argv[1], file.name], check=True)
        cases = cases_of(file.name)
    failures = 0
    for name, case in cases.items():
        expected = compute(case)
        distances = {array: distance(case[array], expected[array]) for array in expected}
        worst = max(distances, key=distances.get)
        bad = any(not d <= TOLERANCE for d in distances.values())
        failures += bad
        print(f"{name:22} {100 * float(expected['sums'][4]):3.0f} % clipped, {worst} off by {distances[worst]:.1e}"
              f"{' TOO FAR' if bad else ''}")
    print(f"{len(cases)} cases, {failures} too far")
    sys.exit(failures > 0 or not cases)


main()
