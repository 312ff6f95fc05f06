"""Our solver of quadratic programs beside daqp and quadprog: the same minimum of every problem.

peers.py PROGRAM [COUNT]. Our point is to meet the bounds to 1e-8 of their size. A solver of others may end a little
outside of the bounds or above the minimum; how far its costs differ from ours at most, in shares of 1 + the cost, is
what docs/legs.md says of the problems that the program writes.
"""

import os
import subprocess
import sys

try:
    import daqp
    import numpy as np
    import quadprog
except Exception as error:
    print(f"skip: needs a peer: daqp and quadprog ({error})")
    sys.exit(77)

SAID = {
    "qp_problems": {"daqp": 1e-12, "quadprog": 1e-12},
    "qp_recorded": {"daqp": 2e-10, "quadprog": 1e-12},
}


def problems(program, count):
    with subprocess.Popen([program, str(count)], stdout=subprocess.PIPE) as process:
        def take(*shape):
            size = int(np.prod(shape)) * 8
            data = process.stdout.read(size)
            assert len(data) == size
            return np.frombuffer(data).reshape(shape)

        for _ in range(count):
            n, m = (int(x) for x in take(2))
            yield take(n, n), take(n), take(m, n), take(m), take(m), take(n), take(1)[0]
    assert process.returncode == 0


def whole(p):
    """The matrix of which the upper triangle is given."""
    return np.triu(p) + np.triu(p, 1).T


def by_daqp(p, q, a, lower, upper):
    x, _, status, _ = daqp.solve(p.copy(), q.copy(), a.copy(), upper.copy(), lower.copy(), np.zeros(len(lower), np.int32))
    return x if status == 1 else None


def by_quadprog(p, q, a, lower, upper):
    """Its rows are a x >= b, of which the first are equations."""
    equal, above, below = lower == upper, (lower > -1e29) & (lower < upper), (upper < 1e29) & (lower < upper)
    rows = np.concatenate([a[equal], a[above], -a[below]])
    bounds = np.concatenate([lower[equal], lower[above], -upper[below]])
    return quadprog.solve_qp(p, -q, rows.T.copy(), bounds, int(equal.sum()))[0]


def main():
    program, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 10000
    worst, unsolved, active = {"daqp": 0.0, "quadprog": 0.0}, {"daqp": 0, "quadprog": 0}, 0
    for p, q, a, lower, upper, x, cost in problems(program, count):
        p = whole(p)
        size = 1 + np.abs(a) @ np.abs(x)
        assert np.all(a @ x >= lower - 1e-8 * size) and np.all(a @ x <= upper + 1e-8 * size)
        assert abs(0.5 * x @ p @ x + q @ x - cost) <= 1e-9 * (1 + abs(cost))
        active += np.any(np.isclose(a @ x, lower, rtol=1e-9, atol=1e-9))
        for name, solve in ("daqp", by_daqp), ("quadprog", by_quadprog):
            try:
                y = solve(p, q, a, np.where(np.isfinite(lower), lower, -1e30), np.where(np.isfinite(upper), upper, 1e30))
            except ValueError:
                y = None
            if y is None:
                unsolved[name] += 1
                continue
            worst[name] = max(worst[name], abs(0.5 * y @ p @ y + q @ y - cost) / (1 + abs(cost)))
    print(f"{count} problems, {active} with a row at its lower bound")
    for name in worst:
        print(f"{name}: costs differ by {worst[name]:.1e} of 1 + theirs at most; {unsolved[name]} were not solved by it")
    assert active > count / 4
    for name in worst:
        assert worst[name] < SAID[os.path.basename(program)][name] and unsolved[name] == 0, name


main()
