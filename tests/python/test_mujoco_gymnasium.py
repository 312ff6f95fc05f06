"""saccade.gym.PixelObservation on Gymnasium's own environments: it shows what their render shows."""
import os
import subprocess
import sys

import numpy as np
import pytest
import saccade

NAMES = ("HalfCheetah-v5", "Ant-v5", "Reacher-v5")


@pytest.fixture
def gymnasium(mujoco, gymnasium):
    for needed in ("glfw", "imageio"):  # which Gymnasium's environments of MuJoCo import
        pytest.importorskip(needed, reason=f"needs {needed} (make worlds)")
    import saccade.gym

    return gymnasium


def seen_by_gymnasium(inner, height, width):
    """Drawn by saccade.mujoco, through the camera that Gymnasium's own code makes. No OpenGL has part in it."""
    import mujoco
    from gymnasium.envs.mujoco.mujoco_rendering import OffScreenViewer

    class Viewer(OffScreenViewer):
        def __init__(self):
            self.model, self.data, self.cam = inner.model, inner.data, mujoco.MjvCamera()
            self._init_camera()

        def __del__(self):
            pass

    own = inner.mujoco_renderer
    own.viewer = viewer = Viewer()
    own._set_cam_config()
    own.viewer = None
    camera = own.camera_id
    if camera == -1:
        camera, viewer.cam.type, viewer.cam.fixedcamid = viewer.cam, mujoco.mjtCamera.mjCAMERA_FREE, -1
    with saccade.mujoco.Renderer(inner.model, height, width) as renderer:
        renderer.update_scene(inner.data, camera)
        return renderer.render()


@pytest.mark.parametrize("name", NAMES)
def test_an_environment_is_seen_by_its_own_camera(gymnasium, name):
    env = saccade.gym.PixelObservation(gymnasium.make(name), 48, 64)
    first, _ = env.reset(seed=1)
    assert first in env.observation_space and first.std() > 10
    assert np.array_equal(first, seen_by_gymnasium(env.unwrapped, 48, 64))
    env.close()


def test_a_free_camera_stays_where_the_first_observation_placed_it(gymnasium):
    env = saccade.gym.PixelObservation(gymnasium.make("Ant-v5", camera_id=-1), 48, 64)
    env.reset(seed=1)
    middle = np.median(env.unwrapped.data.geom_xpos, axis=0)
    env.unwrapped.data.qpos[0] += 9.0
    env.step(env.action_space.sample())
    assert np.median(env.unwrapped.data.geom_xpos[:, 0]) > middle[0] + 5
    assert np.array_equal(env._camera.lookat, middle)
    env.close()


def test_a_camera_that_was_named_and_visual_options_hold(mujoco, gymnasium):
    plain = saccade.gym.PixelObservation(gymnasium.make("HalfCheetah-v5"), 48, 64, camera="track")
    named = saccade.gym.PixelObservation(gymnasium.make("HalfCheetah-v5", camera_name="track"), 48, 64)
    joints = saccade.gym.PixelObservation(gymnasium.make(
        "HalfCheetah-v5", camera_name="track", visual_options={mujoco.mjtVisFlag.mjVIS_JOINT: True}), 48, 64)
    first = plain.reset(seed=1)[0]
    assert np.array_equal(named.reset(seed=1)[0], first)
    assert not np.array_equal(joints.reset(seed=1)[0], first)
    misspelt = saccade.gym.PixelObservation(gymnasium.make("HalfCheetah-v5"), 48, 64, camera="trak")
    with pytest.raises(ValueError, match='camera "trak" does not exist'):
        misspelt.reset(seed=1)


PROGRAM = """
import os
os.environ.setdefault("MUJOCO_GL", "egl")
import gymnasium, numpy, saccade.gym, sys
for name in sys.argv[1:]:
    env = saccade.gym.PixelObservation(gymnasium.make(name, render_mode="rgb_array", height=120, width=160), 120, 160)
    env.reset(seed=1)
    env.render()  # MuJoCo's endless planes follow the camera of the update before
    env.reset(seed=1)
    for _ in range(3):
        observation = env.step(numpy.zeros(env.action_space.shape, numpy.float32))[0]
    print(numpy.abs(observation.astype(int) - env.render()).mean())
"""


def test_pictures_are_those_of_render(gymnasium):
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", PROGRAM, *NAMES], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, env={**os.environ, "LP_NUM_THREADS": "0"})
    if done.returncode != 0:
        pytest.skip("needs a peer: MuJoCo with EGL or OSMesa: " + done.stderr.strip().rpartition("\n")[2])
    means = [float(x) for x in done.stdout.split()]
    assert len(means) == len(NAMES) and max(means) < 1.0, done.stdout
