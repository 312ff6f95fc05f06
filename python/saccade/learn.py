"""Learning by gradients: policies imitate examples, and hand out gradients to whoever wants them.

    student, losses = saccade.learn.fit(policy, observations, actions, epochs=20, rate=2e-3)
    gradient = policy.gradient(observations, d_actions)

Arrays may be NumPy's, PyTorch's, or any other's that speak DLPack or the buffer protocol. What evolution trains,
gradients train, and the reverse: the parameters are one vector.
"""
from __future__ import annotations

from typing import Any

import numpy as np

from saccade._core import (BYTE, FLOAT, Life, Owner, Workspaces, array, check, dense, documented, ffi, fill, lib,
                           output, pointer, raw, text)
from saccade.policy import Policy

CHOOSING = {"straight": lib.SAC_CHOOSE_STRAIGHT, "soft": lib.SAC_CHOOSE_SOFT, "fixed": lib.SAC_CHOOSE_FIXED}


def _choosing(word: str) -> int:
    try:
        return int(CHOOSING[word])
    except KeyError:
        raise ValueError(f"choosing: {word!r}, expected straight, soft or fixed") from None


def _observations(policy: Policy, observations: Any) -> list[np.ndarray]:
    """By the policy's inputs, [N, ...] each: an array where it takes one part, or else a dict by their names."""
    if isinstance(observations, dict):
        missing = [space.name for space in policy.inputs if space.name not in observations]
        if missing:
            raise KeyError(f"observations: the part '{missing[0]}' is missing; there are {', '.join(observations)}")
        parts = [observations[space.name] for space in policy.inputs]
        names = [space.name for space in policy.inputs]
    elif len(policy.inputs) == 1:
        parts, names = [observations], ["observations"]
    else:
        raise TypeError("observations: the policy takes the parts "
                        f"{', '.join(space.name for space in policy.inputs)}, so give a dict of them")
    frames = [dense(part, name, (-1, *space.shape), space.dtype)
              for part, name, space in zip(parts, names, policy.inputs)]
    for name, part in zip(names, frames):
        if len(part) != len(frames[0]):
            raise ValueError(f"{name}: {len(part)} frames, and {names[0]} has {len(frames[0])}")
    return frames


def _marks(starts: Any, count: int) -> np.ndarray | None:
    """One byte a frame, not zero where an episode begins."""
    if starts is None:
        return None
    starts = np.asarray(starts) if isinstance(starts, (list, tuple)) else array(starts, "starts", None)
    if starts.shape != (count,):
        raise ValueError(f"starts: shape {starts.shape}, expected ({count},)")
    return np.ascontiguousarray(starts != 0).view(BYTE)


