"""What a policy reads from attention, beside importance: rank and trans of Implicit Attention for Pixels.

All of it is for the linear forms, those with features. Tokens are planar, [D, N]; what is read comes as one row a token
kept, [K, V]. Random draws are pure functions of the uniform numbers that they are given.
"""
from __future__ import annotations

from typing import Any

import numpy as np

from saccade._core import (DOUBLE, FLOAT, INT, Life, Owner, Workspaces, dense, documented, ffi, fill, lib, output,
                           planes, pointer, raw)
from saccade.attention import Attention

_WORDS = np.dtype("u4")
_workspaces = Workspaces()


def _linear(attention: Attention) -> int:
    size = attention.feature_size
    if size == 0:
        raise ValueError(f"attention of form '{attention.form}' has no features; readings are of the linear forms")
    return size


def _indices(chosen: Any, count: int) -> np.ndarray:
    indices = dense(chosen, "chosen", (-1,), INT)
    if indices.size and not (0 <= indices.min() and indices.max() < count):
        raise IndexError(f"chosen: {indices.min()}..{indices.max()}, expected 0..{count - 1}")
    return indices


# ----------------------------------------------------------------------------------------------------------------------
# rank: scores


@documented("sac_rank_summary")
def rank_summary(attention: Attention, queries: Any, weights: Any = None, out: Any = None) -> Any:
    size = _linear(attention)
    queries, stride = planes(queries, "queries", attention.key_size)
    n, rows, weight_stride = queries.shape[1], 1, 0
    if weights is not None:
        weights, weight_stride = planes(weights, "weights", count=n)
        rows = weights.shape[0]
    result, z = output(out, (rows, size))
    workspace = _workspaces.take(lib.sac_rank_workspace_size(attention._handle))
    lib.sac_rank_summary(attention._handle, pointer(z), ffi.NULL if weights is None else pointer(weights), rows,
                         weight_stride, pointer(queries), n, stride, workspace[1])
    _workspaces.give(workspace)
    return result


@documented("sac_rank_scores")
def rank_scores(attention: Attention, z: Any, keys: Any, query_count: int | None = None, out: Any = None) -> Any:
    """query_count None: as many as keys."""
    keys, stride = planes(keys, "keys", attention.key_size)
    z = dense(z, "z", (-1, _linear(attention)))
    n = keys.shape[1]
    result, scores = output(out, (z.shape[0], n))
    workspace = _workspaces.take(lib.sac_rank_workspace_size(attention._handle))
    lib.sac_rank_scores(attention._handle, pointer(scores), n, pointer(z), z.shape[0], query_count or n, pointer(keys),
                        n, stride, workspace[1])
    _workspaces.give(workspace)
    return result


@documented("sac_rank_mean_query")
def rank_mean_query(attention: Attention, queries: Any, out: Any = None) -> Any:
    size = _linear(attention)
    queries, stride = planes(queries, "queries", attention.key_size)
    result, z = output(out, (size,))
    workspace = _workspaces.take(lib.sac_rank_workspace_size(attention._handle))
    lib.sac_rank_mean_query(attention._handle, pointer(z), pointer(queries), queries.shape[1], stride, workspace[1])
    _workspaces.give(workspace)
    return result


@documented("sac_rank_probabilities")
def rank_probabilities(attention: Attention, scores: Any, out: Any = None) -> Any:
    scores = dense(scores, "scores", (-1,))
    result, probabilities = output(out, scores.shape)
    lib.sac_rank_probabilities(attention._handle, pointer(probabilities), pointer(scores), scores.size)
    return result


@documented("sac_rank_draw")
def rank_draw(probabilities: Any, uniform: Any) -> np.ndarray:
    """Draws as many tokens as there are uniform numbers; the probabilities stay as they are."""
    left = dense(probabilities, "probabilities", (-1,)).copy()
    uniform = _uniform(uniform, (-1,))
    if uniform.size > left.size:
        raise ValueError(f"uniform: {uniform.size} numbers, expected {left.size} at most")
    chosen = np.empty(uniform.size, INT)
    lib.sac_rank_draw(pointer(chosen), chosen.size, pointer(left), left.size, pointer(uniform))
    return chosen


