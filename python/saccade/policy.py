"""Policies: an image goes in, an action comes out, and what was looked at can be seen.

A Policy is immutable and may be shared by threads. A State belongs to one episode at a time; policy.act uses one that
the policy keeps for whoever drives alone.
"""
from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Sequence, cast

import numpy as np

from saccade._core import (BYTE, FLOAT, Life, Owner, Owners, array, check, dense, documented, ffi, fill, lib, listing,
                           options_of, output, path_of, pointer, raw, settings_of, text)


@dataclass
class Info:
    """Facts that travel with a policy file beside the architecture; score and score_std are NaN where there is none."""

    environment: str = ""
    variant: str = ""
    version: str = ""
    seed: int = 0
    generation: int = 0
    score: float = float("nan")
    score_std: float = float("nan")
    score_episodes: int = 0
    settings: dict[str, str] = field(default_factory=dict)


@documented("sac_gaze")
@dataclass(frozen=True)
class Gaze:
    """Copies of what a policy looked at; None where its kind has no such thing.

    image is the size of the picture that is cut into patches, grid the number of patches [rows, columns]; importance
    [rows, columns]; top [K] indices of patches; centers [K, 2]; queries and keys [N, key_size]; contribution
    [rows, columns], of iap-trans alone: how far what the controller is told would be from what it is if the patch had
    the mean of all values. Pictures show the contribution where there is one. above and beneath are the rows
    of a cropped observation that are left out, in pixels of that picture. age is how many steps ago the policy looked,
    0: in this one; held, of hierarchical alone, is for how many steps what it decided then is held. A policy that looks at
    points has no patches: grid is the rows of the cloud and 1, importance says how much attention each point received,
    and patch is 0.
    """

    image: tuple[int, int]
    grid: tuple[int, int]
    patch: int
    stride: int
    importance: np.ndarray | None
    top: np.ndarray | None
    centers: np.ndarray | None
    told: np.ndarray | None
    queries: np.ndarray | None
    keys: np.ndarray | None
    hidden: np.ndarray | None
    cell: np.ndarray | None
    output: np.ndarray | None
    action: np.ndarray | None = None
    contribution: np.ndarray | None = None
    above: float = 0.0
    beneath: float = 0.0
    age: int = 0
    held: int = 0

    def _known(self) -> np.ndarray:
        if self.importance is not None and self.patch == 0:
            raise ValueError("gaze: points have no patches to draw over a picture")
        shown = self.importance if self.contribution is None else self.contribution
        if shown is None:
            raise ValueError("gaze: the policy's kind has no attention")
        return shown

    def _struct(self) -> Any:
        importance = self._known()
        gaze = ffi.new("sac_gaze *")
        (gaze.height, gaze.width), (gaze.rows, gaze.columns) = self.image, self.grid
        gaze.patch, gaze.stride = self.patch, self.stride
        gaze.above, gaze.beneath = self.above, self.beneath
        gaze.importance = pointer(dense(importance, "importance", self.grid))
        if self.top is not None and self.centers is not None:
            gaze.top, gaze.kept = pointer(dense(self.top, "top", (-1,), np.dtype("i4"))), len(self.top)
            gaze.centers = pointer(dense(self.centers, "centers", (gaze.kept, 2)))
        return gaze

    def _levels(self) -> np.ndarray:
        levels, room = np.empty(self.grid, FLOAT), np.empty(self.grid, FLOAT)
        importance = pointer(dense(self._known(), "importance", self.grid))
        lib.sac_heat_levels(pointer(levels), pointer(room), importance, levels.size)
        return levels

    @documented("sac_overlay_blend", "sac_overlay_keep", "sac_overlay_light")
    def overlay(self, picture: Any, strength: float = 1.0) -> np.ndarray:
        """The picture [height, width, 3] with the patches on it that are kept; where none is, dimmed where attention
        is least; a copy.
        """
        rgb = dense(picture, "picture", (-1, -1, 3), BYTE).copy()
        height, width = self.image
        keep = np.empty((height, width), FLOAT)
        if self.top is None:
            lib.sac_overlay_light(pointer(keep), height, width, self._struct(), pointer(self._levels()))
        else:
            lib.sac_overlay_keep(pointer(keep), height, width, self._struct())
        blend = lib.sac_overlay_dim if self.top is None else lib.sac_overlay_blend
        blend(pointer(rgb), *rgb.shape[:2], pointer(keep), height, width, strength)
        return rgb

    @documented("sac_heat_map", "sac_heat_levels")
    def heat_map(self, height: int = 400, width: int | None = None) -> np.ndarray:
        """[height, width, 3]; width None: as wide as the image is."""
        self._known()
        width = width or round(height * self.image[1] / self.image[0])
        if not (0 < height <= 8192 and 0 < width <= 8192):
            raise ValueError(f"a map of {height} x {width} pixels, expected 1..8192")
        rgb = np.empty((height, width, 3), BYTE)
        lib.sac_heat_map(pointer(rgb), height, width, self._struct(), pointer(self._levels()))
        return rgb


