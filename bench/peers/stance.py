"""stance.py FOLDER: microseconds that daqp takes for the problems in FOLDER/problems, in the mean.

They are the problems of stance control, as dense arrays: their number, then of each n, m, P (its upper triangle), q, A,
lower, upper, and the cost that saccade found, which daqp's must equal. What it takes to make the problems, which
saccade's time holds, is not in daqp's.
"""

import sys
from time import perf_counter

from common import absent, report

try:
    from importlib.metadata import version

    import daqp
    import numpy as np
except Exception as error:
    absent(error)

RUNS = 7


def problems(path):
    numbers, at = np.fromfile(path), 1
    for _ in range(int(numbers[0])):
        n, m = int(numbers[at]), int(numbers[at + 1])
        at += 2
        parts = []
        for size in n * n, n, m * n, m, m, 1:
            parts.append(numbers[at:at + size])
            at += size
        p, q, a, lower, upper, cost = parts
        p = np.triu(p.reshape(n, n))
        yield p + np.triu(p, 1).T, q, a.reshape(m, n), np.minimum(upper, 1e30), lower, np.zeros(m, np.int32), cost[0]


def main():
    least = []
    for p, q, a, upper, lower, sense, cost in problems(sys.argv[1] + "/problems"):
        times = []
        for _ in range(RUNS):
            arrays = [x.copy() for x in (p, q, a, upper, lower, sense)]  # it writes into them
            begin = perf_counter()
            x, _, status, _ = daqp.solve(*arrays)
            times.append(perf_counter() - begin)
        if status != 1 or abs(0.5 * x @ p @ x + q @ x - cost) > 1e-6 * (1 + abs(cost)):
            sys.exit(f"daqp's status is {status}, and its minimum is another one")
        least.append(min(times) * 1e6)
    least.sort()
    spread = {} if len(least) == 1 else {"p50": least[len(least) // 2], "p99": least[int(0.99 * len(least))]}
    report("daqp " + version("daqp"), sum(least) / len(least), **spread)


main()