def _uniform(uniform: Any, shape: tuple[int, ...]) -> np.ndarray:
    numbers = dense(uniform, "uniform", shape, DOUBLE)
    if numbers.size and not (numbers.min() >= 0 and numbers.max() < 1):
        raise ValueError("uniform: expected 0 <= u < 1")
    return numbers


@documented("sac_rank_take")
def rank_take(chosen: Any, values: Any, out: Any = None) -> Any:
    values, stride = planes(values, "values")
    chosen = _indices(chosen, values.shape[1])
    result, taken = output(out, (chosen.size, values.shape[0]))
    lib.sac_rank_take(pointer(taken), pointer(chosen), chosen.size, pointer(values), values.shape[0], stride)
    return result


@documented("sac_rank_mask")
def rank_mask(chosen: Any, values: Any, out: Any = None) -> Any:
    values, stride = planes(values, "values")
    chosen = _indices(chosen, values.shape[1])
    result, masked = output(out, values.shape)
    if np.shares_memory(masked, values):
        raise ValueError("out: expected other memory than that of values")
    lib.sac_rank_mask(pointer(masked), values.shape[1], pointer(chosen), chosen.size, pointer(values), values.shape[0],
                      values.shape[1], stride)
    return result


# ----------------------------------------------------------------------------------------------------------------------
# rank: drawing in time log N, scores from bits, keys that are kept


@documented("sac_tree")
class Tree:
    """Of the features of keys; see sac_tree_create. It has one owner at a time."""

    def __init__(self, attention: Attention, keys: Any) -> None:
        self._size = _linear(attention)
        keys, stride = planes(keys, "keys", attention.key_size)
        self._nodes = np.empty(lib.sac_tree_size(attention._handle, keys.shape[1]), FLOAT)
        workspace = _workspaces.take(lib.sac_rank_workspace_size(attention._handle))
        self._tree = ffi.new("sac_tree *", lib.sac_tree_create(attention._handle, pointer(self._nodes), pointer(keys),
                                                               keys.shape[1], stride, workspace[1]))
        _workspaces.give(workspace)
        self._owner, self.token_count = Owner("the tree"), keys.shape[1]

    @property
    @documented("sac_tree_depth")
    def depth(self) -> int:
        return int(lib.sac_tree_depth(self._tree))

    @documented("sac_tree_draw")
    def draw(self, z: Any, uniform: Any) -> int:
        z, uniform = dense(z, "z", (self._size,)), _uniform(uniform, (self.depth,))
        with self._owner:
            return int(lib.sac_tree_draw(self._tree, pointer(z), pointer(uniform)))

    @documented("sac_tree_draw_several")
    def draw_several(self, z: Any, uniform: Any) -> np.ndarray:
        z, uniform = dense(z, "z", (self._size,)), _uniform(uniform, (-1, self.depth))
        if len(uniform) > self.token_count:
            raise ValueError(f"uniform: {len(uniform)} rows, expected {self.token_count} at most")
        chosen, scratch = np.empty(len(uniform), INT), np.empty((len(uniform), self._size), FLOAT)
        with self._owner:
            lib.sac_tree_draw_several(self._tree, pointer(chosen), chosen.size, pointer(z), pointer(uniform),
                                      pointer(scratch))
        return chosen

    @documented("sac_tree_probabilities")
    def probabilities(self, z: Any, out: Any = None) -> Any:
        z = dense(z, "z", (self._size,))
        result, probabilities = output(out, (self.token_count,))
        with self._owner:
            lib.sac_tree_probabilities(self._tree, pointer(probabilities), pointer(z))
        return result

    @documented("sac_tree_set")
    def set(self, token: int, features: Any = None) -> None:
        if not 0 <= token < self.token_count:
            raise IndexError(f"token: {token}, expected 0..{self.token_count - 1}")
        features = None if features is None else dense(features, "features", (self._size,))
        with self._owner:
            lib.sac_tree_set(self._tree, token, ffi.NULL if features is None else pointer(features))


