"""Training and evaluation: policies, environments and searches together."""
from __future__ import annotations

import math
import operator
import os
import queue
import threading
from dataclasses import dataclass, field
from typing import Any, Callable, Iterable

import numpy as np

from saccade import policy as policies
from saccade import worlds
from saccade._core import (InterruptedError, check, created, documented, error_of, ffi, fill, lib, path_of,
                           settings_of, share_path, text)

EPISODE = np.dtype({"names": ["seed", "return", "steps"], "formats": ["u8", "f8", "i4"],
                    "offsets": [ffi.offsetof("sac_episode", name) for name in ("seed", "episode_return", "steps")],
                    "itemsize": ffi.sizeof("sac_episode")})


@dataclass
class Score:
    """Mean and spread of returns; std with n - 1. counts: what the environment counts, by name: of its flags, in how many
    episodes they were set; of its counts, their sum over all episodes."""

    mean: float
    std: float
    episodes: np.ndarray
    counts: dict[str, int] = field(default_factory=dict)

    def __repr__(self) -> str:
        count, spread = len(self.episodes), self.std > 1e-12 * abs(self.mean)
        size, digits = (self.std, 2) if spread else (abs(self.mean), 3)
        # the digits of the command's tables: two of the spread, or three of the mean where there is none
        decimals = min(max(digits - 1 - math.floor(math.log10(size)), 1), 12) if 0 < size < math.inf else 1
        said = f"{self.mean:.{decimals}f}" + (f" +- {self.std:.{decimals}f}" if count != 1 else "")
        return f"<{said}, {count} episode{'' if count == 1 else 's'}>"


def _seeds(seeds: Iterable[int]) -> np.ndarray:
    """Seeds of episodes as the library reads them."""
    found = []
    for seed in (seeds,) if isinstance(seeds, (int, np.integer)) else seeds:
        try:
            number = operator.index(seed)
        except TypeError:
            raise TypeError(f"seeds: {seed!r} is a {type(seed).__name__}, expected whole numbers") from None
        if not 0 <= number < lib.SAC_SEED_NEXT:
            raise ValueError(f"seeds: {number}, expected numbers from 0 to 2^64 - 2")
        found.append(number)
    if not found:
        raise ValueError("seeds: there are none, expected one episode at least")
    return np.array(found, np.uint64)


def _work(function: Callable[[Any], int], struct: Any, interrupt: Any, reports: queue.SimpleQueue[Any],
          progress: Callable[[Progress], Any] | None = None) -> None:
    """Calls the library in a thread of its own, so that this one hears Ctrl-C at once, and hands reports on. Ctrl-C, or an
    exception of progress, sets the library's flag, and is raised when the library has ended."""

    def work() -> None:
        try:
            status = function(struct)
            reports.put(error_of(status) if status else None)
        except BaseException as error:  # noqa: B902 (the other thread waits for a word)
            reports.put(error)

    worker = threading.Thread(target=work, name="saccade")
    worker.start()
    failure, ended = None, False
    while not ended:
        try:
            report = reports.get()
            ended = not isinstance(report, Progress)
            if not ended and progress is not None and failure is None:
                progress(report)
        except BaseException as error:  # noqa: B902 (Ctrl-C too: what is under way ends in order first)
            failure, interrupt[0] = failure or error, 1
    worker.join()
    if failure is not None and isinstance(report, (InterruptedError, type(None))):
        raise failure
    if report is not None:
        raise report


def world_of(policy: policies.Policy | None, env: str | None, variant: str | None,
             options: dict[str, Any]) -> tuple[Any, list[Any]]:
    """A sac_env_def and what must live as long as it does; env None: the world that the policy was trained for, with the
    options that it had then."""
    name = env or (policy.info.environment if policy is not None else "")
    if not name:
        raise ValueError("env: the policy does not say which environment it was trained for; name one")
    if env is None and policy is not None:
        options = {**policy.info.settings, **options}
        variant = variant or policy.info.variant or None
    return worlds.definition(name, variant, options)


