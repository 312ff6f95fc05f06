"""Search methods as ask, tell, stop.

    search = saccade.Search("sep-cma-es", x0, sigma=0.5, seed=1)
    while not search.stop():
        x = search.ask()
        search.tell(x, [fitness(v) for v in x])

Fitness is larger where a vector is better; with minimize=True it is smaller, as pycma has it.
"""
from __future__ import annotations

from typing import Any

import numpy as np

from saccade._core import (DOUBLE, FLOAT, Owner, check, created, dense, documented, ffi, fill, lib, listing, pointer,
                           settings_of, text)
from saccade.policy import option_table


@documented("sac_search_method_at")
def methods() -> dict[str, tuple[str, dict[str, tuple[str | None, str]]]]:
    """The methods: {name: (summary, {option: (default, help)})}."""
    summary, table = ffi.new("char **"), ffi.new("sac_option **")

    def at(i: int) -> Any:
        name = lib.sac_search_method_at(i, summary, table)
        return None if name == ffi.NULL else (text(name), (text(summary[0]), option_table(table[0])))

    return dict(listing(at))


class Search:
    """A search over vectors of numbers. x0 is its first mean, or how many numbers there are; options are the
    method's."""

    def __init__(self, method: str, x0: Any, *, seed: int = 1, minimize: bool = False, **options: Any) -> None:
        x0 = np.zeros(x0, FLOAT) if isinstance(x0, (int, np.integer)) else np.array(x0, FLOAT)
        if x0.ndim != 1 or x0.size == 0:
            raise ValueError(f"x0: shape {x0.shape}, expected a vector of one number at least")
        self._build = (method, x0, seed, minimize, options)
        struct = ffi.new("sac_search_def *")
        settings, count, kept = settings_of(options)
        kept += fill(struct, {"method": method, "setting_count": count, "dimension": x0.size, "seed": seed})
        struct.settings, struct.x0 = settings, pointer(x0)
        self._handle = created(lib.sac_search_create, "sac_search", lib.sac_search_destroy, struct)
        self._owner = Owner("the search")
        self.method, self.minimize, self.dimension = method, minimize, x0.size
        self._asked: np.ndarray | None = None

    def __repr__(self) -> str:
        return f"<saccade.Search {self.method}, {self.dimension} numbers, generation {self.generation}>"

    @property
    @documented("sac_search_population")
    def population(self) -> int:
        return int(lib.sac_search_population(self._handle))

    @property
    @documented("sac_search_generation")
    def generation(self) -> int:
        return int(lib.sac_search_generation(self._handle))

    @property
    @documented("sac_search_sigma")
    def sigma(self) -> float:
        return float(lib.sac_search_sigma(self._handle))

    @property
    @documented("sac_search_mean")
    def mean(self) -> np.ndarray:
        mean = np.empty(self.dimension, FLOAT)
        with self._owner:
            lib.sac_search_mean(self._handle, pointer(mean))
        return mean

    @property
    @documented("sac_search_note")
    def note(self) -> str | None:
        return text(lib.sac_search_note(self._handle)) or None

    @documented("sac_search_ask")
    def ask(self) -> np.ndarray:
        """Every candidate of this generation, [population, dimension] float32."""
        with self._owner:
            if self._asked is None:
                check(lib.sac_search_prepare(self._handle))
                x = np.empty((self.population, self.dimension), FLOAT)
                for i in range(len(x)):
                    lib.sac_search_ask(self._handle, i, pointer(x[i]))
                self._asked = x
            return self._asked.copy()

    @documented("sac_search_tell", "sac_search_tell_with")
    def tell(self, x: Any, fitness: Any) -> None:
        """Learn from the candidates of ask, or from others of the same number."""
        fitness = np.array(fitness, DOUBLE)
        x = np.asarray(x)
        if fitness.shape != (self.population,) or x.shape != (self.population, self.dimension):
            raise ValueError(f"x, fitness: shapes {x.shape}, {fitness.shape}, expected "
                             f"({self.population}, {self.dimension}), ({self.population},)")
        asked = self.ask()
        if self.minimize:
            np.negative(fitness, fitness)
        with self._owner:
            if x.dtype == FLOAT and np.array_equal(x, asked):
                check(lib.sac_search_tell(self._handle, pointer(fitness)))
            else:
                others = np.ascontiguousarray(x, DOUBLE)
                check(lib.sac_search_tell_with(self._handle, pointer(fitness), pointer(others)))
            self._asked = None

    @documented("sac_search_stop")
    def stop(self) -> str | None:
        reason = lib.sac_search_stop(self._handle)
        return None if reason == ffi.NULL else text(reason)

    def _arrays(self, function: Any) -> dict[str, np.ndarray]:
        count = function(self._handle, ffi.NULL, 0)
        arrays = ffi.new("sac_search_array[]", max(1, count))
        function(self._handle, arrays, count)
        return {text(a.name): np.frombuffer(ffi.buffer(a.data, 8 * a.count), DOUBLE) if a.count else np.empty(0)
                for a in arrays[0:count]}

    def state(self) -> dict[str, np.ndarray]:
        """The whole state by name: save it, and a search that restores it goes on to the bit."""
        with self._owner:
            return {name: array.copy() for name, array in self._arrays(lib.sac_search_state).items()}

    @documented("sac_search_constants")
    def constants(self) -> dict[str, np.ndarray]:
        """By name, copies."""
        with self._owner:
            return {name: array.copy() for name, array in self._arrays(lib.sac_search_constants).items()}

    @documented("sac_search_restored")
    def restore(self, state: dict[str, Any]) -> None:
        """Go on from what state() gave, of a search that was created alike."""
        with self._owner:
            self._asked = None
            if "restarts" in state:  # it decides the sizes of the others
                self._write({"restarts": state["restarts"]}, self._arrays(lib.sac_search_state))
                check(lib.sac_search_reshape(self._handle))
            arrays = self._arrays(lib.sac_search_state)
            if set(arrays) != set(state):
                raise ValueError(f"state: arrays {sorted(state)}, expected {sorted(arrays)}")
            self._write(state, arrays)
            check(lib.sac_search_restored(self._handle))

    @staticmethod
    def _write(state: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        values = {name: dense(value, name, arrays[name].shape, DOUBLE) for name, value in state.items()
                  if name in arrays}
        for name, value in values.items():
            arrays[name][:] = value

    def __getstate__(self) -> dict[str, Any]:
        return {"build": self._build, "state": self.state()}

    def __setstate__(self, saved: dict[str, Any]) -> None:
        method, x0, seed, minimize, options = saved["build"]
        self.__init__(method, x0, seed=seed, minimize=minimize, **options)  # type: ignore[misc]
        self.restore(saved["state"])
