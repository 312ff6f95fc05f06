"""saccade.mujoco.Renderer: what it draws, what it promises, and MuJoCo's own pictures beside it."""
import gc
import importlib.util
import os
import pathlib
import re
import struct
import subprocess
import sys
import threading
import warnings

import numpy as np
import pytest
import saccade

MODEL = """
<mujoco>
  <statistic extent="2"/>
  <asset>
    <texture name="grid" type="2d" builtin="checker" width="64" height="64" rgb1=".8 .3 .2" rgb2=".2 .3 .8"/>
    <texture name="sky" type="skybox" builtin="gradient" rgb1=".4 .6 .8" rgb2="0 0 0" width="64" height="64"/>
    <material name="grid" texture="grid" texrepeat="3 3" texuniform="true" reflectance=".3"/>
  </asset>
  <worldbody>
    <light pos="0 1 3" dir="0 0 -1"/>
    <geom name="floor" type="plane" size="2 2 .1" material="grid"/>
    <camera name="above" pos="0 0 3" xyaxes="1 0 0 0 1 0" fovy="60"/>
    <camera name="aside" pos="0 -3 1" xyaxes="1 0 0 0 .3 1"/>
    <body name="ball" pos="0 0 .5"><freejoint/><geom name="ball" size=".3" rgba=".9 .8 .2 1"/></body>
    <geom name="glass" type="cylinder" size=".2 .3" pos="-1 .3 .3" rgba=".2 .3 .9 .5"/>
    <site name="mark" pos="1 0 .2" size=".1" rgba="0 1 0 1"/>
  </worldbody>
</mujoco>"""
CLOTHS = """
<mujoco>
  <worldbody>
    <light pos="0 0 3" dir="0 0 -1"/>
    <camera name="above" pos="0 0 3" xyaxes="1 0 0 0 1 0"/>
    <flexcomp type="grid" count="5 5 1" spacing=".1 .1 .1" pos="0 0 .7" radius=".01" name="cloth" dim="2" mass="1">
      <contact selfcollide="none"/><edge equality="true"/></flexcomp>
    <flexcomp type="grid" count="8 1 1" spacing=".1 .1 .1" pos="0 .6 .3" radius=".04" name="rope" dim="1" mass="1">
      <contact selfcollide="none"/><edge equality="true"/></flexcomp>
  </worldbody>
</mujoco>"""

SHAPES = ("sphere", "capsule", "ellipsoid", "cylinder", "box")
PICTURED = f"""
<mujoco>
  <asset>
    <texture name="grid" type="2d" builtin="checker" width="64" height="64" rgb1=".8 .3 .2" rgb2=".2 .3 .8"/>
    <material name="once" texture="grid" texrepeat="2 3"/>
    <material name="by size" texture="grid" texrepeat="8 6" texuniform="true"/>
    <mesh name="own" vertex="0 0 0 .6 0 0 0 .6 0 0 0 .6" face="0 2 1 0 1 3 1 2 3 0 3 2" texcoord="0 0 1 0 0 1 1 1"/>
  </asset>
  <worldbody>
    <light pos="0 1 3" dir="0 0 -1"/>
    <camera name="above" pos="0 -3 1.5" xyaxes="1 0 0 0 .5 1"/>
    {"".join(f'<geom type="{kind}" size=".3 .2 .25" pos="{.8 * i - 1.6} 0 0" euler="30 {20 * i} 0" material="{look}"/>'
             for i, (kind, look) in enumerate(zip(SHAPES, ("once", "by size", "once", "by size", "once"))))}
    <geom type="mesh" mesh="own" pos="-.6 .5 .6" material="by size"/>
    <geom type="box" size=".5 .3 .2" pos=".5 1 .7" material="by size"/>
  </worldbody>
</mujoco>"""


@pytest.fixture
def scene(mujoco):
    model = mujoco.MjModel.from_xml_string(MODEL)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return model, data


def draw(renderer, data, *rest):
    renderer.update_scene(data, *rest)
    return renderer.render()


