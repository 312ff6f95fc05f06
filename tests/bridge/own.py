"""A Gymnasium world of one's own: the worked example of docs/bridge.md from its first block to its last, where modules are
found, and what is said of worlds as people make their first.

usage: own.py SACCADE; exit code 77 where Gymnasium is not there
"""
import os
import re
import subprocess
import sys
import tempfile

try:
    import gymnasium  # noqa: F401
except ImportError as error:
    print(f"skip: needs {error.name} (make worlds)")
    sys.exit(77)
saccade = os.path.abspath(sys.argv[1])
root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
os.environ.update(SACCADE_PYTHON=sys.executable, PATH=os.path.dirname(saccade) + os.pathsep + os.environ["PATH"])
os.environ.pop("PYTHONPATH", None)

WRONG = '''
import gymnasium
import numpy as np
from gymnasium import spaces


class Wrong(gymnasium.Env):
    observation_space = spaces.Box(0, 255, (16, 16, 1), np.uint8)
    action_space = spaces.Box(-1, 1, (1,), np.float32)

    def __init__(self, wrong=""):
        self.wrong = wrong
        numbers, text = spaces.Box(0, 1, (3,)), spaces.Text(5)
        if wrong == "no space":
            self.observation_space = None
        if wrong == "space":
            self.action_space = "left or right"
        if wrong == "text":
            self.observation_space = spaces.Dict({"speed": numbers, "name": text})
        if wrong == "nested":
            self.observation_space = spaces.Dict({"arm": spaces.Dict({"joint": numbers})})
        if wrong == "many":
            self.observation_space = spaces.Box(-np.inf, np.inf, (3, 64, 64), np.float32)
        if wrong == "tuple action":
            self.action_space = spaces.Tuple([spaces.Discrete(2)])
        if wrong == "privileged":
            self.observation_space = spaces.Dict({"speed": numbers})
            self.metadata = {"privileged": "speed"}
        if wrong == "create":
            self._divide(0)

    def _divide(self, x):
        return 1 / x

    def _look(self):
        return np.full((16, 16, 1), self.t, np.uint8)

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.t = 0
        if self.wrong == "reset":
            return self._look()
        return self._look(), {}

    def step(self, action):
        self.t += 1
        look = self._look()
        if self.wrong == "floats":
            look = look / 255
        if self.wrong == "shape":
            look = look[:, :8]
        if self.wrong == "big":
            look = look.astype(int) + 400
        if self.wrong == "whole":
            look = look.astype(int)
        if self.wrong == "four":
            return look, 1.0, False, {}
        if self.wrong == "reward":
            return look, None, False, False, {}
        if self.wrong == "raise" and self.t == 3:
            self._divide(self.t - 3)
        if self.wrong == "exit":
            raise SystemExit(5)
        return look, 1.0, False, self.t == 9, {}


gymnasium.register("Wrong-v0", Wrong)
gymnasium.register("Limited-v0", Wrong, max_episode_steps=9)
'''

# what is wrong: what the line must say
LINES = {
    "no space": "Wrong.observation_space is None, expected one of gymnasium.spaces",
    "space": "Wrong.action_space is 'left or right', expected one of gymnasium.spaces",
    "text": "observation 'name' is a Text, expected numbers",
    "nested": "observation 'arm' is a Dict, expected numbers",
    "many": "12288 numbers to observe ('obs' (3, 64, 64)), expected at most 4096; a picture is a Box of uint8",
    "privileged": "metadata['privileged'] is 'speed', expected a list of names",
    "tuple action": "the action is a Tuple, expected Box",
    "create": "ZeroDivisionError: division by zero, at mine.py:{divide} in _divide: return 1 / x, called at mine.py:",
    "reset": "reset returned one ndarray, expected (observation, info)",
    "floats": "step 1: ValueError: an observation of float64 from 0.00392",
    "shape": "step 1: ValueError: an observation of shape (16, 8, 1), expected (16, 16, 1)",
    "big": "step 1: ValueError: an observation of int64 from 401 to 401, its space is of uint8",
    "four": "step 1: step returned a tuple of 4, expected (observation, reward, terminated, truncated, info)",
    "reward": "step 1: step returned a reward None",
    "raise": "step 3: ZeroDivisionError: division by zero, at mine.py:{divide} in _divide: return 1 / x, called at "
             "mine.py:{raise_} in step: self._divide(self.t - 3)",
    "exit": "step 1: the worker ended with code 5",
}


