"""Demonstrations: files of whole episodes, of what was seen, what was done and what came of it.

    saccade.record(policy, "shown.safetensors", seeds=range(1_000_000, 1_000_010), parts=["camera", "state"])
    shown = saccade.Demonstrations("shown.safetensors")
    shown.frames["camera"], shown.actions, shown.lengths
    saccade.write_demonstrations("own.safetensors", {"camera": frames}, actions, lengths=[200, 180])
    saccade.distill("student.yaml", "runs/student", demonstrations="shown.safetensors")
"""
from __future__ import annotations

import queue
from typing import Any, Callable, Iterable, Iterator, Mapping

import numpy as np

from saccade import policy as policies
from saccade import training, worlds
from saccade._core import (BYTE, FLOAT, Life, array, check, documented, ffi, fill, lib, options_of, path_of, pointer,
                           raw, settings_of, text)
from saccade.policy import Space, _inputs_of

DOUBLE, LONG = np.dtype(np.float64), np.dtype(np.int64)


class Demonstrations:
    """A file of demonstrations, open for reading: N frames of E episodes, one after the other in the order of time.

    frames: {part: [N, ...]}, actions [N, size], rewards [N]; lengths, seeds (-1: none), returns, terminated and
    truncated are by episode, [E]. The arrays are views of the file, read as they are looked at, and cannot be written.
    environment, variant, settings and driver say where they come from; parts {name: Space} and action describe them.
    """

    @documented("sac_demonstrations_open", "sac_demonstrations")
    def __init__(self, path: Any) -> None:
        self._handle = raw(lib.sac_demonstrations_open, "sac_demonstrations_file", path_of(path, "path"))
        self._life = Life(self._handle, lib.sac_demonstrations_close)
        d = lib.sac_demonstrations_get(self._handle)
        self.environment, self.variant, self.driver = text(d.environment), text(d.variant), text(d.driver)
        self.settings = options_of(d.settings, d.setting_count)
        spaces = [Space._of(d.parts[i]) for i in range(d.part_count)]
        self.parts, self.action = {space.name: space for space in spaces}, Space._of(d.action)
        frames, episodes = d.frame_count, d.episode_count
        self.frames = {space.name: self._view(d.frames[i], space.dtype, (frames, *space.shape))
                       for i, space in enumerate(spaces)}
        self.actions = self._view(d.actions, FLOAT, (frames, *self.action.shape))
        self.rewards = self._view(d.rewards, DOUBLE, (frames,))
        self.lengths = self._view(d.lengths, LONG, (episodes,))
        self.seeds = self._view(d.seeds, LONG, (episodes,))
        self.returns = self._view(d.returns, DOUBLE, (episodes,))
        self.terminated = self._view(d.terminated, BYTE, (episodes,)).astype(bool)
        self.truncated = self._view(d.truncated, BYTE, (episodes,)).astype(bool)

    def _view(self, start: Any, dtype: np.dtype, shape: tuple[int, ...]) -> np.ndarray:
        return np.asarray(_Memory(self._life, int(ffi.cast("uintptr_t", start)), dtype, shape))

    @property
    def starts(self) -> np.ndarray:
        """[N] true where an episode begins."""
        marks = np.zeros(len(self.rewards), bool)
        marks[np.cumsum(self.lengths) - self.lengths] = True
        return marks

    def __len__(self) -> int:
        return len(self.lengths)

    def __iter__(self) -> Iterator[slice]:
        """The frames of each episode, as slices."""
        ends = np.cumsum(self.lengths).tolist()
        return (slice(end - length, end) for end, length in zip(ends, self.lengths.tolist()))

    def __repr__(self) -> str:
        return (f"<{len(self)} episodes of {self.environment or 'an unknown world'}, {len(self.rewards)} frames of "
                f"{', '.join(self.parts)}, mean return {self.returns.mean():.1f}>")


class _Memory:
    """An array of a file, which stays open for as long as a view of it lives; nobody can write there."""

    def __init__(self, life: Life, address: int, dtype: np.dtype, shape: tuple[int, ...]) -> None:
        self._life = life
        self.__array_interface__ = {"version": 3, "data": (address, True), "typestr": dtype.str, "shape": shape}


def _space_of(name: str, frames: np.ndarray, privileged: bool) -> Space:
    kinds = {(4, True): "picture", (4, False): "floats", (3, False): "depth", (2, False): "vector"}
    kind = kinds.get((frames.ndim, frames.dtype == BYTE))
    if kind is None:
        raise ValueError(f"frames[{name!r}]: {frames.dtype} {frames.shape}, expected uint8 [N, height, width, channels] of "
                         "a picture, float32 [N, height, width] of a depth picture, float32 [N, height, width, channels] of "
                         "a picture of floats or float32 [N, n] of a vector")
    return Space(name, kind, frames.shape[1:], privileged=privileged)


def _by_episode(values: Any, name: str, dtype: np.dtype, count: int) -> np.ndarray | None:
    if values is None:
        return None
    found = np.ascontiguousarray(values, dtype)
    if found.shape != (count,):
        raise ValueError(f"{name}: shape {found.shape}, expected ({count},)")
    return found


