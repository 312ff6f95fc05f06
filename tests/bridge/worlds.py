"""Environments for the tests of the bridge: import this module and use gym:worlds:NAME."""
import os
import signal
import subprocess
import time
import zlib

import gymnasium
import numpy as np
from gymnasium import spaces


class Blink(gymnasium.Env):
    """A picture that follows the actions; 40 steps. Steps that `rate` of 1000 and the episode's seed choose fail, each
    once: a killed process, a hang, an exception, a wrong shape, an exit. `ledger` is the file that remembers which.
    `sleeper`: all are hangs, each beside a process that the worker has started."""

    observation_space = spaces.Box(0, 255, (16, 16, 3), np.uint8)
    action_space = spaces.Box(-1, 1, (2,), np.float32)

    def __init__(self, rate=0, ledger="", sleeper=False):
        self.rate, self.ledger, self.sleeper = rate, ledger, sleeper

    def _picture(self):
        noise = np.random.default_rng((self.seed, self.t)).integers(0, 256, (16, 16, 3))
        noise[int(self.at[0] * 7.5 + 7.5), int(self.at[1] * 7.5 + 7.5)] = 255
        return noise.astype(np.uint8)

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.seed, self.t, self.at = seed, 0, np.zeros(2)
        return self._picture(), {}

    def _fail(self):
        name = f"{self.seed}:{self.t}"
        chance = zlib.crc32(name.encode())
        if chance % 1000 >= self.rate:
            return None
        with open(self.ledger, "a+") as ledger:
            ledger.seek(0)
            if name in ledger.read().split():
                return None
            ledger.write(name + "\n")
        kind = chance // 1000 % 5
        if self.sleeper:
            kind = 1
            subprocess.Popen(["sleep", "1000"])
        if kind == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        if kind == 1:
            time.sleep(1000)
        if kind == 2:
            raise ValueError("a bad day")
        if kind == 4:
            os._exit(3)
        return np.zeros((3, 3), np.uint8)

    def step(self, action):
        self.t += 1
        wrong = self._fail()
        self.at = np.clip(self.at + 0.2 * action, -1, 1)
        picture = self._picture() if wrong is None else wrong
        return picture, float(1 - np.abs(self.at).sum()), False, self.t == 40, {}


class Mixed(gymnasium.Env):
    """A dict of everything; the reward names what the action was."""

    observation_space = spaces.Dict({
        "camera": spaces.Box(0, 1, (3, 12, 10), np.float32),
        "speed": spaces.Box(-np.inf, np.inf, (2,), np.float64),
        "gear": spaces.Discrete(5, start=1),
        "lamps": spaces.MultiBinary(3),
    })
    action_space = spaces.Discrete(3, start=-1)

    def _look(self):
        camera = np.arange(360, dtype=np.float32).reshape(3, 12, 10) / 360
        return {"camera": camera, "speed": np.array([self.t / 3, -1e9]), "gear": 1 + self.t % 5,
                "lamps": np.array([1, 0, self.t % 2])}

    def reset(self, seed=None, options=None):
        self.t = 0
        return self._look(), {}

    def step(self, action):
        self.t += 1
        return self._look(), float(action), self.t == 7, False, {}


class Coin(gymnasium.Env):
    """Not deterministic, and dies in its third step."""

    observation_space = spaces.Box(-1, 1, (1,), np.float64)
    action_space = spaces.Discrete(2)

    def reset(self, seed=None, options=None):
        self.t = 0
        return np.random.default_rng().uniform(-1, 1, 1), {}

    def step(self, action):
        self.t += 1
        if self.t == 3:
            os._exit(1)
        return np.random.default_rng().uniform(-1, 1, 1), 0.0, False, False, {}


for world in (Blink, Mixed, Coin):
    gymnasium.register(f"{world.__name__}-v0", world)