def run(*arguments, code=0, **environment):
    """(standard output, standard error) of the command, which must end with `code`."""
    done = subprocess.run([saccade, *arguments], env={**os.environ, **environment}, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    assert done.returncode == code, f"{arguments}: exit code {done.returncode}: {done.stderr}"
    return done.stdout, done.stderr


def drive(wrong, name="gym:mine:Wrong-v0", code=1, **environment):
    return run("eval", "--env", name, "--random", "--seeds", "0..0", "--set", "restarts=0", "--set",
               f'kwargs={{"wrong": "{wrong}"}}', code=code, **environment)


def line(number):
    return next(i for i, text in enumerate(WRONG.splitlines(), 1) if number in text)


def test_wrong_worlds_are_named():
    for wrong, words in LINES.items():
        words = words.format(divide=line("return 1 / x"), raise_=line("self._divide(self.t - 3)"))
        out, err = drive(wrong)
        assert not out and err.count("\n") == 1, f"{wrong}: {out}{err}"
        assert err.startswith("saccade: gym:mine:Wrong-v0: ") and words in err, f"{wrong}: {err}"
    # in Gymnasium's own wrappers, where no line of the user's is
    _, err = drive("four", "gym:mine:Limited-v0")
    assert "not enough values to unpack" in err and "step returns observation, reward, terminated, truncated, info" in err
    # what is only unusual goes well
    assert "mean 9.0" in drive("", code=0)[0] and "mean 9.0" in drive("whole", code=0)[0]


def test_modules_are_found_where_people_have_them():
    here = os.getcwd()
    os.chdir("/")
    try:
        _, err = drive("")
        assert err.count("\n") == 1 and "there is no module 'mine' in the current folder, in $PYTHONPATH or " in err, err
        assert "mean 9.0" in drive("", code=0, PYTHONPATH=here)[0]
    finally:
        os.chdir(here)
    _, err = drive("", "gym:Wrong-v0")
    assert "A world of your own is named with the module that registers it, gym:MODULE:Wrong-v0" in err, err
    # what is missing is the user's, not the module itself
    with open("lacking.py", "w") as file:
        file.write("import no_such_simulator\n")
    _, err = drive("", "gym:lacking:Wrong-v0")
    assert "No module named 'no_such_simulator'" in err and "there is no module" not in err, err
    # files of the user's with names that Python has too are nobody's harm
    with open("json.py", "w") as file:
        file.write("raise SystemExit('the wrong json')\n")
    assert "mean 9.0" in drive("", code=0)[0]
    os.remove("json.py")


def test_the_worked_example():
    """Every block of docs/bridge.md that is a file or is fenced as "sh test gymnasium", in order; the one in Python is run
    by tests/python/test_tutorial.py."""
    with open(root + "/docs/bridge.md") as file:
        blocks = re.findall(r"^```(\w+) (.+?)\n(.*?)^```", file.read(), re.M | re.S)
    said, kinds = "", []
    for kind, name, text in blocks:
        if name == "test gymnasium" and kind == "sh":
            if not os.path.exists(os.path.dirname(saccade) + "/saccade-film.so"):
                text = re.sub(r"^saccade watch .*\n", "", text, flags=re.M)
            done = subprocess.run(["bash", "-euo", "pipefail", "-c", text], text=True, stdout=subprocess.PIPE)
            assert done.returncode == 0, text
            said += done.stdout
        elif "." in name:
            with open(name, "w") as file:
                file.write(text)
        elif name != "test gymnasium":
            continue  # of other examples
        kinds.append(kind)
    assert kinds == ["python", "yaml", "sh", "python"], kinds
    scores = [tuple(map(float, x)) for x in
              re.findall(r"^mean (-?[\d.]+), standard deviation ([\d.]+), (\d+) episodes", said, re.M)]
    (learned, spread, count), (random, chance, _) = scores
    print(f"learned {learned}, random {random}")
    # twenty episodes each: more apart than three standard errors of the difference
    assert learned - random > 3 * ((spread ** 2 + chance ** 2) / count) ** 0.5


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open("mine.py", "w") as file:
            file.write(WRONG)
        for name, test in list(globals().items()):
            if name.startswith("test_"):
                test()
                print(f"[       OK ] own.{name[5:]}")
        os.chdir("/")