class Gradient:
    """How a policy's outputs over a sequence of frames change with its parameters: forward, then backward.

    choosing is "straight", "soft" or "fixed". It has one owner at a time.
    """

    @documented("sac_gradient_create", "sac_choosing")
    def __init__(self, policy: Policy, choosing: str = "straight") -> None:
        struct = ffi.new("sac_gradient_def *", lib.sac_gradient_default_def())
        struct.choosing = _choosing(choosing)
        self._handle = raw(lib.sac_gradient_create, "sac_gradient", policy._handle, struct)
        self._life = Life(self._handle, lib.sac_gradient_destroy, policy._life)
        self._owner, self._workspaces = Owner("the gradient"), Workspaces()
        self.policy = policy
        self.output_size = int(lib.sac_gradient_output_size(self._handle))
        self.hidden_size = int(lib.sac_gradient_hidden_size(self._handle))
        self._kept: tuple[Any, ...] | None = None  # what backward needs: the workspace, the batch and what it points to

    def forward(self, observations: Any, parameters: Any = None, *, starts: Any = None, hidden: Any = None,
                cell: Any = None, temperature: float = 1.0, out: Any = None) -> Any:
        """The outputs [N, output_size] of N frames in the order of time; see sac_gradient_forward.

        observations: [N, height, width, channels], uint8, of a policy that takes one picture; in general [N, ...] as its
            one input is, or a dict of such arrays by the names of its inputs
        parameters: those of the policy by default
        starts: [N], true where an episode begins; the first frame begins one anyway, unless hidden is given
        hidden, cell: [hidden_size] recurrent state before the first frame; they become those after the last one
        """
        frames = _observations(self.policy, observations)
        count = len(frames[0])
        if count == 0:
            raise ValueError("observations: none, expected a frame at least")
        if not temperature > 0:
            raise ValueError(f"temperature: {temperature}, expected more than 0")
        vector = self.policy.parameters if parameters is None else parameters
        vector = dense(vector, "parameters", (self.policy.parameter_count,)).copy()
        result, outputs = output(out, (count, self.output_size))
        marks = _marks(starts, count)
        batch = ffi.new("sac_batch *")
        list_of = ffi.new("void *[]", [pointer(part[i:]) for i in range(count) for part in frames])
        batch.steps, batch.sequences, batch.temperature, batch.parts = count, 1, temperature, list_of
        if marks is not None:
            batch.starts = pointer(marks)
        states = [dense(x, name, (self.hidden_size,)) for x, name in ((hidden, "hidden"), (cell, "cell"))
                  if x is not None]
        if len(states) == 1:
            raise ValueError("hidden and cell: one without the other")
        if states:
            batch.hidden, batch.cell = (pointer(x) for x in states)
        with self._owner:
            workspace = self._workspaces.take(lib.sac_gradient_workspace_size(self._handle, count, 1))
            lib.sac_gradient_forward(self._handle, pointer(outputs), pointer(vector), batch, workspace[1])
            self._forget()
            self._kept = (workspace, batch, vector, frames, list_of, marks, states)
        return result

    def _forget(self) -> None:
        if self._kept is not None:
            self._workspaces.give(self._kept[0])
        self._kept = None

    def backward(self, d_outputs: Any, out: Any = None) -> Any:
        """The gradient [parameter_count] of a loss, where d_outputs is its gradient with respect to the outputs of the
        last forward; see sac_gradient_backward. Added to `out` where that is given."""
        with self._owner:
            if self._kept is None:
                raise RuntimeError("backward: forward comes first, once for each backward")
            workspace, batch, vector = self._kept[:3]
            d = dense(d_outputs, "d_outputs", (batch.steps, self.output_size))
            result, sums = output(np.zeros(len(vector), FLOAT) if out is None else out, (len(vector),))
            lib.sac_gradient_backward(self._handle, pointer(sums), pointer(d), pointer(vector), batch, workspace[1])
            self._forget()
        return result


