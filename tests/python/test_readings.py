"""Rank, trans, trees, hashes, Gaussian heads, relative positions: each beside its formula in NumPy."""
import gc

import numpy as np
import pytest
import saccade
from saccade import heads, readings

D, N, V, ROWS = 4, 29, 3, 5
EPSILON = np.finfo(np.float32).eps


@pytest.fixture
def scene(random):
    def draw(*shape):
        return random.standard_normal(shape, np.float32)

    attention = saccade.Attention("positive", key_size=D, feature_count=8)
    q, k, v, p = draw(D, N), draw(D, N), draw(V, N), draw(ROWS, N)
    f, g = attention.features(q, "queries").astype(float), attention.features(k, "keys").astype(float)
    return attention, q, k, v, p, f, g


def near(a, expected, magnitude, terms):
    """Every addition rounds once, so sums of `terms` numbers are off by that many roundings of their magnitude."""
    return np.all(np.abs(a - expected) <= 4 * terms * EPSILON * magnitude)


def test_rank_is_the_product_of_its_parts(scene):
    a, q, k, _, p, f, g = scene
    z = readings.rank_summary(a, q, p)
    assert near(z, p @ f.T, np.abs(p) @ f.T, N)
    scores = readings.rank_scores(a, z, k)
    assert near(scores, p @ f.T @ g / N, np.abs(p) @ f.T @ g / N, N + 8)
    ones = readings.rank_summary(a, q)
    assert near(readings.rank_scores(a, ones, k)[0], a.importance(q, k), a.importance(q, k), N + 8)
    mean = a.features(np.ascontiguousarray(q.mean(1, keepdims=True)), "queries")[:, 0]
    assert np.allclose(readings.rank_mean_query(a, q), mean, rtol=64 * N * EPSILON)


def test_drawing_is_a_function_of_its_numbers(scene, random):
    a, q, k, *_ = scene
    scores = readings.rank_scores(a, readings.rank_summary(a, q), k)[0]
    probabilities = readings.rank_probabilities(a, scores)
    expected = np.exp(scores.astype(float) - scores.max())
    assert np.allclose(probabilities, expected / expected.sum(), rtol=1e-4)
    uniform = random.random(N)
    chosen = readings.rank_draw(probabilities, uniform)
    assert sorted(chosen) == list(range(N))
    shares = np.cumsum(probabilities.astype(float)) / probabilities.sum(dtype=float)
    first = np.searchsorted(shares, uniform[0], "right")
    assert abs(int(chosen[0]) - int(first)) <= 1  # equal but where the number falls on an edge


def test_kept_values_are_taken_or_masked(scene, random):
    v = scene[3]
    chosen = np.array([3, 0, 28], np.int32)
    assert np.array_equal(readings.rank_take(chosen, v), v[:, chosen].T)
    masked = np.zeros_like(v)
    masked[:, chosen] = v[:, chosen]
    assert np.array_equal(readings.rank_mask(chosen, v), masked)
    with pytest.raises(IndexError, match="0..28"):
        readings.rank_take(np.array([N], np.int32), v)


def test_a_tree_draws_in_proportion(scene, random):
    a, q, k, *_, f, g = scene
    tree = readings.Tree(a, k)
    z = readings.rank_summary(a, q)[0]
    exact = f.sum(1) @ g
    assert np.allclose(tree.probabilities(z), exact / exact.sum(), rtol=1e-4)
    several = tree.draw_several(z, random.random((N, tree.depth)))
    assert sorted(several) == list(range(N))
    tree.set(4)
    assert tree.probabilities(z)[4] == 0 and 0 <= tree.draw(z, random.random(tree.depth)) < N
    with pytest.raises(ValueError, match="uniform"):
        tree.draw(z, np.ones(tree.depth))


