"""saccade: small vision policies that look through attention and are trained by evolution.

    saccade.load, Policy       an image goes in, an action comes out, and where it looked
    saccade.Attention, ...     every form of attention on arrays
    saccade.World, gym         environments, for Gymnasium too: gymnasium.make("saccade/CarRacing-v3")
    saccade.Search             search methods as ask, tell, stop
    saccade.train, evaluate    all of them together

Everything that the C headers declare is in saccade.lib, for cffi's saccade.ffi.
"""
from __future__ import annotations

import os as _os
import sys as _sys

# what the library looks for beside itself, such as the program of the bridge's worker processes
_os.environ.setdefault("SACCADE_MODULES", _os.path.dirname(_os.path.abspath(__file__)))

from saccade import search, theory, training, worlds  # noqa: E402
from saccade._core import (ArgumentError, Error, FileError, FormatError, InterruptedError, OutOfMemoryError,  # noqa: E402
                           UnavailableError, WorldError, ffi, lib)
from saccade.attention import Attention, Camera, MultiHead, forms, linear  # noqa: E402
from saccade.policy import Gaze, Info, Policy, State, kinds, load, read  # noqa: E402
from saccade.search import Search, methods  # noqa: E402
from saccade.training import Progress, Run, Score, evaluate, summary, train  # noqa: E402
from saccade.worlds import World, Worlds  # noqa: E402

__version__ = ffi.string(lib.sac_version()).decode()


class _Gymnasium:
    """Waits for somebody to import gymnasium, and registers the environments then."""

    def find_spec(self, name, path=None, target=None):  # type: ignore[no-untyped-def]
        if name != "gymnasium":
            return None
        from importlib.util import find_spec

        _sys.meta_path.remove(self)
        spec = find_spec(name)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def and_register(module):  # type: ignore[no-untyped-def]
                execute(module)
                from saccade import gym

                gym.register()

            spec.loader.exec_module = and_register  # type: ignore[method-assign]
        return spec


if "gymnasium" in _sys.modules:
    from saccade import gym as _gym

    _gym.register()
else:
    _sys.meta_path.insert(0, _Gymnasium())  # type: ignore[arg-type]
