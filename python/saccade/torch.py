"""Policies as PyTorch modules: policy.to_torch().

The kernels are the library's own, forward and backward, so a module computes what the policy does and has the very
gradients that saccade trains by. PyTorch keeps the parameters, by the names of the policy's tensors, and hands the
gradients to its own optimisers and losses.

    module = saccade.load("student.safetensors").to_torch()
    loss = torch.nn.functional.mse_loss(module(frames), actions)
    loss.backward()
    module.to_policy().save("better.safetensors")
"""
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from saccade._core import Workspaces, dense, ffi, lib, pointer, text
from saccade.learn import Gradient, _marks
from saccade.policy import Policy

try:
    import torch  # type: ignore[import-not-found, unused-ignore]
except ImportError as error:
    raise ImportError("saccade.torch: PyTorch is not installed (pip install torch)") from error


def _numbers(tensor: torch.Tensor) -> np.ndarray:
    """A tensor's memory as an array, by DLPack: PyTorch's own way, .numpy(), asks for the NumPy it was built with."""
    return np.from_dlpack(tensor.detach())


class Memory(NamedTuple):
    """What a policy remembers of each of B sequences; see sac_batch. A size of 0 where it has no such thing."""

    hidden: torch.Tensor  # [B, hidden_size]
    cell: torch.Tensor  # [B, hidden_size]
    before: torch.Tensor  # [B, told_size] what was told of the frame before, of policies with motion


class _Batch:
    """A minibatch in the library's form, and everything that it points to."""

    def __init__(self, module: Module, parts: list[torch.Tensor], steps: int, sequences: int, starts: Any,
                 temperature: float) -> None:
        spaces, frames = module.policy.inputs, steps * sequences
        self.arrays = [dense(_numbers(part), space.name, (frames, *space.shape), space.dtype)
                       for part, space in zip(parts, spaces)]
        self.list = ffi.new("void *[]", [pointer(array[i:]) for i in range(frames) for array in self.arrays])
        self.struct = ffi.new("sac_batch *", {"steps": steps, "sequences": sequences, "temperature": temperature,
                                              "parts": self.list})
        self.marks = _marks(None if starts is None else _numbers(starts.reshape(-1).to(torch.uint8)), frames)
        if self.marks is not None:
            self.struct.starts = pointer(self.marks)

    def remember(self, memory: Memory) -> None:
        """Give the recurrent state as it is before the first step; the library writes that after the last one."""
        self.memory = memory
        for name, numbers in zip(Memory._fields, memory):
            if numbers.numel():
                setattr(self.struct, name, pointer(_numbers(numbers)))


class _Act(torch.autograd.Function):  # type: ignore[misc, unused-ignore]
    """The library's forward and backward pass as one differentiable function of the flat parameters."""

    @staticmethod
    def forward(context: Any, flat: torch.Tensor, module: Module, batch: _Batch) -> torch.Tensor:
        gradient, struct = module._gradient, batch.struct
        size = lib.sac_gradient_workspace_size(gradient._handle, struct.steps, struct.sequences)
        outputs = torch.empty(struct.steps, struct.sequences, gradient.output_size)
        workspace = module._workspaces.take(size)
        lib.sac_gradient_forward(gradient._handle, pointer(_numbers(outputs)), pointer(_numbers(flat)), struct,
                                 workspace[1])
        if context.needs_input_grad[0]:
            context.save_for_backward(flat)
            context.rest = (module, batch, workspace)
        else:
            module._workspaces.give(workspace)
        return outputs

    @staticmethod
    @torch.autograd.function.once_differentiable  # type: ignore[untyped-decorator, unused-ignore]
    def backward(context: Any, d_outputs: torch.Tensor) -> tuple[torch.Tensor, None, None]:
        if context.rest is None:
            raise RuntimeError("backward: a policy goes back once for each forward; retain_graph keeps nothing here")
        (flat,), (module, batch, workspace) = context.saved_tensors, context.rest
        sums = torch.zeros_like(flat)
        d = d_outputs.contiguous()
        lib.sac_gradient_backward(module._gradient._handle, pointer(_numbers(sums)), pointer(_numbers(d)),
                                  pointer(_numbers(flat)), batch.struct, workspace[1])
        context.rest = None
        module._workspaces.give(workspace)
        return sums, None, None


def _measured(policy: Policy) -> set[str]:
    """Names of the tensors that training measures and does not learn."""
    tensors = (lib.sac_policy_tensor_at(policy._handle, i) for i in range(lib.sac_policy_tensor_count(policy._handle)))
    return {text(tensor.name) for tensor in tensors if tensor.measured}