@documented("sac_hash")
class Hash:
    """Signs of projections, see sac_hash_create."""

    def __init__(self, bit_count: int, size: int, seed: int = 1, projection: Any = None) -> None:
        if projection is not None:
            projection = dense(projection, "projection", (bit_count, size))
        self._handle = raw(lib.sac_hash_create, "sac_hash", bit_count, size, seed,
                           ffi.NULL if projection is None else pointer(projection))
        self._life = Life(self._handle, lib.sac_hash_destroy)
        self.bit_count, self.size = bit_count, size
        self.words = int(lib.sac_hash_words(self._handle))

    @documented("sac_hash_bits")
    def bits(self, x: Any, out: Any = None) -> Any:
        x, stride = planes(x, "x", self.size)
        result, bits = output(out, (self.words, x.shape[1]), _WORDS)
        lib.sac_hash_bits(self._handle, pointer(bits), x.shape[1], pointer(x), x.shape[1], stride)
        return result

    @documented("sac_hash_distances")
    def distances(self, bits: Any, query: Any, out: Any = None) -> Any:
        bits = dense(bits, "bits", (self.words, -1), _WORDS)
        query = dense(query, "query", (self.words,), _WORDS)
        result, distances = output(out, (bits.shape[1],), INT)
        lib.sac_hash_distances(self._handle, ffi.cast("int32_t *", pointer(distances)), pointer(bits), bits.shape[1],
                               pointer(query), bits.shape[1])
        return result

    @documented("sac_hash_scores")
    def scores(self, distances: Any, length: float) -> tuple[np.ndarray, np.ndarray]:
        """Returns (angles, scores)."""
        distances = dense(distances, "distances", (-1,), INT)
        angles, scores = np.empty((2, distances.size), FLOAT)
        lib.sac_hash_scores(self._handle, pointer(angles), pointer(scores),
                            ffi.cast("int32_t *", pointer(distances)), length, distances.size)
        return angles, scores


@documented("sac_hash_length")
def hash_length(attention: Attention, z: Any, query_count: int) -> float:
    z = dense(z, "z", (_linear(attention),))
    if query_count < 1:
        raise ValueError(f"query_count: {query_count}, expected 1 at least")
    return float(lib.sac_hash_length(attention._handle, pointer(z), query_count))


@documented("sac_key_database_def")
class KeyDatabase:
    """Keys kept as features and refreshed every `period` frames. It has one owner at a time."""

    def __init__(self, attention: Attention, capacity: int, *, period: int = 1, tree: bool = False, hash_bits: int = 0,
                 hash_seed: int = 1, hash_projection: Any = None) -> None:
        self._attention, self._size = attention, _linear(attention)
        struct = ffi.new("sac_key_database_def *", lib.sac_key_database_default_def())
        _kept = fill(struct, {"capacity": capacity, "period": period, "tree": tree, "hash_bits": hash_bits,
                              "hash_seed": hash_seed, "hash_projection": hash_projection},
                     {"hash_projection": (hash_bits, self._size)})
        struct.attention = attention._handle
        self._handle = raw(lib.sac_key_database_create, "sac_key_database", struct)
        self._life = Life(self._handle, lib.sac_key_database_destroy)
        self._owner, self.capacity, self._hashes = Owner("the key database"), capacity, hash_bits > 0
        self._begun = False

    def __len__(self) -> int:
        return int(lib.sac_key_database_count(self._handle))

    @documented("sac_key_database_reset")
    def reset(self) -> None:
        with self._owner:
            lib.sac_key_database_reset(self._handle)

    @documented("sac_key_database_frame")
    def frame(self) -> bool:
        with self._owner:
            return bool(lib.sac_key_database_frame(self._handle))

    @documented("sac_key_database_refresh")
    def refresh(self, keys: Any) -> None:
        keys, stride = planes(keys, "keys", self._attention.key_size)
        if keys.shape[1] > self.capacity:
            raise ValueError(f"keys: {keys.shape[1]} tokens, expected {self.capacity} at most")
        with self._owner:
            lib.sac_key_database_refresh(self._handle, pointer(keys), keys.shape[1], stride)

    def _filled(self, query_count: int) -> int:
        if len(self) == 0 or query_count < 1:
            raise ValueError(f"{len(self)} keys, query_count {query_count}: expected 1 at least; refresh comes first")
        return len(self)

    @documented("sac_key_database_scores")
    def scores(self, z: Any, query_count: int, out: Any = None) -> Any:
        n = self._filled(query_count)
        z = dense(z, "z", (-1, self._size))
        result, scores = output(out, (z.shape[0], n))
        with self._owner:
            lib.sac_key_database_scores(self._handle, pointer(scores), n, pointer(z), z.shape[0], query_count)
        return result

    @documented("sac_key_database_hash_scores")
    def hash_scores(self, z: Any, query_count: int, out: Any = None) -> Any:
        if not self._hashes:
            raise ValueError("the key database was made without hash_bits")
        n = self._filled(query_count)
        z = dense(z, "z", (self._size,))
        result, scores = output(out, (n,))
        with self._owner:
            lib.sac_key_database_hash_scores(self._handle, pointer(scores), pointer(z), query_count)
        return result


