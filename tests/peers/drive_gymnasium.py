#!/usr/bin/env python3
"""Drives a saccade policy in Gymnasium's own CarRacing-v3, with the agent in NumPy: does what was trained here drive there?

usage: drive_gymnasium.py POLICY.safetensors [A..B]

Needs gymnasium[box2d], numpy and safetensors. Only exact softmax attention, position features and the LSTM controller.
Prints one line an episode (seed, return, steps), then mean and standard deviation."""
import json
import os
import statistics
import sys

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
import gymnasium as gym
import numpy as np
from safetensors import safe_open


def read_policy(path):
    with safe_open(path, "numpy") as file:
        tensors = {name: file.get_tensor(name).astype(np.float64) for name in file.keys()}
        policy = json.loads(file.metadata()["policy"])
    settings = policy["settings"]
    expected = {"attention": "softmax", "features": "positions", "controller": "lstm", "scale": "0"}
    for key, value in expected.items():
        if settings[key] != value:
            sys.exit(f"{path}: {key} is {settings[key]}, this script knows {value} alone")
    return tensors, {key: int(settings[key]) for key in ("patch", "stride", "top", "hidden")}


class Agent:
    def __init__(self, tensors, shape):
        self.t, self.s = tensors, shape
        self.h, self.c = np.zeros(shape["hidden"]), np.zeros(shape["hidden"])

    def act(self, image):
        t, patch, stride = self.t, self.s["patch"], self.s["stride"]
        windows = np.lib.stride_tricks.sliding_window_view(image / 255.0, (patch, patch, 3))[::stride, ::stride, 0]
        rows, columns = windows.shape[:2]
        x = windows.reshape(rows * columns, -1)
        logits = (x @ t["query.weight"].T + t["query.bias"]) @ (x @ t["key.weight"].T + t["key.bias"]).T
        logits /= np.sqrt(x.shape[1])
        weights = np.exp(logits - logits.max(1, keepdims=True))
        importance = (weights / weights.sum(1, keepdims=True)).sum(0)
        top = np.argsort(-importance, kind="stable")[: self.s["top"]]
        centres = np.stack([patch // 2 + stride * (top // columns), patch // 2 + stride * (top % columns)], 1)
        told = (centres / image.shape[0]).ravel()
        gates = t["lstm.weight_ih"] @ told + t["lstm.bias_ih"] + t["lstm.weight_hh"] @ self.h + t["lstm.bias_hh"]
        i, f, g, o = np.split(gates, 4)
        sigmoid = lambda v: 1 / (1 + np.exp(-v))
        self.c = sigmoid(f) * self.c + sigmoid(i) * np.tanh(g)
        self.h = sigmoid(o) * np.tanh(self.c)
        out = np.tanh(t["output.weight"] @ self.h + t["output.bias"])
        return (out * [1, 0.5, 0.5] + [0, 0.5, 0.5]).astype(np.float32)


def main():
    tensors, shape = read_policy(sys.argv[1])
    first, last = map(int, (sys.argv[2] if len(sys.argv) > 2 else "1..40").split(".."))
    env = gym.make("CarRacing-v3")
    returns = []
    for seed in range(first, last + 1):
        image, _ = env.reset(seed=seed)
        agent, total, steps, over = Agent(tensors, shape), 0.0, 0, False
        while not over:
            image, reward, terminated, truncated, _ = env.step(agent.act(image))
            total, steps, over = total + reward, steps + 1, terminated or truncated
        returns.append(total)
        print(f"{seed:8d} {total:10.1f} {steps:6d}", flush=True)
    print(f"mean {statistics.mean(returns):.1f}, standard deviation {statistics.stdev(returns):.1f}, {len(returns)} episodes")


if __name__ == "__main__":
    main()