def _copy(memory: Any, *shape: int) -> np.ndarray | None:
    count = int(np.prod(shape))
    if memory == ffi.NULL or count == 0:
        return None
    dtype = np.dtype("i4") if ffi.typeof(memory).item.cname == "int" else FLOAT
    return np.frombuffer(ffi.buffer(memory, 4 * count), dtype).reshape(shape).copy()


@documented("sac_policy_kind_at")
def kinds() -> dict[str, dict[str, tuple[str | None, str]]]:
    """The kinds of policies: {kind: {option: (default, help)}}."""
    table = ffi.new("sac_option **")

    def at(i: int) -> Any:
        name = lib.sac_policy_kind_at(i, table)
        return None if name == ffi.NULL else (text(name), option_table(table[0]))

    return dict(listing(at))


@documented("sac_policy_kind_options")
def kind_options(kind: str, **options: Any) -> dict[str, tuple[str | None, str]]:
    """The options of a kind with some of them set: {option: (default, help)}, such as
    kind_options("hierarchical", high={"kind": "cnn"})."""
    settings, count, kept = settings_of(options)
    table = lib.sac_policy_kind_options(kind.encode(), settings, count)
    del kept
    if table == ffi.NULL:
        raise ValueError(f"unknown kind {kind!r}, expected one of {', '.join(kinds())}")
    return option_table(table)


def option_table(table: Any) -> dict[str, tuple[str | None, str]]:
    """{option: (default or None, help)} of a table of options."""
    rows, i = {}, 0
    while table != ffi.NULL and table[i].name != ffi.NULL:
        fallback = None if table[i].fallback == ffi.NULL else text(table[i].fallback)
        rows[text(table[i].name)] = (fallback, text(table[i].help))
        i += 1
    return rows


_KINDS = ("picture", "depth", "vector", "choice", "floats")  # by sac_space_kind


@dataclass(frozen=True, eq=False)
class Space:
    """A part of an observation, or what a policy takes of one: a picture is uint8 [height, width, channels], a depth
    picture float32 [height, width], a picture of floats float32 [height, width, channels], a vector float32 [n]."""

    name: str
    kind: str  # "picture", "depth", "vector", "choice" or "floats"
    shape: tuple[int, ...]
    low: np.ndarray | None = None
    high: np.ndarray | None = None
    privileged: bool = False  # for teachers, critics and planners alone
    choices: int = 0

    @property
    def dtype(self) -> np.dtype:
        """uint8 for a picture, float32 for anything else."""
        return BYTE if self.kind == "picture" else FLOAT

    @classmethod
    def _of(cls, struct: Any) -> Space:
        kind = _KINDS[struct.kind]
        sides = tuple(max(1, struct.shape[i]) for i in range(3))
        shape = {"picture": sides, "depth": sides[:2], "vector": sides[:1], "choice": (1,),
                 "floats": sides}[kind]
        bounds = shape[0] if kind == "vector" else 1
        return cls(text(struct.name), kind, shape, _copy(struct.low, bounds), _copy(struct.high, bounds),
                   bool(struct.privileged), struct.choices)


