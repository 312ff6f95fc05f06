"""The golden harness at shapes that no reference file has, beside a NumPy twin of each family, in double precision:

    twin.py GOLDEN            GOLDEN: build/golden

A twin follows the formulas of the papers, not the library's code: whole matrices, no order of sums, no sharing. Before
it judges the harness, each twin is held against the reference files that are part of the project or lie beside it.
Floats may differ by 1e-4 of an array's largest magnitude (float32 against float64), 1e-3 in what random features with
signs or waves make of it, 1e-10 in families that are computed in double precision; whole numbers not at all. Then each
input is left out, and given with another shape: one clear line, exit code 1, and no output file."""

import json
import os
import struct
import subprocess
import sys
import tempfile

import numpy as np

golden = sys.argv[1]
TYPES = {"F32": np.float32, "F64": np.float64, "I32": np.int32, "I64": np.int64, "U8": np.uint8}
NAMES = {np.dtype(t): n for n, t in TYPES.items()}
failed = 0


def save(path, arrays):
    header, data = {}, b""
    for name, x in arrays.items():
        x = np.asarray(x)
        raw = np.ascontiguousarray(x).tobytes()
        offsets = [len(data), len(data) + len(raw)]
        header[name] = {"dtype": NAMES[x.dtype], "shape": list(x.shape), "data_offsets": offsets}
        data += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def load(path):
    with open(path, "rb") as file:
        data = file.read()
    size = struct.unpack("<Q", data[:8])[0]
    out = {}
    for name, entry in json.loads(data[8 : 8 + size]).items():
        if name != "__metadata__":
            a, b = entry["data_offsets"]
            out[name] = np.frombuffer(data[8 + size + a : 8 + size + b], TYPES[entry["dtype"]]).reshape(entry["shape"])
    return out


def softmax(s):
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def best(r, count):
    return np.argsort(-r, kind="stable")[:count]


# agent: Tang et al. 2020, equation 1; the controller is a torch LSTM cell


