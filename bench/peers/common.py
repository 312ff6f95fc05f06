"""What the peers' scripts share: one core, one thread, the best of several runs, one line of JSON.

A script ends with code 3 when its library is not installed; saccade bench then prints null for the peer.
"""

import json
import os
import sys
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["SDL_VIDEODRIVER"] = "dummy"
os.environ["SDL_AUDIODRIVER"] = "dummy"
os.environ["PYGAME_HIDE_SUPPORT_PROMPT"] = "1"

MISSING = 3

# the published agent for car-racing: patches of 7 at stride 4 of a 96 x 96 image, keys of 4, 10 patches kept
PATCH, STRIDE, GRID, KEY, KEPT, HIDDEN, ACTIONS, SIZE = 7, 4, 23, 4, 10, 16, 3, 96
INPUTS = PATCH * PATCH * 3


def go_on_within(name):
    """Run this script again by the environment NAME inside the peers' own, where `make peers` has put what needs an
    older NumPy; without it the script goes on as it is."""
    python = os.path.join(sys.prefix, name, "bin", "python")
    if os.access(python, os.X_OK):
        os.execv(python, [python, *sys.argv])


def best_of(run, runs=7, least=0.2):
    """Seconds of one call of run(): the smallest mean over `runs` batches of at least `least` seconds."""
    run()
    count, best = 1, None
    while True:
        begin = time.perf_counter()
        for _ in range(count):
            run()
        elapsed = time.perf_counter() - begin
        if elapsed >= least:
            break
        count = max(count + 1, int(count * 1.2 * least / max(elapsed, 1e-9)))
    for _ in range(runs):
        begin = time.perf_counter()
        for _ in range(count):
            run()
        elapsed = (time.perf_counter() - begin) / count
        best = elapsed if best is None else min(best, elapsed)
    return best


def report(peer, value, **more):
    print(json.dumps({"peer": peer, "value": value, **more}), flush=True)


def absent(error):
    print(error, file=sys.stderr)
    sys.exit(MISSING)


def tensors(np, path):
    """The flat vector as named tensors, in the published order."""
    shapes = [("query_bias", (KEY,)), ("query", (KEY, INPUTS)), ("key_bias", (KEY,)), ("key", (KEY, INPUTS)),
              ("bias_hh", (4 * HIDDEN,)), ("bias_ih", (4 * HIDDEN,)), ("hh", (4 * HIDDEN, HIDDEN)),
              ("ih", (4 * HIDDEN, 2 * KEPT)), ("out_bias", (ACTIONS,)), ("out", (ACTIONS, HIDDEN))]
    flat, at, named = np.fromfile(path, dtype=np.float32), 0, {}
    for name, shape in shapes:
        count = int(np.prod(shape))
        named[name] = flat[at:at + count].reshape(shape)
        at += count
    if at != flat.size:
        sys.exit(f"{path}: {flat.size} parameters, expected {at}")
    return named


def frames(np, path):
    return np.fromfile(path, dtype=np.uint8).reshape(-1, SIZE, SIZE, 3)
