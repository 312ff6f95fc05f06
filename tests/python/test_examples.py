"""The programs in examples/ give the figures that documents quote of them, to the digit."""
import csv
import os
import pathlib
import re
import shlex
import subprocess
import sys

import numpy as np
import pytest
import saccade

ROOT = pathlib.Path(__file__).resolve().parents[2]
LANDED = ROOT / "bench/results/returns.csv"

# of the rows that landed one for each skill and for each set of rules; all of them take a minute
COMMANDS = ["python3 examples/wall_to_wall.py --skill 4", "python3 examples/wall_to_wall.py --rules vizdoom --skill 5"]


def run(command, timeout=None):
    """What an example prints, run as it is typed, with this Python and its packages, in so many seconds at most."""
    environment = {**os.environ, "PYTHONPATH": os.environ.get("SACCADE_SITE", ""), "SACCADE_PYTHON": sys.executable}
    return subprocess.run([sys.executable, *shlex.split(command)[1:]], cwd=ROOT, env=environment, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=timeout)


@pytest.mark.parametrize("command", COMMANDS, ids=["released", "vizdoom"])
def test_an_example_gives_what_landed(command, why):
    try:
        import vizdoom  # noqa: F401
    except ImportError:
        pytest.skip(why("vizdoom"))
    with LANDED.open() as file:
        row = next(row for row in csv.DictReader(file) if row["command"] == command)
    done = run(command)
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"mean {row['mean']}, standard deviation {row['std']}, {row['episodes']} episodes\n"


@pytest.mark.parametrize("seeds", ["5..x", "5..3", "-1", "5.."])
def test_bad_seeds_are_a_wrong_command_line(seeds):
    done = run(f"python3 examples/wall_to_wall.py --seeds={seeds}")
    assert done.returncode == 2 and f"--seeds: '{seeds}'" in done.stderr and "Traceback" not in done.stderr


def test_a_ppo_of_others_trains_a_policy_file(gymnasium, torch, tmp_path):
    """Its returns rise by half at least, and the file acts as the last line says."""
    done = run(f"python3 examples/cleanrl_ppo.py --out {tmp_path}/trained.safetensors")
    assert done.returncode == 0, done.stderr
    before, after = map(float, re.search(r"return (\S+) before and (\S+) after", done.stdout).groups())
    policy = saccade.load(tmp_path / "trained.safetensors")
    score = saccade.evaluate(policy, seeds=range(1000, 1016))
    assert policy.info.environment == "toy" and after == round(score.mean, 1) and after > 1.5 * before


def test_pufferlib_steps_the_worlds(gymnasium, pufferlib, random):
    """One by one, in processes and as a batch they have the same rewards, which are those of saccade's own worlds."""
    done = run("python3 examples/puffer.py --worlds 4 --steps 60 --seconds 0.2 --world saccade/Toy-v0",
               timeout=300)  # a process of PufferLib's that has died is waited for without end
    assert done.returncode == 0, done.stderr
    rewards = [float(number) for number in re.search(r"batch: \[(.*)\]", done.stdout).group(1).split(", ")]
    generator, expected = np.random.default_rng(1), np.zeros(4)
    worlds = [saccade.World("toy") for _ in range(4)]
    over = [worlds[i].reset(1 + i) is None for i in range(4)]
    for _ in range(60):  # over an end, after 50 steps
        moves = generator.uniform(-1, 1, (4, 2)).astype(np.float32)
        for i, world in enumerate(worlds):
            if over[i]:
                over[i] = world.reset() is None
                continue
            _, reward, *ends = world.step(moves[i])
            expected[i] += np.float32(reward)
            over[i] = any(ends)
    assert rewards == expected.round(2).tolist()
