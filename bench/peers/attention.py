"""Attention over tokens that are given, in PyTorch and JAX, as a careful user would write it.

    attention.py sweep torch|torch-default|jax FIRST LAST FORM|all   at every size between, as one JSON document
    attention.py best FORM TOKENS                                    the faster of the two frameworks

torch-default is PyTorch as users find it; otherwise memory that is freed stays with the process, which is faster. The
inputs are those of bench/attention.c, made by the same function of the index, so the answers are compared as well.
"""

import json
import math
import os
import subprocess
import sys
import time

from common import MISSING, absent, report

D, V, M, HYBRID_M, HYBRID_R, RANKS, KEPT, BITS = 16, 16, 16, 10, 5, 4, 10, 256
STEP = 65536  # columns of P and of the other matrices
QUERIES, KEYS, VALUES, WEIGHTS, DIRECTIONS, ROWS, HASH, PIXELS, QUERY_WEIGHTS, KEY_WEIGHTS = range(10)
HEIGHT, WIDTH, PATCH = 240, 320, 2  # of the frame
SHOWN = 8  # numbers of an answer that are compared
SLOWEST, EXACT_MOST = 6.0, 19200  # seconds a call that are still waited for; tokens of exact forms
SIZES = (64, 128, 256, 512, 529, 1024, 2048, 4096, 8192, 16384, 19200, 32768, 65536)


def numbers(np, kind, rows, columns, step):
    """[rows, columns] of variance 1: splitmix64 of the index, as bench_number() in bench/attention.c."""
    with np.errstate(over="ignore"):
        index = np.arange(rows, dtype=np.uint64)[:, None] * np.uint64(step) + np.arange(columns, dtype=np.uint64)
        z = (index + np.uint64(1 + (kind << 40))) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z ^= z >> np.uint64(31)
    u = (z >> np.uint64(40)).astype(np.float32) * np.float32(2.0**-24)
    return ((u * 2 - 1) * np.float32(math.sqrt(3))).astype(np.float32)


class Maps:
    """phi of tokens x [N, D], as matrices [N, F]; xp is torch or jax.numpy, which agree on all that is used here."""

    def __init__(self, xp, weights, few, directions, cat):
        self.xp, self.w, self.few, self.r, self.cat = xp, weights, few, directions, cat

    def relu(self, x, side):
        return self.xp.clip(x, 0, None)

    def positive(self, x, side, w=None):
        w = self.w if w is None else w
        y = x * D**-0.25
        return self.xp.exp(y @ w.T - (y * y).sum(1)[:, None] / 2) * len(w)**-0.5

    def trig(self, x, side, w=None, scale=D**-0.5):
        w = self.w if w is None else w
        y = x * scale**0.5
        z = y @ w.T
        return self.cat([self.xp.sin(z), self.xp.cos(z)]) * (self.xp.exp((y * y).sum(1)[:, None] / 2) * len(w)**-0.5)

    def hybrid(self, x, side):
        t, p = self.trig(x, side, self.few), self.positive(x, side, self.few)
        signs = self.xp.sign(x @ self.r.T) * HYBRID_R**-0.5
        outer = lambda f: (f[:, :, None] * signs[:, None, :]).reshape(len(x), -1)
        return self.cat([t, p, outer(t), outer(p) * (-1 if side == 0 else 1)]) * 0.5**0.5

    def sara_relu(self, x, side):
        return self.xp.clip(x @ self.w.T, 0, None)

    def sara_exp(self, x, side):
        return self.xp.exp(0.25 * (x @ self.w.T))

    def sara_square(self, x, side):
        return self.xp.square(x @ self.w.T)

    def normalized_trig(self, x, side):
        x = x * (x * x).sum(1)[:, None]**-0.5
        return self.trig(x, side, scale=D**0.5)


def importance(phi):
    return lambda q, k, v, p, g: phi(k, 1) @ phi(q, 0).sum(0) * (1 / len(q))


def output(phi):
    def run(q, k, v, p, g):
        fq, fk = phi(q, 0), phi(k, 1)
        return (fq @ (fk.T @ v)) / (fq @ fk.sum(0))[:, None]
    return run


def rank(phi):
    return lambda q, k, v, p, g: (p[:RANKS] @ phi(q, 0)) @ phi(k, 1).T * (1 / len(q))


def trans(phi):
    def run(q, k, v, p, g):
        fq, fk = phi(q, 0), phi(k, 1)
        x = p @ v + (p @ fq) @ (fk.T @ v)
        x = x - x.mean(1)[:, None]
        return x * ((x * x).mean(1)[:, None] + 1e-5)**-0.5
    return run


def hashed(maps, xp):
    def run(q, k, v, p, g):
        z = maps.normalized_trig(q, 0).sum(0)
        bits = maps.normalized_trig(k, 1) @ g.T >= 0
        distance = (bits != (g @ z >= 0)[None, :]).sum(1)
        length = (z * z).sum()**0.5 * (math.exp(D**0.5 / 2) / len(q))
        return length * xp.cos(distance * (math.pi / BITS))
    return run


