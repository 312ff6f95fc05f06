"""saccade: small vision policies that look through attention and are trained by evolution.

    saccade.load, Policy       an image goes in, an action comes out, and where it looked
    saccade.Attention, ...     every form of attention on arrays; saccade.readings, .heads, .tokens, .theory
    saccade.World, gym         environments, for Gymnasium too: gymnasium.make("saccade/CarRacing-v3")
    saccade.Classifier         nets of `saccade fit`: pictures go in, their classes come out
    saccade.Search             search methods as ask, tell, stop
    saccade.learn              gradients: policies fitted to examples
    saccade.torch              policies as PyTorch modules: policy.to_torch()
    saccade.stable_baselines3  worlds in the form that Stable-Baselines3 takes
    saccade.uptrain            softmax attention becomes linear
    saccade.train, evaluate    all of them together
    saccade.show               films of episodes and plots of runs, by imageio and matplotlib
    saccade.mujoco             pictures of any MuJoCo model without a GPU, in place of mujoco.Renderer
    saccade.record, distill    episodes in files, and policies that learn from them or from a teacher

Everything that the C headers declare is in saccade.lib, for cffi's saccade.ffi.
"""
from __future__ import annotations

import os as _os
import sys as _sys

_os.environ.setdefault("SACCADE_PYTHON", _sys.executable or "python3")  # of the bridge's worker processes

from saccade import _gymnasium, search, training, worlds  # noqa: E402
from saccade._core import (  # noqa: E402
    ArgumentError, DivergedError, Error, FileError, FormatError, InterruptedError, OutOfMemoryError, UnavailableError,
    WorldError, ffi, lib, load_plugin, set_log)
from saccade.attention import Attention, Camera, MultiHead, forms, linear  # noqa: E402
from saccade.classifier import Classified, Classifier  # noqa: E402
from saccade.demonstrations import Demonstrations, distill, record, write_demonstrations  # noqa: E402
from saccade.policy import Gaze, Info, Policy, Space, State, kind_options, kinds, load, read  # noqa: E402
from saccade.search import Search, methods  # noqa: E402
from saccade.training import Progress, Run, Score, Uptrained, evaluate, summary, train, uptrain  # noqa: E402
from saccade.worlds import Snapshot, World, Worlds  # noqa: E402

__all__ = [
    "ArgumentError", "Attention", "Camera", "Classified", "Classifier", "Demonstrations", "DivergedError", "Error", "FileError", "FormatError", "Gaze",
    "Info", "InterruptedError", "MultiHead", "OutOfMemoryError", "Policy", "Progress", "Run", "Score", "Search", "Snapshot", "Space", "State",
    "UnavailableError", "Uptrained", "World", "WorldError", "Worlds", "distill", "evaluate", "ffi", "forms",
    "kind_options", "kinds", "lib", "linear", "load", "load_plugin", "methods", "read", "record", "search", "set_log", "summary", "train",
    "training", "uptrain", "worlds", "write_demonstrations",
]
__version__ = ffi.string(lib.sac_version()).decode()


def __getattr__(name: str):  # type: ignore[no-untyped-def]
    if name in ("gym", "heads", "learn", "mujoco", "readings", "show", "stable_baselines3", "theory", "tokens", "torch"):
        from importlib import import_module

        return import_module("saccade." + name)
    raise AttributeError(f"module 'saccade' has no attribute {name!r}")


_gymnasium.watch()
