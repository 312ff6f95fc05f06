"""Attention over image tokens: every form, read as importance or as output.

Tokens are planar, [D, N] float32: one row a dimension, one column a token. Arrays are read where they are, whether
NumPy's, PyTorch's or JAX's (on the CPU); nothing is copied or converted. An Attention may be shared by threads; the
interpreter's lock is released while it computes.
"""
from __future__ import annotations

from typing import Any

import numpy as np

from saccade._core import (INT, Workspaces, created, dense, documented, ffi, fill, lib, listing, output, planes,
                           pointer, text)


@documented("sac_attention_form_at")
def forms() -> dict[str, str]:
    """The forms of attention by name, with a line about each."""
    summary = ffi.new("char **")

    def at(i: int) -> Any:
        name = lib.sac_attention_form_at(i, summary)
        return None if name == ffi.NULL else (text(name), text(summary[0]))

    return dict(listing(at))


def definition(form: str = "softmax", **fields: Any) -> tuple[Any, list[Any]]:
    """A sac_attention_def and what must live as long as it does."""
    struct = ffi.new("sac_attention_def *", lib.sac_attention_default_def())
    size, count = fields["key_size"], fields.get("feature_count", 16)
    if not isinstance(size, int) or size < 1:
        raise ValueError(f"key_size: {size}, expected a whole number >= 1")
    shapes = {"projection": (count, size), "key_projection": (count, size), "feature_gains": (count or size,),
              "directions": (fields.get("direction_count", 5), size)}
    return struct, fill(struct, {"form": form, **fields}, shapes)


def _pair(queries: Any, keys: Any, size: int) -> tuple[np.ndarray, np.ndarray, int, int]:
    """Queries and keys as they are read together, the number of tokens, and the floats from row to row."""
    queries, stride = planes(queries, "queries", size)
    keys, key_stride = planes(keys, "keys", size, queries.shape[1])
    if key_stride != stride:
        raise ValueError(f"keys: rows are {key_stride} floats apart, those of queries {stride}; expected the same")
    return queries, keys, queries.shape[1], stride


@documented("sac_attention_def")
class Attention:
    """A form of attention with its sizes and features, immutable."""

    def __init__(self, form: str = "softmax", *, key_size: int, feature_count: int = 16, direction_count: int = 5,
                 scale: float = 0.0, normalise: bool = False, orthogonal: bool = True, seed: int = 1,
                 projection: Any = None, key_projection: Any = None, feature_gains: Any = None, directions: Any = None,
                 divide: bool = True, divide_all: bool = False, epsilon: float = 0.0) -> None:
        struct, kept = definition(form, key_size=key_size, feature_count=feature_count,
                                  direction_count=direction_count, scale=scale, normalise=normalise,
                                  orthogonal=orthogonal, seed=seed, projection=projection,
                                  key_projection=key_projection, feature_gains=feature_gains, directions=directions,
                                  divide=divide, divide_all=divide_all, epsilon=epsilon)
        self._handle = created(lib.sac_attention_create, "sac_attention", lib.sac_attention_destroy, struct)
        del kept
        self._workspaces = Workspaces()
        self.form, self.key_size = form, key_size

    def __repr__(self) -> str:
        return f"<saccade.Attention {self.form}, key_size={self.key_size}>"

    @property
    @documented("sac_attention_feature_size")
    def feature_size(self) -> int:
        return int(lib.sac_attention_feature_size(self._handle))

    @documented("sac_attention_importance")
    def importance(self, queries: Any, keys: Any, out: Any = None) -> Any:
        queries, keys, n, stride = _pair(queries, keys, self.key_size)
        result, importance = output(out, (n,))
        workspace = self._workspaces.take(lib.sac_attention_workspace_size(self._handle, n))
        lib.sac_attention_importance(self._handle, pointer(importance), pointer(queries), pointer(keys), n, stride,
                                     workspace[1])
        self._workspaces.give(workspace)
        return result

    @documented("sac_attention_top")
    def top(self, importance: Any, k: int, out: Any = None) -> Any:
        importance = dense(importance, "importance", (-1,))
        if not 1 <= k <= min(128, importance.size):
            raise ValueError(f"k: {k}, expected 1..{min(128, importance.size)}")
        result, indices = output(out, (k,), INT)
        lib.sac_attention_top(self._handle, pointer(indices), k, pointer(importance), importance.size)
        return result

    @documented("sac_attention_row")
    def row(self, row: int, queries: Any, keys: Any, out: Any = None) -> Any:
        queries, keys, n, stride = _pair(queries, keys, self.key_size)
        if not 0 <= row < n:
            raise IndexError(f"row: {row}, expected 0..{n - 1}")
        result, weights = output(out, (n,))
        workspace = self._workspaces.take(lib.sac_attention_workspace_size(self._handle, n))
        lib.sac_attention_row(self._handle, pointer(weights), row, pointer(queries), pointer(keys), n, stride,
                              workspace[1])
        self._workspaces.give(workspace)
        return result

    @documented("sac_attention_features")
    def features(self, x: Any, side: str = "keys", out: Any = None) -> Any:
        size = self.feature_size
        if size == 0:
            raise ValueError(f"attention of form '{self.form}' has no features; linear forms do")
        if side not in ("queries", "keys"):
            raise ValueError(f"side: {side!r}, expected 'queries' or 'keys'")
        x, stride = planes(x, "x", self.key_size)
        result, features = output(out, (size, x.shape[1]))
        workspace = self._workspaces.take(lib.sac_attention_workspace_size(self._handle, x.shape[1]))
        lib.sac_attention_features(self._handle, lib.SAC_QUERIES if side == "queries" else lib.SAC_KEYS,
                                   pointer(features), x.shape[1], pointer(x), x.shape[1], stride, workspace[1])
        self._workspaces.give(workspace)
        return result

    @documented("sac_attention_output")
    def output(self, queries: Any, keys: Any, values: Any, out: Any = None) -> Any:
        queries, query_stride = planes(queries, "queries", self.key_size)
        keys, key_stride = planes(keys, "keys", self.key_size)
        values, value_stride = planes(values, "values", count=keys.shape[1])
        if value_stride != key_stride:
            raise ValueError(f"values: rows are {value_stride} floats apart, those of keys {key_stride}; expected the "
                             "same")
        n, size = queries.shape[1], values.shape[0]
        result, gathered = output(out, (size, n))
        workspace = self._workspaces.take(
            lib.sac_attention_output_workspace_size(self._handle, max(n, keys.shape[1]), size))
        lib.sac_attention_output(self._handle, pointer(gathered), n, pointer(queries), n, query_stride, pointer(keys),
                                 pointer(values), keys.shape[1], key_stride, size, workspace[1])
        self._workspaces.give(workspace)
        return result