@documented("sac_evaluate_seeds")
def evaluate(policy: policies.Policy, env: str | None = None, *, seeds: Iterable[int] = range(100), threads: int = 1,
             variant: str | None = None, **options: Any) -> Score:
    """Drive a policy over the episodes `seeds`, whole numbers in any order: a range, a list, an array. env None: the
    environment it was trained for.

    episodes of the score is a NumPy array with the fields seed, return and steps, in the order of the seeds. counts says
    what the environment counts, such as falls, as `saccade eval` does; it is empty where the environment counts nothing.
    Ctrl-C ends an evaluation within a step.
    """
    numbers = _seeds(seeds)
    if threads < 1:
        raise ValueError(f"threads: {threads}, expected 1 at least")
    world, _kept = world_of(policy, env, variant, options)
    episodes = np.zeros(len(numbers), EPISODE)
    memory = ffi.from_buffer("sac_episode[]", episodes)
    struct, interrupt = ffi.new("sac_evaluation_def *"), ffi.new("int *")
    struct.policy, struct.env, struct.seeds = policy._handle, world, ffi.from_buffer("uint64_t[]", numbers)
    struct.count, struct.threads, struct.interrupt = len(numbers), threads, interrupt
    columns = worlds.Columns(world, text(world.id))
    ends = ffi.new("double[]", len(numbers) * columns.spec.column_count) if columns.counted else ffi.NULL
    struct.ends = ends
    _work(lambda d: lib.sac_evaluate_seeds(d, memory), struct, interrupt, queue.SimpleQueue())
    score = lib.sac_score_of(memory, len(numbers))
    counts = {column: int(lib.sac_count_of(columns.spec, index, ends, len(numbers)))
              for index, column in columns.counted.items()}
    return Score(score.mean, score.std, episodes, counts)


@documented("sac_uptrain_result")
@dataclass
class Uptrained:
    """What came of up-training; NaN where a phase was left out."""

    policy: policies.Policy
    frames: int
    episodes: int
    steps: int
    features: int
    match_first: float
    match_last: float
    kept_first: float
    kept_last: float
    tune_first: float
    tune_last: float


@documented("sac_uptrain", "sac_uptrain_def")
def uptrain(policy: policies.Policy, env: str | None = None, *, attention: str | None = None, features: int = 0,
            random: bool = False, seed: int = 1, first_episode: int = 1_000_000, frames: int = 0, rounds: int = 0,
            match_rounds: int = 1, match_steps: int = 1000, match_batch: int = 32, match_rate: float = 0.02,
            tune_steps: int = -1, tune_batch: int = 0, tune_rate: float = 0, threads: int = 1,
            variant: str | None = None,
            **options: Any) -> Uptrained:
    """env None: the environment that the policy was trained for. Ctrl-C ends it within a few steps."""
    name = env or policy.info.environment
    if not name:
        raise ValueError("env: the policy does not say which environment it was trained for; name one")
    if env is None:
        options = {**policy.info.settings, **options}
    world, _kept = worlds.definition(name, variant, options)
    struct, interrupt = ffi.new("sac_uptrain_def *", lib.sac_uptrain_default_def()), ffi.new("int *")
    kept = fill(struct, {"attention": attention, "features": features, "random": random, "seed": seed,
                         "first_episode": first_episode, "frames": frames, "rounds": rounds,
                         "match_rounds": match_rounds, "match_steps": match_steps, "match_batch": match_batch,
                         "match_rate": match_rate,
                         "tune_steps": tune_steps, "tune_batch": tune_batch, "tune_rate": tune_rate,
                         "threads": threads})
    struct.interrupt = interrupt
    out, result = ffi.new("sac_policy **"), ffi.new("sac_uptrain_result *")
    _work(lambda d: lib.sac_uptrain(out, policy._handle, world, d, result), struct, interrupt, queue.SimpleQueue())
    del kept
    return Uptrained(policies.Policy._of(out[0], policy.info), result.frames, result.episodes, result.steps,
                     result.features, result.match_first, result.match_last, result.kept_first, result.kept_last,
                     result.tune_first, result.tune_last)


