"""Attention that looks at where a pixel lies: Gaussian heads, which can be convolutions, and relative positions."""
from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from saccade._core import DOUBLE, Workspaces, created, dense, documented, ffi, lib, output, planes, pointer


@documented("sac_head")
class Head:
    """target is mu, precision (a, b, c)."""

    def __init__(self, target: Sequence[float], precision: Sequence[float]) -> None:
        self.target, self.precision = tuple(map(float, target)), tuple(map(float, precision))
        if len(self.target) != 2 or len(self.precision) != 3:
            raise ValueError("target, precision: expected 2 and 3 numbers")

    def __repr__(self) -> str:
        return f"Head({self.target}, {self.precision})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Head) and (self.target, self.precision) == (other.target, other.precision)

    @classmethod
    def _of(cls, head: Any) -> Head:
        return cls(list(head.target), list(head.precision))

    @classmethod
    @documented("sac_head_isotropic")
    def isotropic(cls, alpha: float, row: float, column: float) -> Head:
        return cls._of(lib.sac_head_isotropic(alpha, row, column))

    @classmethod
    @documented("sac_head_from_root")
    def from_root(cls, root: Any, row: float, column: float) -> Head:
        return cls._of(lib.sac_head_from_root(pointer(dense(np.asarray(root, DOUBLE), "root", (2, 2), DOUBLE)), row,
                                              column))


@documented("sac_heads_nine")
def nine(alpha: float) -> list[Head]:
    heads = ffi.new("sac_head[9]")
    lib.sac_heads_nine(heads, alpha)
    return [Head._of(head) for head in heads]


@documented("sac_filter_heads")
def of_convolution(size: int, alpha: float) -> list[Head]:
    if not 1 <= size <= lib.SAC_FILTER_MAX:
        raise ValueError(f"size: {size}, expected 1 to {lib.SAC_FILTER_MAX}")
    if not alpha > 0:
        raise ValueError(f"alpha: {alpha}, expected more than 0")
    heads = ffi.new("sac_head[]", size * size)
    lib.sac_filter_heads(heads, size, alpha)
    return [Head._of(head) for head in heads]


@documented("sac_heads_leak")
def leak(alpha: float) -> float:
    if not alpha > 0:
        raise ValueError(f"alpha: {alpha}, expected more than 0")
    return float(lib.sac_heads_leak(alpha))


@documented("sac_filter_of_heads")
def to_convolution(size: int, heads: Sequence[Head], layer: Any, height: int, width: int) -> tuple[Any, Any]:
    """(weights [size * size, channels, outputs], outside [heads])"""
    if not 1 <= size <= lib.SAC_FILTER_MAX:
        raise ValueError(f"size: {size}, expected 1 to {lib.SAC_FILTER_MAX}")
    if not heads or height < 1 or width < 1:
        raise ValueError("heads, height, width: expected at least one head and a picture")
    layer = dense(layer, "layer", (len(heads), -1, -1))
    _, channels, outputs = layer.shape
    array = ffi.new("sac_head[]", [{"target": h.target, "precision": h.precision} for h in heads])
    weights = np.empty((size * size, channels, outputs), np.float32)
    outside = np.empty(len(heads), DOUBLE)
    lib.sac_filter_of_heads(pointer(weights), pointer(outside), size, array, len(heads), pointer(layer), channels,
                            outputs, height, width)
    return weights, outside