def _inputs_of(spaces: list[Space]) -> tuple[Any, list[Any]]:
    """A sac_space array and what must live as long as it does."""
    structs, kept = ffi.new("sac_space[]", len(spaces)), []
    for struct, space in zip(structs, spaces):
        kept += fill(struct, {"name": space.name, "kind": _KINDS.index(space.kind), "choices": space.choices,
                              "privileged": space.privileged})
        for i, side in enumerate(space.shape if space.kind != "choice" else ()):
            struct.shape[i] = side
        for name in ("low", "high"):
            bounds = getattr(space, name)
            if bounds is not None:
                kept.append(np.array(bounds, FLOAT))
                setattr(struct, name, pointer(kept[-1]))
    return structs, kept


def _gaze_of(gaze: Any) -> Gaze:
    """Copies of what a sac_gaze points to."""
    n = gaze.rows * gaze.columns
    return Gaze((gaze.height, gaze.width), (gaze.rows, gaze.columns), gaze.patch, gaze.stride,
                _copy(gaze.importance, gaze.rows, gaze.columns), _copy(gaze.top, gaze.kept),
                _copy(gaze.centers, gaze.kept, 2), _copy(gaze.told, gaze.told_count),
                _copy(gaze.queries, n, gaze.key_size), _copy(gaze.keys, n, gaze.key_size),
                _copy(gaze.hidden, gaze.hidden_size), _copy(gaze.cell, gaze.hidden_size),
                _copy(gaze.output, gaze.output_size),
                contribution=_copy(gaze.contribution, gaze.rows, gaze.columns), above=gaze.above,
                beneath=gaze.beneath, age=gaze.age, held=gaze.held)