class Fit:
    """A policy that is being fitted to examples: run it as often as there are new ones."""

    @documented("sac_fit_def")
    def __init__(self, policy: Policy, *, optimiser: str = "adam", rate: float = 1e-3, momentum: float = 0.9,
                 beta1: float = 0.9, beta2: float = 0.999, decay: float = 0.0, largest_norm: float = 0.0,
                 average: float = 0.0, warm_steps: int = 0, total_steps: int = 0, last_rate: float = 0.0,
                 huber: float = 0.0, softness: float = 0.0, spread: float = 0.0, batch: int = 64, steps: int = 0, lead: int = -1,
                 choosing: str = "straight", temperature: float = 1.0, last_temperature: float = 0.0,
                 flip: Any = None, measure: int = 0, slices: int = 8, threads: int = 1, seed: int = 1) -> None:
        struct = ffi.new("sac_fit_def *", lib.sac_fit_default_def())
        kept = fill(struct, {"optimiser": optimiser, "rate": rate, "momentum": momentum, "beta1": beta1, "beta2": beta2,
                             "decay": decay, "largest_norm": largest_norm, "average": average,
                             "warm_steps": warm_steps, "total_steps": total_steps, "last_rate": last_rate,
                             "huber": huber, "softness": softness, "spread": spread, "batch": batch, "steps": steps, "lead": lead,
                             "choosing": _choosing(choosing), "temperature": temperature,
                             "last_temperature": last_temperature, "measure": measure, "slices": slices,
                             "threads": threads, "seed": seed})
        if flip is not None:
            count = policy.action_choices or policy.action_size
            if len(flip) != count:
                raise ValueError(f"flip: {len(flip)} numbers, expected {count}")
            if any(number != int(number) for number in flip):
                raise ValueError(f"flip: {list(flip)}, expected whole numbers")
            kept.append(ffi.new("int[]", [int(number) for number in flip]))
            struct.flip = kept[-1]
        self._handle = raw(lib.sac_fit_create, "sac_fit", policy._handle, struct)
        del kept  # the library has copied it
        self._life = Life(self._handle, lib.sac_fit_destroy, policy._life)
        self._owner, self._start = Owner("the fit"), policy

    @documented("sac_fit_run", "sac_examples")
    def run(self, observations: Any, actions: Any, *, starts: Any = None, weights: Any = None,
            costs: Any = None, steps: int = 0) -> tuple[float, float]:
        """Returns the mean loss of the first tenth of the steps and of the last tenth."""
        policy = self._start
        frames = _observations(policy, observations)
        count = len(frames[0])
        actions = dense(actions, "actions", (count, policy.action_size))
        marks = _marks(starts, count)
        examples, loss = ffi.new("sac_examples *"), ffi.new("double[2]")
        list_of = ffi.new("void *[]", [pointer(part) for part in frames])
        examples.count, examples.parts, examples.actions = count, list_of, pointer(actions)
        if marks is not None:
            examples.starts = pointer(marks)
        if weights is not None:
            weights = dense(weights, "weights", (count,))
            examples.weights = pointer(weights)
        if costs is not None:
            costs = dense(costs, "costs", (count, policy.action_choices))
            examples.costs = pointer(costs)
        with self._owner:
            check(lib.sac_fit_run(self._handle, examples, steps, loss))
        return loss[0], loss[1]

    @property
    def policy(self) -> Policy:
        """The policy with the parameters as they are now."""
        return self._start.with_parameters(self._vector(lib.sac_fit_parameters(self._handle)))

    @property
    def average(self) -> Policy | None:
        """The policy with the running average of the parameters; None where none is kept."""
        vector = lib.sac_fit_average(self._handle)
        return None if vector == ffi.NULL else self._start.with_parameters(self._vector(vector))

    def _vector(self, memory: Any) -> np.ndarray:
        return np.frombuffer(ffi.buffer(memory, 4 * self._start.parameter_count), FLOAT).copy()

    def _arrays(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        one = ffi.new("sac_fit_array *")
        while lib.sac_fit_array_at(self._handle, len(found), one):
            found[text(one.name)] = one.numbers
        return found

    def state(self) -> dict[str, Any]:
        """All that a fit of the same policy and settings needs to go on to the bit: arrays by name, two counters."""
        steps, calls = ffi.new("uint64_t *"), ffi.new("uint64_t *")
        with self._owner:
            lib.sac_fit_counters(self._handle, steps, calls)
            arrays = {name: self._vector(memory) for name, memory in self._arrays().items()}
        return {**arrays, "steps": steps[0], "calls": calls[0]}

    def set_state(self, state: dict[str, Any]) -> None:
        """Go on from where state() was taken."""
        with self._owner:
            arrays = self._arrays()
            if set(state) != {*arrays, "steps", "calls"}:
                raise ValueError(f"state: has {', '.join(sorted(state))}, expected {', '.join(sorted(arrays))}, steps "
                                 "and calls")
            new = {name: dense(state[name], name, (self._start.parameter_count,)) for name in arrays}
            for name, memory in arrays.items():
                ffi.memmove(memory, pointer(new[name]), new[name].nbytes)
            lib.sac_fit_set_counters(self._handle, int(state["steps"]), int(state["calls"]))


def fit(policy: Policy, observations: Any, actions: Any, *, starts: Any = None, weights: Any = None, epochs: int = 1,
        **settings: Any) -> tuple[Policy, list[float]]:
    """Fit a policy to examples; see Fit for the settings. Returns the fitted policy (the running average where one is
    kept) and, of each epoch, the mean loss of its last tenth.

    observations: [N, height, width, channels], uint8, in the order of time, episode after episode; of a policy that takes
        other or several parts, see Gradient.forward
    actions: [N, action_size], float32, in the environment's units
    starts: [N], true where an episode begins; the first frame alone by default
    weights: [N], float32, how much each frame counts
    """
    if epochs < 1:
        raise ValueError(f"epochs: {epochs}, expected 1 at least")
    examples = {space.name: part for space, part in zip(policy.inputs, _observations(policy, observations))}
    fitting = Fit(policy, **settings)
    losses = [fitting.run(examples, actions, starts=starts, weights=weights)[1] for _ in range(epochs)]
    return fitting.average or fitting.policy, losses
