"""gym: environments against Gymnasium itself, in this interpreter: every number and every picture of an episode.

usage: parity.py SACCADE; exit code 77 where Gymnasium is not there
"""
import csv
import os
import subprocess
import sys
import tempfile

try:
    import gymnasium
    import numpy as np
    from PIL import Image
except ImportError as error:
    print(f"skip: needs {error.name} (make worlds)")
    sys.exit(77)
os.environ.update(PYTHONPATH=os.path.dirname(os.path.abspath(__file__)), SDL_VIDEODRIVER="dummy")
sys.path.insert(0, os.environ["PYTHONPATH"])
sys.dont_write_bytecode = True
saccade = os.path.abspath(sys.argv[1])
leavings = tempfile.TemporaryDirectory()  # ViZDoom writes its configuration where it is started
os.chdir(leavings.name)


def replay(name, actions, seed, *more, frames=True):
    with tempfile.TemporaryDirectory() as folder:
        with open(folder + "/a.csv", "w") as file:
            file.writelines(",".join(repr(float(x)) for x in np.atleast_1d(a)) + "\n" for a in actions)
        more += ("--frames", folder) if frames else ()
        subprocess.run([saccade, "replay", "gym:" + name, "--seed", str(seed), "--actions", folder + "/a.csv", "--out",
                        folder + "/o.csv", "--set", "python=" + sys.executable, *more], check=True, cwd=folder)
        rows = list(csv.reader(open(folder + "/o.csv")))
        pictures = [np.array(Image.open(f"{folder}/{i:06d}.png")) for i in range(len(rows) - 1 if frames else 0)]
    return rows[0], np.array(rows[1:], float), pictures


def check(name, seed, actions, numbers, picture, *more, **kwargs):
    """numbers and picture say what is expected of an observation; either may be None"""
    header, rows, pictures = replay(name, actions, seed, *more, frames=picture is not None)
    env = gymnasium.make(name, disable_env_checker=True, **kwargs)
    observation, step = env.reset(seed=seed)[0], (0.0, False, False)
    for i in range(len(rows)):
        expected = [i, *map(float, step)] + (list(numbers(observation)) if numbers else [])
        assert list(rows[i]) == expected, f"{name}, row {i}: {rows[i]}, expected {expected}"
        if picture:
            assert np.array_equal(pictures[i], picture(observation, env)), f"{name}: picture {i} differs"
        if i + 1 < len(rows):
            action = actions[i]
            discrete = isinstance(env.action_space, gymnasium.spaces.Discrete)
            value = (env.action_space.start + action if discrete
                     else np.array(action, np.float32).reshape(env.action_space.shape))
            observation, *step = env.step(value)
            step = step[:3]
    assert step[1] or step[2] or len(rows) == len(actions) + 1
    env.close()
    print(f"{name}: {len(rows)} rows equal")


rng = np.random.default_rng(1)
check("CartPole-v1", 3, list(rng.integers(0, 2, 60)), lambda o: o.astype(float), None)
check("CarRacing-v3", 5, [(float(np.float32(a)), .3, 0.) for a in rng.uniform(-1, 1, 40)], None, lambda o, e: o)
check("CarRacing-v3", 5, list(rng.integers(0, 5, 20)), None, lambda o, e: o, "--set", 'kwargs={"continuous": false}',
      continuous=False)
check("Acrobot-v1", 2, list(rng.integers(0, 3, 12)), lambda o: o.astype(float), lambda o, e: e.render(), "--set",
      "observe=render", render_mode="rgb_array")
check("Pendulum-v1", 2, [float(np.float32(a)) for a in rng.uniform(-2, 2, 30)], lambda o: o.astype(float), None)
check("worlds:Mixed-v0", 2, [0, 1, 2, 0, 1, 2, 0], lambda o: [o["gear"], *o["lamps"], *o["speed"]],
      lambda o, e: np.rint(255 * o["camera"].transpose(1, 2, 0)).astype(np.uint8))
try:
    import vizdoom.gymnasium_wrapper  # noqa: F401
except ImportError:
    print("without vizdoom")
else:
    check("vizdoom.gymnasium_wrapper:VizdoomTakeCover-v1", 7, list(rng.integers(0, 3, 60)),
          lambda o: o["gamevariables"], lambda o, e: o["screen"])
os.chdir("/")