def test_fields_are_found_where_the_package_writes_them(mujoco):
    from saccade import _mjv
    layout = _mjv.find(mujoco)
    scene = mujoco.MjvScene(mujoco.MjModel.from_xml_string(MODEL), maxgeom=3)
    for kind, item in ("geom", scene.geoms[2]), ("light", scene.lights[2]), ("camera", scene.camera[1]):
        at = _mjv.address(item.pos)
        for name, _ in saccade.ffi.typeof("sac_mjv_layout").fields:
            place, field = getattr(layout, name), name.partition("_")[2]
            if not name.startswith(kind) or field == "stride" or place == saccade.lib.SAC_MJV_ABSENT:
                continue
            value = "" if field == "label" else getattr(item, field)
            if isinstance(value, np.ndarray):
                assert _mjv.address(value) == at + place, name
            else:
                setattr(item, field, value if value == "" else type(value)(1))
                size = 1 if field in ("castshadow", "directional", "label") else 4
                seen = bytes(saccade.ffi.buffer(saccade.ffi.cast("char *", at + place), size))
                expected = {float: struct.pack("<f", 1), int: b"\1\0\0\0", str: b"\0"}[type(value)]
                assert seen == expected[:size], name


def test_colour_depth_and_segmentation_agree_with_the_model(mujoco, scene):
    model, data = scene
    with saccade.mujoco.Renderer(model, 60, 80) as renderer:
        pixels = draw(renderer, data, "above")
        assert pixels.shape == (60, 80, 3) and pixels.dtype == np.uint8 and pixels.std() > 10
        red, green, blue = (int(x) for x in pixels[30, 40])
        assert red > green > blue + 50  # the ball is yellow
        renderer.enable_depth_rendering()
        depth = renderer.render()
        assert depth.shape == (60, 80) and depth.dtype == np.float32
        # the pixel's centre is half a pixel of 2.2 x tan 30 / 30 metres beside the ball's top in x and in y, so the
        # ball is 0.0015 farther there
        assert abs(depth[30, 40] - 2.2015) < 1e-4 and abs(depth[2, 40] - 3.0) < 1e-3
        renderer.enable_segmentation_rendering()
        seen = renderer.render()
        assert seen.shape == (60, 80, 2) and seen.dtype == np.int32
        geom, site = int(mujoco.mjtObj.mjOBJ_GEOM), int(mujoco.mjtObj.mjOBJ_SITE)
        assert tuple(seen[30, 40]) == (model.geom("ball").id, geom)
        named = {tuple(x) for x in seen.reshape(-1, 2)}
        assert {(model.geom("glass").id, geom), (model.geom("floor").id, geom), (model.site("mark").id, site)} <= named
        renderer.disable_segmentation_rendering()
        assert np.array_equal(renderer.render(), pixels)
        assert np.array_equal(draw(renderer, data, "aside")[0, 0] > 0, [True] * 3)  # the sky
        renderer.enable_segmentation_rendering()
        assert tuple(renderer.render()[0, 0]) == (-1, -1)
        renderer.enable_depth_rendering()
        assert abs(renderer.render()[0, 0] - model.vis.map.zfar * model.stat.extent) < 1e-3


def test_cameras_by_name_number_and_object(mujoco, scene):
    model, data = scene
    renderer = saccade.mujoco.Renderer(model, 40, 60)
    assert np.array_equal(draw(renderer, data, "aside"), draw(renderer, data, 1))
    assert not np.array_equal(draw(renderer, data, "aside"), draw(renderer, data, "above"))
    free = mujoco.MjvCamera()
    mujoco.mjv_defaultFreeCamera(model, free)
    assert np.array_equal(draw(renderer, data), draw(renderer, data, free))
    free.azimuth += 40
    assert not np.array_equal(draw(renderer, data), draw(renderer, data, free))
    for wrong in ("below", 2, -2):
        with pytest.raises(ValueError, match="does not exist|out of range"):
            renderer.update_scene(data, wrong)
    with pytest.raises(TypeError, match="MjData"):
        renderer.update_scene(model)
    with pytest.raises(TypeError, match="MjModel"):
        saccade.mujoco.Renderer(data)