class State:
    """What changes during an episode: recurrent state and the last attention. It has one owner at a time."""

    def __init__(self, policy: Policy) -> None:
        self._handle = raw(lib.sac_policy_state_create, "sac_policy_state", policy._handle)
        self._life = Life(self._handle, lib.sac_policy_state_destroy, policy._life)
        self._address = int(ffi.cast("uintptr_t", self._handle))
        self._owner = Owner("the policy's state")
        self._seen: Any = None  # what the last act looked at: the library may read a picture again
        self._spaces, self._size, self._fits = policy.inputs, policy.action_size, policy._fits
        self._picture = len(self._spaces) == 1 and self._spaces[0].kind == "picture"
        self._shape = self._spaces[0].shape
        self._inputs = ffi.new("void *[]", len(self._spaces))
        self._choices, self._parameter_count = policy.action_choices, policy.parameter_count

    @documented("sac_policy_state_reset")
    def reset(self) -> None:
        with self._owner:
            lib.sac_policy_state_reset(self._handle)

    @documented("sac_policy_state_set_parameters")
    def set_parameters(self, parameters: Any) -> None:
        parameters = dense(parameters, "parameters", (self._parameter_count,))
        with self._owner:
            self._seen = None
            lib.sac_policy_state_set_parameters(self._handle, pointer(parameters))

    @documented("sac_policy_act", "sac_policy_act_float")
    def act(self, observation: Any, out: Any = None) -> Any:
        """Look and act: [action_size], or a whole number where it is a choice. An image is uint8, or float32 in 0..1; a
        policy of several inputs takes a dict of arrays by their names, of which it leaves those that it does not take."""
        if not self._picture or isinstance(observation, dict):
            return self._act_on(observation, out)
        if type(observation) is not np.ndarray:
            observation = array(observation, "observation", None)
        kind = FLOAT if observation.dtype == FLOAT else BYTE
        if observation.dtype != kind or observation.shape != self._shape or not observation.flags.c_contiguous:
            dense(observation, "observation", self._shape, kind)
        result, action = (None, np.empty(self._size, FLOAT)) if out is None else output(out, (self._size,))
        with self._owner:
            self._seen = observation
            if kind is BYTE:
                lib.sac_policy_act(self._handle, pointer(observation), pointer(action))
            else:
                lib.sac_policy_act_float(self._handle, pointer(observation), pointer(action))
        if out is not None:
            return result
        return int(action[0]) if self._choices else action

    @documented("sac_policy_act_on")
    def _act_on(self, observation: Any, out: Any) -> Any:
        parts = observation
        if not isinstance(observation, dict):
            if len(self._spaces) > 1:
                names = ", ".join(space.name for space in self._spaces)
                raise TypeError(f"observation: {type(observation).__name__}, expected a dict with {names}")
            parts = {self._spaces[0].name: observation}
        seen = []
        for i, space in enumerate(self._spaces):
            if space.name not in parts:
                raise KeyError(f"observation: the part '{space.name}' is missing; there are {', '.join(parts)}")
            seen.append(dense(parts[space.name], space.name, space.shape, space.dtype))
            self._inputs[i] = pointer(seen[-1])
        result, action = (None, np.empty(self._size, FLOAT)) if out is None else output(out, (self._size,))
        with self._owner:
            self._seen = seen
            lib.sac_policy_act_on(self._handle, self._inputs, pointer(action))
        if out is not None:
            return result
        return int(action[0]) if self._choices else action

    @documented("sac_policy_gaze")
    def gaze(self) -> Gaze:
        gaze = ffi.new("sac_gaze *")
        with self._owner:
            if self._seen is None:
                raise RuntimeError("gaze: the state has looked at nothing yet; act comes first")
            lib.sac_policy_gaze(self._handle, gaze)
            return _gaze_of(gaze)

    def _patch(self, index: int) -> Any:
        gaze = ffi.new("sac_gaze *")
        if self._seen is None:
            raise RuntimeError("the state has looked at nothing yet; act comes first")
        lib.sac_policy_gaze(self._handle, gaze)
        if not 0 <= index < max(1, gaze.rows * gaze.columns):
            raise IndexError(f"patch {index}, expected 0..{gaze.rows * gaze.columns - 1}")
        return gaze

    @documented("sac_policy_patch")
    def patch(self, index: int) -> np.ndarray | None:
        with self._owner:
            gaze = self._patch(index)
            channels = next((s.shape[2] for s in self._spaces if s.kind in ("picture", "floats")), 1)
            pixels = np.empty((max(1, gaze.patch), max(1, gaze.patch), channels), FLOAT)
            return pixels if lib.sac_policy_patch(self._handle, index, pointer(pixels)) else None

    @documented("sac_policy_attention_row")
    def attention_row(self, query: int) -> np.ndarray | None:
        with self._owner:
            gaze = self._patch(query)
            weights = np.empty((max(1, gaze.rows), max(1, gaze.columns)), FLOAT)
            return weights if lib.sac_policy_attention_row(self._handle, query, pointer(weights)) else None