def linear_forms(maps, xp):
    forms = {"relu": importance(maps.relu), "relu-output": output(maps.relu),
             "positive": importance(maps.positive), "positive-output": output(maps.positive),
             "trig": importance(maps.trig), "hybrid": importance(maps.hybrid), "hybrid-output": output(maps.hybrid),
             "sara-relu": importance(maps.sara_relu), "sara-exp": importance(maps.sara_exp),
             "sara-square": importance(maps.sara_square), "rank": rank(maps.relu), "trans": trans(maps.relu)}
    return forms | {"hash": hashed(maps, xp)}


def hash_directions(np):
    """[BITS, F] for sines before cosines; saccade has them in turn."""
    g = numbers(np, HASH, BITS, 2 * M, STEP)
    return np.concatenate([g[:, 0::2], g[:, 1::2]], 1)


def frame_answer(xp, patches, wq, wk):
    """Importance of patches [N, 12] of bytes; dividing by 255 is left to the weights, which is less work."""
    q, k = xp.clip(patches @ wq, 0, None), xp.clip(patches @ wk, 0, None)
    return k @ q.sum(0)


def frame_inputs(np):
    """An image of bytes and the weights [12, D] of queries and keys."""
    pixels = 127.5 + 73 * numbers(np, PIXELS, HEIGHT, WIDTH * 3, WIDTH * 3)
    weights = [numbers(np, kind, D, PATCH * PATCH * 3, PATCH * PATCH * 3).T / np.float32(255)
               for kind in (QUERY_WEIGHTS, KEY_WEIGHTS)]
    return pixels.astype(np.uint8).reshape(HEIGHT, WIDTH, 3), *(np.ascontiguousarray(w) for w in weights)


