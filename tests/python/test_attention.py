"""Attention against its formula in NumPy, and against PyTorch's softmax."""
import threading

import numpy as np
import pytest
import saccade

D, N, V = 5, 37, 3
EPSILON = np.finfo(np.float32).eps


def tokens(random, rows=D, count=N):
    return random.standard_normal((rows, count), np.float32)


def softmax(queries, keys, scale):
    scores = scale * (queries.T.astype(float) @ keys.astype(float))
    weights = np.exp(scores - scores.max(1, keepdims=True))
    return weights / weights.sum(1, keepdims=True)


# every score has D roundings, exp multiplies their error; the sum over N tokens adds N more
def tolerance(queries, keys, scale):
    largest = np.abs(scale * queries.T @ keys).max()
    return 4 * (N + (D + 4) * largest) * EPSILON


def test_softmax_importance_row_and_output_are_their_formulas(random):
    q, k, v = tokens(random), tokens(random), tokens(random, V)
    a = saccade.Attention("softmax", key_size=D)
    weights = softmax(q, k, D**-.5)
    bound = tolerance(q, k, D**-.5)
    assert np.abs(a.importance(q, k) - weights.sum(0)).max() <= bound * N
    assert np.abs(a.row(7, q, k) - weights[7]).max() <= bound
    assert np.abs(a.output(q, k, v) - v @ weights.T).max() <= bound * np.abs(v).max() * N


def test_linear_forms_are_products_of_their_features(random):
    q, k = tokens(random), tokens(random)
    for form in set(saccade.forms()) - {"softmax"}:
        a = saccade.Attention(form, key_size=D, feature_count=8)
        f, g = a.features(q, "queries"), a.features(k, "keys")
        assert f.shape == (a.feature_size, N)
        products = f.T.astype(float) @ g
        expected = products.sum(0) / N
        scale = (np.abs(f).T.astype(float) @ np.abs(g)).sum(0) / N
        assert np.all(np.abs(a.importance(q, k) - expected) <= 4 * (N + a.feature_size) * EPSILON * scale), form


def test_relu_is_its_formula(random):
    q, k = tokens(random), tokens(random)
    a = saccade.Attention("relu", key_size=D, feature_count=0)
    expected = np.maximum(q, 0).sum(1).astype(float) @ np.maximum(k, 0) / N
    assert np.allclose(a.importance(q, k), expected, rtol=4 * (N + D) * EPSILON, atol=0)


def test_projection_given_is_the_one_used(random):
    q, k, w = tokens(random), tokens(random), random.standard_normal((4, D), np.float32)
    a = saccade.Attention("relu", key_size=D, feature_count=4, projection=w)
    bound = 4 * D * EPSILON * (np.abs(w) @ np.abs(q)).max()  # D roundings of what is added
    assert np.allclose(a.features(q, "queries"), np.maximum(w @ q, 0), rtol=0, atol=bound)
    assert a.importance(q, k).shape == (N,)


def test_top_is_the_order_of_importance(random):
    a = saccade.Attention(key_size=D)
    importance = random.permutation(N).astype(np.float32)
    assert list(a.top(importance, 5)) == list(np.argsort(-importance)[:5])
    assert a.top(importance, 5).dtype == np.int32


def test_several_heads_are_the_mean_of_each(random):
    q, k, v = tokens(random, 2 * D), tokens(random, 2 * D), tokens(random, 2 * V)
    heads = [saccade.Attention("relu", key_size=D), saccade.Attention("relu", key_size=D, seed=2)]
    both = saccade.MultiHead(heads)
    each = [h.importance(q[i * D:(i + 1) * D], k[i * D:(i + 1) * D]) for i, h in enumerate(heads)]
    assert np.allclose(both.importance(q, k), np.mean(each, 0), rtol=4 * EPSILON)
    outputs = [h.output(q[i * D:(i + 1) * D], k[i * D:(i + 1) * D], v[i * V:(i + 1) * V]) for i, h in enumerate(heads)]
    assert np.array_equal(both.output(q, k, v), np.concatenate(outputs))


def test_camera_is_projection_and_attention(random):
    image = random.integers(0, 256, (12, 15, 3), np.uint8)
    weights = [random.standard_normal((D, 3 * 3 * 3)).astype(np.float32) for _ in range(2)]
    camera = saccade.Camera("relu", height=12, width=15, patch=3, stride=3, key_size=D, feature_count=0,
                            query_weights=weights[0], key_weights=weights[1])
    assert camera.grid == (4, 5)
    patches = image.reshape(4, 3, 5, 3, 3).transpose(0, 2, 1, 3, 4).reshape(20, 27) / 255
    q, k = (np.maximum(w @ patches.T, 0) for w in weights)
    # weights have 16 bits: half a step of max |w| / 32767 a weight, times a patch's pixels
    step = max(np.abs(w).max() for w in weights) / 32767 * 27
    bound = step * (np.abs(q).sum(0) + np.abs(k).sum(0)).max() + 1e-5
    assert np.abs(camera.importance(image) - q.sum(1) @ k / 20).max() <= bound


