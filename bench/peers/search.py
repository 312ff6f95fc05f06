"""search.py PEER METHOD DIMENSION POPULATION GENERATIONS: milliseconds a generation, ask and tell together.

PEER is pycma, evosax or evojax, METHOD one of saccade's names. The fitness, a
sum of squares, is not in the time, which is this process's own.

Of evojax these are the methods that are its own; its others wrap an evosax
of before 0.2 and do not run beside today's.
"""

import sys
import time
import warnings

from common import absent, report

peer, method, dimension, population, generations = *sys.argv[1:3], *map(int, sys.argv[3:])
warnings.simplefilter("ignore")


def time_pycma():
    import cma
    import numpy as np

    options = {"popsize": population, "seed": 1, "verbose": -9, "CMA_diagonal": method == "sep-cma-es"}
    search = cma.CMAEvolutionStrategy(np.zeros(dimension), 0.1, options)
    seconds = 0
    for _ in range(generations):
        begin = time.process_time()
        candidates = search.ask()
        seconds += time.process_time() - begin
        values = [float(x @ x) for x in candidates]
        begin = time.process_time()
        search.tell(candidates, values)
        seconds += time.process_time() - begin
    return f"pycma {cma.__version__}", seconds / generations


def time_evosax():
    from importlib.metadata import version

    import evosax.algorithms as algorithms
    import jax
    import jax.numpy as jnp

    names = {"sep-cma-es": "Sep_CMA_ES", "lm-ma-es": "LM_MA_ES", "snes": "SNES", "openai-es": "Open_ES", "pgpe": "PGPE",
             "ars": "ARS", "ga": "SimpleGA"}
    search = getattr(algorithms, names[method])(population_size=population, solution=jnp.zeros(dimension))
    params, key = search.default_params, jax.random.key(1)
    if method == "ga":  # begins with a population
        state = search.init(key, jnp.zeros((population, dimension)), jnp.zeros(population), params)
    else:
        state = search.init(key, jnp.zeros(dimension), params)
    best = None
    for _ in range(3):  # the first round compiles
        seconds = 0
        for _ in range(generations):
            key, first, second = jax.random.split(key, 3)
            begin = time.process_time()
            candidates, state = search.ask(first, state, params)
            jax.block_until_ready((candidates, state))
            seconds += time.process_time() - begin
            values = jnp.sum(candidates * candidates, axis=1).block_until_ready()
            begin = time.process_time()
            state, _ = search.tell(second, candidates, values, state, params)
            jax.block_until_ready(state)
            seconds += time.process_time() - begin
        best = seconds if best is None else min(best, seconds)
    return f"evosax {version('evosax')}", best / generations


def time_evojax():
    from importlib.metadata import version
    import logging

    from evojax import algo
    import jax
    import jax.numpy as jnp

    quiet = logging.getLogger("evojax")
    quiet.setLevel(logging.ERROR)
    sizes = {"param_size": dimension, "pop_size": population, "logger": quiet}
    search = {"cma-es": lambda: algo.CMA_ES_JAX(init_stdev=0.1, **sizes),
              "pgpe": lambda: algo.PGPE(optimizer="adam", init_stdev=0.1, **sizes),
              "ars": lambda: algo.ARS_native(elite_ratio=1.0, init_stdev=0.1, **sizes),
              "ga": lambda: algo.SimpleGA(sigma=0.1, **sizes)}[method]()

    def generation():
        begin = time.process_time()
        candidates = jax.block_until_ready(search.ask())
        seconds = time.process_time() - begin
        values = -jnp.sum(candidates * candidates, axis=1).block_until_ready()  # it maximises
        begin = time.process_time()
        search.tell(values)
        jax.block_until_ready(search.best_params)
        return seconds + time.process_time() - begin

    for _ in range(2):
        generation()  # the first ones compile
    runs = 1 if method == "cma-es" else 3
    best = min(sum(generation() for _ in range(generations)) for _ in range(runs))
    return f"evojax {version('evojax')}", best / generations


try:
    name, seconds = {"pycma": time_pycma, "evosax": time_evosax, "evojax": time_evojax}[peer]()
except ImportError as error:
    absent(error)
report(name, seconds * 1e3)
