"""Worlds in the form that Stable-Baselines3 takes: one batch, stepped at once by the library.

    from saccade.stable_baselines3 import VecEnv
    from stable_baselines3 import PPO

    PPO("CnnPolicy", VecEnv("saccade/CarRacing-v3", 8)).learn(100_000)
"""
from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module
from typing import Any, Iterable

import numpy as np

from saccade._core import ArgumentError
from saccade._gymnasium import ids
from saccade.gym import VectorEnv

try:
    _VecEnv: Any = import_module("stable_baselines3.common.vec_env").VecEnv
except ImportError as error:
    raise ImportError("saccade.stable_baselines3: Stable-Baselines3 is not installed "
                      "(pip install stable-baselines3)") from error

_OF_ONE = ("picture", "restore", "save")  # methods of saccade.Worlds that take the number of a world


def _name(id: str) -> str:
    """The name of the world that Gymnasium knows by this id; a name of saccade's stays as it is."""
    known = ids()
    if id.startswith("saccade/") and id not in known:
        near = get_close_matches(id[8:], [other[8:] for other in known], 1)  # by what follows "saccade/"
        hint = f"; did you mean saccade/{near[0]}?" if near else f", expected one of {', '.join(known)}"
        raise ArgumentError(f"no environment '{id}'{hint}")
    return known.get(id, id)


class VecEnv(_VecEnv):  # type: ignore[misc]
    """num_envs worlds that start anew by themselves, as Stable-Baselines3's own VecEnv does it: the last observation of
    an episode is infos[i]["terminal_observation"], and infos[i]["TimeLimit.truncated"] says that only time was up.

    Pictures are [height, width, channels] uint8, which Stable-Baselines3 transposes for its convolutions; rewards are
    float64, as the world gives them. Stable-Baselines3 logs returns where a VecMonitor is around it.
    """

    def __init__(self, id: str, num_envs: int = 1, variant: str | None = None, render_mode: str | None = None,
                 threads: int = 1, render_height: int = 400, parts: str | list[str] | None = None,
                 **options: Any) -> None:
        """id: Gymnasium's ("saccade/CarRacing-v3") or saccade's ("car-racing"); parts: what is observed, and further
        keywords are the world's options, as saccade.World has them.

        Raises saccade.ArgumentError for a world, variant or option that is not there.
        """
        self.envs = VectorEnv(_name(id), num_envs, variant, render_mode, threads, render_height=render_height,
                              autoreset_mode="SameStep", parts=parts, **options)
        self.render_mode, self._render_height = render_mode, render_height
        self._actions: np.ndarray | None = None
        super().__init__(num_envs, self.envs.single_observation_space, self.envs.single_action_space)

    def reset(self) -> Any:
        """First observations: of the episodes that seed() chose, else of the next ones."""
        chosen = self._seeds[0] is not None
        observations, _ = self.envs.reset(seed=list(self._seeds) if chosen else None)
        self._reset_seeds()
        self._reset_options()
        return observations

    def step_async(self, actions: np.ndarray) -> None:
        self._actions = actions

    def step_wait(self) -> tuple[Any, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        observations, rewards, terminated, truncated, info = self.envs.step(self._actions)
        only_time = truncated & ~terminated
        infos: list[dict[str, Any]] = [{"TimeLimit.truncated": bool(time)} for time in only_time]
        ended = terminated | truncated
        for i in np.flatnonzero(ended):
            infos[i]["terminal_observation"] = info["final_obs"][i]
        return observations, rewards, ended, infos

    def close(self) -> None:
        self.envs.close()

    def get_images(self) -> list[np.ndarray | None]:
        """A picture of each world for people, where render_mode is "rgb_array"."""
        pictures = self.envs.render()
        return [None] * self.num_envs if pictures is None else list(pictures)

    def _indices(self, indices: int | Iterable[int] | None) -> list[int]:
        return [int(i) for i in self._get_indices(indices)]

    def get_attr(self, attr_name: str, indices: int | Iterable[int] | None = None) -> list[Any]:
        """An attribute of each world. They are all alike: what is asked for is the batch's."""
        return [getattr(self, attr_name) for _ in self._indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: int | Iterable[int] | None = None) -> None:
        """Worlds of a batch have no attributes of their own: AttributeError."""
        raise AttributeError(f"{attr_name}: a batch's worlds have their options from when it was made")

    def env_method(self, method_name: str, *method_args: Any, indices: int | Iterable[int] | None = None,
                   **method_kwargs: Any) -> list[Any]:
        """picture, save or restore of single worlds, see saccade.Worlds."""
        if method_name not in _OF_ONE:
            raise AttributeError(f"{method_name}: expected one of {', '.join(_OF_ONE)}")
        method = getattr(self.envs.worlds, method_name)
        return [method(i, *method_args, **method_kwargs) for i in self._indices(indices)]

    def env_is_wrapped(self, wrapper_class: type, indices: int | Iterable[int] | None = None) -> list[bool]:
        return [False for _ in self._indices(indices)]