def test_out_is_filled_and_returned(scene):
    model, data = scene
    renderer = saccade.mujoco.Renderer(model, 40, 60)
    expected = draw(renderer, data, 0)
    for dtype in (np.uint8, np.float32):
        out = np.empty((40, 60, 3), dtype)
        assert renderer.render(out=out) is out and np.array_equal(out, expected)
    wide = np.zeros((40, 90, 3), np.uint8)
    part = wide[:, 10:70]
    assert renderer.render(out=part) is part and np.array_equal(part, expected) and not wide[:, 70:].any()
    with pytest.raises(ValueError, match="Expected"):
        renderer.render(out=np.empty((60, 40, 3), np.uint8))
    with pytest.raises(TypeError, match="out is a list, expected a NumPy array"):
        renderer.render(out=[1, 2])


def test_flags_options_and_added_geoms_are_seen(mujoco, scene):
    model, data = scene
    renderer = saccade.mujoco.Renderer(model, 60, 80)
    plain = draw(renderer, data, "aside")
    for flag in ("SHADOW", "REFLECTION", "SKYBOX"):
        number = int(getattr(mujoco.mjtRndFlag, "mjRND_" + flag))
        renderer.scene.flags[number] = False
        assert not np.array_equal(renderer.render(), plain), flag
        renderer.scene.flags[number] = True
    assert np.array_equal(renderer.render(), plain)
    option = mujoco.MjvOption()
    option.geomgroup[0] = 0
    hidden = draw(renderer, data, "aside", option)
    assert not np.array_equal(hidden, plain)
    renderer.update_scene(data, "aside")
    for kind in ("SPHERE", "ARROW", "ARROW2", "LINEBOX"):
        before, count = renderer.render(), renderer.scene.ngeom
        mujoco.mjv_initGeom(renderer.scene.geoms[count], getattr(mujoco.mjtGeom, "mjGEOM_" + kind),
                            np.array([.1, .1, .8]), np.array([.8, -.5, .5]), np.eye(3).ravel(),
                            np.array([1, 0, 1, 1], np.float32))
        renderer.scene.ngeom = count + 1
        assert not np.array_equal(renderer.render(), before), kind
        renderer.scene.ngeom = count


def test_a_mesh_moves_with_its_skin_or_flex(mujoco):
    model = mujoco.MjModel.from_xml_string(CLOTHS)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    renderer = saccade.mujoco.Renderer(model, 60, 80)
    renderer.enable_segmentation_rendering()
    flex = int(mujoco.mjtObj.mjOBJ_FLEX)
    seen = draw(renderer, data, "above")
    assert all((seen == (i, flex)).all(2).sum() > 5 for i in range(2))
    renderer.enable_depth_rendering()
    first = draw(renderer, data, "above")[30, 40]
    assert abs(first - 2.3) < 0.03
    for _ in range(50):
        mujoco.mj_step(model, data)
    assert draw(renderer, data, "above")[30, 40] > first + 0.01


def test_one_warning_names_what_is_not_drawn(mujoco, scene):
    model, data = scene
    option = mujoco.MjvOption()
    option.label = mujoco.mjtLabel.mjLABEL_GEOM
    renderer = saccade.mujoco.Renderer(model, 40, 60)
    saccade.mujoco._warned.clear()
    renderer.update_scene(data, 0, option)
    with pytest.warns(UserWarning, match="does not draw text") as caught:
        renderer.render()
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        renderer.render()


def warnings_of(renderer):
    saccade.mujoco._warned.clear()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        renderer.render()
    return [str(warning.message) for warning in caught]