@documented("sac_progress")
@dataclass
class Progress:
    """What a run reports after each generation; evaluation is (mean, std, episodes), phases {name: seconds}."""

    generation: int
    generations: int
    steps: int
    bad_episodes: int
    seconds: float
    steps_per_second: float
    seconds_left: float
    limit_left: float
    best: float
    mean: float
    std: float
    sigma: float
    evaluated: bool
    evaluation: tuple[float, float, int]
    best_evaluation: float
    note: str | None
    learning: str | None
    phases: dict[str, float]


@documented("sac_run_summary")
@dataclass
class Run:
    """What a run folder tells about its run; evaluation and best are (mean, std, episodes)."""

    path: str
    environment: str
    policy: str
    search: str
    net: str
    seed: int
    generation: int
    generations: int
    steps: int
    seconds: float
    mean: float
    test_accuracy: float | None
    evaluation: tuple[float, float, int]
    best: tuple[float, float, int]
    best_generation: int
    state: str
    reason: str
    host: str

    def load(self, which: str = "best") -> policies.Policy:
        """The policy that evaluated best, or the "mean" of the search's distribution."""
        return policies.load(os.path.join(self.path, which + ".safetensors"))


def _score(score: Any) -> tuple[float, float, int]:
    return score.mean, score.std, score.episodes


@documented("sac_run_summarise")
def summary(run: Any) -> Run:
    s = ffi.new("sac_run_summary *")
    check(lib.sac_run_summarise(s, path_of(run, "run")))
    return Run(os.fspath(run), text(s.environment), text(s.policy), text(s.search), text(s.net), s.seed, s.generation,
               s.generations, s.steps, s.seconds, s.mean,
               None if math.isnan(s.test_accuracy) else s.test_accuracy, _score(s.evaluation), _score(s.best), s.best_generation,
               text(s.state), text(s.reason), text(s.host))


@ffi.def_extern()  # type: ignore[untyped-decorator]
def on_progress(user: Any, p: Any) -> None:
    ffi.from_handle(user).put(Progress(
        p.generation, p.generations, p.steps, p.bad_episodes, p.seconds, p.steps_per_second, p.seconds_left,
        p.limit_left, p.best, p.mean, p.std, p.sigma, p.evaluated, _score(p.evaluation), p.best_evaluation, None if p.note == ffi.NULL else text(p.note),
        None if p.learning == ffi.NULL else text(p.learning), {text(lib.sac_phase_name(i)): p.phases[i] for i in range(lib.SAC_PHASE_COUNT)}))


@documented("sac_train")
def train(task: Any, run: Any, *, settings: dict[str, Any] | None = None, threads: int = 1, resume: bool = False,
          any_cpu_level: bool = False, generations: int = 0,
          progress: Callable[[Progress], Any] | None = None) -> Run:
    """Train a task file into a run folder; `settings` are fields of the task, such as {"policy.attention": "relu"}.

    progress is called after each generation, in the thread that called train. Ctrl-C, or an exception of progress,
    ends the run with a checkpoint, from which resume=True goes on. generations is the total; 0: the task's own.
    """
    if threads < 1 or generations < 0:
        raise ValueError(f"threads {threads}, generations {generations}: expected 1 and 0 at least")
    share_path()
    folder = ffi.new("char[]", path_of(run, "run"))
    pairs, count, _kept = settings_of(settings or {})
    handle = created(lib.sac_task_load, "sac_task", lib.sac_task_destroy, path_of(task, "task"), pairs, count)
    struct, interrupt = ffi.new("sac_train_def *"), ffi.new("int *")
    reports: queue.SimpleQueue[Any] = queue.SimpleQueue()
    user = ffi.new_handle(reports)
    struct.task, struct.run_dir, struct.resume, struct.any_cpu_level = handle, folder, resume, any_cpu_level
    struct.threads, struct.generations, struct.interrupt = threads, generations, interrupt
    struct.user, struct.progress = user, lib.on_progress

    _work(lib.sac_train, struct, interrupt, reports, progress)
    return summary(run)