class Policy:
    """An architecture with one vector of parameters."""

    def __init__(self, kind: str = "attention-agent", *, observation_shape: tuple[int, int, int] = (0, 0, 0),
                 action_size: int, inputs: list[Space] | None = None, action_low: Any = None, action_high: Any = None, action_choices: int = 0, parameters: Any = None,
                 **options: Any) -> None:
        low = np.full(action_size, -1, FLOAT) if action_low is None else np.array(action_low, FLOAT)
        high = np.full(action_size, 1, FLOAT) if action_high is None else np.array(action_high, FLOAT)
        if low.shape != (action_size,) or high.shape != (action_size,):
            raise ValueError(f"action_low, action_high: shapes {low.shape}, {high.shape}, expected ({action_size},)")
        struct = ffi.new("sac_policy_def *")
        settings, count, kept = settings_of(options)
        height, width, channels = observation_shape
        kept += fill(struct, {"kind": kind, "setting_count": count, "height": height, "width": width,
                              "channels": channels, "action_size": action_size, "action_choices": action_choices})
        struct.settings, struct.action_low, struct.action_high = settings, pointer(low), pointer(high)
        if inputs is not None:
            structs, kept_inputs = _inputs_of(inputs)
            struct.inputs, struct.input_count = structs, len(inputs)
            kept += [structs, *kept_inputs]
        self._take(raw(lib.sac_policy_create, "sac_policy", struct), Info())
        if parameters is not None:
            self._take(_with(self._handle, parameters), Info())

    def _take(self, handle: Any, info: Info) -> Policy:
        self._handle, self.info = handle, info
        self._life = Life(handle, lib.sac_policy_destroy)
        struct = lib.sac_policy_get_def(handle)
        self.kind = text(lib.sac_policy_kind(handle))
        self.observation_shape = (struct.height, struct.width, struct.channels)
        self.inputs = [Space._of(struct.inputs[i]) for i in range(struct.input_count)]
        self.action_size, self.action_choices = struct.action_size, struct.action_choices
        # policies that are the same in this take the same arrays and give the same
        self._fits = tuple((s.name, s.kind, s.shape) for s in self.inputs), self.action_size, self.action_choices
        self.parameter_count = int(lib.sac_policy_parameter_count(handle))
        self._state: State | None = None
        return self

    @classmethod
    def _of(cls, handle: Any, info: Info) -> Policy:
        return cls.__new__(cls)._take(handle, info)

    def __repr__(self) -> str:
        return f"<saccade.Policy {self.kind}, {self.parameter_count} parameters, sees {self._sees()}>"

    def _sees(self) -> str:
        if len(self.inputs) == 1 and self.inputs[0].kind == "picture":
            return str(self.observation_shape)
        return ", ".join(f"{space.name} {space.shape}" for space in self.inputs)

    def __reduce__(self) -> tuple[Any, ...]:
        """For pickle and copy: architecture, parameters to the bit, info; not the state of policy.act."""
        low, high = self.action_bounds
        definition = {"kind": self.kind, "observation_shape": self.observation_shape, "action_size": self.action_size,
                      "action_low": low, "action_high": high, "action_choices": self.action_choices,
                      "inputs": self.inputs, "parameters": np.array(self.parameters), **self.options}
        return _rebuilt, (type(self), definition, self.info)

    @property
    def options(self) -> dict[str, str]:
        """Every option of the kind, as it would be typed."""
        struct = lib.sac_policy_get_def(self._handle)
        return options_of(struct.settings, struct.setting_count)

    @property
    def action_bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """(low, high), [action_size] each."""
        struct = lib.sac_policy_get_def(self._handle)
        return tuple(np.frombuffer(ffi.buffer(x, 4 * self.action_size), FLOAT).copy()
                     for x in (struct.action_low, struct.action_high))  # type: ignore[return-value]

    @property
    def parameters(self) -> np.ndarray:
        """The vector itself, read-only: no copy. It lives as long as the policy or the array."""
        return np.asarray(_Lent(lib.sac_policy_parameters(self._handle), self.parameter_count, self._life))

    @property
    def tensors(self) -> dict[str, np.ndarray]:
        """The parameters by name, read-only views of the vector."""
        vector = self.parameters
        tensors = {}
        for i in range(lib.sac_policy_tensor_count(self._handle)):
            tensor = lib.sac_policy_tensor_at(self._handle, i)
            size = lib.sac_policy_tensor_size(tensor)
            shape = [tensor.shape[k] for k in range(tensor.rank)]
            tensors[text(tensor.name)] = vector[tensor.offset:tensor.offset + size].reshape(shape)
        return tensors

    @documented("sac_policy_create_with")
    def with_parameters(self, parameters: Any) -> Policy:
        return Policy._of(_with(self._handle, parameters), self.info)

    @documented("sac_policy_draw")
    def draw(self, seed: int) -> np.ndarray:
        parameters = np.empty(self.parameter_count, FLOAT)
        lib.sac_policy_draw(self._handle, seed, pointer(parameters))
        return parameters

    def state(self) -> State:
        """A state of its own, for one more episode at the same time."""
        return State(self)

    @property
    def _own(self) -> State:
        if self._state is None:
            self._state = State(self)
        return self._state

    def reset(self) -> None:
        """Start an episode of policy.act."""
        self._own.reset()

    def act(self, observation: Any, out: Any = None) -> Any:
        return self._own.act(observation, out)

    act.__doc__ = State.act.__doc__

    @documented("sac_policy_act_batch")
    def act_batch(self, states: Sequence[State], observations: Any, out: Any = None, which: Any = None) -> Any:
        """One state for each episode, all different; they may hold other parameters, and be of other policies that take
        the same parts. Returns the actions [count, action_size], or whole numbers [count] where they are choices.

        observations: [count, height, width, channels] or what else the policy takes; a dict of such arrays by the names
        of the parts where it takes several, as saccade.Worlds has them
        out: [count, action_size] of float32, written and returned, such as the actions of saccade.Worlds
        which: [count], true for those who look and act; the others' actions stay, or are 0 in a new array. None: all
        """
        count, parts = len(states), self._batch(observations, len(states))
        rows = np.arange(count) if which is None else np.flatnonzero(_mask(which, count))
        acting = [states[i] for i in rows.tolist()]
        for state in acting:
            if state._fits is not self._fits and state._fits != self._fits:
                raise ValueError("states: one is of a policy that takes other parts, or acts otherwise, than this one")
        if len({id(state) for state in acting}) != len(acting):
            raise ValueError("states: one stands there twice, expected one for each episode")
        result = None
        actions = np.zeros((count, self.action_size), FLOAT)
        if out is not None:
            result, actions = output(out, actions.shape)
        with Owners([state._owner for state in acting]):
            for state in acting:
                state._seen = parts
            _act_rows(acting, parts, actions, rows)
        if out is not None:
            return result
        return actions[:, 0].astype(int) if self.action_choices else actions

    def _batch(self, observations: Any, count: int) -> list[np.ndarray]:
        """The arrays [count, ...] of what the policy takes, in its order."""
        if not isinstance(observations, dict):
            if len(self.inputs) > 1:
                names = ", ".join(space.name for space in self.inputs)
                raise TypeError(f"observations: {type(observations).__name__}, expected a dict with {names}")
            observations = {self.inputs[0].name: observations}
        found = []
        for space in self.inputs:
            if space.name not in observations:
                there = ", ".join(observations)
                raise KeyError(f"observations: the part '{space.name}' is missing; there are {there}")
            part = array(observations[space.name], space.name, None)
            floats = space.kind == "picture" and len(self.inputs) == 1 and part.dtype == FLOAT
            found.append(dense(part, space.name, (count, *space.shape), FLOAT if floats else space.dtype))
        return found

    def gradient(self, observations: Any, d_actions: Any, *, starts: Any = None, choosing: str = "straight",
                 temperature: float = 1.0) -> np.ndarray:
        """The gradient [parameter_count] of a loss by the parameters, where d_actions [N, action_size] is its gradient
        by the actions (before they are cut at their bounds; of choices, by the controller's outputs) in N frames of
        observations, in the order of time. saccade.learn.Gradient has the two halves of it.

        starts: [N], true where an episode begins; the first frame begins one anyway
        """
        from saccade.learn import Gradient

        both = Gradient(self, choosing)
        both.forward(observations, starts=starts, temperature=temperature)
        result: np.ndarray = both.backward(d_actions)
        return result

    def to_torch(self, choosing: str = "straight") -> Any:
        """The policy as a torch.nn.Module, whose parameters PyTorch's optimisers and losses can train; see
        saccade.torch.Module. Raises ImportError where PyTorch is not installed."""
        from saccade.torch import Module

        return Module(self, choosing)

    def attend(self, observation: Any) -> Gaze:
        """Where the policy looks in one image, from a fresh state: the gaze, with the action that follows from it."""
        state = State(self)
        action = state.act(observation)
        return replace(state.gaze(), action=np.atleast_1d(action))

    @documented("sac_policy_save")
    def save(self, path: Any, parameters: Any = None, info: Info | None = None) -> None:
        info = info or self.info
        if parameters is not None:
            parameters = dense(parameters, "parameters", (self.parameter_count,))
        struct = ffi.new("sac_policy_info *")
        texts = {"environment": info.environment, "variant": info.variant,
                 "version": info.version or text(lib.sac_version())}
        for name, value in ((name, value.encode()) for name, value in texts.items()):
            if len(value) >= lib.SAC_TEXT_SIZE:
                raise ValueError(f"info.{name}: longer than {lib.SAC_TEXT_SIZE - 1} bytes")
            setattr(struct, name, value)
        for name in ("seed", "generation", "score", "score_std", "score_episodes"):
            setattr(struct, name, getattr(info, name))
        struct.settings, struct.setting_count, _kept = settings_of(info.settings)
        check(lib.sac_policy_save(self._handle, ffi.NULL if parameters is None else pointer(parameters), struct,
                                  path_of(path, "path")))


