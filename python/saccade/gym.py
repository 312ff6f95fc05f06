"""The environments for Gymnasium: gymnasium.make("saccade/CarRacing-v3"), and make_vec on the batch interface.

Importing saccade registers them, before or after gymnasium is imported.
"""
from __future__ import annotations

from enum import Enum
from typing import Any

import gymnasium
import numpy as np

from saccade._core import lib
from saccade._gymnasium import ids, register  # noqa: F401
from saccade.policy import Space
from saccade.worlds import Snapshot, Spec, World, Worlds, _copied

try:
    from gymnasium.vector import AutoresetMode
except ImportError:  # Gymnasium 1.0, which Stable-Baselines3 2.4 asks for

    class AutoresetMode(Enum):  # type: ignore[no-redef]
        """When an episode that has ended starts anew."""

        NEXT_STEP = "NextStep"
        SAME_STEP = "SameStep"
        DISABLED = "Disabled"


def action_space(spec: Spec) -> gymnasium.Space[Any]:
    if spec.action_choices:
        return gymnasium.spaces.Discrete(spec.action_choices)
    return gymnasium.spaces.Box(spec.action_low, spec.action_high, dtype=np.float32)


def part_space(part: Space) -> gymnasium.Space[Any]:
    """A picture is a Box of uint8; a picture of floats and a vector are Boxes of float32 within their bounds."""
    if part.kind == "picture":
        return gymnasium.spaces.Box(0, 255, part.shape, np.uint8)
    low = -np.inf if part.low is None else part.low if part.kind == "vector" else float(part.low[0])
    high = np.inf if part.high is None else part.high if part.kind == "vector" else float(part.high[0])
    return gymnasium.spaces.Box(low, high, part.shape, np.float32)


def observation_space(spec: Spec, parts: str | list[str] | None = None) -> gymnasium.Space[Any]:
    """The space of one part, or a Dict of several; see saccade.World."""
    chosen, single = spec.choose(parts)
    if single:
        return part_space(chosen[0])
    return gymnasium.spaces.Dict({part.name: part_space(part) for part in chosen})


def _fresh_seed(random: np.random.Generator) -> int:
    """For an episode that nobody chose: from where training draws its own."""
    return int(random.integers(lib.SAC_TRAINING_SEED_FIRST, 2**63))