def test_text_is_named_on_whatever_it_stands(mujoco, scene):
    """On forces, whose arrows are no solids, and on what programs add."""
    model, data = scene
    for _ in range(400):  # the ball lies on the floor
        mujoco.mj_step(model, data)
    option = mujoco.MjvOption()
    option.label = mujoco.mjtLabel.mjLABEL_CONTACTFORCE
    option.flags[mujoco.mjtVisFlag.mjVIS_CONTACTFORCE] = 1
    with saccade.mujoco.Renderer(model, 40, 60) as renderer:
        renderer.update_scene(data, 0, option)
        labelled = [geom for geom in renderer.scene.geoms[:renderer.scene.ngeom] if geom.label]
        assert labelled and all(geom.type == mujoco.mjtGeom.mjGEOM_ARROW for geom in labelled)
        assert warnings_of(renderer) == ["saccade.mujoco does not draw text"]
        for kind in ("SPHERE", "ARROW", "ARROW1", "ARROW2", "LINE", "LINEBOX", "LABEL"):
            renderer.update_scene(data)
            assert warnings_of(renderer) == []
            geom = renderer.scene.geoms[renderer.scene.ngeom]
            mujoco.mjv_initGeom(geom, getattr(mujoco.mjtGeom, "mjGEOM_" + kind), np.full(3, 0.1), np.zeros(3),
                                np.eye(3).ravel(), np.ones(4, np.float32))
            geom.label = "text"
            renderer.scene.ngeom += 1
            assert warnings_of(renderer) == ["saccade.mujoco does not draw text"], kind


def test_flags_of_the_scene_that_change_nothing_are_named(mujoco, scene):
    model, data = scene
    with saccade.mujoco.Renderer(model, 40, 60) as renderer:
        renderer.update_scene(data)
        for flag, what in (("FOG", "fog"), ("SEGMENT", "segments as colours"), ("DEPTH", "depth as grey")):
            number = getattr(mujoco.mjtRndFlag, "mjRND_" + flag, None)
            if number is None:  # in earlier versions
                continue
            renderer.scene.flags[number] = 1
            (said,) = warnings_of(renderer)
            assert what in said
            renderer.scene.flags[number] = 0
        renderer.scene.stereo = mujoco.mjtStereo.mjSTEREO_SIDEBYSIDE
        assert warnings_of(renderer) == ["saccade.mujoco does not draw stereo pictures"]
        renderer.scene.stereo = mujoco.mjtStereo.mjSTEREO_NONE
        renderer.scene.enabletransform = 1
        (said,) = warnings_of(renderer)
        assert "(enabletransform)" in said
        renderer.scene.enabletransform = 0
        assert warnings_of(renderer) == []


def test_numbers_that_are_not_whole_or_out_of_range_are_refused(scene):
    model, data = scene
    for wrong in ({"height": 10.7}, {"width": "a"}, {"max_geom": 1.5}):
        with pytest.raises(TypeError, match=f"{next(iter(wrong))}: .* expected a whole number"):
            saccade.mujoco.Renderer(model, **wrong)
    with pytest.raises(TypeError, match="threads: 1.5, expected a whole number"):
        saccade.mujoco.BatchRenderer(model, 40, 60, threads=1.5)
    for wrong in (-1, 2**31 - 1):
        with pytest.raises(ValueError, match=f"max_geom is {wrong}, expected 0..1048576"):
            saccade.mujoco.Renderer(model, 40, 60, max_geom=wrong)
    with saccade.mujoco.Renderer(model, np.int64(40), 60, max_geom=None) as renderer:
        assert renderer.scene.maxgeom == 10000
        for camera in (None, 0.5):
            with pytest.raises(TypeError, match="camera: .* expected a number, a name or an MjvCamera"):
                renderer.update_scene(data, camera)


def test_what_is_broken_is_an_exception_or_not_drawn(mujoco, scene):
    model, data = scene
    renderer = saccade.mujoco.Renderer(model, 40, 60)
    plain = draw(renderer, data, "above")
    data.xpos[1] = data.geom_xpos[1] = np.nan  # the ball
    assert not np.array_equal(draw(renderer, data, "above"), plain)
    data.cam_xpos[0] = np.nan
    renderer.update_scene(data, 0)
    with pytest.raises(ValueError):
        renderer.render()
    model.geom_size[:] = 0
    mujoco.mj_forward(model, data)
    draw(renderer, data, "aside")
    renderer.scene.ngeom = renderer.scene.nlight = 2**30  # what is there is drawn
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        renderer.render()
    for size in ((0, 10), (10, 9000)):
        with pytest.raises(ValueError, match="expected 1..8192"):
            saccade.mujoco.Renderer(model, *size)


