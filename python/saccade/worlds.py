"""Environments: an action goes in, an image and a reward come out. Without Gymnasium; saccade.gym is with it.

The seed of an episode and its actions decide every bit.
"""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from saccade._core import (BYTE, FLOAT, Owner, check, created, documented, ffi, fill, lib, output, pointer, raw,
                           settings_of, share_path, text)
from saccade.policy import Info, Policy, Space, option_table


def names() -> dict[str, str]:
    """The environments by name, with a line about each."""
    return {text(ops.name): text(ops.summary) for ops in map(lib.sac_env_at, range(lib.sac_env_count()))}


def options(name: str) -> dict[str, tuple[str | None, str]]:
    """The options of an environment: {option: (default, help)}."""
    return option_table(_ops(name).options)


def variants(name: str) -> list[str]:
    """The variants of an environment."""
    ops, found = _ops(name), ["original"]
    while ops.variants != ffi.NULL and ops.variants[len(found) - 1] != ffi.NULL:
        found.append(text(ops.variants[len(found) - 1]))
    return found


def _ops(name: str) -> Any:
    ops = lib.sac_env_find(name.encode())
    if ops == ffi.NULL:
        raise ValueError(f"unknown environment '{name}'; there are {', '.join(names())}")
    return ops


def definition(name: str, variant: str | None, options: dict[str, Any]) -> tuple[Any, list[Any]]:
    """A sac_env_def and what must live as long as it does."""
    struct = ffi.new("sac_env_def *")
    share_path()
    settings, count, kept = settings_of(options)
    kept += fill(struct, {"id": name, "variant": variant, "setting_count": count})
    struct.settings = settings
    return struct, kept


class Columns:
    """What an environment counts over episodes: counted has the names of such columns by index."""

    def __init__(self, struct: Any, name: str) -> None:
        self.counted: dict[int, str] = {}
        if _ops(name).state == ffi.NULL:
            return
        self._handle = created(lib.sac_env_create, "sac_env", lib.sac_env_destroy, struct)
        self.spec = lib.sac_env_get_spec(self._handle)
        self.counted = {i: text(self.spec.columns[i].name) for i in range(self.spec.column_count)
                        if self.spec.columns[i].type in (lib.SAC_COLUMN_FLAG, lib.SAC_COLUMN_COUNT)}


@documented("sac_env_spec")
class Spec:
    """What an environment looks like from outside."""

    def __init__(self, spec: Any) -> None:
        self.parts = {part.name: part for part in
                      (Space._of(spec.observations[i]) for i in range(spec.observation_count))}
        open_to_all = [part for part in self.parts.values() if not part.privileged]
        shown = next((part for part in open_to_all if part.kind == "picture"), open_to_all[0])
        self.observation_shape = shown.shape
        self.action_size: int = spec.action_size
        self.action_choices: int = spec.action_choices
        self.action_low, self.action_high = (np.frombuffer(ffi.buffer(x, 4 * spec.action_size), FLOAT).copy()
                                             for x in (spec.action_low, spec.action_high))
        self.max_steps: int = spec.max_steps
        self.lanes: int = spec.lanes
        self.columns = [text(spec.columns[i].name) for i in range(spec.column_count)]
        named = 0 if spec.action_names == ffi.NULL else spec.action_choices or spec.action_size
        self.action_names = [text(spec.action_names[i]) for i in range(named)]
        self.picture_aspect: float = spec.picture_aspect or (spec.width / spec.height if spec.height else 1.0)

    def choose(self, parts: str | list[str] | None) -> tuple[list[Space], bool]:
        """The parts of these names, None: all that are not privileged; and whether there is one alone, not a dict."""
        if parts is None:
            chosen = [part for part in self.parts.values() if not part.privileged]
            return chosen, len(chosen) == 1
        names = [parts] if isinstance(parts, str) else list(parts)
        for name in names:
            if name not in self.parts:
                raise ValueError(f"parts: '{name}', expected some of {', '.join(self.parts)}")
        return [self.parts[name] for name in names], isinstance(parts, str)

    def take(self, action: Any, into: np.ndarray) -> None:
        """Checks an action and writes it to [action_size]."""
        if self.action_choices:
            choice = np.asarray(action)
            if choice.size != 1 or not 0 <= (value := choice.item()) < self.action_choices or value != int(value):
                raise ValueError(f"action: {action!r}, expected a whole number 0..{self.action_choices - 1}")
            into[0] = value
            return
        values = np.asarray(action, FLOAT)
        if values.shape != into.shape:
            raise ValueError(f"action: shape {values.shape}, expected {into.shape}")
        into[:] = values