@documented("sac_camera_def")
class Camera:
    """From the bytes of a camera to the importance of its patches, without tokens in between."""

    def __init__(self, form: str = "relu", *, height: int, width: int, channels: int = 3, patch: int = 1,
                 stride: int = 1, query_weights: Any, key_weights: Any, query_bias: Any = None, key_bias: Any = None,
                 key_size: int, **attention: Any) -> None:
        struct = ffi.new("sac_camera_def *", lib.sac_camera_default_def())
        attention_def, kept = definition(form, key_size=key_size, **attention)
        struct.attention = attention_def[0]
        shape = (key_size, patch * patch * channels)
        kept += fill(struct, {"height": height, "width": width, "channels": channels, "patch": patch, "stride": stride,
                              "query_weights": query_weights, "key_weights": key_weights, "query_bias": query_bias,
                              "key_bias": key_bias},
                     {"query_weights": shape, "key_weights": shape, "query_bias": (key_size,),
                      "key_bias": (key_size,)})
        self._handle = created(lib.sac_camera_create, "sac_camera", lib.sac_camera_destroy, struct)
        self._workspaces = Workspaces()
        self._size = lib.sac_camera_workspace_size(self._handle)
        self.shape = (height, width, channels)
        grid = lib.sac_camera_grid(self._handle)
        self.grid = (grid.rows, grid.columns)

    @property
    @documented("sac_camera_is_folded")
    def is_folded(self) -> bool:
        return bool(lib.sac_camera_is_folded(self._handle))

    @documented("sac_camera_importance")
    def importance(self, image: Any, out: Any = None) -> Any:
        image = dense(image, "image", self.shape, np.dtype("u1"))
        view = ffi.new("sac_image *", lib.sac_image_of(pointer(image), *self.shape, lib.SAC_PIXELS_PLAIN))
        result, importance = output(out, (self.grid[0] * self.grid[1],))
        workspace = self._workspaces.take(self._size)
        lib.sac_camera_importance(self._handle, pointer(importance), view, workspace[1])
        self._workspaces.give(workspace)
        return result


@documented("sac_linear")
def linear(weights: Any, x: Any, bias: Any = None, out: Any = None) -> Any:
    x, stride = planes(x, "x")
    weights = dense(weights, "weights", (-1, x.shape[0]))
    outputs, n = weights.shape[0], x.shape[1]
    bias = None if bias is None else dense(bias, "bias", (outputs,))
    result, y = output(out, (outputs, n))
    lib.sac_linear(pointer(y), n, pointer(weights), ffi.NULL if bias is None else pointer(bias), outputs, pointer(x),
                   x.shape[0], n, stride)
    return result


@documented("sac_multi_head")
class MultiHead:
    """Several attentions side by side; heads may be one attention several times."""

    def __init__(self, heads: list[Attention]) -> None:
        if not heads or any(head.key_size != heads[0].key_size for head in heads):
            raise ValueError("heads: expected one at least, all of the same key_size")
        self.heads = list(heads)
        self._list = ffi.new("sac_attention *[]", [head._handle for head in heads])
        self._struct = ffi.new("sac_multi_head *", {"heads": self._list, "count": len(heads)})
        self._workspaces = Workspaces()
        self._rows = len(heads) * heads[0].key_size

    @documented("sac_multi_head_importance")
    def importance(self, queries: Any, keys: Any, out: Any = None) -> Any:
        queries, keys, n, stride = _pair(queries, keys, self._rows)
        result, importance = output(out, (n,))
        workspace = self._workspaces.take(lib.sac_multi_head_workspace_size(self._struct, n, 1))
        lib.sac_multi_head_importance(self._struct, pointer(importance), pointer(queries), pointer(keys), n, stride,
                                      workspace[1])
        self._workspaces.give(workspace)
        return result

    @documented("sac_multi_head_output")
    def output(self, queries: Any, keys: Any, values: Any, out: Any = None) -> Any:
        queries, keys, n, stride = _pair(queries, keys, self._rows)
        values, value_stride = planes(values, "values", count=n)
        size = values.shape[0] // len(self.heads)
        if value_stride != stride or size * len(self.heads) != values.shape[0]:
            raise ValueError(f"values: expected a multiple of {len(self.heads)} rows, {stride} floats apart")
        result, gathered = output(out, values.shape)
        workspace = self._workspaces.take(lib.sac_multi_head_workspace_size(self._struct, n, size))
        lib.sac_multi_head_output(self._struct, pointer(gathered), n, pointer(queries), pointer(keys), pointer(values),
                                  size, n, stride, workspace[1])
        self._workspaces.give(workspace)
        return result