def test_models_without_anything_and_with_wrong_indices(mujoco):
    empty = mujoco.MjModel.from_xml_string("<mujoco/>")
    data = mujoco.MjData(empty)
    mujoco.mj_forward(empty, data)
    assert not draw(saccade.mujoco.Renderer(empty, 10, 10), data).any()
    model = mujoco.MjModel.from_xml_string(
        '<mujoco><asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset>'
        '<worldbody><geom type="mesh" mesh="m"/></worldbody></mujoco>')
    saccade.mujoco.Renderer(model, 10, 10).close()
    for array, value in ((model.mesh_face, 10**6), (model.mesh_faceadr, -1), (model.mesh_graphadr, 10**6)):
        before = array.copy()
        array[:] = value
        with pytest.raises(ValueError, match="mesh 0"):
            saccade.mujoco.Renderer(model, 10, 10)
        array[:] = before


def test_textures_are_taken_anew_by_reload(scene):
    model, data = scene
    renderer = saccade.mujoco.Renderer(model, 40, 60)
    before = draw(renderer, data, "above")
    model.tex_data[:] = 0
    assert np.array_equal(renderer.render(), before)
    renderer.reload()
    assert renderer.render()[2, 2].sum() < before[2, 2].sum()


def test_nothing_can_be_drawn_after_close_or_by_two_threads(scene):
    model, data = scene
    renderer = saccade.mujoco.Renderer(model, 40, 60)
    renderer.update_scene(data)
    renderer._owner.__enter__()  # another thread draws
    caught = []

    def other():
        try:
            renderer.render()
        except RuntimeError as error:
            caught.append(str(error))

    thread = threading.Thread(target=other)
    thread.start()
    thread.join()
    renderer._owner.__exit__()
    assert len(caught) == 1 and "another thread" in caught[0]
    renderer.close()
    renderer.close()
    for call in (renderer.render, renderer.reload, renderer.__enter__, lambda: renderer.update_scene(data)):
        with pytest.raises(RuntimeError, match="cannot be called after close"):
            call()


def test_a_renderer_outlives_its_model_and_gives_memory_back(mujoco):
    def resident():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * 4096

    def once():
        model = mujoco.MjModel.from_xml_string(MODEL)
        data = mujoco.MjData(model)
        mujoco.mj_forward(model, data)
        renderer = saccade.mujoco.Renderer(model, 60, 80)
        renderer.update_scene(data)
        del model, data
        gc.collect()
        assert renderer.render().any()

    for _ in range(5):
        once()
    before = resident()
    for _ in range(50):
        once()
    assert resident() - before < 30e6


# each side of a box is turned upwards once, before a light so near that it shines differently at each corner
UPWARDS = ("0 0 0", "0 90 0", "0 -90 0", "90 0 0", "-90 0 0", "180 0 0")
LIT = f"""
<mujoco>
  <visual><quality numquads="2" shadowsize="0"/><headlight active="0"/></visual>
  <asset><mesh name="roof" vertex="-3 -2 0  3 -2 0  3 2 0  -3 2 0  0 0 .5"/></asset>
  <worldbody>
    <light pos=".7 .4 1.6" dir="0 0 -1" cutoff="180" castshadow="false" attenuation=".3 0 .3"/>
    {"".join(f'<geom type="box" size=".9 .9 .9" pos="{2 * (i % 3) - 2} {2 * (i // 3) - 1} 0" euler="{turn}"/>'
             for i, turn in enumerate(UPWARDS))}
    <geom type="mesh" mesh="roof" pos="0 4 0"/><camera name="above" pos="0 1 9" xyaxes="1 0 0 0 1 0"/>
  </worldbody>
</mujoco>"""

