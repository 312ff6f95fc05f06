#!/usr/bin/env python3
"""Draws the pictures of docs/how-it-works.md from what the library computes: how-it-works.py FOLDER [NAME...]

scripts/pictures.sh calls it. It needs the Python package, Matplotlib and, for the last picture, MuJoCo (make mujoco).
"""
import pathlib
import subprocess
import sys
import tempfile

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402

import saccade  # noqa: E402
from saccade import heads, readings, tokens  # noqa: E402

plt.rcParams.update({"font.size": 8, "axes.titlesize": 9, "image.cmap": "inferno", "figure.dpi": 110,
                     "axes.spines.top": False, "axes.spines.right": False})
STEP = 60  # of the episode with seed 3: a bend comes into view


def drive(name, env="car-racing", seed=3, steps=STEP, **options):
    """A policy that ships, and what it sees after some steps."""
    policy = saccade.load(f"zoo/{name}.safetensors")
    world = saccade.World(env, **options)
    frame = world.reset(seed=seed)
    for _ in range(steps):
        frame = world.step(policy.act(frame))[0]
    return policy, frame


def panels(count, height=2.3, width=7.4, **options):
    figure, axes = plt.subplots(1, count, figsize=(width, height), constrained_layout=True, **options)
    return figure, axes


def shown(axis, picture, title, **options):
    axis.imshow(picture, **options)
    axis.set_title(title)
    axis.axis("off")


def queries_and_keys(policy, frame):
    """[D, N] of the agent's own layers, in floats: the agent itself rounds their weights to 16 bits."""
    cut = tokens.patches(frame.astype(np.float32) / 255, 7, 4)
    tensor = policy.tensors
    return [saccade.linear(tensor[f"{side}.weight"], cut, tensor[f"{side}.bias"]) for side in ("query", "key")]


def importance():
    """Scores, importance, and the ten patches that are kept."""
    policy, frame = drive("car-racing/softmax")
    queries, keys = queries_and_keys(policy, frame)
    attention = saccade.Attention("softmax", key_size=4)
    matrix = np.stack([attention.row(i, queries, keys) for i in range(queries.shape[1])])
    received = attention.importance(queries, keys)
    gaze = policy.attend(frame)
    top = attention.top(received, 10)
    figure, axes = panels(4)
    shown(axes[0], frame, "a frame: 529 patches")
    shown(axes[1], np.log10(matrix[::3, ::3] + 1e-6), "A: votes of each patch\nfor each other (logarithm)")
    shown(axes[2], np.log10(received.reshape(23, 23) + 1e-3), "importance: sums of the\ncolumns of A (logarithm)")
    shown(axes[3], gaze.overlay(frame), "the top 10, which the\ncontroller is told of")
    for row, column in (divmod(int(i), 23) for i in top):
        axes[2].plot(column, row, "o", markerfacecolor="none", markeredgecolor="cyan", markersize=5)
    return figure


def features():
    """exp(q.k) beside what features say of it, over the angle of two tokens of one length."""
    angles = np.linspace(0, np.pi, 61)
    size, length = 8, 1.5
    figure, axes = panels(3, sharey=True)
    for axis, form in zip(axes, ("positive", "trig", "hybrid")):
        estimates = []
        for seed in range(1, 41):
            attention = saccade.Attention(form, key_size=size, feature_count=16, scale=1.0, seed=seed)
            keys = np.zeros((size, angles.size), np.float32)
            keys[0], keys[1] = length * np.cos(angles), length * np.sin(angles)
            queries = np.zeros_like(keys)
            queries[0] = length
            estimates.append((attention.features(queries, "queries") * attention.features(keys, "keys")).sum(0))
        low, high = np.percentile(estimates, [10, 90], axis=0)
        axis.fill_between(np.degrees(angles), low, high, color="#7fb2e5", label="8 of 10 draws of 16 features")
        axis.plot(np.degrees(angles), np.mean(estimates, 0), color="#1b5e9e", label="mean of 40 draws")
        axis.plot(np.degrees(angles), np.exp(length ** 2 * np.cos(angles)), "k--", linewidth=1, label="exp(q.k)")
        axis.set_title(form)
        axis.set_xlabel("angle of q and k, degrees")
        axis.set_xticks([0, 90, 180])
    axes[0].legend(fontsize=7, frameon=False)
    return figure