class Module(torch.nn.Module):  # type: ignore[misc, unused-ignore]
    """A policy as a torch.nn.Module on the CPU, in float32.

    Parameters are the policy's tensors by their names ("query.weight"); what training measures and does not learn (an
    observation normaliser) are buffers. Gradients flow to the parameters, and not to what is seen.
    """

    def __init__(self, policy: Policy, choosing: str = "straight") -> None:
        """choosing: how patches that are kept learn, "straight", "soft" or "fixed"; see sac_choosing.

        Raises saccade.ArgumentError for a kind or an option that has no gradient.
        """
        super().__init__()
        self.policy = policy  #: as it was: its kind, options and spaces; the parameters are the module's
        self._gradient, self._workspaces = Gradient(policy, choosing), Workspaces()
        self._told_size = int(lib.sac_gradient_told_size(self._gradient._handle))
        #: whether an action depends on frames before its own: a recurrent controller, motion, or a history of tokens
        self.remembers = (self._gradient.hidden_size > 0 or policy.options.get("motion") == "true" or
                          policy.kind == "action-tokens")
        measured = _measured(policy)
        self._order = list(policy.tensors)
        for name, numbers in policy.tensors.items():
            *folders, leaf = name.split(".")
            place: torch.nn.Module = self
            for folder in folders:
                if not hasattr(place, folder):
                    place.add_module(folder, torch.nn.Module())
                place = getattr(place, folder)
            tensor = torch.from_dlpack(numbers.copy())  # type: ignore[attr-defined, unused-ignore]
            if name in measured:
                place.register_buffer(leaf, tensor)
            else:
                place.register_parameter(leaf, torch.nn.Parameter(tensor))

    def extra_repr(self) -> str:
        return f"{self.policy.kind}, {self.policy.parameter_count} numbers"

    def _flat(self) -> torch.Tensor:
        """The parameter vector, through which gradients reach each tensor."""
        named = {**dict(self.named_parameters()), **dict(self.named_buffers())}
        flat = torch.cat([named[name].reshape(-1) for name in self._order])
        if flat.device.type != "cpu" or flat.dtype != torch.float32:
            raise TypeError(f"parameters: {flat.dtype} on {flat.device}, and a policy runs in float32 on the CPU")
        return flat

    def _parts(self, observations: Any) -> tuple[list[torch.Tensor], tuple[int, ...]]:
        """The inputs in the policy's order, and the shape of what counts them."""
        spaces = self.policy.inputs
        if not isinstance(observations, dict):
            if len(spaces) > 1:
                names = ", ".join(space.name for space in spaces)
                raise TypeError(f"observations: the policy takes the parts {names}, so give a dict of them")
            observations = {spaces[0].name: observations}
        parts: list[torch.Tensor] = []
        counts: set[tuple[int, ...]] = set()
        for space in spaces:
            if space.name not in observations:
                raise KeyError(f"observations: the part '{space.name}' is missing; there are {', '.join(observations)}")
            part = torch.as_tensor(observations[space.name])
            rank, shape = len(space.shape), tuple(space.shape)
            if part.dim() < rank or tuple(part.shape[part.dim() - rank:]) != shape:
                expected = ", ".join(map(str, shape))
                raise ValueError(f"{space.name}: shape {tuple(part.shape)}, expected [..., {expected}]")
            counts.add(tuple(part.shape[:part.dim() - rank]))
            parts.append(part.reshape(-1, *shape).contiguous())
        if len(counts) > 1:
            raise ValueError(f"observations: the parts have different numbers of frames: {sorted(counts)}")
        return parts, counts.pop()

    def forward(self, observations: Any, *, temperature: float = 1.0) -> torch.Tensor:
        """What the policy puts out of each frame, [..., output_size], of frames [..., height, width, channels] uint8,
        or [..., *shape] of its one input, or a dict of such tensors by the names of its inputs.

        Outputs are actions before they are cut at their bounds, or, of choices, the numbers that decide. A policy that
        `remembers` earlier frames has `sequence` in place of this.
        """
        if self.remembers:
            raise TypeError("the policy remembers earlier frames: call module.sequence with frames [T, B, ...]")
        parts, shape = self._parts(observations)
        outputs: torch.Tensor = self._run(parts, 1, int(np.prod(shape)), None, None, temperature).reshape(*shape, -1)
        return outputs

    def memory(self, sequences: int) -> Memory:
        """What it remembers before an episode."""
        sizes = (self._gradient.hidden_size, self._gradient.hidden_size,
                 self._told_size if self.policy.options.get("motion") == "true" else 0)
        return Memory(*(torch.zeros(sequences, size) for size in sizes))

    def sequence(self, observations: Any, memory: Memory | None = None, *, starts: torch.Tensor | None = None,
                 temperature: float = 1.0) -> tuple[torch.Tensor, Memory]:
        """Outputs [T, B, output_size] of T steps of B episodes, frames [T, B, ...], and what is remembered after the
        last one, through which no gradient flows (truncated back-propagation through time).

        memory: as an earlier call returned it; None: episodes begin
        starts: [T, B], true where an episode begins
        """
        parts, shape = self._parts(observations)
        if len(shape) != 2:
            raise ValueError(f"observations: frames counted by {list(shape)}, expected [T, B]: steps, then episodes")
        after = self.memory(shape[1]) if memory is None else Memory(*(part.detach().clone() for part in memory))
        begins = starts
        if memory is None:  # the first frames begin episodes, whatever else does
            begins = torch.zeros(shape, dtype=torch.uint8) if starts is None else starts.to(torch.uint8).clone()
            begins[0] = 1
        return self._run(parts, *shape, begins, after, temperature), after

    def _run(self, parts: list[torch.Tensor], steps: int, sequences: int, starts: torch.Tensor | None,
             memory: Memory | None, temperature: float) -> torch.Tensor:
        if steps * sequences == 0:
            raise ValueError("observations: none, expected a frame at least")
        if not temperature > 0:
            raise ValueError(f"temperature: {temperature}, expected more than 0")
        batch = _Batch(self, parts, steps, sequences, starts, temperature)
        if memory is not None:
            batch.remember(memory)
        outputs: torch.Tensor = _Act.apply(self._flat(), self, batch)
        return outputs

    def to_policy(self) -> Policy:
        """The policy with the parameters as they are now, cut from the module."""
        return self.policy.with_parameters(_numbers(self._flat()))