@documented("sac_heads_def")
class Heads:
    """Heads for planes of one size."""

    def __init__(self, height: int, width: int, heads: Sequence[Head]) -> None:
        struct = ffi.new("sac_heads_def *", lib.sac_heads_default_def())
        array = ffi.new("sac_head[]", [{"target": h.target, "precision": h.precision} for h in heads] or 1)
        struct.height, struct.width, struct.count, struct.heads = height, width, len(heads), array
        self._handle = created(lib.sac_heads_create, "sac_heads", lib.sac_heads_destroy, struct)
        self.height, self.width, self.heads = height, width, list(heads)
        self._workspaces = Workspaces()

    def _head(self, head: int, query: int = 0) -> None:
        if not 0 <= head < len(self.heads):
            raise IndexError(f"head: {head}, expected 0..{len(self.heads) - 1}")
        if not 0 <= query < self.height * self.width:
            raise IndexError(f"query: {query}, expected 0..{self.height * self.width - 1}")

    @documented("sac_heads_logits")
    def logits(self, head: int, query: int, out: Any = None) -> Any:
        self._head(head, query)
        result, logits = output(out, (self.height * self.width,))
        lib.sac_heads_logits(self._handle, head, pointer(logits), query)
        return result

    @documented("sac_heads_row")
    def row(self, head: int, query: int, out: Any = None) -> Any:
        self._head(head, query)
        result, weights = output(out, (self.height * self.width,))
        workspace = self._workspaces.take(lib.sac_heads_workspace_size(self._handle, 1))
        lib.sac_heads_row(self._handle, head, pointer(weights), query, workspace[1])
        self._workspaces.give(workspace)
        return result

    @documented("sac_heads_mix")
    def mix(self, head: int, values: Any, out: Any = None) -> Any:
        self._head(head)
        values, stride = planes(values, "values", count=self.height * self.width)
        result, mixed = output(out, values.shape)
        workspace = self._workspaces.take(lib.sac_heads_workspace_size(self._handle, values.shape[0]))
        lib.sac_heads_mix(self._handle, head, pointer(mixed), values.shape[1], pointer(values), values.shape[0], stride,
                          workspace[1])
        self._workspaces.give(workspace)
        return result

    @documented("sac_heads_layer")
    def layer(self, x: Any, weights: Any, bias: Any = None, out: Any = None) -> Any:
        x, stride = planes(x, "x", count=self.height * self.width)
        channels, n = x.shape
        weights = dense(weights, "weights", (len(self.heads), channels, -1))
        outputs = weights.shape[2]
        bias = None if bias is None else dense(bias, "bias", (outputs,))
        result, y = output(out, (outputs, n))
        workspace = self._workspaces.take(lib.sac_heads_workspace_size(self._handle, max(channels, outputs)))
        lib.sac_heads_layer(self._handle, pointer(y), outputs, n, pointer(x), channels, stride, pointer(weights),
                            ffi.NULL if bias is None else pointer(bias), workspace[1])
        self._workspaces.give(workspace)
        return result


@documented("sac_relative")
class Relative:
    """Transformer-XL's attention by relative positions."""

    def __init__(self, query: Any, key: Any, position_key: Any, content_bias: Any = None,
                 place_bias: Any = None) -> None:
        query = dense(query, "query", (-1, -1))
        size, shape = query.shape[1], query.shape
        self._kept = {"query": query, "key": dense(key, "key", shape),
                      "position_key": dense(position_key, "position_key", shape)}
        for name, bias in (("content_bias", content_bias), ("place_bias", place_bias)):
            if bias is not None:
                self._kept[name] = dense(bias, name, (shape[0],))
        self._struct = ffi.new("sac_relative *", {"size": size, "key_size": shape[0]})
        for name, array in self._kept.items():
            setattr(self._struct, name, pointer(array))
        self.size, self.key_size, self._workspaces = size, shape[0], Workspaces()

    def _tokens(self, tokens: Any, offsets: Any) -> tuple[np.ndarray, int, np.ndarray, int]:
        tokens, stride = planes(tokens, "tokens", self.size)
        offsets, offsets_stride = planes(offsets, "offsets", self.size, 2 * tokens.shape[1] - 1)
        return tokens, stride, offsets, offsets_stride

    @documented("sac_relative_logits")
    def logits(self, tokens: Any, offsets: Any, terms: str = "abcd", out: Any = None) -> Any:
        """terms: which of a, b, c, d."""
        if not terms or set(terms) - set("abcd"):
            raise ValueError(f"terms: {terms!r}, expected letters of abcd")
        tokens, stride, offsets, offsets_stride = self._tokens(tokens, offsets)
        n = tokens.shape[1]
        result, logits = output(out, (n, n))
        workspace = self._workspaces.take(lib.sac_relative_workspace_size(self._struct, n))
        mask = sum(1 << "abcd".index(term) for term in set(terms))
        lib.sac_relative_logits(self._struct, pointer(logits), mask, pointer(tokens), n, stride, pointer(offsets),
                                offsets_stride, workspace[1])
        self._workspaces.give(workspace)
        return result

    @documented("sac_relative_output")
    def output(self, tokens: Any, offsets: Any, values: Any, scale: float = 1.0, out: Any = None) -> Any:
        tokens, stride, offsets, offsets_stride = self._tokens(tokens, offsets)
        n = tokens.shape[1]
        values, values_stride = planes(values, "values", count=n)
        if not scale >= 0:
            raise ValueError(f"scale: {scale}, expected >= 0")
        result, y = output(out, values.shape)
        workspace = self._workspaces.take(lib.sac_relative_workspace_size(self._struct, n))
        lib.sac_relative_output(self._struct, pointer(y), n, scale, pointer(tokens), n, stride, pointer(offsets),
                                offsets_stride, pointer(values), values.shape[0], values_stride, workspace[1])
        self._workspaces.give(workspace)
        return result