# ----------------------------------------------------------------------------------------------------------------------
# trans

ORDERS = {"cheapest": lib.SAC_TRANS_CHEAPEST, "left": lib.SAC_TRANS_LEFT, "right": lib.SAC_TRANS_RIGHT,
          "middle": lib.SAC_TRANS_MIDDLE}


@documented("sac_trans", "sac_trans_run")
class Trans:
    """out = LN(P V + P A V); call it with queries, keys and values."""

    def __init__(self, attention: Attention, projection: Any, value_size: int, *, residual: bool = False,
                 gain: Any = None, bias: Any = None, epsilon: float = 0.0, order: str = "cheapest") -> None:
        _linear(attention)
        projection, stride = planes(projection, "projection")
        if order not in ORDERS:
            raise ValueError(f"order: {order!r}, expected one of {', '.join(ORDERS)}")
        if value_size < 1:
            raise ValueError(f"value_size: {value_size}, expected 1 at least")
        self._struct = ffi.new("sac_trans *")
        self._kept = [projection, attention, *fill(self._struct, {
            "rows": projection.shape[0], "value_size": value_size, "projection_stride": stride, "residual": residual,
            "gain": gain, "bias": bias, "epsilon": epsilon, "order": ORDERS[order]},
            {"gain": (value_size,), "bias": (value_size,)})]
        if (gain is None) != (bias is None):
            raise ValueError("gain, bias: expected both, or none")
        self._struct.attention, self._struct.projection = attention._handle, pointer(projection)
        self._attention, self._shape, self._workspaces = attention, projection.shape, Workspaces()

    def __call__(self, queries: Any, keys: Any, values: Any, out: Any = None) -> Any:
        n = self._shape[1]
        planar = [planes(x, name, rows, n) for x, name, rows in (
            (queries, "queries", self._attention.key_size), (keys, "keys", self._attention.key_size),
            (values, "values", self._struct.value_size))]
        if len({stride for _, stride in planar}) > 1:
            raise ValueError("queries, keys, values: expected the same stride")
        result, y = output(out, (self._shape[0], self._struct.value_size))
        workspace = self._workspaces.take(lib.sac_trans_workspace_size(self._struct))
        lib.sac_trans_run(self._struct, pointer(y), *(pointer(x) for x, _ in planar), n, planar[0][1], workspace[1])
        self._workspaces.give(workspace)
        return result


@documented("sac_trans_cost")
def trans_cost(order: str, rows: int, feature_size: int, token_count: int, value_size: int) -> float:
    return float(lib.sac_trans_cost(ORDERS[order], rows, feature_size, token_count, value_size))


@documented("sac_layer_norm")
def layer_norm(x: Any, gain: Any, bias: Any, epsilon: float = 1e-5, out: Any = None) -> Any:
    x = dense(x, "x", (-1, -1))
    gain, bias = dense(gain, "gain", (x.shape[1],)), dense(bias, "bias", (x.shape[1],))
    result, y = output(out, x.shape)
    lib.sac_layer_norm(pointer(y), pointer(x), *x.shape, pointer(gain), pointer(bias), epsilon)
    return result
