"""The published attention agent in NumPy, JAX and PyTorch, as a careful user would write it.

    s = (x Wq + bq)(x Wk + bk)^T / sqrt(147)    importance = column sums of softmax(s)    told = centres of the top 10

Each class has act(frame) -> (action, top) and starts with a zero recurrent state.
"""

import math

from common import GRID, HIDDEN, INPUTS, KEPT, PATCH, SIZE, STRIDE

SCALE = 1 / math.sqrt(INPUTS)
CENTRE = PATCH // 2


class NumPyAgent:
    def __init__(self, np, p):
        self.np, self.p = np, p
        self.rows = np.arange(GRID) * STRIDE
        self.reset()

    def reset(self):
        self.h = self.np.zeros(HIDDEN, self.np.float32)
        self.c = self.np.zeros(HIDDEN, self.np.float32)

    def act(self, frame):
        np, p = self.np, self.p
        image = frame.astype(np.float32) * np.float32(1 / 255)
        windows = np.lib.stride_tricks.sliding_window_view(image, (PATCH, PATCH), axis=(0, 1))[::STRIDE, ::STRIDE]
        x = windows.transpose(0, 1, 3, 4, 2).reshape(GRID * GRID, INPUTS)
        q = x @ p["query"].T + p["query_bias"]
        k = x @ p["key"].T + p["key_bias"]
        s = (q @ k.T) * np.float32(SCALE)
        s -= s.max(axis=1, keepdims=True)
        np.exp(s, out=s)
        importance = (1 / s.sum(axis=1)) @ s
        top = np.argsort(-importance, kind="stable")[:KEPT]
        told = ((np.stack([top // GRID, top % GRID], 1) * STRIDE + CENTRE) / SIZE).astype(np.float32).ravel()
        gates = p["ih"] @ told + p["bias_ih"] + p["hh"] @ self.h + p["bias_hh"]
        i, f, g, o = gates.reshape(4, HIDDEN)
        sigmoid = lambda v: 1 / (1 + np.exp(-v))
        self.c = sigmoid(f) * self.c + sigmoid(i) * np.tanh(g)
        self.h = sigmoid(o) * np.tanh(self.c)
        return np.tanh(p["out"] @ self.h + p["out_bias"]), top


class JaxAgent:
    def __init__(self, np, p):
        import jax
        import jax.numpy as jnp

        corner = np.arange(GRID) * STRIDE
        rows = (corner[:, None, None, None] + np.arange(PATCH)[None, None, :, None]) + np.zeros((1, GRID, 1, PATCH), int)
        columns = (corner[None, :, None, None] + np.arange(PATCH)[None, None, None, :]) + np.zeros((GRID, 1, PATCH, 1), int)
        pixels = jnp.asarray((rows * SIZE + columns).reshape(GRID * GRID, PATCH * PATCH))
        weights = {name: jnp.asarray(value) for name, value in p.items()}

        def step(p, frame, h, c):
            image = frame.reshape(SIZE * SIZE, 3).astype(jnp.float32) * (1 / 255)
            x = image[pixels].reshape(GRID * GRID, INPUTS)
            q = x @ p["query"].T + p["query_bias"]
            k = x @ p["key"].T + p["key_bias"]
            s = (q @ k.T) * SCALE
            e = jnp.exp(s - s.max(axis=1, keepdims=True))
            importance = (1 / e.sum(axis=1)) @ e
            _, top = jax.lax.top_k(importance, KEPT)
            told = ((jnp.stack([top // GRID, top % GRID], 1) * STRIDE + CENTRE) / SIZE).astype(jnp.float32).ravel()
            gates = p["ih"] @ told + p["bias_ih"] + p["hh"] @ h + p["bias_hh"]
            i, f, g, o = gates.reshape(4, HIDDEN)
            c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
            h = jax.nn.sigmoid(o) * jnp.tanh(c)
            return jnp.tanh(p["out"] @ h + p["out_bias"]), top, h, c

        self.jnp, self.weights, self.step, self.jax = jnp, weights, jax.jit(step), jax
        self.reset()

    def reset(self):
        self.h = self.jnp.zeros(HIDDEN, self.jnp.float32)
        self.c = self.jnp.zeros(HIDDEN, self.jnp.float32)

    def act(self, frame):
        action, top, self.h, self.c = self.step(self.weights, frame, self.h, self.c)
        self.jax.block_until_ready(action)
        return action, top


class TorchAgent:
    def __init__(self, np, p):
        import torch

        torch.set_num_threads(1)
        torch.set_grad_enabled(False)
        # through bytes: the distribution's PyTorch may be older than NumPy
        self.p = {name: torch.frombuffer(bytearray(value.tobytes()), dtype=torch.float32).reshape(value.shape)
                  for name, value in p.items()}
        self.torch = torch
        self.reset()

    def reset(self):
        self.h = self.torch.zeros(HIDDEN)
        self.c = self.torch.zeros(HIDDEN)

    def act(self, frame):
        torch, p = self.torch, self.p
        image = torch.frombuffer(frame, dtype=torch.uint8).reshape(SIZE, SIZE, 3).float() * (1 / 255)
        x = image.unfold(0, PATCH, STRIDE).unfold(1, PATCH, STRIDE).permute(0, 1, 3, 4, 2).reshape(-1, INPUTS)
        q = torch.nn.functional.linear(x, p["query"], p["query_bias"])
        k = torch.nn.functional.linear(x, p["key"], p["key_bias"])
        s = torch.softmax((q @ k.T) * SCALE, dim=1)
        top = torch.argsort(s.sum(dim=0), descending=True, stable=True)[:KEPT]
        told = ((torch.stack([top // GRID, top % GRID], 1) * STRIDE + CENTRE) / SIZE).flatten()
        gates = p["ih"] @ told + p["bias_ih"] + p["hh"] @ self.h + p["bias_hh"]
        i, f, g, o = gates.reshape(4, HIDDEN)
        self.c = torch.sigmoid(f) * self.c + torch.sigmoid(i) * torch.tanh(g)
        self.h = torch.sigmoid(o) * torch.tanh(self.c)
        return torch.tanh(p["out"] @ self.h + p["out_bias"]), top
