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


def peer(name):
    """A module of the peers; the test is skipped where it is not there."""
    try:
        return importlib.import_module(name)
    except ImportError:
        pytest.skip(f"needs a peer: {name} (make peers)")


@pytest.fixture
def gymnasium():
    return peer("gymnasium")


@pytest.fixture
def torch():
    return peer("torch")


@pytest.fixture
def policy_path():
    return ROOT / "tests/golden/data/policy_v1.safetensors"


@pytest.fixture
def random():
    return np.random.default_rng(1)