def test_bits_are_signs(random):
    x, g = random.standard_normal((6, N), np.float32), random.standard_normal((40, 6), np.float32)
    hashing = readings.Hash(40, 6, projection=g)
    bits = hashing.bits(x)
    signs = np.array([[bits[b // 32, n] >> (b % 32) & 1 for n in range(N)] for b in range(40)])
    products = g @ x
    clear = np.abs(products) > 1e-4  # elsewhere the order of a sum decides
    assert np.array_equal(signs[clear], (products >= 0)[clear]) and bits.dtype == np.uint32
    query = np.ascontiguousarray(bits[:, 0])
    assert np.array_equal(hashing.distances(bits, query), (signs != signs[:, :1]).sum(0))
    angles, scores = hashing.scores(hashing.distances(bits, query), 2.0)
    assert angles[0] == 0 and scores[0] == 2 and np.allclose(scores, 2 * np.cos(angles), atol=1e-6)


def test_a_key_database_keeps_features(scene):
    a, q, k, *_ = scene
    database = readings.KeyDatabase(a, N, period=3, tree=True)
    assert [database.frame() for _ in range(7)] == [True, False, False, True, False, False, True]
    with pytest.raises(ValueError, match="refresh"):
        database.scores(readings.rank_summary(a, q), N)
    database.refresh(k)
    z = readings.rank_summary(a, q)
    assert len(database) == N and np.allclose(database.scores(z, N), readings.rank_scores(a, z, k), rtol=64 * EPSILON)
    del a, scene
    gc.collect()
    assert database.scores(z, N).shape == (1, N)  # it keeps its attention


@pytest.mark.parametrize("order", list(readings.ORDERS))
def test_trans_is_its_formula_in_every_order(scene, order):
    a, q, k, v, p, f, g = scene
    plain = readings.Trans(a, p, V, order=order)(q, k, v)
    expected, magnitude = p @ (f.T @ g) @ v.T, np.abs(p) @ (f.T @ g) @ np.abs(v).T
    assert near(plain, expected, magnitude, 2 * N + 8)
    gain, bias = np.full(V, 2, np.float32), np.full(V, 1, np.float32)
    normed = readings.Trans(a, p, V, residual=True, gain=gain, bias=bias, order=order)(q, k, v)
    x = (expected + p @ v.T.astype(float)).astype(np.float32)
    assert np.allclose(normed, readings.layer_norm(x, gain, bias), rtol=1e-3, atol=1e-4)
    assert np.allclose(normed.mean(1), 1, atol=1e-5)


def test_readings_are_of_linear_forms(scene):
    softmax = saccade.Attention(key_size=D)
    with pytest.raises(ValueError, match="linear forms"):
        readings.rank_summary(softmax, scene[1])
    with pytest.raises(ValueError, match="gain, bias"):
        readings.Trans(scene[0], scene[4], V, gain=np.ones(V, np.float32))


def test_gaussian_heads_are_their_softmax(random):
    height, width = 6, 5
    head = heads.Head.from_root([[1.5, 0.3], [0.0, 0.8]], 1, -1)
    a, b, c = head.precision
    layer = heads.Heads(height, width, [head, *heads.nine(2.0)])
    y, x = np.divmod(np.arange(height * width), width)
    query = 13
    dy, dx = y[query] - y - 1.0, x[query] - x + 1.0
    logits = -0.5 * (a * dy * dy + 2 * b * dy * dx + c * dx * dx)
    assert np.allclose(layer.logits(0, query), logits, rtol=1e-6, atol=1e-6)
    weights = np.exp(logits - logits.max())
    assert np.allclose(layer.row(0, query), weights / weights.sum(), rtol=1e-5, atol=1e-7)
    values = random.standard_normal((3, height * width), np.float32)
    rows = np.stack([layer.row(0, i) for i in range(height * width)])
    assert np.allclose(layer.mix(0, values), values @ rows.T, rtol=1e-4, atol=1e-5)
    assert heads.nine(2.0)[4] == heads.Head.isotropic(2.0, 0, 0)


def test_convolutions_become_heads_and_back(random):
    assert heads.of_convolution(3, 2.0) == heads.nine(2.0)
    weights = random.standard_normal((25, 2, 3)).astype("f")
    for alpha in (3.0, 12.0):
        back, outside = heads.to_convolution(5, heads.of_convolution(5, alpha), weights, 16, 16)
        # a tap loses the leak, and gets at most what the others lose to it
        share = heads.leak(alpha)
        assert np.abs(back - weights).max() <= np.abs(weights).max() * (share + share / (1 - share) + 27 * 2.0**-24)
        assert outside.shape == (25,) and (outside >= 0).all() and (outside <= share).all()
    for arguments in ((0, 2.0), (17, 2.0), (3, 0.0)):
        with pytest.raises(ValueError):
            heads.of_convolution(*arguments)


def test_nine_sharp_heads_are_a_convolution(random, torch):
    height, width, channels, outputs = 7, 6, 2, 3
    layer = heads.Heads(height, width, heads.nine(float("inf")))
    x = random.standard_normal((channels, height * width), np.float32)
    kernel = random.standard_normal((outputs, channels, 3, 3), np.float32)
    bias = random.standard_normal(outputs, np.float32)
    weights = np.ascontiguousarray(kernel.reshape(outputs, channels, 9).transpose(2, 1, 0))
    image = torch.from_dlpack(x.reshape(1, channels, height, width))
    padded = torch.nn.functional.pad(image, (1, 1, 1, 1), mode="replicate")
    expected = np.from_dlpack(torch.nn.functional.conv2d(padded, torch.from_dlpack(kernel), torch.from_dlpack(bias)))
    found = layer.layer(x, weights, bias).reshape(outputs, height, width)
    flipped = layer.layer(x, np.ascontiguousarray(weights[::-1]), bias).reshape(outputs, height, width)
    bound = 4 * 9 * channels * EPSILON * 9 * channels * np.abs(x).max() * np.abs(kernel).max()
    assert min(np.abs(found - expected).max(), np.abs(flipped - expected).max()) <= bound


def test_relative_logits_are_their_four_terms(random):
    n, c, d = 6, 5, 3
    wq, wk, wr = (random.standard_normal((d, c), np.float32) for _ in range(3))
    u, v = (random.standard_normal(d, np.float32) for _ in range(2))
    e, r = random.standard_normal((c, n), np.float32), random.standard_normal((c, 2 * n - 1), np.float32)
    relative = heads.Relative(wq, wk, wr, u, v)
    q, k, s = wq @ e, wk @ e, wr @ r
    i, j = np.mgrid[:n, :n]
    offsets = s[:, i - j + n - 1]
    terms = {"a": q.T @ k, "b": np.einsum("di,dij->ij", q, offsets), "c": np.broadcast_to(u @ k, (n, n)),
             "d": np.einsum("d,dij->ij", v, offsets)}
    for name, expected in terms.items():
        assert np.allclose(relative.logits(e, r, name), expected, rtol=1e-4, atol=1e-4)
    total = sum(terms.values())
    weights = np.exp(total - total.max(1, keepdims=True))
    weights /= weights.sum(1, keepdims=True)
    values = random.standard_normal((2, n), np.float32)
    assert np.allclose(relative.output(e, r, values), values @ weights.T, rtol=1e-3, atol=1e-4)


def test_theory_is_the_papers():
    from saccade import theory

    x, y, m = np.array([0.3, -0.2]), np.array([0.1, 0.4]), 8
    kernel = np.exp(x @ y)
    trig = np.exp(np.sum((x + y)**2)) * (1 - np.exp(-np.sum((x - y)**2)))**2 / (2 * m * kernel**2)
    assert theory.mse_trig(x, y, m) == pytest.approx(trig, rel=1e-12)
    assert theory.mse_exp(x, y, m) > 0 and theory.mse_hybrid(x, y, m, 4) > 0
    assert theory.angle([1, 0], [0, 1]) == pytest.approx(np.pi / 2)
    assert theory.mse_exp(x, -x, m) == 0  # exact for opposite tokens
    with pytest.raises(ValueError, match="m: 0"):
        theory.mse_exp(x, y, 0)