PROGRAM = """
import os
os.environ.setdefault("MUJOCO_GL", "egl")
import mujoco, numpy, sys
import saccade.mujoco
for text in sys.argv[1:]:
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    for _ in range(20):
        mujoco.mj_step(model, data)
    mujoco.mj_forward(model, data)
    pictures = []
    for kind in (saccade.mujoco.Renderer, mujoco.Renderer):
        with kind(model, 120, 160) as renderer:
            for _ in range(2):  # MuJoCo's endless planes follow the camera of the update before
                renderer.update_scene(data, "above")
            pictures.append(renderer.render().astype(int))
    print(numpy.abs(pictures[0] - pictures[1]).mean())
"""


def python(program, *arguments):
    """A program in a process of its own, because MuJoCo takes one OpenGL a process; Mesa on one core."""
    return subprocess.run([sys.executable, "-W", "ignore", "-c", program, *arguments], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, env={**os.environ, "LP_NUM_THREADS": "0"})


PROBE = """
import os
os.environ.setdefault("MUJOCO_GL", "egl")
import mujoco
mujoco.Renderer(mujoco.MjModel.from_xml_string("<mujoco/>"), 8, 8).close()
"""


@pytest.fixture
def opengl(mujoco):
    """MuJoCo's own renderer, where it runs."""
    done = python(PROBE)
    if done.returncode != 0:
        pytest.skip("needs a peer: MuJoCo with EGL or OSMesa: " + done.stderr.strip().rpartition("\n")[2])


def differences(program, *arguments):
    """The numbers that a program prints, which ends well."""
    done = python(program, *arguments)
    assert done.returncode == 0, done.stderr
    return [float(x) for x in done.stdout.split()]


def test_pictures_are_those_of_mujocos_own_renderer(opengl):
    means = differences(PROGRAM, MODEL, CLOTHS, PICTURED, LIT)
    assert len(means) == 4 and max(means) < 1.0, means
    assert means[-1] < 0.1, means  # 2.3 where light is computed at each pixel


def test_a_gymnasium_environment_is_seen_as_pictures(mujoco, scene, gymnasium):
    import saccade.gym

    class Falling(gymnasium.Env):
        action_space = gymnasium.spaces.Box(-1, 1, (1,), np.float32)
        observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (3,))
        camera_name = "aside"

        def __init__(self):
            self.model, self.data = scene

        def reset(self, seed=None, options=None):
            super().reset(seed=seed)
            mujoco.mj_resetData(self.model, self.data)
            mujoco.mj_forward(self.model, self.data)
            return self.data.qpos[:3].copy(), {}

        def step(self, action):
            mujoco.mj_step(self.model, self.data, 20)
            return self.data.qpos[:3].copy(), 0.0, False, False, {}

    env = saccade.gym.PixelObservation(Falling(), 48, 64)
    first, _ = env.reset(seed=1)
    assert first in env.observation_space and first.shape == (48, 64, 3)
    renderer = saccade.mujoco.Renderer(scene[0], 48, 64)
    assert np.array_equal(first, draw(renderer, scene[1], "aside"))
    assert not np.array_equal(env.step(env.action_space.sample())[0], first)
    env.close()
    with pytest.raises(TypeError, match="no model"):
        saccade.gym.PixelObservation(gymnasium.make("saccade/CarRacing-v3"))


NAMES = ("HalfCheetah-v5", "Ant-v5", "Reacher-v5")


@pytest.fixture
def environments(mujoco, gymnasium):
    """Gymnasium, with what its environments of MuJoCo need."""
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
def test_an_environment_is_seen_by_its_own_camera(environments, name):
    env = saccade.gym.PixelObservation(environments.make(name), 48, 64)
    first, _ = env.reset(seed=1)
    assert first in env.observation_space and first.std() > 10
    assert np.array_equal(first, seen_by_gymnasium(env.unwrapped, 48, 64))
    env.close()


def test_a_free_camera_stays_where_the_first_observation_placed_it(environments):
    env = saccade.gym.PixelObservation(environments.make("Ant-v5", camera_id=-1), 48, 64)
    env.reset(seed=1)
    middle = np.median(env.unwrapped.data.geom_xpos, axis=0)
    env.unwrapped.data.qpos[0] += 9.0
    env.step(env.action_space.sample())
    assert np.median(env.unwrapped.data.geom_xpos[:, 0]) > middle[0] + 5
    assert np.array_equal(env._camera.lookat, middle)
    env.close()