@dataclass(frozen=True, eq=False)
class Snapshot:
    """A world as it stood between two steps. It can be restored any number of times, by any world of the same name,
    variant and options, and pickled."""

    data: bytes  # the library's, random numbers included
    observation: Any  # the last one: an array, or a dict of them
    going: bool  # between a reset and an end


def _copied(observation: Any) -> Any:
    if isinstance(observation, dict):
        return {name: part.copy() for name, part in observation.items()}
    return observation.copy()


def _save(env: Any, observation: Any, going: bool) -> Snapshot:
    data = bytearray(lib.sac_env_snapshot_size(env))
    check(lib.sac_env_save(env, ffi.from_buffer(data)))
    return Snapshot(bytes(data), _copied(observation), going)


def _restore(env: Any, snapshot: Snapshot, parts: Any, single: bool) -> None:
    """Restores a world that observes these parts. A snapshot of other parts leaves it as it is."""
    there = snapshot.observation
    if single == isinstance(there, dict):
        raise ValueError("snapshot: one of the two worlds observes a single part, and the other a dict of parts")
    for part in parts:
        array = there if single else there.get(part.name)
        if array is None or array.shape != tuple(part.shape) or array.dtype != part.dtype:
            raise ValueError(f"snapshot: it was saved by a world that does not observe '{part.name}' as this one does")
    check(lib.sac_env_restore(env, ffi.from_buffer(snapshot.data), len(snapshot.data)))


class World:
    """One environment. It has one owner at a time; reset comes before step, and after an end.

    parts says what is observed: the name of one part, which is then the observation; a list of names, and the observation
    is a dict of arrays by name; None: all parts that are not privileged. spec.parts lists them. What is not observed is
    not drawn.
    """

    def __init__(self, name: str, variant: str | None = None, parts: str | list[str] | None = None,
                 **options: Any) -> None:
        struct, _kept = definition(name, variant, options)
        self._handle = created(lib.sac_env_create, "sac_env", lib.sac_env_destroy, struct)
        self.name, self.variant, self.options = name, variant or "original", options
        self.spec = Spec(lib.sac_env_get_spec(self._handle))
        self._owner = Owner(f"the environment '{name}'")
        self._action = np.zeros(self.spec.action_size, FLOAT)
        self._row = ffi.new("sac_env_row *")
        self._reward, self._ends = ffi.new("double *"), ffi.new("uint8_t[2]")
        self._row.action, self._row.reward = pointer(self._action), self._reward
        self._row.terminated, self._row.truncated = self._ends, self._ends + 1
        self.parts, self._single = self.spec.choose(parts)
        names = list(self.spec.parts)
        self._indices = [names.index(part.name) for part in self.parts]
        self._places = self._row.parts = ffi.new("void *[]", len(names))
        self._observation: Any = None
        self._going = False

    def __repr__(self) -> str:
        return f"<saccade.World {self.name}, {self.variant}>"

    def _look(self, out: Any) -> Any:
        """Gives the library memory for the observation, and keeps it: a picture may be drawn from it."""
        outs = {self.parts[0].name: out} if self._single else out or {}
        pairs = {part.name: output(outs.get(part.name), part.shape, part.dtype) for part in self.parts}
        for index, (_, memory) in zip(self._indices, pairs.values()):
            self._places[index] = pointer(memory)
        if self._single:
            result, self._observation = pairs[self.parts[0].name]
            return result
        self._observation = {name: memory for name, (_, memory) in pairs.items()}
        return {name: result for name, (result, _) in pairs.items()}

    @documented("sac_env_reset")
    def reset(self, seed: int | None = None, out: Any = None) -> Any:
        """Returns the first observation. seed None: the episode after this one."""
        with self._owner:
            result = self._look(out)
            self._going = False
            check(lib.sac_env_reset(self._handle, lib.SAC_SEED_NEXT if seed is None else seed, self._row))
            self._going = True
            return result

    @documented("sac_env_step")
    def step(self, action: Any, out: Any = None) -> tuple[Any, float, bool, bool]:
        """Returns observation, reward, terminated, truncated."""
        with self._owner:
            if not self._going:
                raise RuntimeError(f"{self.name}: reset comes before a step, and after an end")
            self.spec.take(action, self._action)
            result = self._look(out)
            check(lib.sac_env_step(self._handle, self._row))
            ends = self._ends
            self._going = not (ends[0] or ends[1])
            return result, self._reward[0], bool(ends[0]), bool(ends[1])

    @documented("sac_env_save")
    def save(self) -> Snapshot:
        """The world as it stands, to branch it, search in it and put it back; see restore."""
        if self._observation is None:
            raise RuntimeError(f"{self.name}: reset comes before save")
        with self._owner:
            return _save(self._handle, self._observation, self._going)

    @documented("sac_env_restore")
    def restore(self, snapshot: Snapshot, out: Any = None) -> Any:
        """Puts the world back to where it was saved, here or in another world of the same kind. Returns the
        observation of that moment."""
        with self._owner:
            _restore(self._handle, snapshot, self.parts, self._single)
            result = self._look(out)
            for name in [part.name for part in self.parts]:
                memory = self._observation if self._single else self._observation[name]
                np.copyto(memory, snapshot.observation if self._single else snapshot.observation[name])
            self._going = snapshot.going
            return result

    @documented("sac_env_state")
    def state(self) -> dict[str, float]:
        """The values of the environment's columns by name."""
        values = ffi.new("double[]", max(1, len(self.spec.columns)))
        with self._owner:
            lib.sac_env_state(self._handle, values)
        return dict(zip(self.spec.columns, values))

    @documented("sac_env_picture")
    def picture(self, height: int = 400, width: int | None = None, out: Any = None) -> Any:
        """The scene for people, [height, width, 3]; width None: what suits the environment."""
        if self._observation is None:
            raise RuntimeError(f"{self.name}: reset comes before a picture")
        width = width or round(height * self.spec.picture_aspect)
        if not (0 < height <= 8192 and 0 < width <= 8192):
            raise ValueError(f"picture of {height} x {width} pixels, expected 1..8192")
        result, rgb = output(out, (height, width, 3), BYTE)
        with self._owner:
            check(lib.sac_env_picture(self._handle, pointer(rgb), height, width))
        return result

    def policy(self, kind: str = "attention-agent", **options: Any) -> Policy:
        """A policy that fits the environment, with all parameters zero. inputs: names of the parts that it takes, by
        default what its kind looks at; teacher=True allows parts that are privileged."""
        if not isinstance(options.get("inputs", ""), str):
            options["inputs"] = " ".join(options["inputs"])
        settings, count, _kept = settings_of(options)
        handle = raw(lib.sac_policy_create_for, "sac_policy", self._handle, kind.encode(), settings, count)
        return Policy._of(handle, Info())


