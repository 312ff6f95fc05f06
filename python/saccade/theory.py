"""How far random features lie from the softmax kernel: the papers' closed forms."""
from __future__ import annotations

from typing import Any

import numpy as np

from saccade._core import DOUBLE, documented, lib, pointer


def _pair(x: Any, y: Any) -> tuple[Any, Any, np.ndarray, np.ndarray, int]:
    x, y = np.ascontiguousarray(x, DOUBLE), np.ascontiguousarray(y, DOUBLE)
    if x.ndim != 1 or x.shape != y.shape:
        raise ValueError(f"x, y: shapes {x.shape}, {y.shape}, expected two vectors of one length")
    return pointer(x), pointer(y), x, y, x.size


def _count(name: str, value: int) -> int:
    if value < 1:
        raise ValueError(f"{name}: {value}, expected 1 at least")
    return value


@documented("sac_theory_mse_trig")
def mse_trig(x: Any, y: Any, m: int) -> float:
    a, b, _x, _y, size = _pair(x, y)
    return float(lib.sac_theory_mse_trig(a, b, size, _count("m", m)))


@documented("sac_theory_mse_exp")
def mse_exp(x: Any, y: Any, m: int) -> float:
    a, b, _x, _y, size = _pair(x, y)
    return float(lib.sac_theory_mse_exp(a, b, size, _count("m", m)))


@documented("sac_theory_mse_hybrid")
def mse_hybrid(x: Any, y: Any, m: int, r: int) -> float:
    a, b, _x, _y, size = _pair(x, y)
    return float(lib.sac_theory_mse_hybrid(a, b, size, _count("m", m), _count("r", r)))


@documented("sac_theory_angle")
def angle(x: Any, y: Any) -> float:
    a, b, _x, _y, size = _pair(x, y)
    return float(lib.sac_theory_angle(a, b, size))


@documented("sac_theory_deviation")
def deviation(length: float, angle: float, m: int, t: float = 1.0) -> float:
    return float(lib.sac_theory_deviation(length, angle, _count("m", m), t))
