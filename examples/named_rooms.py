"""Rooms whose pictures and texts an encoder of yours embeds while a robot drives through them (docs/words.md).

The world is `rooms` with things that have names. Beside what saccade's own robot sees, an observation has `keys`, the
embeddings of the patches of the camera's picture, and `query`, that of the text that names the goal. The policy
`finder` takes them in place of a picture and words.

`Colours` stands for an encoder: it knows six words and no shapes. `Clip` of examples/openclip.py is one that knows many.
"""

import gymnasium
import numpy as np
import saccade

COLOURS = {"red": (1, 0, 0), "green": (0, 1, 0), "blue": (0, 0, 1), "yellow": (1, 1, 0), "purple": (1, 0, 1)}
SHAPES = ["ball", "box", "cone", "bottle", "chair", "lamp"]
NAMES = [f"{colour} {shape}" for colour in [*COLOURS, "black"] for shape in SHAPES]  # in the order of the part `name`
PARTS = ["image", "depth", "motion", "name"]


class Colours:
    """Embeds the most colourful pixel of a patch: how red, green, blue, yellow, purple and black it is, and a constant
    of 0.5, so that what has little colour points nowhere near any of these."""

    size = 7

    def texts(self, texts):
        """[texts, size]: a 1 for the colour that a text has."""
        return np.array([[word in text.split() for word in [*COLOURS, "black", ""]] for text in texts], np.float32)

    def patches(self, picture, rows, columns):
        """[rows * columns, size] of a picture of bytes, [height, width, 3]."""
        high, wide = picture.shape[0] // rows, picture.shape[1] // columns
        pixels = picture.reshape(rows, high, columns, wide, 3).swapaxes(1, 2).reshape(rows * columns, high * wide, 3)
        most = np.argmax(pixels.max(-1) - pixels.min(-1).astype(int), axis=1)
        pixel = pixels[np.arange(len(pixels)), most].astype(np.float32)
        bright, dull = pixel.max(-1, keepdims=True), pixel.min(-1, keepdims=True)
        hue = (pixel - dull) / np.maximum(bright - dull, 1)  # without what it has of grey, and without shade
        fits = [np.prod(np.where(which, hue, 1 - hue), -1, keepdims=True) for which in COLOURS.values()]
        colour = np.concatenate(fits, -1) * (bright - dull) / np.maximum(bright, 1)
        return np.hstack([colour, np.clip(1 - bright / 60, 0, 1), np.full_like(bright, 0.5)])


class NamedRooms(gymnasium.Env):
    """`grid` patches a side; `every` steps from one look of the policy's to the next, between which nothing is embedded;
    a `blind` one is given embeddings of zeros, to compare with."""

    def __init__(self, encoder=None, grid=12, every=3, blind=False, **options):
        options = {"things": 8, "height": 24, "width": 24, "steps": 1000, **options}
        self.rooms = saccade.World("rooms", parts=PARTS, **options)
        self.encoder, self.grid, self.every, self.blind = encoder or Colours(), grid, every, blind
        spaces = dict(saccade.gym.observation_space(self.rooms.spec, PARTS).items())
        del spaces["name"]
        for part, count in ("keys", grid * grid * self.encoder.size), ("query", self.encoder.size):
            spaces[part] = gymnasium.spaces.Box(-np.inf, np.inf, (count,), np.float32)
        self.observation_space = gymnasium.spaces.Dict(spaces)
        self.action_space = saccade.gym.action_space(self.rooms.spec)

    def _look(self, seen):
        if self.steps % self.every == 0:
            self.keys = self.encoder.patches(seen["image"], self.grid, self.grid).reshape(-1) * (not self.blind)
        self.steps += 1
        del seen["name"]
        return {**seen, "keys": self.keys, "query": self.query}

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        seen = self.rooms.reset(seed)
        self.steps = 0
        self.name = NAMES[int(seen["name"][0])]
        self.query = self.encoder.texts([self.name])[0]
        return self._look(seen), {}

    def step(self, action):
        seen, reward, terminated, truncated = self.rooms.step(action)
        return self._look(seen), reward, terminated, truncated, {}


gymnasium.register("NamedRooms-v0", NamedRooms)