def cut(image):
    """Patches in row-major order, each as row, column, channel."""
    return image.reshape(HEIGHT // PATCH, PATCH, WIDTH // PATCH, PATCH * 3)


class Torch:
    def __init__(self, np):
        import torch

        torch.set_num_threads(1)
        torch.set_grad_enabled(False)
        self.torch, self.np, self.name = torch, np, "torch " + torch.__version__.split("+")[0]
        matrices = (self.array(WEIGHTS, M, D), self.array(WEIGHTS, HYBRID_M, D), self.array(DIRECTIONS, HYBRID_R, D))
        self.forms = linear_forms(Maps(torch, *matrices, lambda parts: torch.cat(parts, 1)), torch)
        self.forms["softmax"] = self.softmax
        self.forms["softmax-output"] = lambda q, k, v, p, g: torch.softmax((q * D**-0.5) @ k.T, 1) @ v

    def softmax(self, q, k, v, p, g):
        # summed by a product, which is faster than sum(0)
        return self.torch.ones(len(q)) @ self.torch.softmax((q * D**-0.5) @ k.T, 1)

    def array(self, kind, rows, columns, step=STEP):
        return self.tensor(numbers(self.np, kind, rows, columns, step), self.torch.float32)

    def tensor(self, array, dtype):
        # through bytes: the distribution's PyTorch may be older than NumPy
        return self.torch.frombuffer(bytearray(array.tobytes()), dtype=dtype).reshape(array.shape)

    def ready(self, form, inputs):
        run = self.forms[form]
        return lambda: run(*inputs)

    def hash_directions(self):
        return self.tensor(hash_directions(self.np), self.torch.float32)

    def frame(self):
        torch, tensor = self.torch, self.tensor
        image, wq, wk = frame_inputs(self.np)
        wq, wk = tensor(wq, torch.float32), tensor(wk, torch.float32)

        def run():
            pixels = torch.frombuffer(image, dtype=torch.uint8).float()
            patches = cut(pixels).permute(0, 2, 1, 3).reshape(-1, PATCH * PATCH * 3)
            return torch.topk(frame_answer(torch, patches, wq, wk), KEPT).indices
        return run

    def answer(self, result):
        return result.reshape(-1)[:SHOWN].tolist()

    def memory(self, form, inputs):
        """The peak of what its allocator hands out, told by the profiler."""
        with self.torch.autograd.profiler.profile(profile_memory=True, use_kineto=True) as profile:
            self.forms[form](*inputs)
        now = peak = 0
        for event in profile.kineto_results.events():
            if event.name() == "[memory]":
                now += event.nbytes()
                peak = max(peak, now)
        return peak


class Jax:
    def __init__(self, np):
        import jax
        import jax.numpy as jnp

        self.jax, self.jnp, self.np, self.name = jax, jnp, np, "jax " + jax.__version__
        matrices = (self.array(WEIGHTS, M, D), self.array(WEIGHTS, HYBRID_M, D), self.array(DIRECTIONS, HYBRID_R, D))
        self.forms = linear_forms(Maps(jnp, *matrices, lambda parts: jnp.concatenate(parts, 1)), jnp)
        self.forms["softmax"] = self.softmax
        self.forms["softmax-output"] = lambda q, k, v, p, g: jax.nn.softmax((q @ k.T) * D**-0.5, axis=1) @ v
        self.forms = {name: jax.jit(run) for name, run in self.forms.items()}

    def softmax(self, q, k, v, p, g):
        # as a product: XLA sums the columns of softmax a hundred times slower where they are long
        s = (q @ k.T) * D**-0.5
        e = self.jnp.exp(s - s.max(axis=1, keepdims=True))
        return (1 / e.sum(axis=1)) @ e

    def array(self, kind, rows, columns, step=STEP):
        return self.jnp.asarray(numbers(self.np, kind, rows, columns, step))

    def ready(self, form, inputs):
        run, wait = self.forms[form], self.jax.block_until_ready
        return lambda: wait(run(*inputs))

    def hash_directions(self):
        return self.jnp.asarray(hash_directions(self.np))

    def frame(self):
        jax, jnp = self.jax, self.jnp
        image, wq, wk = frame_inputs(self.np)

        @jax.jit
        def see(image, wq, wk):
            patches = cut(image.astype(jnp.float32)).transpose(0, 2, 1, 3).reshape(-1, PATCH * PATCH * 3)
            return jax.lax.top_k(frame_answer(jnp, patches, wq, wk), KEPT)[1]
        wq, wk = jnp.asarray(wq), jnp.asarray(wk)
        return lambda: jax.block_until_ready(see(image, wq, wk))

    def answer(self, result):
        return [float(x) for x in result.reshape(-1)[:SHOWN]]

    def memory(self, form, inputs):
        """What the compiled program asks for beside its arguments."""
        stats = self.forms[form].lower(*inputs).compile().memory_analysis()
        return stats.temp_size_in_bytes + stats.output_size_in_bytes


def inputs_of(framework, tokens):
    return (framework.array(QUERIES, tokens, D, D), framework.array(KEYS, tokens, D, D),
            framework.array(VALUES, tokens, V, V), framework.array(ROWS, KEPT, tokens),
            framework.hash_directions())


def latency(run, seconds):
    """Microseconds of single calls: best, median, 99th percentile, number."""
    times, begin = [], time.perf_counter()
    while len(times) < 3 or (len(times) < 5000 and time.perf_counter() - begin < seconds):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
        if time.perf_counter() - begin > 20 * seconds and len(times) >= 2:
            break
    times.sort()
    at = lambda share: times[min(len(times) - 1, int(share * len(times)))] * 1e6
    return {"best": at(0), "p50": at(0.5), "p99": at(0.99), "runs": len(times)}


def is_exact(form):
    return form.startswith("softmax")


def measure(framework, form, tokens, seconds):
    if form == "frame":
        run = framework.frame()
        return {**latency(run, seconds), "answer": framework.answer(run())}
    inputs = inputs_of(framework, tokens)
    run = framework.ready(form, inputs)
    answer = framework.answer(run())
    return {"form": form, "tokens": tokens, **latency(run, seconds), "memory": framework.memory(form, inputs),
            "answer": answer}


def create(name):
    try:
        import numpy as np

        return Jax(np) if name == "jax" else Torch(np)
    except ImportError as error:
        absent(error)


def sweep(name, first, last, only):
    framework, rows = create(name), []
    for form in framework.forms:
        if only not in ("all", form):
            continue
        last_seconds, last_tokens = 0, 1
        for tokens in (size for size in SIZES if first <= size <= last):
            growth = (tokens / last_tokens) ** (2 if is_exact(form) else 1)
            if (is_exact(form) and tokens > EXACT_MOST) or last_seconds * growth > SLOWEST:
                break
            rows.append(measure(framework, form, tokens, 0.1))
            last_seconds, last_tokens = rows[-1]["best"] * 1e-6, tokens
    report(framework.name, 0, rows=rows)


def one(name, form, tokens):
    framework = create(name)
    row = measure(framework, form, tokens, 1.0)
    report(framework.name, row["best"], p50=row["p50"], p99=row["p99"], answer=row["answer"])


def best(form, tokens):
    answers = []
    for name in ("torch", "jax"):
        words = [sys.executable, __file__, "one", name, form, tokens]
        done = subprocess.run(words, stdout=subprocess.PIPE, text=True)
        if done.returncode == 0:
            answers.append(json.loads(done.stdout))
        elif done.returncode != MISSING:
            sys.exit(done.returncode)
    if not answers:
        sys.exit(MISSING)
    print(json.dumps(min(answers, key=lambda answer: answer["value"])), flush=True)


def main(what, *rest):
    if what == "best":
        best(*rest)
    elif what == "one":
        one(rest[0], rest[1], int(rest[2]))
    elif rest[0] == "torch-default" and "MALLOC_MMAP_THRESHOLD_" in os.environ:
        for name in ("MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_"):
            os.environ.pop(name, None)
        os.execv(sys.executable, [sys.executable, __file__, what, *rest])
    else:
        sweep(rest[0], int(rest[1]), int(rest[2]), rest[3])


if __name__ == "__main__":
    main(*sys.argv[1:])