def linear():
    """IAP-rank: scores without the matrix."""
    policy, frame = drive("car-racing/linear")
    queries, keys = queries_and_keys(policy, frame)
    form = policy.options["attention"]
    attention = saccade.Attention(form, key_size=queries.shape[0], feature_count=0)
    phi_q, phi_k = attention.features(queries, "queries"), attention.features(keys, "keys")
    weights = np.ones((1, queries.shape[1]), np.float32)
    z = readings.rank_summary(attention, queries, weights)
    scores = readings.rank_scores(attention, z, keys)[0]
    figure, axes = panels(4, gridspec_kw={"width_ratios": [2.2, 0.35, 2.2, 1.6]})
    shown(axes[0], phi_q, "phi(q): F x N", aspect="auto", interpolation="nearest")
    shown(axes[1], z.T, "z: F", aspect="auto")
    shown(axes[2], phi_k, "phi(k): F x N", aspect="auto", interpolation="nearest")
    shown(axes[3], scores.reshape(23, 23), "scores = z.phi(k) / N")
    return figure


def trans():
    """What IAP-rank hands on, and what IAP-trans does."""
    rank, frame = drive("car-racing/linear")
    mixed, _ = drive("car-racing/evolved", steps=0)
    gaze, all_of_them = rank.attend(frame), mixed.attend(frame)
    figure, axes = panels(4)
    shown(axes[0], gaze.heat_map(400), "rank: scores of the patches")
    shown(axes[1], gaze.overlay(frame), "... the ten best go on,\nall others are dropped")
    shown(axes[2], all_of_them.heat_map(400), "trans: how much each patch\ntells the controller")
    shown(axes[3], all_of_them.overlay(frame), "... all go on,\nmixed into some tokens")
    return figure


def uptraining():
    """Rows of softmax attention, of features that were drawn, and of the same when G has learned."""
    rng = np.random.default_rng(1)
    size, count, features_of = 4, 48, 16
    x = np.sort(rng.standard_normal((size, count)).astype(np.float32), axis=1)
    q = (x + 0.3 * rng.standard_normal(x.shape)).astype(np.float32)
    soft = saccade.Attention("softmax", key_size=size, scale=1.0)
    target = np.stack([soft.row(i, q, x) for i in range(count)])
    g = rng.standard_normal((features_of, size)).astype(np.float32) * 0.5

    def matrix(projection):
        a = saccade.Attention("sara-exp", key_size=size, feature_count=features_of, projection=projection)
        rows = np.maximum(a.features(q, "queries").T @ a.features(x, "keys"), 1e-12)
        return rows / rows.sum(1, keepdims=True)

    before, spread, best = matrix(g), 0.2, np.inf
    for _ in range(6000):  # what changes G for the better stays
        trial = g + spread * rng.standard_normal(g.shape).astype(np.float32)
        loss = float(-(target * np.log(matrix(trial))).sum(1).mean())
        if loss < best:
            g, best, spread = trial, loss, min(spread * 1.5, 0.5)
        else:
            spread = max(spread * 0.97, 1e-3)
    figure, axes = panels(3, sharey=True)
    for axis, rows, title in zip(axes, (target, before, matrix(g)), (
            "softmax", "exp(G q).exp(G k), G drawn", "... when G has learned from softmax")):
        shown(axis, np.sqrt(rows), title, vmin=0, vmax=np.sqrt(target.max()))  # the root, so that small ones are seen
    return figure