class Worlds:
    """Several environments of one kind, stepped at once: the same bits as one by one, in less time.

    observations [count, height, width, channels] (a dict of such arrays by name where several parts are observed, as
    World says), actions [count, action_size], rewards, terminated and truncated [count] are the arrays that the library
    reads and writes.
    """

    def __init__(self, name: str, count: int, variant: str | None = None, threads: int = 1,
                 parts: str | list[str] | None = None, **options: Any) -> None:
        if count < 1 or threads < 1:
            raise ValueError(f"count {count}, threads {threads}: expected 1 at least")
        struct, _kept = definition(name, variant, options)
        self._handles = [created(lib.sac_env_create, "sac_env", lib.sac_env_destroy, struct) for _ in range(count)]
        self.name, self.variant, self.options = name, variant or "original", options
        self.spec = Spec(lib.sac_env_get_spec(self._handles[0]))
        self._owner = Owner(f"the environments '{name}'")
        self.parts, self._single = self.spec.choose(parts)
        arrays = {part.name: np.zeros((count, *part.shape), part.dtype) for part in self.parts}
        self.observations: Any = arrays[self.parts[0].name] if self._single else arrays
        self.actions = np.zeros((count, self.spec.action_size), FLOAT)
        self.rewards = np.zeros(count)
        self.terminated, self.truncated = np.zeros(count, BYTE), np.zeros(count, BYTE)
        self.going = np.zeros(count, bool)
        self._rows = ffi.new("sac_env_row[]", count)
        names = list(self.spec.parts)
        self._places = ffi.new("void *[]", count * len(names))
        for i, row in enumerate(self._rows):
            row.action, row.parts = pointer(self.actions[i]), self._places + i * len(names)
            for name, memory in arrays.items():
                self._places[i * len(names) + names.index(name)] = pointer(memory[i])
            row.reward, row.terminated = pointer(self.rewards[i:]), pointer(self.terminated[i:])
            row.truncated = pointer(self.truncated[i:])
        self._envs = ffi.new("sac_env *[]", self._handles)
        self._pool: Any = None
        if threads > 1:
            from concurrent.futures import ThreadPoolExecutor

            self._pool = ThreadPoolExecutor(threads, "saccade")
        self._threads = threads

    def __len__(self) -> int:
        return len(self._handles)

    def _each(self, job: Any, parts: list[Any]) -> None:
        """Does a job for every part; the first failure is raised when all are done."""
        if self._pool is None:
            for part in parts:
                job(part)
            return
        futures = [self._pool.submit(job, part) for part in parts]
        for failure in [future.exception() for future in futures]:
            if failure is not None:
                raise failure

    def reset(self, seeds: Any = None, which: Any = None) -> None:
        """Start episodes: seeds None, a first seed, or one (or None) each; which [count] says who, None: all."""
        count = len(self)
        if seeds is None or isinstance(seeds, (int, np.integer)):
            seeds = [None if seeds is None else int(seeds) + i for i in range(count)]
        if len(seeds) != count:
            raise ValueError(f"seeds: {len(seeds)}, expected {count}")

        def reset(i: int) -> None:
            seed = lib.SAC_SEED_NEXT if seeds[i] is None else int(seeds[i])
            check(lib.sac_env_reset(self._handles[i], seed, self._rows + i))

        who = [int(i) for i in (range(count) if which is None else np.flatnonzero(which))]
        with self._owner:
            self.going[who] = False
            self._each(reset, who)
            self.going[who] = True

    @documented("sac_env_step_batch")
    def step(self, actions: Any = None) -> None:
        """One step of those that are going, all of them or those between a reset and an end; actions None: as in
        self.actions."""
        if actions is not None:
            values = np.asarray(actions, FLOAT)
            if self.spec.action_choices and values.shape == (len(self),):
                values = values[:, None]
            if values.shape != self.actions.shape:
                raise ValueError(f"actions: shape {values.shape}, expected {self.actions.shape}")
            self.actions[:] = values
        if self.spec.action_choices:
            for action in self.actions:
                self.spec.take(action[0], action)
        with self._owner:
            self._step()
            self.going &= ~(self.terminated | self.truncated).astype(bool)

    def _step(self) -> None:
        rows, envs, count = self._rows, self._envs, len(self)
        if not self.going.all():
            who = [int(i) for i in np.flatnonzero(self.going)]
            rows, envs, count = ffi.new("sac_env_row[]", max(1, len(who))), [self._handles[i] for i in who], len(who)
            for k, i in enumerate(who):
                rows[k] = self._rows[i]
            envs = ffi.new("sac_env *[]", envs or 1)
        share = -(-count // self._threads)

        def step(first: int) -> None:
            check(lib.sac_env_step_batch(envs + first, rows + first, min(share, count - first)))

        self._each(step, list(range(0, count, share or 1)))

    @documented("sac_env_save")
    def save(self, index: int) -> Snapshot:
        """One of the worlds as it stands; see World.save."""
        with self._owner:
            return _save(self._handles[index], self.observation(index), bool(self.going[index]))

    @documented("sac_env_restore")
    def restore(self, index: int, snapshot: Snapshot) -> None:
        """Puts one of the worlds to where that world or another of its kind was saved; observations[index] becomes the
        observation of that moment."""
        with self._owner:
            _restore(self._handles[index], snapshot, self.parts, self._single)
            if self._single:
                self.observations[index] = snapshot.observation
            else:
                for name, memory in self.observations.items():
                    memory[index] = snapshot.observation[name]
            self.going[index] = snapshot.going

    def observation(self, index: int) -> Any:
        """What one of them shows: views of the arrays."""
        if self._single:
            return self.observations[index]
        return {name: memory[index] for name, memory in self.observations.items()}

    def picture(self, index: int, height: int = 400, width: int | None = None) -> np.ndarray:
        """The scene of one of them for people."""
        width = width or round(height * self.spec.picture_aspect)
        rgb = np.empty((height, width, 3), BYTE)
        with self._owner:
            check(lib.sac_env_picture(self._handles[index], pointer(rgb), height, width))
        return rgb

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown()
