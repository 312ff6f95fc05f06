"""Search methods: all of them climb, go on from their state to the bit, and agree with pycma on what they ask."""
import pickle

import numpy as np
import pytest
import saccade

N = 6


def bowl(x, target=0.7):
    return -np.square(np.asarray(x, float) - target).sum(-1)


def test_methods_are_listed():
    methods = saccade.methods()
    assert {"cma-es", "sep-cma-es", "ars"} <= set(methods)
    assert "population" in methods["sep-cma-es"][1]


@pytest.mark.parametrize("method", list(saccade.methods()))
def test_every_method_climbs(method):
    search = saccade.Search(method, N, seed=3)
    start = bowl(search.mean)
    for _ in range(60):
        x = search.ask()
        assert x.shape == (search.population, N) and x.dtype == np.float32
        search.tell(x, bowl(x))
    assert bowl(search.mean) > start
    assert search.generation == 60


@pytest.mark.parametrize("method", list(saccade.methods()))
def test_a_restored_search_goes_on_to_the_bit(method):
    a = saccade.Search(method, N, seed=2)
    for _ in range(5):
        x = a.ask()
        a.tell(x, bowl(x))
    b, c = saccade.Search(method, N, seed=2), pickle.loads(pickle.dumps(a))
    b.restore(a.state())
    for _ in range(5):
        asked = [s.ask() for s in (a, b, c)]
        assert np.array_equal(asked[0], asked[1]) and np.array_equal(asked[0], asked[2])
        for s, x in zip((a, b, c), asked):
            s.tell(x, bowl(x))


def test_asking_twice_asks_the_same():
    search = saccade.Search("cma-es", N)
    assert np.array_equal(search.ask(), search.ask())


def test_minimize_is_the_other_sign():
    a, b = saccade.Search("cma-es", N), saccade.Search("cma-es", N, minimize=True)
    for _ in range(10):
        x, y = a.ask(), b.ask()
        a.tell(x, bowl(x))
        b.tell(y, -bowl(y))
    assert np.array_equal(a.mean, b.mean)


def test_candidates_of_ones_own():
    search = saccade.Search("cma-es", N)
    x = search.ask().astype(float)
    x[0] = 0.7
    search.tell(x, bowl(x))
    assert search.generation == 1 and np.isfinite(search.mean).all()
    with pytest.raises(saccade.ArgumentError, match="finite"):
        search.tell(np.full((search.population, N), np.nan), np.zeros(search.population))


def test_a_search_says_why_it_stops():
    search = saccade.Search("cma-es", N, target=-1e-6) if "target" in saccade.methods()["cma-es"][1] \
        else saccade.Search("cma-es", N)
    for _ in range(3000):
        if search.stop():
            break
        x = search.ask()
        search.tell(x, bowl(x))
    assert isinstance(search.stop(), str) and search.stop()


@pytest.mark.parametrize("bad, error, words", [
    (lambda: saccade.Search("cma", N), saccade.ArgumentError, "cma"),
    (lambda: saccade.Search("cma-es", N, populaton=3), saccade.ArgumentError, "population"),
    (lambda: saccade.Search("cma-es", np.zeros((2, 2))), ValueError, "x0"),
    (lambda: saccade.Search("cma-es", N).tell(np.zeros((2, N)), np.zeros(2)), ValueError, "expected"),
    (lambda: saccade.Search("cma-es", N).restore({"a": np.zeros(1)}), ValueError, "state"),
])
def test_bad_arguments_are_named(bad, error, words):
    with pytest.raises(error) as raised:
        bad()
    assert words in str(raised.value)


def test_constants_are_pycmas():
    try:
        import cma
    except ImportError:
        pytest.skip("needs a peer: cma (make peers)")
    ours = saccade.Search("cma-es", N, population=12).constants()
    theirs = cma.CMAEvolutionStrategy(N * [0], 0.5, {"popsize": 12, "verbose": -9})
    weights = ours["weights"]
    positive = np.asarray(theirs.sp.weights.positive_weights)
    assert np.allclose(weights[:positive.size], positive, rtol=1e-12)
