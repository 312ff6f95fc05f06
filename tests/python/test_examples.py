"""The programs in examples/ give the figures that documents quote of them, to the digit."""
import csv
import os
import pathlib
import shlex
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LANDED = ROOT / "bench/results/returns.csv"

# of the rows that landed one for each skill and for each set of rules; all of them take a minute
COMMANDS = ["python3 examples/wall_to_wall.py --skill 4", "python3 examples/wall_to_wall.py --rules vizdoom --skill 5"]


def run(command):
    """What an example prints, run as it is typed, with this Python and its packages."""
    environment = {**os.environ, "PYTHONPATH": os.environ.get("SACCADE_SITE", ""), "SACCADE_PYTHON": sys.executable}
    return subprocess.run([sys.executable, *shlex.split(command)[1:]], cwd=ROOT, env=environment, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)


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