def test_arrays_are_read_in_place_whatever_their_stride(random):
    wide, other = tokens(random, D, 2 * N), tokens(random, D, 2 * N)
    a = saccade.Attention(key_size=D)
    part = a.importance(wide[:, 3:3 + N], other[:, 5:5 + N])
    assert np.array_equal(part, a.importance(wide[:, 3:3 + N].copy(), other[:, 5:5 + N].copy()))


def test_results_go_where_they_are_wanted(random):
    q, k, out = tokens(random), tokens(random), np.empty(N, np.float32)
    a = saccade.Attention(key_size=D)
    assert a.importance(q, k, out=out) is out
    assert np.array_equal(out, a.importance(q, k))


def test_buffers_and_dlpack_need_no_copy(random, torch):
    q, k = tokens(random), tokens(random)
    a = saccade.Attention(key_size=D)
    expected = a.importance(q, k)
    assert np.array_equal(a.importance(memoryview(q), memoryview(k)), expected)
    t, u, out = torch.from_dlpack(q), torch.from_dlpack(k), torch.zeros(N)
    assert a.importance(t, u, out=out) is out
    assert np.array_equal(np.from_dlpack(out), expected)
    back = torch.from_dlpack(a.importance(t, u))  # and out again
    assert np.array_equal(np.from_dlpack(back), expected)


def test_parity_with_pytorch(random, torch):
    q, k, v = tokens(random), tokens(random), tokens(random, V)
    t, u, w = map(torch.from_dlpack, (q, k, v))
    weights = torch.softmax(t.T.double() @ u.double() * D**-.5, 1)
    a = saccade.Attention(key_size=D)
    bound = tolerance(q, k, D**-.5)
    assert np.abs(a.importance(q, k) - np.from_dlpack(weights.sum(0))).max() <= bound * N
    assert np.abs(a.output(t, u, w) - np.from_dlpack(w.double() @ weights.T)).max() <= bound * N * np.abs(v).max()


@pytest.mark.parametrize("bad, error, words", [
    (lambda a, q, k: a.importance(q.astype(float), k), TypeError, "queries: float64, expected float32"),
    (lambda a, q, k: a.importance(q[:-1], k), ValueError, "queries: shape (4, 37), expected 5 rows"),
    (lambda a, q, k: a.importance(q, k[:, 1:]), ValueError, "expected 37 columns"),
    (lambda a, q, k: a.importance(np.ascontiguousarray(q.T).T, k), ValueError, "no gaps"),
    (lambda a, q, k: a.importance(q[:, ::-1], k[:, ::-1]), ValueError, "no gaps"),
    (lambda a, q, k: a.importance([[1.0]], k), TypeError, "queries: list, expected an array"),
    (lambda a, q, k: a.row(N, q, k), IndexError, "0..36"),
    (lambda a, q, k: a.top(np.zeros(4, np.float32), 5), ValueError, "k: 5"),
    (lambda a, q, k: a.features(q), ValueError, "has no features"),
    (lambda a, q, k: a.importance(q, k, out=np.zeros(3, np.float32)), ValueError, "out: shape (3,), expected (37,)"),
    (lambda a, q, k: a.importance(q, k, out=np.broadcast_to(np.float32(0), N)), ValueError, "out: "),
    (lambda a, q, k: saccade.Attention("sofmax", key_size=4), saccade.ArgumentError, "softmax"),
    (lambda a, q, k: saccade.Attention(key_size=0), ValueError, "key_size"),
    (lambda a, q, k: saccade.Attention("relu", key_size=4, feature_count=2, projection=np.zeros((3, 4), np.float32)),
     ValueError, "projection: shape (3, 4), expected (2, 4)"),
])
def test_bad_arguments_are_named(random, bad, error, words):
    a = saccade.Attention(key_size=D)
    with pytest.raises(error) as raised:
        bad(a, tokens(random), tokens(random))
    assert words in str(raised.value)


def test_threads_share_an_attention(random):
    a = saccade.Attention("softmax", key_size=D)
    pairs = [(tokens(random, D, n), tokens(random, D, n)) for n in (10, 200, 90, 400)]
    expected = [a.importance(*pair) for pair in pairs]
    wrong = []

    def work(i):
        for _ in range(50):
            if not np.array_equal(a.importance(*pairs[i]), expected[i]):
                wrong.append(i)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_the_lock_is_released_while_it_computes(random):
    a = saccade.Attention("softmax", key_size=16)
    q, k = tokens(random, 16, 6000), tokens(random, 16, 6000)
    calls, ticks = 0, 0
    while ticks <= 3 and calls < 100:  # on busy cores this thread may get no turn in one call
        done, calls = threading.Event(), calls + 1
        thread = threading.Thread(target=lambda: (a.importance(q, k), done.set()))
        thread.start()
        while not done.wait(0.0005):
            ticks += 1
        thread.join()
    assert ticks > 3  # this thread ran meanwhile
