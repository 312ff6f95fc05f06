"""evals.py PEER METHOD FUNCTION N A..B: evaluations until the mean is at the target, median over the seeds A..B.

PEER is pycma (cma-es, sep-cma-es), evosax (these, lm-ma-es, snes) or evojax
(cma-es). The functions, where a search begins, its
population and the targets are those of bench/evals.c.
"""

import math
import sys
import warnings

from common import absent, report

warnings.simplefilter("ignore")
try:
    import numpy as np
except ImportError as error:
    absent(error)

peer, method, function, n, seeds = sys.argv[1:]
n, (first, last) = int(n), map(int, seeds.split(".."))
BUDGET = (1000 if function == "cartpole" else 50000) * n

# where it begins, sigma, population (None: the default), target
problems = {
    "sphere": (1.0, 0.3, None, 1e-8),
    "ellipsoid": (1.0, 0.3, None, 1e-8),
    "turned": (1.0, 0.3, None, 1e-8),
    "rosenbrock": (0.0, 0.1, None, 1e-8),
    "rastrigin": (3.0, 2.0, 20 * n, 1e-8),
    "cartpole": (0.3, 0.3, None, 0.0013),
}
start, sigma, population, target = problems[function]
population = population or 4 + int(3 * math.log(n))


def objective(np):
    """The function over rows x [count, n], with NumPy or JAX."""
    scales = 1e6 ** (np.arange(n) / (n - 1))

    def ellipsoid(x):
        return x * x @ scales

    def rosenbrock(x):
        return np.sum(100 * (x[:, 1:] - x[:, :-1] ** 2) ** 2 + (1 - x[:, :-1]) ** 2, axis=1)

    def cartpole(x):
        w = x[:, :n // 5 * 5].reshape(len(x), 1, -1, 5)
        starts = np.array([[0.2, 0, 0.05, 0], [-0.2, 0, -0.1, 0.1], [0, 0.1, 0.1, -0.1], [0.3, 0, 0, 0.1]])
        p, v, a, u = (np.tile(starts[:, i], (len(x), 1)) for i in range(4))

        def step(_, state):
            p, v, a, u, cost = state
            units = np.tanh(w[..., 0] * p[..., None] + w[..., 1] * v[..., None] + w[..., 2] * a[..., None]
                            + w[..., 3] * u[..., None])
            force = np.tanh(np.sum(w[..., 4] * units, axis=2))
            sine, cosine = np.sin(a), np.cos(a)
            push = (10 * force + 0.05 * u * u * sine) / 1.1
            turn = (9.8 * sine - cosine * push) / (0.5 * (4 / 3 - 0.1 * cosine * cosine / 1.1))
            slide = push - 0.05 * turn * cosine / 1.1
            p, v, a, u = p + 0.02 * v, v + 0.02 * slide, a + 0.02 * u, u + 0.02 * turn
            cost = cost + 1 - np.cos(a) + 0.05 * np.minimum(p * p, 25) + 0.001 * force * force
            return p, v, a, u, cost

        state = p, v, a, u, np.zeros_like(p)
        if np.__name__ == "numpy":
            for t in range(150):
                state = step(t, state)
        else:
            import jax
            state = jax.lax.fori_loop(0, 150, step, state)
        return np.sum(state[4], axis=1) / 600

    return {
        "sphere": lambda x: np.sum(x * x, axis=1),
        "ellipsoid": ellipsoid,
        "turned": lambda x: ellipsoid(x - 2 * x.sum(axis=1, keepdims=True) / n),
        "rosenbrock": rosenbrock,
        "rastrigin": lambda x: np.sum(x * x - 10 * np.cos(2 * math.pi * x) + 10, axis=1),
        "cartpole": cartpole,
    }[function]


def with_pycma():
    import cma

    f = objective(np)

    def count(seed):
        options = {"seed": seed, "verbose": -9, "CMA_diagonal": method == "sep-cma-es", "popsize": population}
        search = cma.CMAEvolutionStrategy(np.full(n, start), sigma, options)
        while f(search.mean[None])[0] > target:
            if search.countevals > BUDGET or search.stop():
                return math.inf
            candidates = search.ask()
            search.tell(candidates, f(np.array(candidates)).tolist())
        return search.countevals

    return f"pycma {cma.__version__}", count


def with_evosax():
    from importlib.metadata import version

    import evosax.algorithms as algorithms
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    f = objective(jnp)
    names = {"cma-es": "CMA_ES", "sep-cma-es": "Sep_CMA_ES", "lm-ma-es": "LM_MA_ES", "snes": "SNES"}
    search = getattr(algorithms, names[method])(population_size=population, solution=jnp.zeros(n))
    params = search.default_params.replace(std_init=jnp.asarray(sigma))

    @jax.jit
    def run(key):
        def goes_on(carry):
            key, state, done = carry
            return (f(state.mean[None])[0] > target) & (done <= BUDGET)

        def generation(carry):
            key, state, done = carry
            key, first, second = jax.random.split(key, 3)
            candidates, state = search.ask(first, state, params)
            state, _ = search.tell(second, candidates, f(candidates), state, params)
            return key, state, done + population

        state = search.init(key, jnp.full(n, start), params)
        _, state, done = jax.lax.while_loop(goes_on, generation, (key, state, 0))
        return jnp.where(f(state.mean[None])[0] <= target, done, jnp.inf)

    return f"evosax {version('evosax')}", lambda seed: float(run(jax.random.key(seed)))


def with_evojax():
    from importlib.metadata import version
    import logging

    import jax
    import jax.numpy as jnp
    from evojax import algo

    jax.config.update("jax_enable_x64", True)
    f = jax.jit(objective(jnp))
    quiet = logging.getLogger("evojax")
    quiet.setLevel(logging.ERROR)

    def count(seed):
        search = algo.CMA_ES_JAX(param_size=n, pop_size=population, mean=jnp.full(n, start), init_stdev=sigma, seed=seed,
                                 logger=quiet)
        done = 0
        while float(f(search.best_params[None])[0]) > target:
            if done > BUDGET:
                return math.inf
            search.tell(-f(search.ask()))
            done += population
        return done

    return f"evojax {version('evojax')}", count


def finite(x):
    return x if math.isfinite(x) else 1e300


try:
    name, count = {"pycma": with_pycma, "evosax": with_evosax, "evojax": with_evojax}[peer]()
except ImportError as error:
    absent(error)
counts = sorted(count(seed + 1) for seed in range(first, last + 1))  # pycma's seed 0 is the clock
middle = (len(counts) - 1) // 2
# the 95 % interval of the median of seeds that are drawn again with replacement
again = np.sort(np.random.default_rng(95).choice(counts, (4000, len(counts))), axis=1)[:, middle]
low, high = np.sort(again)[[100, 3899]]
report(name, finite(counts[middle]), low=finite(float(low)), high=finite(float(high)))
