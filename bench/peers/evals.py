"""evals.py pycma METHOD FUNCTION N A..B: evaluations until the mean is at 1e-8, median over the seeds A..B.

METHOD is cma-es or sep-cma-es. The functions and where a search begins are those of bench/search.c.
"""

import math
import sys
import warnings

from common import absent, report

warnings.simplefilter("ignore")
try:
    import cma
    import numpy as np
except ImportError as error:
    absent(error)

_, method, function, n, seeds = sys.argv[1:]
n, (first, last) = int(n), map(int, seeds.split(".."))
BUDGET = 50000 * n

scales = 1e6 ** (np.arange(n) / (n - 1))


def ellipsoid(x):
    return float(scales @ (x * x))


functions = {  # the function, the first mean, the first sigma, the population (None: the default)
    "sphere": (lambda x: float(x @ x), 1.0, 0.3, None),
    "ellipsoid": (ellipsoid, 1.0, 0.3, None),
    "turned": (lambda x: ellipsoid(x - 2 * x.sum() / n), 1.0, 0.3, None),
    "rosenbrock": (lambda x: float(np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)), 0.0, 0.1, None),
    "rastrigin": (lambda x: float(np.sum(x * x - 10 * np.cos(2 * math.pi * x) + 10)), 3.0, 2.0, 20 * n),
}
f, start, sigma, population = functions[function]


def count(seed):
    options = {"seed": seed, "verbose": -9, "CMA_diagonal": method == "sep-cma-es"}
    if population:
        options["popsize"] = population
    search = cma.CMAEvolutionStrategy(np.full(n, start), sigma, options)
    while f(search.mean) > 1e-8:
        if search.countevals > BUDGET or search.stop():
            return math.inf
        candidates = search.ask()
        search.tell(candidates, [f(x) for x in candidates])
    return search.countevals


counts = sorted(count(seed + 1) for seed in range(first, last + 1))  # pycma's seed 0 is the clock
median = counts[(len(counts) - 1) // 2]
report(f"pycma {cma.__version__}", median if math.isfinite(median) else 1e300)
