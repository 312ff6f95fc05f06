"""search.py METHOD DIMENSION POPULATION GENERATIONS: milliseconds a generation of pycma, ask and tell together.

METHOD is sep-cma-es or cma-es. The fitness is free (a sum of squares), so the time is the method's own.
"""

import sys
import time
import warnings

from common import absent, report

try:
    warnings.simplefilter("ignore")
    import cma
    import numpy as np
except ImportError as error:
    absent(error)

method, dimension, population, generations = sys.argv[1], *map(int, sys.argv[2:])
options = {"popsize": population, "seed": 1, "verbose": -9, "CMA_diagonal": method == "sep-cma-es"}
search = cma.CMAEvolutionStrategy(np.zeros(dimension), 0.1, options)
begin = time.perf_counter()
for _ in range(generations):
    candidates = search.ask()
    search.tell(candidates, [float(x @ x) for x in candidates])
report(f"pycma {cma.__version__}", (time.perf_counter() - begin) / generations * 1e3)
