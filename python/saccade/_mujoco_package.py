"""Finds the library of the package mujoco, which the worlds of MuJoCo run on, without importing that package."""
from __future__ import annotations

import os
import re
from importlib.util import find_spec

from saccade._docs import MUJOCO

_LIBRARY = "libmujoco.so." + MUJOCO
_HERE = os.path.dirname(os.path.abspath(__file__))


def _folder() -> str | None:
    """Where the package mujoco lies; None without one."""
    try:
        spec = find_spec("mujoco")
    except ValueError:  # somebody put another object in its place
        return None
    return os.path.dirname(spec.origin) if spec and spec.origin else None


def share() -> None:
    """Tells the library where the package lies, if it is of the version that the worlds need. It may be in another folder
    of packages than saccade."""
    folder = _folder()
    if folder and "SACCADE_MUJOCO" not in os.environ and os.path.exists(os.path.join(folder, _LIBRARY)):
        os.environ["SACCADE_MUJOCO"] = folder


def explain(sentence: str) -> str:
    """What to install where saccade-mujoco.so cannot be opened because the package is missing or of another version; the
    sentence as it is for any other reason."""
    folder, install = _folder(), "pip install 'saccade[mujoco]'"
    if not os.path.exists(os.path.join(_HERE, "saccade-mujoco.so")):
        return sentence
    if not folder:
        what = f"MuJoCo is not installed: {install}"
    elif not os.path.exists(os.path.join(folder, _LIBRARY)):
        found = [file.removeprefix("libmujoco.so.") for file in os.listdir(folder) if re.match(r"libmujoco\.so\.\d", file)]
        what = (f"MuJoCo {MUJOCO} is needed, and {' and '.join(found) or 'another version'} is installed: {install}; "
                "saccade.mujoco.Renderer works with any version from 3.2 on")
    else:
        return sentence
    world, colon, _ = sentence.partition(": saccade-mujoco.so")  # its name may stand before
    return f"{world}: {what}" if colon else what