def convolution():
    """The nine heads of a 3 x 3 convolution, and a picture through both."""
    height = width = 24
    image = np.zeros((height, width), np.float32)
    yy, xx = np.mgrid[:height, :width]
    image[(yy - 12) ** 2 + (xx - 12) ** 2 < 49] = 1
    nine = heads.nine(4.0)
    layer = heads.Heads(height, width, nine)
    figure = plt.figure(figsize=(7.4, 2.3), constrained_layout=True)
    grid = figure.add_gridspec(3, 6, width_ratios=[1, 1, 1, 3.2, 3.2, 3.2])
    query = 12 * width + 12
    for i in range(9):
        axis = figure.add_subplot(grid[i // 3, i % 3])
        row = layer.row(i, query).reshape(height, width)[9:16, 9:16]
        axis.imshow(row, vmin=0, vmax=1)
        axis.plot(3, 3, "+", color="cyan", markersize=5)
        axis.axis("off")
    edge = np.array([[-1, -1, -1], [-1, 8, -1], [-1, -1, -1]], np.float32)
    planes = np.stack([layer.mix(i, image.reshape(1, -1))[0] for i in range(9)])
    targets = [tuple(int(round(t)) for t in head.target) for head in nine]
    by_heads = sum(edge[r + 1, c + 1] * plane for (r, c), plane in zip(targets, planes)).reshape(height, width)
    padded = np.pad(image, 1)
    plain = sum(edge[r, c] * padded[r:r + height, c:c + width] for r in range(3) for c in range(3))
    for where, picture, title in ((3, image, "a picture"), (4, plain, "3 x 3 convolution"),
                                  (5, by_heads, "the nine heads, weighed")):
        axis = figure.add_subplot(grid[:, where])
        inner = picture if title == "a picture" else picture[1:-1, 1:-1]
        shown(axis, inner, title, cmap="gray")
    return figure


def cloud():
    """From a depth picture to things, by saccade cloud, and the points of one as tokens."""
    with tempfile.TemporaryDirectory() as folder:
        text = pathlib.Path("docs/clouds.md").read_text().split("```python picture.py\n")[1].split("```")[0]
        pathlib.Path(folder, "picture.py").write_text(text)
        subprocess.run([sys.executable, "picture.py"], cwd=folder, check=True)
        subprocess.run([str(pathlib.Path("build/saccade").resolve()), "cloud", "table.safetensors", "--out", "things.safetensors"],
                       cwd=folder, check=True, stdout=subprocess.DEVNULL)
        seen, things = read(folder + "/table.safetensors"), read(folder + "/things.safetensors")
    figure, axes = panels(3, height=2.6)
    shown(axes[0], seen["depth"], "depth: near is dark", cmap="gray")
    rows = sorted(name for name in things if name.startswith("object_"))
    for name in rows:
        points = things[name]
        axes[1].plot(points[:, 0], points[:, 1], ".", markersize=2)
    for center, axis in zip(things["center"], things["axis"]):
        axes[1].plot(*[[center[i] - 0.12 * axis[i], center[i] + 0.12 * axis[i]] for i in (0, 1)], "k", linewidth=1)
    axes[1].set_title("points of two things, with\ntheir centres and axes")
    axes[1].set_aspect("equal")
    axes[1].tick_params(labelsize=6)
    points = things[rows[0]]
    told = tokens.Cloud(points).tokens(things["center"][0])
    chosen = told[:, :: max(1, told.shape[1] // 48)].copy()
    attention = saccade.Attention("softmax", key_size=3, scale=4000.0)
    axes[2].imshow(np.stack([attention.row(i, chosen, chosen) for i in range(chosen.shape[1])]))
    axes[2].set_title("its points as tokens: each\nattends to each")
    axes[2].axis("off")
    return figure


def read(path):
    """The arrays of a safetensors file."""
    import json
    import struct

    data = pathlib.Path(path).read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    kinds = {"F32": "f4", "F64": "f8", "I32": "i4", "U8": "u1", "I64": "i8"}
    return {name: np.frombuffer(data[8 + size + entry["data_offsets"][0]:8 + size + entry["data_offsets"][1]],
                                kinds[entry["dtype"]]).reshape(entry["shape"])
            for name, entry in json.loads(data[8:8 + size]).items() if name != "__metadata__"}


SCENE = """<mujoco><visual><map znear="0.05"/></visual><asset>
<texture name="t" type="2d" builtin="checker" rgb1=".25 .35 .45" rgb2=".18 .26 .34" width="64" height="64"/>
<material name="floor" texture="t" texrepeat="8 8" reflectance=".25"/></asset><worldbody>
<light pos="1 -1 3" dir="-.3 .3 -1"/><camera name="c" pos="0 -1.6 1" xyaxes="1 0 0 0 .55 .85"/>
<geom type="plane" size="3 3 .1" material="floor"/><geom type="sphere" pos="-.5 0 .25" size=".25" rgba=".8 .3 .2 1"/>
<geom type="capsule" pos=".05 .1 .25" euler="0 60 20" size=".1 .25" rgba=".9 .75 .2 1"/>
<geom type="box" pos=".6 .1 .2" euler="0 0 30" size=".2 .2 .2" rgba=".3 .6 .35 1"/></worldbody></mujoco>"""


def renderer():
    """Colour, depth and segmentation of one scene, by saccade.mujoco."""
    import mujoco
    from saccade.mujoco import Renderer

    model = mujoco.MjModel.from_xml_string(SCENE)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    figure, axes = panels(3, height=2.2)
    with Renderer(model, 240, 320) as draw:
        draw.update_scene(data, "c")
        shown(axes[0], draw.render(), "colour")
        draw.enable_depth_rendering()
        depth = draw.render()
        shown(axes[1], np.minimum(depth, 4), "depth", cmap="gray")
        draw.disable_depth_rendering()
        draw.enable_segmentation_rendering()
        shown(axes[2], draw.render()[..., 0], "segmentation", cmap="tab10", interpolation="nearest")
    return figure


PICTURES = (importance, features, linear, trans, uptraining, convolution, cloud, renderer)

if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])
    for draw in PICTURES:
        if len(sys.argv) == 2 or draw.__name__ in sys.argv[2:]:
            draw().savefig(folder / f"how-{draw.__name__}.png", metadata={"Software": None})
            plt.close("all")
