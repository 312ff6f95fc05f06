"""legs.py [blind]: microseconds of one action of PyBullet's own Laikago, the environment envs_v2 with its configuration
laikago_mpc_example_flat: 52 steps of physics, 13 of its controllers, and unless told otherwise two depth cameras.

Its package leaves out the solver of stance forces (mpc_osqp). Here each standing foot presses with its share of the
weight and of a spring, which costs next to nothing, so the figure is below what the whole environment takes. It was
written for Python 3.7 and runs on 3.11 with the packages that `make peers` puts into .venv/pybullet (scripts/python.sh
has their versions), and with what modern_python() mends.
"""

import os
import sys
import time
import types

from common import absent, go_on_within, report

STEPS = 15
CONFIGURATION = "configs/laikago_mpc_example_flat.gin"


def modern_python(np):
    """What Python and gym changed since: names of enums, arrays as defaults of dataclasses, gym's registry."""
    import dataclasses
    import enum

    import gym.envs.registration

    class Registry(dict):
        env_specs = property(lambda self: self)

    field_of = dataclasses._get_field

    def field_of_array(cls, name, *rest):
        value = getattr(cls, name, None)
        if isinstance(value, np.ndarray):
            setattr(cls, name, dataclasses.field(default_factory=lambda: value))
        return field_of(cls, name, *rest)

    enum.IntEnum.__str__ = enum.Enum.__str__
    dataclasses._get_field = field_of_array
    gym.envs.registration.registry = Registry(gym.envs.registration.registry)


def stance_solver(np):
    """A module in mpc_osqp's place: shares of the weight and of a spring that holds the height."""

    class ConvexMpc:
        def __init__(self, mass, *rest):
            self.mass = mass

        def compute_contact_forces(self, place, velocity, tilt, rates, contacts, feet, friction, wanted, *rest):
            forces = np.zeros(12)
            lift = 9.8 * self.mass + (200 * (wanted[2] - place[2]) if len(place) else 0)
            forces[2::3] = np.where(contacts, -lift / max(1, np.sum(contacts)), 0)
            return forces

    module = types.ModuleType("mpc_osqp")
    module.ConvexMpc, module.QPOASES, module.OSQP = ConvexMpc, 0, 1
    return module


def environment(np, blind):
    """The environment as its configuration describes it; a blind one loses its cameras."""
    modern_python(np)
    sys.modules["mpc_osqp"] = stance_solver(np)
    import gin
    import pybullet_data
    from pybullet_envs.minitaur.envs_v2 import env_loader

    with open(os.path.join(pybullet_data.getDataPath(), CONFIGURATION)) as file:
        text = file.read()
    if blind:
        for camera in ("frontCamera", "rearCamera"):
            text = text.replace(f", @{camera}/camera_sensor.CameraSensor()", "")
    gin.parse_config(text)
    return env_loader.load()


def measure(env):
    """Seconds of one step with the middle of all actions; a fall begins another episode, which is not counted."""
    action = (env.action_space.low + env.action_space.high) / 2
    best = None
    for _ in range(3):
        elapsed = 0
        env.reset()
        for _ in range(STEPS):
            begin = time.perf_counter()
            done = env.step(action)[2]
            elapsed += time.perf_counter() - begin
            if done:
                env.reset()
        best = elapsed if best is None else min(best, elapsed)
    return best / STEPS


go_on_within("pybullet")
answers = os.dup(1)
os.dup2(2, 1)  # PyBullet greets on standard output, where our one line goes
try:
    import numpy
    import pybullet

    env = environment(numpy, len(sys.argv) > 1)
except Exception as error:
    absent(error)
seconds = measure(env)
os.dup2(answers, 1)
report(f"PyBullet {pybullet.getAPIVersion()} envs_v2", 1e6 * seconds)