@documented("sac_demonstrations_save", "sac_demonstrations")
def write_demonstrations(path: Any, frames: Mapping[str, Any], actions: Any, *, lengths: Iterable[int] | None = None,
                         rewards: Any = None, seeds: Any = None, returns: Any = None, terminated: Any = None,
                         truncated: Any = None, env: str = "", variant: str = "",
                         options: dict[str, Any] | None = None, driver: str = "", low: Any = None, high: Any = None,
                         choices: int = 0, privileged: Iterable[str] = ()) -> None:
    """Write recordings of one's own, whole or not at all.

    frames: {part: [N, ...]}, uint8 pictures [N, height, width, channels], float32 depth pictures [N, height, width],
    pictures of floats [N, height, width, channels] or vectors [N, n]; privileged names those that only teachers may see
    actions: [N, size], or with choices the numbers of what was chosen, [N]
    lengths: frames of each episode; by default all are one episode
    rewards: [N], zeros by default; the others are by episode
    low, high: bounds of the actions, [size]
    """
    names, hidden = list(frames), set(privileged)
    parts = [np.ascontiguousarray(array(frames[name], f"frames[{name!r}]", None)) for name in names]
    parts = [part if part.dtype == BYTE else part.astype(FLOAT, copy=False) for part in parts]
    spaces = [_space_of(name, part, name in hidden) for name, part in zip(names, parts)]
    done = np.ascontiguousarray(actions, FLOAT)
    done = done.reshape(-1, 1) if done.ndim == 1 else done
    count = len(done)
    for name, part in zip(names, parts):
        if len(part) != count:
            raise ValueError(f"frames[{name!r}]: {len(part)} frames, and {count} actions")
    kept: dict[str, np.ndarray | None] = {
        "actions": done, "rewards": np.zeros(count) if rewards is None else _by_episode(rewards, "rewards", DOUBLE, count)}
    sizes = np.ascontiguousarray([count] if lengths is None else list(lengths), LONG)
    episodes, kept["lengths"] = len(sizes), sizes
    for name, values, dtype in (("seeds", seeds, LONG), ("returns", returns, DOUBLE), ("terminated", terminated, BYTE),
                                ("truncated", truncated, BYTE)):
        kept[name] = _by_episode(values, name, dtype, episodes)
    action = (Space("action", "choice", (1,), choices=choices) if choices else
              Space("action", "vector", done.shape[1:], low, high))
    struct = ffi.new("sac_demonstrations *")
    structs, held = _inputs_of(spaces)
    actions_struct, more = _inputs_of([action])
    settings, struct.setting_count, texts = settings_of(options or {})
    fields = fill(struct, {"environment": env, "variant": variant, "driver": driver})
    views = ffi.new("void *[]", [ffi.cast("void *", part.__array_interface__["data"][0]) for part in parts])
    struct.settings, struct.parts, struct.part_count, struct.frames = settings, structs, len(spaces), views
    struct.action, struct.frame_count, struct.episode_count = actions_struct[0], count, episodes
    for name, values in kept.items():
        if values is not None:
            kind = ffi.typeof(struct).item
            setattr(struct, name, ffi.cast(dict(kind.fields)[name].type, values.__array_interface__["data"][0]))
    check(lib.sac_demonstrations_save(path_of(path, "path"), struct))
    del held, more, texts, fields


@documented("sac_record")
def record(policy: policies.Policy | None, path: Any, env: str | None = None, *,
           seeds: Iterable[int] = range(1_000_000, 1_000_010), parts: Iterable[str] | None = None, threads: int = 1,
           random: bool = False, driver: str | None = None, variant: str | None = None,
           **options: Any) -> training.Score:
    """Play the episodes `seeds` and write them to a file of demonstrations, whole or not at all.

    policy None: nobody decides; the idle action, or with random drawn ones. parts: names of what is kept, privileged
    ones too; by default all that are not privileged. env None: the environment the policy was trained for. Any number of
    threads writes the same bytes. Ctrl-C ends a recording, and nothing is written.
    """
    numbers = training._seeds(seeds)
    if threads < 1:
        raise ValueError(f"threads: {threads}, expected 1 at least")
    name = env or (policy.info.environment if policy is not None else "")
    if not name:
        raise ValueError("env: say which environment it is recorded in")
    if env is None and policy is not None:
        options = {**policy.info.settings, **options}
    world, _kept = worlds.definition(name, variant, options)
    episodes = np.zeros(len(numbers), training.EPISODE)
    memory = ffi.from_buffer("sac_episode[]", episodes)
    struct, interrupt = ffi.new("sac_record_def *"), ffi.new("int *")
    words = driver if driver is not None else "python" if policy is not None else "random" if random else "idle"
    held = [ffi.new("char[]", path_of(path, "path"))]
    held += fill(struct, {"driver": words, "parts": " ".join(parts) if parts is not None else None})
    struct.path, struct.env, struct.random = held[0], world, random
    struct.policy = policy._handle if policy is not None else ffi.NULL
    struct.seeds, struct.count = ffi.from_buffer("uint64_t[]", numbers), len(numbers)
    struct.threads, struct.interrupt = threads, interrupt
    training._work(lambda d: lib.sac_record(d, memory), struct, interrupt, queue.SimpleQueue())
    score = lib.sac_score_of(memory, len(numbers))
    return training.Score(score.mean, score.std, episodes)


def distill(task: Any, run: Any, *, teacher: Any = None, demonstrations: Any = None,
            settings: dict[str, Any] | None = None, threads: int = 1, resume: bool = False, any_cpu_level: bool = False,
            generations: int = 0, progress: Callable[[training.Progress], Any] | None = None) -> training.Run:
    """Train a task whose search.method is distill into a run folder, as `train` does; teacher and demonstrations are
    the files that its section `teacher` names."""
    import os

    fields = dict(settings or {})
    if teacher is not None:
        fields["teacher.policy"] = os.fsdecode(path_of(teacher, "teacher"))
    if demonstrations is not None:
        fields["teacher.demonstrations"] = os.fsdecode(path_of(demonstrations, "demonstrations"))
    return training.train(task, run, settings=fields, threads=threads, resume=resume, any_cpu_level=any_cpu_level,
                          generations=generations, progress=progress)
