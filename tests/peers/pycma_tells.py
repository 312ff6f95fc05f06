"""What pycma learns from given points, generation by generation, for tests/unit/test_cma.c.

    pycma_tells.py OUT.safetensors

For each case NAME: NAME_X [generations, population, n], NAME_f, and after each tell NAME_m, NAME_sigma, NAME_pc, NAME_ps,
NAME_C (the matrix, or its diagonal for a diagonal sampler). pycma minimises. Peer, checked: cma 4.5.0.
"""

import sys
import warnings
from importlib.metadata import version

warnings.simplefilter("ignore")

try:
    import cma
    import numpy as np
    from safetensors.numpy import save_file
except ImportError as missing:
    print(missing, file=sys.stderr)
    sys.exit(77)

if version("cma") != "4.5.0":
    print("cma 4.5.0 is expected", file=sys.stderr)
    sys.exit(77)

N, SIGMA = 10, 0.4


def run(name, generations, population, diagonal=False, active=True, gap=0, c_mean=1.0, two_point=False):
    options = {"seed": 7, "verbose": -9, "popsize": population, "CMA_active": active, "CMA_cmean": c_mean}
    if two_point:
        options["AdaptSigma"] = cma.sigma_adaptation.CMAAdaptSigmaTPA
    if diagonal:
        options["CMA_sampler"] = cma.sampler.GaussDiagonalSampler
    else:
        options["updatecovwait"] = gap
    start = np.linspace(-1, 1, N)
    es = cma.CMAEvolutionStrategy(start, SIGMA, options)
    if not diagonal:  # without the jitter on the diagonal that pycma starts with
        es.sm.C, es.sm.B, es.sm.D = np.eye(N), np.eye(N), np.ones(N)
    turn = np.linalg.qr(np.random.RandomState(3).randn(N, N))[0] if not diagonal else np.eye(N)
    out = {key: [] for key in ("X", "f", "m", "sigma", "pc", "ps", "C")}
    for _ in range(generations):
        points = es.ask()
        values = [float(np.sum(np.linspace(1, 30, N) * (turn @ (x - 0.3)) ** 2)) for x in points]
        es.tell(points, values)
        for key, value in (("X", points), ("f", values), ("m", es.mean), ("sigma", es.sigma), ("pc", es.pc),
                           ("ps", es.adapt_sigma.ps), ("C", es.sm.C)):
            out[key].append(np.array(value, np.float64))
    return {f"{name}_{key}": np.ascontiguousarray(np.stack(rows)) for key, rows in out.items()}


save_file({
    **run("full", 50, 10),
    **run("full_lazy", 50, 10, gap=3),
    **run("full_large", 12, 60),
    **run("full_positive", 50, 11, active=False),
    **run("full_slow", 50, 10, c_mean=0.5),
    **run("full_two_point", 50, 10, two_point=True),
    **run("diagonal", 50, 10, diagonal=True),
    **run("diagonal_positive", 50, 10, diagonal=True, active=False),
}, sys.argv[1])