class Env(gymnasium.Env[Any, Any]):
    """One environment; `parts` as saccade.World has it, further keywords are its options. info holds its columns where `info` is set."""

    metadata = {"render_modes": ["rgb_array"], "render_fps": 50}

    def __init__(self, name: str, variant: str | None = None, render_mode: str | None = None,
                 render_height: int = 400, info: bool = False, parts: str | list[str] | None = None,
                 **options: Any) -> None:
        if render_mode not in (None, "rgb_array"):
            raise ValueError(f"render_mode {render_mode!r}, expected None or 'rgb_array'")
        self.world = World(name, variant, parts, **options)
        self.render_mode, self._render_height, self._info = render_mode, render_height, info
        spec = self.world.spec
        self.action_space, self.observation_space = action_space(spec), observation_space(spec, parts)
        self._begun = False

    def reset(self, *, seed: int | None = None,
              options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        if seed is None and not self._begun:
            seed = _fresh_seed(self.np_random)
        observation = self.world.reset(seed)
        self._begun = True
        return observation, self._facts()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        observation, reward, terminated, truncated = self.world.step(action)
        return observation, reward, terminated, truncated, self._facts()

    def save(self) -> Snapshot:
        """The world as it stands; see saccade.World.save. Gymnasium's own np_random is not part of it."""
        return self.world.save()

    def restore(self, snapshot: Snapshot) -> Any:
        """Puts the world back to where it was saved; returns the observation of that moment."""
        self._begun = True
        return self.world.restore(snapshot)

    def _facts(self) -> dict[str, Any]:
        return dict(self.world.state()) if self._info else {}

    def render(self) -> np.ndarray | None:
        return self.world.picture(self._render_height) if self.render_mode else None


class VectorEnv(gymnasium.vector.VectorEnv[Any, np.ndarray, np.ndarray]):
    """Several environments, stepped at once by the library; `threads` share them.

    With copy=False observations are the array that the next step overwrites.
    """

    def __init__(self, name: str, num_envs: int = 1, variant: str | None = None, render_mode: str | None = None,
                 threads: int = 1, copy: bool = True, render_height: int = 400,
                 autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP, parts: str | list[str] | None = None,
                 **options: Any) -> None:
        if render_mode not in (None, "rgb_array"):
            raise ValueError(f"render_mode {render_mode!r}, expected None or 'rgb_array'")
        self.worlds = Worlds(name, num_envs, variant, threads, parts, **options)
        self.num_envs, self.render_mode, self.copy, self._render_height = num_envs, render_mode, copy, render_height
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {**Env.metadata, "autoreset_mode": self.autoreset_mode}
        spec = self.worlds.spec
        self.single_action_space, self.single_observation_space = action_space(spec), observation_space(spec, parts)
        self.action_space = gymnasium.vector.utils.batch_space(self.single_action_space, num_envs)
        self.observation_space = gymnasium.vector.utils.batch_space(self.single_observation_space, num_envs)
        self._begun = False

    def reset(self, *, seed: int | list[int | None] | None = None,
              options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        which = (options or {}).get("reset_mask")
        super().reset(seed=seed if isinstance(seed, int) else None)
        if seed is None and not self._begun:
            seed = [_fresh_seed(self.np_random) for _ in range(self.num_envs)]
        self.worlds.reset(seed, which)
        self._begun = True
        return self._observations(), {}

    def step(self, actions: Any) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        w, info = self.worlds, {}
        if not self._begun:
            raise RuntimeError("reset comes before a step")
        over = ~w.going
        if over.any() and self.autoreset_mode == AutoresetMode.DISABLED:
            raise RuntimeError(f"environments {np.flatnonzero(over).tolist()} have ended; reset them with the option "
                               "reset_mask")
        w.step(actions)
        if over.any():
            w.reset(which=over)
        rewards, terminated, truncated = w.rewards.copy(), w.terminated.astype(bool), w.truncated.astype(bool)
        over = terminated | truncated
        if over.any() and self.autoreset_mode == AutoresetMode.SAME_STEP:
            final = np.full(self.num_envs, None, object)
            for i in np.flatnonzero(over):
                final[i] = _copied(w.observation(int(i)))
            info = {"final_obs": final, "_final_obs": over.copy(), "final_info": {}, "_final_info": over.copy()}
            w.reset(which=over)
        return self._observations(), rewards, terminated, truncated, info

    def _observations(self) -> Any:
        return _copied(self.worlds.observations) if self.copy else self.worlds.observations

    def render(self) -> tuple[np.ndarray, ...] | None:
        if not self.render_mode:
            return None
        return tuple(self.worlds.picture(i, self._render_height) for i in range(self.num_envs))

    def close_extras(self, **kwargs: Any) -> None:
        if hasattr(self, "worlds"):  # Gymnasium closes what could not be made, too
            self.worlds.close()


class PixelObservation(gymnasium.ObservationWrapper[np.ndarray, Any, Any], gymnasium.utils.RecordConstructorArgs):
    """A MuJoCo environment that is seen as pictures, drawn by saccade.mujoco.Renderer: no GPU, no render_mode.

    env: whose unwrapped environment has MuJoCo's `model` and `data`, as all of Gymnasium's do
    height, width: pixels of the picture, 1..8192
    camera: a number, a name or an MjvCamera. None: the environment's own

    The environment's own camera is the one that its render shows: the one that `camera_id` or `camera_name` named when
    it was made. Where none was named, Gymnasium before 1.4 takes the model's camera "track" where there is one; else,
    and from 1.4 on always, a free camera that its `default_camera_config` places, and that looks at the middle of what
    the first observation shows. Its `visual_options` hold, too. An environment without Gymnasium's `mujoco_renderer` is
    seen by its `camera_name` or `camera_id`, else by the model's camera "track", else by MuJoCo's free camera.

    A TypeError says that there is no model and data, a ValueError that a size or a camera is out of range.
    """

    def __init__(self, env: gymnasium.Env[Any, Any], height: int = 84, width: int = 84, camera: Any = None) -> None:
        from saccade.mujoco import Renderer

        gymnasium.utils.RecordConstructorArgs.__init__(self, height=height, width=width, camera=camera)
        gymnasium.ObservationWrapper.__init__(self, env)
        inner: Any = env.unwrapped
        if not hasattr(inner, "model") or not hasattr(inner, "data"):
            raise TypeError(f"env: {type(inner).__name__} has no model and data of MuJoCo's")
        self._renderer = Renderer(inner.model, height, width)
        self._camera, self._option = camera, _own_option(inner)
        self.observation_space = gymnasium.spaces.Box(0, 255, (height, width, 3), np.uint8)

    def observation(self, observation: Any) -> np.ndarray:
        inner: Any = self.env.unwrapped
        if hasattr(inner, "_render_callback"):  # gymnasium-robotics moves the mark of the goal there
            inner._render_callback()
        if self._camera is None:
            self._camera = _own_camera(inner)
        self._renderer.update_scene(inner.data, self._camera, self._option)
        return self._renderer.render()

    def close(self) -> None:
        self._renderer.close()
        super().close()


def _own_camera(inner: Any) -> Any:
    """What the render of an environment of MuJoCo's looks through."""
    number = getattr(getattr(inner, "mujoco_renderer", None), "camera_id", None)
    if number is not None:
        return _free_camera(inner) if number == -1 else number
    for name in ("camera_name", "camera_id"):
        if getattr(inner, name, None) is not None:
            return getattr(inner, name)
    names = [inner.model.camera(i).name for i in range(inner.model.ncam)]
    return "track" if "track" in names else -1


def _free_camera(inner: Any) -> Any:
    """As Gymnasium's MujocoRenderer places it at the first picture. It tracks nothing, whatever the settings say."""
    import mujoco  # type: ignore[import-untyped, import-not-found, unused-ignore]

    camera = mujoco.MjvCamera()
    camera.lookat[:] = np.median(inner.data.geom_xpos, axis=0)
    camera.distance = inner.model.stat.extent
    for name, value in (inner.mujoco_renderer.default_cam_config or {}).items():
        setattr(camera, name, value)
    camera.type, camera.fixedcamid = mujoco.mjtCamera.mjCAMERA_FREE, -1
    return camera


def _own_option(inner: Any) -> Any:
    """What an environment's visual_options show; None where it has none."""
    import mujoco

    flags = getattr(getattr(inner, "mujoco_renderer", None), "_vopt", None)
    if not flags:
        return None
    option = mujoco.MjvOption()
    for flag, value in flags.items():
        option.flags[flag] = value
    return option