def _mask(which: Any, count: int) -> np.ndarray:
    mask = np.asarray(which)
    if mask.shape != (count,):
        raise ValueError(f"which: shape {mask.shape}, expected ({count},)")
    return mask


def _address(x: np.ndarray) -> int:
    return cast(int, x.__array_interface__["data"][0])


def _act_rows(states: list[State], parts: list[np.ndarray], actions: np.ndarray, rows: np.ndarray) -> None:
    """Lets states[k] look at row rows[k] of each part and write that row of the actions: one call of the library."""
    if parts[0].dtype == FLOAT and states and states[0]._picture:
        for state, row in zip(states, rows):  # floats of a picture have no batch of their own
            lib.sac_policy_act_float(state._handle, pointer(parts[0][row]), pointer(actions[row]))
        return
    # the library wants tables of addresses, which NumPy computes for all rows at once
    places = np.empty((len(rows), len(parts)), np.uintp)
    for k, part in enumerate(parts):
        places[:, k] = _address(part) + rows * part.strides[0]
    handles = np.array([state._address for state in states], np.uintp)
    inputs = (_address(places) + np.arange(len(rows)) * places.strides[0]).astype(np.uintp)
    outs = (_address(actions) + rows * actions.strides[0]).astype(np.uintp)
    lib.sac_policy_act_batch(ffi.cast("sac_policy_state **", _address(handles)),
                             ffi.cast("void ***", _address(inputs)), ffi.cast("float **", _address(outs)), len(rows))