def test_a_camera_that_was_named_and_visual_options_hold(mujoco, environments):
    plain = saccade.gym.PixelObservation(environments.make("HalfCheetah-v5"), 48, 64, camera="track")
    named = saccade.gym.PixelObservation(environments.make("HalfCheetah-v5", camera_name="track"), 48, 64)
    joints = saccade.gym.PixelObservation(environments.make(
        "HalfCheetah-v5", camera_name="track", visual_options={mujoco.mjtVisFlag.mjVIS_JOINT: True}), 48, 64)
    first = plain.reset(seed=1)[0]
    assert np.array_equal(named.reset(seed=1)[0], first)
    assert not np.array_equal(joints.reset(seed=1)[0], first)
    misspelt = saccade.gym.PixelObservation(environments.make("HalfCheetah-v5"), 48, 64, camera="trak")
    with pytest.raises(ValueError, match='camera "trak" does not exist'):
        misspelt.reset(seed=1)


RENDERS = """
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


def test_pictures_are_those_of_render(opengl, environments):
    means = differences(RENDERS, *NAMES)
    assert len(means) == len(NAMES) and max(means) < 1.0, means


GUIDE = (pathlib.Path(__file__).resolve().parents[2] / "docs/mujoco.md").read_text()
BLOCKS = re.findall(r"^```python test ([\w ]+)\n(.*?)^```", GUIDE, re.M | re.S)


@pytest.mark.parametrize("needs, code", BLOCKS, ids=[needs.replace(" ", "-") for needs, _ in BLOCKS])
def test_the_guide_runs(why, needs, code):
    """Blocks of docs/mujoco.md; the words after "test" are modules that a block needs."""
    missing = [module for module in needs.split() if not importlib.util.find_spec(module)]
    if missing:
        pytest.skip(why(*missing))
    exec(compile(code, "docs/mujoco.md", "exec"), {})


def test_the_guide_has_no_block_that_is_not_run():
    assert len(BLOCKS) == len(re.findall(r"^```python", GUIDE, re.M)) > 0


def test_wrappers_of_dm_control_are_taken(mujoco, why):
    suite = pytest.importorskip("dm_control.mujoco", reason=why("dm_control"))
    physics = suite.Physics.from_xml_string(MODEL)
    with saccade.mujoco.Renderer(physics.model, 40, 60) as renderer:
        assert draw(renderer, physics.data, "aside").any()


@pytest.mark.parametrize("kind, solid, level", [("2d", "plane", 55), ("cube", "box", 128)])
def test_srgb_textures_are_linear_where_they_are_drawn(mujoco, why, kind, solid, level):
    """As OpenGL decodes them: a flat texture of 128 as sRGB looks as one of 55 (IEC 61966-2-1) that is linear. MuJoCo
    uploads cubes as they are."""
    if not hasattr(mujoco.MjModel, "tex_colorspace"):
        pytest.skip(why("mujoco with tex_colorspace"))
    pictures = []
    for grey, space in ((128, "sRGB"), (level, "linear")):
        model = mujoco.MjModel.from_xml_string(f"""
<mujoco>
  <visual><headlight ambient="1 1 1" diffuse="0 0 0" specular="0 0 0"/></visual>
  <asset>
    <texture name="grey" type="{kind}" builtin="flat" width="8" height="8" colorspace="{space}"
             rgb1="{grey / 255} {grey / 255} {grey / 255}"/>
    <material name="grey" texture="grey"/>
  </asset>
  <worldbody>
    <geom type="{solid}" size="9 9 .1" material="grey"/><camera name="above" pos="0 0 2" xyaxes="1 0 0 0 1 0"/>
  </worldbody>
</mujoco>""")
        data = mujoco.MjData(model)
        mujoco.mj_forward(model, data)
        with saccade.mujoco.Renderer(model, 24, 32) as renderer:
            pictures.append(draw(renderer, data, "above").astype(int))
    assert level - 5 < pictures[1].mean() < level + 5
    assert np.abs(pictures[0] - pictures[1]).max() <= 1