def agent(x):
    h, w, m, s, k, d, a, hidden = (int(v) for v in x["hyper"])
    image, theta, scale = x["image"].astype(float), x["theta"].astype(float), float(np.ravel(x["scale"])[0])
    frames, channels = image.shape[0], image.shape[3]
    rows, columns, inputs = (h - m) // s + 1, (w - m) // s + 1, m * m * channels
    parts, at = [], 0
    shapes = [(d,), (d, inputs), (d,), (d, inputs), (4 * hidden,), (4 * hidden,)]
    for shape in shapes + [(4 * hidden, hidden), (4 * hidden, 2 * k), (a,), (a, hidden)]:
        size = int(np.prod(shape))
        parts.append(theta[at : at + size].reshape(shape))
        at += size
    assert at == len(theta)
    bq, wq, bk, wk, bhh, bih, whh, wih, bfc, wfc = parts
    names = ["Q", "K", "importance", "idx", "centers", "feat", "h", "c", "action", "car_action", "choice"]
    out = {n: [] for n in names}
    sigmoid = lambda v: 1 / (1 + np.exp(-v))
    corners = [(i * s, j * s) for i in range(rows) for j in range(columns)]
    hid, cell = np.zeros(hidden), np.zeros(hidden)
    for f in range(frames):
        patches = np.array([image[f, i : i + m, j : j + m].ravel() for i, j in corners])
        q, key = patches @ wq.T + bq, patches @ wk.T + bk
        weights = softmax(scale * q @ key.T)
        importance = weights.sum(0)
        idx = best(importance, k)
        centers = np.stack([m // 2 + idx // columns * s, m // 2 + idx % columns * s], 1)
        feat = (centers / h).ravel()
        gates = wih @ feat + bih + whh @ hid + bhh
        i, g, c, o = gates.reshape(4, hidden)
        cell = sigmoid(g) * cell + sigmoid(i) * np.tanh(c)
        hid = sigmoid(o) * np.tanh(cell)
        act = np.tanh(wfc @ hid + bfc)
        choice = int(np.argmax(act)) if a > 1 else 1 if act[0] < -1 / 3 else 2 if act[0] > 1 / 3 else 0
        car = act * [1, 0.5, 0.5] + [0, 0.5, 0.5] if a == 3 else None
        for name, value in zip(names, (q, key, importance, idx, centers, feat, hid, cell, act, car, choice)):
            out[name].append(value)
        if f == 0:
            first = {"patch0": patches[0], "patchN": patches[-1], "A_row0": weights[0], "X": patches}
    if a != 3:
        out["car_action"] = np.zeros(0)
    out = {n: np.array(v) for n, v in out.items()}
    return {**out, **first}


def make_agent(rng, h, w, m, s, k, d, a, hidden, channels, frames):
    inputs = m * m * channels
    count = 2 * (d + d * inputs) + 8 * hidden + 4 * hidden * (hidden + 2 * k) + a + a * hidden
    return {
        "image": rng.random((frames, h, w, channels)).astype(np.float32),
        "theta": rng.normal(size=count).astype(np.float32),
        "hyper": np.array([h, w, m, s, k, d, a, hidden], np.int32),
        "scale": np.array([rng.choice([0.5, 1 / np.sqrt(inputs)])]),
    }


# features: Choromanski et al. 2021 (Unlocking Pixels), second version, equations 2 to 5; first version, equations 4 to 9


def orthogonal(blocks, lengths):
    rows = []
    for block in blocks:
        q, r = np.linalg.qr(block.T)
        rows.extend((q * np.sign(np.diag(r))).T)
    return np.array(rows)[: len(lengths)] * np.linalg.norm(lengths, axis=1, keepdims=True)


def phi_exp(x, w):
    return np.exp(x @ w.T - (x**2).sum(1, keepdims=True) / 2) / np.sqrt(len(w))


def phi_trig(x, w):
    u = x @ w.T
    both = np.stack([np.sin(u), np.cos(u)], 2).reshape(len(x), -1)
    return both * np.exp((x**2).sum(1, keepdims=True) / 2) / np.sqrt(len(w))


def phi_hybrid(x, w, xi, minus):
    trig, positive = phi_trig(x, w), phi_exp(x, w)
    sign = np.where(x @ xi.T >= 0, 1.0, -1.0) / np.sqrt(len(xi))
    n, m, r = len(x), len(w), len(xi)
    alpha = (trig.reshape(n, m, 1, 2) * sign.reshape(n, 1, r, 1)).reshape(n, -1)
    beta = (positive.reshape(n, m, 1) * sign.reshape(n, 1, r)).reshape(n, -1)
    return np.concatenate([trig, positive, alpha, -beta if minus else beta], 1) / np.sqrt(2)


def unit(u):
    length = np.linalg.norm(u, axis=1, keepdims=True)
    return u / np.where(length == 0, 1, length)


def features(x):
    q0, k0, v = (x[n].astype(float) for n in ("Q", "K", "V"))
    n, d = q0.shape
    w = orthogonal(x["G_blocks"].astype(float), x["norm_src"].astype(float))
    xi = x["Xi"].astype(float)
    normal = int(np.ravel(x["mode"])[0]) == 1
    q, k = (d**0.25 * unit(q0), d**0.25 * unit(k0)) if normal else (d**-0.25 * q0, d**-0.25 * k0)
    maps = {
        "relu": (np.maximum(q0, 0), np.maximum(k0, 0)),
        "exp": (phi_exp(q, w), phi_exp(k, w)),
        "trig": (phi_trig(q, w), phi_trig(k, w)),
        "hyb": (phi_hybrid(q, w, xi, True), phi_hybrid(k, w, xi, False)),
    }
    out = {"W": w, "q": q, "k": k}
    for name, (a, b) in maps.items():
        out[f"phi_{name}_q"], out[f"phi_{name}_k"] = a, b
        out[f"r_{name}"] = b @ a.sum(0) / n
        out[f"att_{name}_unnorm"] = a @ (b.T @ v)
    for name, source, eps in (("att_exp_rownorm", "exp", 0), ("att_relu_rownorm_eps1e-6", "relu", 1e-6)):
        a, b = maps[source]
        out[name] = a @ (b.T @ v) / ((a @ b.sum(0))[:, None] + eps)
    kernel = np.exp(q @ k.T)
    out["A_brute_row0"], out["r_brute"], out["att_brute_unnorm"] = kernel[0], kernel.mean(0), kernel @ v
    if not normal:
        a = softmax(q @ k.T)
        out["att_softmax"], out["importance_softmax"] = a @ v, a.sum(0)
    return out


def make_features(rng, n, d, m, r, values, mode):
    f = lambda *shape: rng.normal(size=shape).astype(np.float32)
    return {"Q": f(n, d), "K": f(n, d), "V": f(n, values), "G_blocks": f(-(-m // d), d, d), "norm_src": f(m, d),
            "Xi": f(r, d), "mode": np.array([mode], np.int32)}  # fmt: skip


# iap: Choromanski et al. 2021 (Unlocking Pixels), second version, sections 3.2 and 4


def iap(x):
    w, v, p, p1 = (x[n].astype(float) for n in ("W", "V", "P", "p1"))
    n, c = x["X"].shape
    d, m = x["W_Q"].shape[1], len(w)
    where = np.arange(n)[:, None] / 10000 ** (2 * (np.arange(c) // 2) / c)
    pe = np.where(np.arange(c) % 2 == 0, np.sin(where), np.cos(where))
    make = lambda name, weights: (x[name].astype(float) + pe) @ x[weights].astype(float)
    raw_q, raw_k = make("X", "W_Q"), make("X", "W_K")
    q, k, following = (d**0.25 * unit(u) for u in (raw_q, raw_k, make("X_next", "W_Q")))
    fq, fk = phi_exp(q, w), phi_exp(k, w)
    r = fk @ fq.sum(0) / n
    count = min(len(p), n)
    idx = best(r, count)
    masked = np.zeros((n, v.shape[1]))
    masked[idx] = v[idx]
    trans = p @ fq @ (fk.T @ v)
    block = p @ v + trans
    block = (block - block.mean(1, keepdims=True)) / np.sqrt(block.var(1, keepdims=True) + 1e-5)
    out = {"PE": pe, "Q": raw_q, "K": raw_k, "r_exp": r, "r_exp_learned": fk @ (p1 @ fq) / n, "idx": idx,
           "rank_nomask": v[idx], "rank_mask": masked, "sampling_probs": softmax(r), "trans": trans,
           "trans_block": block * x["gamma"] + x["beta"],
           "r_cross_next": fk @ phi_exp(following, w).sum(0) / n}  # fmt: skip
    tq, tk = phi_trig(q, w), phi_trig(k, w)
    z = tq.sum(0)
    out["r_trig"], out["lsh_z"] = tk @ z / n, z
    g = x["lsh_G"].astype(float)
    bits_k, bits_z = (tk @ g.T >= 0), (g @ z >= 0)
    out["lsh_bits_keys"] = np.packbits(bits_k, axis=1, bitorder="little")
    out["lsh_bits_z"] = np.packbits(bits_z, bitorder="little")
    theta = np.pi * (bits_k != bits_z).sum(1) / len(g)
    out["lsh_theta"], out["lsh_scores"] = theta, np.linalg.norm(z) * np.exp(np.sqrt(d) / 2) * np.cos(theta) / n
    leaves = 1 << int(np.ceil(np.log2(n))) if n > 1 else 1
    f = np.zeros((2 * leaves, m))
    f[leaves : leaves + n] = fk
    for node in range(leaves - 1, 0, -1):
        f[node] = f[2 * node] + f[2 * node + 1]
    zp = phi_exp(q.mean(0)[None], w)[0]
    out["tree_f"], out["tree_zprime"] = f, zp
    out["tree_probs_zprime"] = fk @ zp / (fk @ zp).sum()
    out["tree_probs_rank"] = fk @ fq.sum(0) / (fk @ fq.sum(0)).sum()
    draws = []
    for u in x["tree_u"].reshape(len(x["tree_u"]), -1):
        node = 1
        for value in u:
            if node < leaves:
                left = f[2 * node] @ zp
                node = 2 * node + (not value < left / (left + f[2 * node + 1] @ zp))
        draws.append(node - leaves)
    out["tree_draws"] = np.array(draws)
    return out


def make_iap(rng, n, c, d, m, rows, values, bits, draws):
    f = lambda *shape: rng.normal(size=shape).astype(np.float32)
    depth = int(np.ceil(np.log2(n))) if n > 1 else 0
    return {"X": f(n, c), "W_Q": f(c, d), "W_K": f(c, d), "W": f(m, d), "V": f(n, values), "p1": f(n), "P": f(rows, n),
            "gamma": f(values), "beta": f(values), "X_next": f(n, c), "lsh_G": f(bits, 2 * m),
            "tree_u": rng.random((draws, depth)).astype(np.float32)}  # fmt: skip


# sara: Leal et al. 2023 (SARA-RT), equations 3 and 4


def sara(x):
    xq, xk, v = (x[n].astype(float) for n in ("Xq", "Xk", "V"))
    gq, gk, gain, eps = x["GQ"].astype(float), x["GK"].astype(float), x["v"].astype(float), float(np.ravel(x["eps"])[0])
    out = {}
    for name, f in (("relu", lambda u: np.maximum(u, 0)), ("exp", np.exp), ("square", np.square)):
        a, b = gain * f(xq @ gq.T), gain * f(xk @ gk.T)
        weights = a @ b.T
        out[f"phi_{name}_q"] = a
        out[f"{name}_out"] = weights @ v / (weights.sum(1, keepdims=True) + eps)
    scores = xq @ x["WQ"].astype(float).T @ (xk @ x["WK"].astype(float).T).T / np.sqrt(len(gq))
    out["target_softmax"] = softmax(scores) @ v
    out["nav_scores"] = softmax(xq @ xk.T)
    row = out["nav_scores"][0]
    kept = np.zeros(len(row))
    top = best(row, min(3, len(row)))
    kept[top] = row[top] / row[top].sum()
    out["nav_top3_row0"] = kept
    return out


def make_sara(rng, queries, keys, d, p, m, values):
    f = lambda *shape: (rng.normal(size=shape) / np.sqrt(shape[-1])).astype(np.float32)
    return {"Xq": f(queries, d) * 2, "Xk": f(keys, d) * 2, "V": f(keys, values), "WQ": f(p, d), "WK": f(p, d),
            "GQ": f(m, d), "GK": f(m, d), "v": np.abs(f(m)) + np.float32(0.1), "dO": f(queries, values),
            "eps": np.array([1e-2])}  # fmt: skip


# conv: "Attention layer can implement CNN", equations 2 to 12


def conv(x):
    h, w = (int(v) for v in x["hw"])
    tokens, weights, bias = x["X"].astype(float), x["Wv"].astype(float), x["b"].astype(float)
    at = np.array([(i, j) for i in range(h) for j in range(w)], float)
    delta = at[:, None] - at[None]

    def logits(mu, s):
        y = delta - mu
        return -0.5 * np.einsum("ija,ab,ijb->ij", y, s, y)

    def layer(maps):
        return sum(a @ tokens @ weights[i] for i, a in enumerate(maps)) + bias

    taps = [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1)]
    alpha = float(np.ravel(x["alpha"])[0])
    iso = lambda t, a: np.array([2 * a * t[0], 2 * a * t[1], -a, -a, -a * t[0] ** 2, -a * t[1] ** 2])
    inside = lambda v, size: int(min(max(v, 0), size - 1))
    near = lambda o: np.array([inside(i + o[0], h) * w + inside(j + o[1], w) for i, j in at])
    out = {
        "t_nine": np.array([iso((-o[0], -o[1]), alpha) for o in taps]),
        "out_nine": layer([softmax(logits(np.array([-o[0], -o[1]], float), 2 * alpha * np.eye(2))) for o in taps]),
        "conv_edge": sum(tokens[near(o)] @ weights[i] for i, o in enumerate(taps)) + bias,
    }
    center, sharp = x["iso_center"].astype(float), float(np.ravel(x["iso_alpha"])[0])
    out["t_iso"], out["iso_probs"] = iso(center, sharp), softmax(logits(center, 2 * sharp * np.eye(2)))
    mus, roots = x["mu"].astype(float), x["Sigma_inv_half"].astype(float)
    s = np.array([r.T @ r for r in roots])
    a, b, c, mx, my = s[:, 0, 0], s[:, 0, 1], s[:, 1, 1], mus[:, 0], mus[:, 1]
    ten = [-2 * a * mx, -2 * c * my, -2 * b * my, -2 * b * mx, a, c, 2 * b, a * mx * mx, c * my * my, 2 * b * mx * my]
    out["t_gauss"] = -0.5 * np.array(ten).T
    out["t_gauss5"] = -0.5 * np.array([-2 * a * mx - 2 * b * my, -2 * c * my - 2 * b * mx, a, c, 2 * b]).T
    out["gauss_logits"] = logits(mus[0], s[0])
    out["gauss_probs"] = softmax(out["gauss_logits"])
    out["out_gauss"] = layer([softmax(logits(m, t)) for m, t in zip(mus, s)])
    parts = ("E", "U", "Rel", "Wq", "WkE", "WkR", "u", "v")
    e, u, rel, wq, we, wr, cu, cv = (x[f"txl_{n}"].astype(float) for n in parts)
    n = len(e)
    q, k = e @ wq.T, e @ we.T
    r = (rel @ wr.T)[np.arange(n)[:, None] - np.arange(n)[None] + n - 1]
    out["txl_a"], out["txl_b"] = q @ k.T, np.einsum("id,ijd->ij", q, r)
    out["txl_c"], out["txl_d"] = np.tile(k @ cu, (n, 1)), r @ cv
    out["txl_abs"] = (e + u) @ wq.T @ ((e + u) @ we.T).T
    return out


def make_conv(rng, h, w, cin, cout, heads, n, size, key):
    f = lambda *shape: rng.normal(size=shape).astype(np.float32)
    return {"hw": np.array([h, w], np.int32), "X": f(h * w, cin), "Wv": f(max(9, heads), cin, cout), "b": f(cout),
            "alpha": np.array([7.0], np.float32), "iso_alpha": np.array([0.7]), "iso_center": f(2),
            "mu": f(heads, 2), "Sigma_inv_half": f(heads, 2, 2), "txl_E": f(n, size), "txl_U": f(n, size),
            "txl_Rel": f(2 * n - 1, size), "txl_Wq": f(key, size), "txl_WkE": f(key, size), "txl_WkR": f(key, size),
            "txl_u": f(key), "txl_v": f(key)}  # fmt: skip


# es: ARS, blackbox gradient sensing, OpenAI-ES, CMA-ES with pycma's constants


def es(x):
    theta, delta, plus, minus = (x[n].astype(float) for n in ("theta", "delta", "r_plus", "r_minus"))
    rate, sigma, top = (float(v) for v in x["hyper_lr_sigma_top"])
    n, pairs = len(theta), len(delta)
    used = max(1, int(np.ceil(top * pairs - 1e-9)))
    out = {}
    for pick, score in (("max", np.maximum(plus, minus)), ("absdiff", np.abs(plus - minus))):
        idx = best(score, used)
        out[f"bgs_{pick}_idx"] = idx
        gradient = ((plus - minus)[idx, None] * delta[idx]).sum(0)
        for name, scale in (("std", np.concatenate([plus[idx], minus[idx]]).std()), ("sigma", 2 * sigma)):
            g = gradient / (used * scale)
            out[f"bgs_{pick}_{name}_grad"], out[f"bgs_{pick}_{name}_theta"] = g, theta + rate * g
    both = np.concatenate([plus, minus])
    ranks = np.empty(2 * pairs)
    ranks[np.argsort(both, kind="stable")] = np.arange(2 * pairs) / (2 * pairs - 1) - 0.5
    out["ranks"] = ranks.reshape(2, pairs)
    g = (out["ranks"][0] - out["ranks"][1]) @ delta / (2 * pairs * sigma)
    out["es_grad"], out["es_sgd_lr0p01"] = g, theta + 0.01 * g
    mean, m, v = theta.copy(), 0, 0
    for t, step in ((1, g), (2, g[::-1])):
        m, v = 0.9 * m + 0.1 * step, 0.999 * v + 0.001 * step**2
        mean = mean + 0.01 * np.sqrt(1 - 0.999**t) / (1 - 0.9**t) * m / (np.sqrt(v) + 1e-8)
        out[{1: "adam1_theta", 2: "adam2_theta_with_reversed_grad"}[t]] = mean
    out["adam2_m"], out["adam2_v"] = m, v
    start = float(np.ravel(x["cma_sigma0"])[0])
    return {**out, **cma(theta, start, x["cma_X"].astype(float), x["cma_f"].astype(float))}


def cma(mean, sigma, points, values):
    n, count = len(mean), points.shape[1]
    raw = np.log((count + 1) / 2) - np.log(np.arange(1, count + 1))
    mu = count // 2
    effective = lambda v: v.sum() ** 2 / (v**2).sum()
    mueff, mueff_minus = effective(raw[:mu]), effective(raw[mu:])
    cs = min(0.5, (mueff + 2) / (n + mueff + 3))
    inner = max(1, 3 * (1 - 2 ** (-n / 9)))
    damps = 1 + 2 * max(0, inner * np.sqrt((mueff - 1) / (n + 1)) - 1) + cs
    cc = (4 + mueff / n) / (n + 4 + 2 * mueff / n)
    c1 = min(1, min(1, count / 6) * 2 / ((n + 1.3) ** 2 + mueff))
    cmu = min(1 - c1, 2 * (0.25 + mueff + 1 / mueff - 2) / ((n + 2) ** 2 + mueff))
    chi = np.sqrt(2) * np.exp(gamma_ratio(n))
    size = 0
    if cmu > 0:
        size = max(0, min(1 + c1 / cmu, (1 - c1 - cmu) / cmu / n, 1 + 2 * mueff_minus / (mueff + 2)))
    w = np.concatenate([raw[:mu] / raw[:mu].sum(), -raw[mu:] / raw[mu:].sum() * size])
    out = {"cma_w": w, "cma_const": np.array([mueff, cc, cs, c1, cmu, damps, chi]), "cma_mu": np.array([(w > 0).sum()])}
    c, pc, ps = np.eye(n), np.zeros(n), np.zeros(n)
    track = {k: [] for k in ("m", "sigma", "pc", "ps", "C")}
    for t, (x, f) in enumerate(zip(points, values)):
        values_c, b = np.linalg.eigh(c)
        root = b @ np.diag(values_c**-0.5) @ b.T
        y = (x[np.argsort(f, kind="stable")] - mean) / sigma
        step = w[:mu] @ y[:mu]
        mean = mean + sigma * step
        ps = (1 - cs) * ps + np.sqrt(cs * (2 - cs) * mueff) * root @ step
        moves = ps @ ps / (1 - (1 - cs) ** (2 * (t + 1))) / n < 2 + 4 / (n + 1)
        pc = (1 - cc) * pc + moves * np.sqrt(cc * (2 - cc) * mueff) * step
        c1a = c1 if moves else c1 * (1 - cc * (2 - cc))
        lengths = np.array([np.linalg.norm(root @ v) for v in y])
        factors = np.where(w < 0, w * n / (lengths + 1e-9) ** 2, w)
        c = (1 - c1a - cmu * w.sum()) * c + c1 * np.outer(pc, pc) + cmu * (y.T * factors) @ y
        sigma *= np.exp(max(-1, min(1, cs / damps * (np.linalg.norm(ps) / chi - 1))))
        for k, value in zip(track, (mean, sigma, pc, ps, c)):
            track[k].append(value)
    return {**out, **{f"cma_{k}": np.array(v) for k, v in track.items()}}


def gamma_ratio(n):
    from math import lgamma

    return lgamma((n + 1) / 2) - lgamma(n / 2)


def make_es(rng, n, pairs, count, generations, top):
    return {"theta": rng.normal(size=n), "delta": rng.normal(size=(pairs, n)), "r_plus": rng.normal(size=pairs),
            "r_minus": rng.normal(size=pairs), "hyper_lr_sigma_top": np.array([0.02, 0.05, top]),
            "cma_sigma0": np.array([0.3]), "cma_X": rng.normal(size=(generations, count, n)) * 0.3,
            "cma_f": rng.normal(size=(generations, count))}  # fmt: skip


# theory: Choromanski et al. 2021, first version, equations 10, 13, 14; Leal et al. 2023 (SARA-RT), lemma 3.2


def theory(x):
    out = {n: [] for n in ("mse_trig", "mse_exp", "mse_hyb")}
    for u, v, m, r in zip(x["x"], x["y"], x["m"], x["r"]):
        plus, apart, dot = ((u + v) ** 2).sum(), ((u - v) ** 2).sum(), u @ v
        trig = np.exp(plus) * np.exp(-2 * dot) * (1 - np.exp(-apart)) ** 2 / (2 * m)
        positive = np.exp(plus) * np.exp(2 * dot) * (1 - np.exp(-plus)) / m
        theta = np.arccos(np.clip(dot / np.linalg.norm(u) / np.linalg.norm(v), -1, 1)) / np.pi
        common = 2 * (1 - 1 / r) / m * np.exp(2 * dot) * (1 - np.cos(u @ u - v @ v))
        mixed = theta * (1 - theta)
        hybrid = theta**2 * positive + (1 - theta) ** 2 * trig + mixed / r * (positive + trig) - mixed * common
        for name, value in zip(out, (trig, positive, hybrid)):
            out[name].append(value)
    r, a, m, t = np.array([(1, 0.5, 8, 2), (1.5, 2, 64, 3), (0.5, 3, 1, 1.5)]).T
    root = np.sqrt(1 - np.exp(-2 * r * r * (1 + np.cos(a))))
    out["lemma32_g"] = t / np.sqrt(m) * np.exp(r * r * (2 * np.cos(a) + 1)) * root
    return {n: np.array(v) for n, v in out.items()}


def make_theory(rng, count, width):
    return {"d": np.full(count, width, np.int32), "m": rng.integers(1, 50, count).astype(np.int32),
            "r": rng.integers(1, 9, count).astype(np.int32), "x": rng.normal(size=(count, width)) / np.sqrt(width),
            "y": rng.normal(size=(count, width)) / np.sqrt(width)}  # fmt: skip


# codec: the bins and the strings of RT-2 and SARA-RT


def codec(x):
    low, high = x["lo"], x["hi"]
    tokens = np.floor(np.clip((x["action"] - low) / (high - low), 0, 1) * 255).astype(np.int32)
    lines = [" ".join(f"{number:.4f}" for number in row) for row in x["action"]]
    text = np.frombuffer("\n".join(lines).encode(), np.uint8)
    return {"tokens": tokens, "decoded": low + tokens / 255 * (high - low), "vector_repr": text}


def make_codec(rng, rows, columns):
    low = rng.normal(size=columns)
    return {"action": rng.normal(size=(rows, columns)) * 2, "lo": low, "hi": low + rng.uniform(0.1, 3, columns)}


# pct: the point-cloud transformer of SARA-RT


def pct(x):
    p = {name[2:]: value.astype(float) for name, value in x.items() if name.startswith("p.")}
    relu, out = lambda u: np.maximum(u, 0), {}

    def norm(u, gain, shift):
        return (u - u.mean(1, keepdims=True)) / np.sqrt(u.var(1, keepdims=True) + 1e-5) * gain + shift

    def layer(u, l, attend):
        w = lambda name: p[f"l{l}.{name}"]
        gathered = attend(u @ w("WQ").T, u @ w("WK").T, u @ w("WV").T)
        u = norm(u + gathered @ w("WO").T + w("bO"), w("ln1.g"), w("ln1.b"))
        return norm(u + relu(u @ w("W1").T + w("b1")) @ w("W2").T + w("b2"), w("ln2.g"), w("ln2.b"))

    def linear(f):
        return lambda q, k, v: f(q) @ (f(k).T @ v) / ((f(q) @ f(k).sum(0))[:, None] + 1e-6)

    exact = lambda q, k, v: softmax(q @ k.T / np.sqrt(q.shape[1])) @ v
    forms = {"softmax": exact, "relu": linear(relu), "exp": linear(np.exp), "square": linear(np.square)}
    for name, attend in forms.items():
        u = relu(relu(x["cloud"].astype(float) @ p["emb.W1"].T + p["emb.b1"]) @ p["emb.W2"].T + p["emb.b2"])
        hidden = [u]
        while f"l{len(hidden) - 1}.WQ" in p:
            hidden.append(layer(hidden[-1], len(hidden) - 1, attend))
        last = hidden[-1]
        pooled = np.concatenate([last.max(0), last.mean(0), np.ravel(x["center"]), np.ravel(x["major_axis"])])
        raw = p["head.W2"] @ np.tanh(p["head.W1"] @ pooled + p["head.b1"]) + p["head.b2"]
        out |= {f"{name}.hidden": np.array(hidden)[:, :8], f"{name}.pooled": pooled, f"{name}.raw": raw,
                f"{name}.tip": raw[:3], f"{name}.approach": raw[3:6] / np.linalg.norm(raw[3:6]),
                f"{name}.roll": np.pi * np.tanh(raw[6:])}  # fmt: skip
    return out


def make_pct(rng, points, width, units, hidden, layers):
    f = lambda *shape: (rng.normal(size=shape) / np.sqrt(shape[-1])).astype(np.float32)
    near = lambda value: (value + 0.1 * rng.normal(size=width)).astype(np.float32)
    x = {"cloud": f(points, 3), "center": f(3), "major_axis": f(3), "p.emb.W1": f(width, 3), "p.emb.b1": f(width),
         "p.emb.W2": f(width, width), "p.emb.b2": f(width), "p.head.W1": f(hidden, 2 * width + 6), "p.head.b1": f(hidden),
         "p.head.W2": f(7, hidden), "p.head.b2": f(7)}  # fmt: skip
    for l in range(layers):
        x |= {f"p.l{l}.{name}": f(width, width) for name in ("WQ", "WK", "WV", "WO")}
        x |= {f"p.l{l}.bO": f(width), f"p.l{l}.ln1.g": near(1), f"p.l{l}.ln1.b": near(0), f"p.l{l}.W1": f(units, width),
              f"p.l{l}.b1": f(units), f"p.l{l}.W2": f(width, units), f"p.l{l}.b2": f(width), f"p.l{l}.ln2.g": near(1),
              f"p.l{l}.ln2.b": near(0)}  # fmt: skip
    return x


FAMILIES = {"agent": agent, "features": features, "iap": iap, "sara": sara, "conv": conv, "es": es, "theory": theory,
            "codec": codec, "pct": pct}  # fmt: skip
LOOSE = {"phi_hyb_q", "phi_hyb_k", "r_hyb", "att_hyb_unnorm", "r_trig", "att_trig_unnorm", "lsh_scores"}


def difference(family, expected, got):
    """the first array that differs, in words; None: all agree"""
    for name, want in expected.items():
        if name not in got:
            return f"{name} is missing"
        have, want = got[name], np.asarray(want)
        if have.shape != want.shape:
            return f"{name} is {have.shape}, expected {want.shape}"
        if want.size == 0:
            continue
        tolerance = 2.0**-24 if family == "codec" else 1e-10 if family in ("es", "theory") else 1e-3 if name in LOOSE else 1e-4
        off = np.abs(have.astype(float) - want.astype(float)).max()
        if not off <= (0 if want.dtype.kind in "iub" else tolerance * np.abs(want).max()):
            return f"{name} is off by {off:.2g} of {np.abs(want).max():.2g}"
    return None


def report(name, problem):
    global failed
    failed += problem is not None
    print(f"[  FAILED  ] {name}: {problem}" if problem else f"[       OK ] {name}")


def run(family, inputs, folder):
    source, target = os.path.join(folder, "in"), os.path.join(folder, "out")
    if os.path.exists(target):
        os.remove(target)
    save(source, inputs)
    done = subprocess.run([golden, family, source, target], capture_output=True, text=True)
    return done, load(target) if os.path.exists(target) else None


def compare(name, family, inputs, folder):
    done, got = run(family, inputs, folder)
    problem = f"exit code {done.returncode}: {done.stderr.strip()}"
    report(f"{family}: {name}", difference(family, FAMILIES[family](inputs), got) if done.returncode == 0 else problem)


def is_refused(done, got, word):
    """what is wrong about a refusal; None: nothing"""
    if done.returncode != 1:
        return f"exit code {done.returncode}, expected 1"
    if got is not None:
        return "an output file was written"
    if done.stderr.count("\n") != 1 or done.stdout or word not in done.stderr:
        return f"expected one line that says {word}: {done.stdout}{done.stderr}"
    return None


def refuse(family, inputs, folder, optional):
    """each input left out, empty, and one longer along each axis: refused in one line, or, where any size goes, done"""
    for name in inputs:
        if name in optional:
            continue
        done, got = run(family, {n: x for n, x in inputs.items() if n != name}, folder)
        report(f"{family}: without {name}", is_refused(done, got, name))
        problem = None
        for axis in range(np.ndim(inputs[name])):
            grown = np.concatenate([inputs[name], inputs[name]], axis)
            for value in (grown, np.take(inputs[name], [], axis)):
                done, got = run(family, {**inputs, name: value}, folder)
                if done.returncode != 0:
                    problem = problem or is_refused(done, got, "")
        report(f"{family}: {name} of other shapes", problem)


def widen(inputs):
    """the same numbers in the widest types"""
    kinds = {"f": np.float64, "i": np.int64, "u": np.int64}
    return {n: x.astype(kinds[x.dtype.kind]) for n, x in inputs.items()}


def references():
    for family in FAMILIES:
        for folder in ("../shared/golden/kernels", "tests/golden/data"):
            names = sorted(n for n in os.listdir(folder) if n.startswith(family + "_")) if os.path.isdir(folder) else []
            for name in (n for n in names if n.endswith(".safetensors")):
                yield family, os.path.join(folder, name)


def main():
    print("[==========] Running checks.")
    rng = np.random.default_rng(7)
    for family, path in references():
        case = load(path)
        expected = {n: v for n, v in FAMILIES[family](case).items() if n in case}
        report(f"the twin of {path}", difference(family, expected, case))
    with tempfile.TemporaryDirectory() as folder:
        cases = {
            # h, w, patch, stride, K, d, A, hidden, channels, frames
            "agent": {
                "two outputs": make_agent(rng, 20, 26, 5, 3, 6, 3, 2, 7, 3, 2),
                "five outputs, grey": make_agent(rng, 17, 13, 3, 2, 11, 5, 5, 19, 1, 3),
                "one patch, four channels": make_agent(rng, 6, 6, 6, 4, 1, 2, 1, 1, 4, 2),
                "a car of another size": make_agent(rng, 30, 19, 4, 4, 3, 1, 3, 4, 3, 2),
            },
            # n, d, m, r, values, mode
            "features": {
                "one token": make_features(rng, 1, 4, 10, 5, 3, 0),
                "one token, normalised": make_features(rng, 1, 4, 10, 5, 3, 1),
                "one feature of one number": make_features(rng, 5, 1, 1, 1, 1, 0),
                "fewer features than numbers": make_features(rng, 19, 7, 3, 2, 5, 1),
                "many tokens": make_features(rng, 301, 3, 17, 4, 9, 0),
            },
            # n, c, d, m, rows, values, bits, draws
            "iap": {
                "one token (iap_L1)": make_iap(rng, 1, 12, 8, 16, 10, 16, 256, 32),
                "one token, one row": make_iap(rng, 1, 3, 1, 1, 1, 1, 1, 1),
                "two tokens": make_iap(rng, 2, 5, 3, 4, 3, 2, 5, 4),
                "odd sizes": make_iap(rng, 37, 7, 5, 11, 6, 9, 75, 13),
                "more rows than the library keeps at once": make_iap(rng, 200, 6, 4, 8, 150, 3, 64, 9),
            },
            # queries, keys, d, numbers of WQ x, m, values
            "sara": {
                "m unlike d": make_sara(rng, 20, 30, 8, 8, 13, 5),
                "m unlike d, WQ with m rows": make_sara(rng, 20, 30, 8, 13, 13, 5),
                "fewer keys than queries": make_sara(rng, 31, 7, 5, 5, 3, 2),
                "fewer queries than keys": make_sara(rng, 3, 40, 5, 5, 9, 1),
                "one query, one key": make_sara(rng, 1, 1, 3, 3, 4, 2),
                "two keys": make_sara(rng, 5, 2, 1, 1, 1, 1),
                "more than any fixed room": make_sara(rng, 300, 271, 70, 66, 90, 65),
            },
            # h, w, cin, cout, heads, n, size, key
            "conv": {
                "one pixel": make_conv(rng, 1, 1, 1, 1, 1, 1, 1, 1),
                "a line": make_conv(rng, 1, 9, 2, 5, 4, 3, 4, 7),
                "more than nine heads": make_conv(rng, 5, 8, 3, 2, 11, 8, 3, 2),
            },
            # n, pairs, population, generations, share
            "es": {
                "one number": make_es(rng, 1, 3, 6, 2, 0.3),
                "one pair": make_es(rng, 5, 1, 7, 4, 0.3),
                "more numbers than pairs": make_es(rng, 40, 6, 11, 3, 0.5),
                "more than any fixed room": make_es(rng, 600, 520, 14, 1, 0.01),
            },
            "theory": {"other widths": make_theory(rng, 5, 3), "one case of one number": make_theory(rng, 1, 1)},
            # points, width, units, hidden, layers
            "pct": {
                "one layer, few points": make_pct(rng, 5, 6, 7, 4, 1),
                "one point": make_pct(rng, 1, 4, 3, 2, 2),
                "more layers and odd sizes": make_pct(rng, 75, 13, 21, 9, 5),
                "more points than any fixed room": make_pct(rng, 3000, 16, 32, 16, 2),
            },
            "codec": {"one number": make_codec(rng, 1, 1), "wide": make_codec(rng, 50, 64)},
        }
        optional = {"abc", "dO"}  # the reference's own, which no output needs
        for family, list_ in cases.items():
            for name, inputs in list_.items():
                compare(name, family, inputs, folder)
            first = next(iter(list_.values()))
            compare("the same in the widest types", family, widen(first), folder)
            refuse(family, first, folder, optional)
        several = cases["iap"]["odd sizes"]
        refuse("iap", several, folder, optional)
    sys.exit(failed > 0)


main()