def _rebuilt(kind: type[Policy], definition: dict[str, Any], info: Info) -> Policy:
    policy = kind.__new__(kind)
    Policy.__init__(policy, **definition)
    policy.info = info
    return policy


class _Lent:
    """A policy's numbers for NumPy, which keeps the policy alive meanwhile."""

    def __init__(self, memory: Any, count: int, life: Life) -> None:
        self._life = life
        address = int(ffi.cast("uintptr_t", memory))
        self.__array_interface__ = {"version": 3, "typestr": FLOAT.str, "shape": (count,), "data": (address, True)}


def _with(handle: Any, parameters: Any) -> Any:
    vector = dense(parameters, "parameters", (int(lib.sac_policy_parameter_count(handle)),))
    return raw(lib.sac_policy_create_with, "sac_policy", handle, pointer(vector))


def _info_of(struct: Any) -> Info:
    info = Info(text(struct.environment), text(struct.variant), text(struct.version), struct.seed, struct.generation,
                struct.score, struct.score_std, struct.score_episodes,
                options_of(struct.settings, struct.setting_count))
    lib.sac_policy_info_clear(struct)
    return info


@documented("sac_policy_load")
def load(path: Any) -> Policy:
    info = ffi.new("sac_policy_info *")
    handle = raw(lib.sac_policy_load, "sac_policy", info, path_of(path, "path"))
    return Policy._of(handle, _info_of(info))


@documented("sac_policy_read")
def read(data: bytes, where: str = "memory") -> Policy:
    """A policy from the bytes of its file."""
    view = memoryview(data).cast("B")
    info = ffi.new("sac_policy_info *")
    handle = raw(lib.sac_policy_read, "sac_policy", info, ffi.from_buffer(view), view.nbytes, where.encode())
    return Policy._of(handle, _info_of(info))
