"""Registers the environments with Gymnasium as soon as somebody imports it: importing saccade does not."""
from __future__ import annotations

import re
import sys
from typing import Any

from saccade import worlds

VERSIONS = {"car-racing": 3}  # the rules are those of Gymnasium's environment of this version


def ids() -> dict[str, str]:
    """Gymnasium's ids, {"saccade/CarRacing-v3": "car-racing", "saccade/LegsFlat-v0": "legs:flat", ...}."""
    # what stands before a colon in an id is a module that Gymnasium imports
    return {f"saccade/{''.join(word.capitalize() for word in re.split('[-:]', name))}-v{VERSIONS.get(name, 0)}": name
            for name in worlds.names() if not name.endswith(":")}


def register() -> None:
    """Adds the environments to Gymnasium's registry; those that are there stay."""
    import gymnasium

    for id, name in ids().items():
        if id not in gymnasium.registry:
            gymnasium.register(id, entry_point="saccade.gym:Env", vector_entry_point="saccade.gym:VectorEnv",
                               kwargs={"name": name})


class _Watch:
    """Sees gymnasium being imported, and registers after it. Who only asks where it lies imports nothing."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name != "gymnasium":
            return None
        from importlib.util import find_spec

        sys.meta_path.remove(self)
        try:
            spec = find_spec(name)
        finally:
            sys.meta_path.insert(0, self)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def execute_and_register(module: Any) -> None:
                execute(module)
                register()

            spec.loader.exec_module = execute_and_register  # type: ignore[method-assign]
        return spec


def watch() -> None:
    if "gymnasium" in sys.modules:
        register()
    else:
        sys.meta_path.insert(0, _Watch())
