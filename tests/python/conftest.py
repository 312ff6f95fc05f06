"""Results in cmocka's words, so that they are counted one by one with all others."""
import importlib
import os
import pathlib

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
os.environ.setdefault("SDL_VIDEODRIVER", "dummy")


def pytest_runtest_logreport(report):
    name = report.nodeid.rpartition("/")[2]
    if report.skipped:
        reason = report.longrepr[2].removeprefix("Skipped: ")
        print(f"\nskip: {reason}\n[  SKIPPED ] {name}")
    elif report.failed:
        print(f"\n[  FAILED  ] {name}")
    elif report.when == "call":
        print(f"\n[       OK ] {name}")


PEERS = {"torch", "jax", "dm_control", "stable_baselines3", "pufferlib"}  # what saccade is compared with; what else is missing fails under CI


def reason(*names):
    """Why a test is skipped that needs these modules."""
    peers = PEERS.issuperset(names)
    return f"needs {'a peer: ' if peers else ''}{', '.join(names)} ({'make peers' if peers else 'make worlds'})"


def module(name):
    """A module of others; the test is skipped where it is not there."""
    try:
        return importlib.import_module(name)
    except ImportError:
        pytest.skip(reason(name))


@pytest.fixture
def why():
    return reason


@pytest.fixture
def gymnasium():
    return module("gymnasium")


@pytest.fixture
def mujoco():
    return module("mujoco")


@pytest.fixture
def torch():
    return module("torch")


@pytest.fixture
def pufferlib():
    return module("pufferlib")


@pytest.fixture
def policy_path():
    return ROOT / "tests/golden/data/policy_v1.safetensors"


@pytest.fixture
def random():
    return np.random.default_rng(1)
