"""Worlds as Stable-Baselines3's VecEnv, with the Stable-Baselines3, Gymnasium and NumPy of .venv/baselines."""
import os
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest
import saccade

ROOT = pathlib.Path(__file__).resolve().parents[3]


@pytest.fixture(autouse=True)
def baselines(why):
    try:
        import stable_baselines3  # noqa: F401
    except ImportError:
        pytest.skip(why("stable_baselines3"))


def make(*args, **options):
    from saccade.stable_baselines3 import VecEnv

    return VecEnv(*args, **options)


@pytest.mark.parametrize("id", ["saccade/CarRacing-v3", "saccade/Toy-v0"], ids=["car-racing", "toy"])
def test_the_checker_finds_no_error(id):
    import gymnasium
    from stable_baselines3.common.env_checker import check_env

    check_env(gymnasium.make(id, render_mode="rgb_array").unwrapped)


@pytest.mark.parametrize("name", ["toy", "car-racing"])
def test_it_is_saccades_own_worlds(name, random):
    """Observations, rewards and ends over two episodes, with the last observations of the first."""
    envs = make(name, 3, max_steps=6)
    worlds = [saccade.World(name, max_steps=6) for _ in range(3)]
    envs.seed(7)
    assert np.array_equal(envs.reset(), np.stack([world.reset(7 + i) for i, world in enumerate(worlds)]))
    low, high = envs.action_space.low, envs.action_space.high
    ends = 0
    for _ in range(9):
        moves = random.uniform(low, high, (3, len(low))).astype(np.float32)
        seen, rewards, dones, infos = envs.step(moves)
        for i, world in enumerate(worlds):
            last, reward, terminated, truncated = world.step(moves[i])
            assert rewards[i] == reward and dones[i] == (terminated or truncated)
            assert infos[i]["TimeLimit.truncated"] == (truncated and not terminated)
            assert ("terminal_observation" in infos[i]) == dones[i]
            if dones[i]:
                assert np.array_equal(infos[i]["terminal_observation"], last)
                last, ends = world.reset(), ends + 1
            assert np.array_equal(seen[i], last)
    assert ends == 3 and seen.dtype == np.uint8 and seen in envs.envs.observation_space


def test_seeds_are_used_once():
    envs = make("saccade/Toy-v0", 2)
    envs.seed(3)
    first, second = envs.reset(), envs.reset()
    envs.seed(3)
    assert np.array_equal(envs.reset(), first) and not np.array_equal(first, second)


def test_parts_and_dicts():
    envs = make("saccade/Toy-v0", 2, parts=["camera", "state"])
    seen = envs.reset()
    assert seen["camera"].shape == (2, 32, 32, 3) and seen["state"].shape == (2, 6)
    for _ in range(50):
        _, _, dones, infos = envs.step(np.zeros((2, 2), np.float32))
    assert dones.all() and set(infos[1]["terminal_observation"]) == {"camera", "state"}


def test_single_worlds_are_reached():
    envs = make("toy", 3, render_mode="rgb_array", render_height=40)
    envs.seed(1)
    envs.reset()
    assert envs.get_attr("action_space", 1) == [envs.action_space] and envs.render().shape == (80, 80, 3)
    (snapshot,) = envs.env_method("save", indices=2)
    first = envs.step(np.ones((3, 2), np.float32))[1][2]
    envs.env_method("restore", snapshot, indices=2)
    assert envs.step(np.ones((3, 2), np.float32))[1][2] == first
    with pytest.raises(AttributeError, match="expected one of picture, restore, save"):
        envs.env_method("fly")
    with pytest.raises(AttributeError, match="max_steps"):
        envs.set_attr("max_steps", 3)


@pytest.mark.parametrize("id, words", [("saccade/CarRacin-v3", "did you mean saccade/CarRacing-v3"),
                                       ("car-racin", "did you mean 'car-racing'"),
                                       ("saccade/x", "expected one of saccade/")], ids=["id", "name", "far"])
def test_bad_worlds_are_named(id, words):
    with pytest.raises(saccade.ArgumentError, match=words):
        make(id)


def test_pictures_go_through_convolutions():
    """Stable-Baselines3 transposes them; a few steps of PPO change its parameters."""
    import torch
    from stable_baselines3 import PPO
    from stable_baselines3.common.vec_env import VecTransposeImage

    torch.set_num_threads(1)
    envs = make("saccade/Toy-v0", 4, size=36)
    model = PPO("CnnPolicy", envs, n_steps=8, batch_size=16, n_epochs=1, device="cpu", seed=1)
    assert isinstance(model.env, VecTransposeImage) and model.observation_space.shape == (3, 36, 36)
    before = [p.detach().clone() for p in model.policy.parameters()]
    model.learn(32)
    assert not all(torch.equal(a, b) for a, b in zip(before, model.policy.parameters()))


def test_the_example_learns():
    environment = {**os.environ, "PYTHONPATH": os.environ.get("SACCADE_SITE", "")}
    done = subprocess.run([sys.executable, "examples/sb3.py"], cwd=ROOT, env=environment, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert done.returncode == 0, done.stderr
    before, after = map(float, re.search(r"return (\S+) before, (\S+) after", done.stdout).groups())
    assert after > 1.5 * before


def test_the_tutorials_block_runs():
    page = (ROOT / "docs/python.md").read_text()
    (code,) = re.findall(r"^```python test stable_baselines3\n(.*?)^```", page, re.M | re.S)
    names = {}
    exec(code, names)
    assert names["model"].num_timesteps == 256
