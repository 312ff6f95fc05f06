"""saccade.mujoco.BatchRenderer: the pixels of one Renderer, to the byte, by any number of threads."""
import threading
import time
import warnings

import numpy as np
import pytest
import saccade

MODEL = """
<mujoco>
  <asset>
    <texture name="grid" type="2d" builtin="checker" width="64" height="64" rgb1=".8 .3 .2" rgb2=".2 .3 .8"/>
    <texture name="sky" type="skybox" builtin="gradient" rgb1=".4 .6 .8" rgb2="0 0 0" width="64" height="64"/>
    <material name="grid" texture="grid" texrepeat="3 3" texuniform="true" reflectance=".3"/>
  </asset>
  <worldbody>
    <light pos="0 1 3" dir="0 0 -1"/>
    <geom name="floor" type="plane" size="0 0 .1" material="grid"/>
    <camera name="aside" pos="0 -3 1" xyaxes="1 0 0 0 .3 1"/>
    <camera name="above" pos="0 0 3" xyaxes="1 0 0 0 1 0" fovy="60"/>
    <body name="ball" pos="0 0 .8"><freejoint/>
      <geom size=".3" rgba=".9 .8 .2 1"/><geom type="box" size=".1 .5 .1" rgba=".2 .8 .4 .6"/>
      <camera name="on it" pos="0 -1 .3" xyaxes="1 0 0 0 .3 1"/>
    </body>
    PARTS
  </worldbody>
</mujoco>"""
CLOTH = """
    <flexcomp type="grid" count="5 5 1" spacing=".1 .1 .1" pos="0 0 1.5" radius=".01" name="cloth" dim="2" mass="1">
      <contact selfcollide="none"/><edge equality="true"/></flexcomp>"""
COUNT = 7


@pytest.fixture(params=["", CLOTH], ids=["solids", "cloth"])
def scenes(mujoco, request):
    """A model and states of it that differ."""
    model = mujoco.MjModel.from_xml_string(MODEL.replace("PARTS", request.param))
    datas = [mujoco.MjData(model) for _ in range(COUNT)]
    for i, data in enumerate(datas):
        data.qvel[:6] = np.random.RandomState(i).uniform(-2, 2, 6)
        mujoco.mj_step(model, data, 20)
        mujoco.mj_forward(model, data)
    return model, datas


def one_by_one(renderer, datas, cameras, *rest):
    pictures = []
    for data, camera in zip(datas, cameras):
        renderer.update_scene(data, camera, *rest)
        pictures.append(renderer.render())
    return np.stack(pictures)


MODES = {"colour": None, "depth": "enable_depth_rendering", "segmentation": "enable_segmentation_rendering"}


@pytest.mark.parametrize("mode", MODES)
def test_pixels_are_those_of_one_renderer_for_any_number_of_threads(mujoco, scenes, mode):
    model, datas = scenes
    option = mujoco.MjvOption()
    option.flags[mujoco.mjtVisFlag.mjVIS_CONTACTPOINT] = True
    single = saccade.mujoco.Renderer(model, 40, 60)
    batches = [saccade.mujoco.BatchRenderer(model, 40, 60, threads=threads) for threads in (1, 2, 3, 16)]
    for renderer in (single, *batches):
        if MODES[mode]:
            getattr(renderer, MODES[mode])()
    for cameras in ("aside", "on it", [i % 3 for i in range(COUNT)], -1):
        each = cameras if isinstance(cameras, list) else [cameras] * COUNT
        expected = one_by_one(single, datas, each, option)
        assert len(np.unique(expected, axis=0)) > 1
        for batch in batches:
            batch.update_scene(datas, cameras, option)
            pixels = batch.render()
            assert pixels.dtype == expected.dtype and np.array_equal(pixels, expected), (cameras, batch.threads)
            assert np.array_equal(batch.render(), expected)


def test_what_was_taken_stays_when_the_data_goes_on(mujoco, scenes):
    model, datas = scenes
    with saccade.mujoco.BatchRenderer(model, 40, 60, threads=2) as renderer:
        renderer.update_scene(datas, "aside")
        before = renderer.render()
        for data in datas:
            mujoco.mj_step(model, data, 50)
        assert np.array_equal(renderer.render(), before)
        renderer.update_scene(datas, "aside")
        assert not np.array_equal(renderer.render(), before)


def test_one_data_by_several_cameras_and_fewer_and_more_of_them(scenes):
    model, datas = scenes
    single = saccade.mujoco.Renderer(model, 40, 60)
    renderer = saccade.mujoco.BatchRenderer(model, 40, 60, threads=2)
    assert renderer.render().shape == (0, 40, 60, 3)
    for some, cameras in (([datas[0]] * 3, ["above", "aside", 2]), (datas[:1], [-1]), (datas + datas, [0] * 2 * COUNT),
                          ([], [])):
        renderer.update_scene(some, cameras)
        pixels = renderer.render()
        assert pixels.shape == (len(some), 40, 60, 3)
        assert not some or np.array_equal(pixels, one_by_one(single, some, cameras))


def test_a_camera_that_tracks_sees_the_same_as_with_one_renderer(mujoco, scenes):
    model, datas = scenes

    def camera():
        camera = mujoco.MjvCamera()
        camera.type, camera.trackbodyid, camera.distance = mujoco.mjtCamera.mjCAMERA_TRACKING, 1, 3
        return camera

    expected = one_by_one(saccade.mujoco.Renderer(model, 40, 60), datas, [camera()] * COUNT)
    renderer = saccade.mujoco.BatchRenderer(model, 40, 60, threads=3)
    renderer.update_scene(iter(datas), camera())
    assert np.array_equal(renderer.render(), expected)


def test_flags_hold_for_all_and_a_callback_adds_geoms_to_each(mujoco, scenes):
    model, datas = scenes
    renderer = saccade.mujoco.BatchRenderer(model, 40, 60, threads=2)
    renderer.update_scene(datas, "aside")
    plain = renderer.render()
    number = int(mujoco.mjtRndFlag.mjRND_SKYBOX)
    renderer.scene.flags[number] = False
    assert (renderer.render()[:, 0, 0] == 0).all() and (plain[:, 0, 0] > 0).any()
    renderer.scene.flags[number] = True
    met = []

    def mark(data, scene):
        met.append(data)
        if data is datas[3]:
            mujoco.mjv_initGeom(scene.geoms[scene.ngeom], mujoco.mjtGeom.mjGEOM_SPHERE, np.full(3, .2),
                                np.array([0, -1, 1.]), np.eye(3).ravel(), np.array([1, 0, 1, 1], np.float32))
            scene.ngeom += 1

    renderer.update_scene(datas, "aside", scene_callback=mark)
    changed = (renderer.render() != plain).any((1, 2, 3))
    assert met == datas and changed.tolist() == [i == 3 for i in range(COUNT)]


def test_out_is_filled_and_returned(scenes):
    model, datas = scenes
    renderer = saccade.mujoco.BatchRenderer(model, 40, 60, threads=2)
    renderer.update_scene(datas, 0)
    expected = renderer.render()
    wide = np.zeros((COUNT, 40, 90, 3), np.uint8)
    for out in (np.empty_like(expected), np.empty(expected.shape, np.float32), wide[:, :, 10:70]):
        assert renderer.render(out=out) is out and np.array_equal(out, expected)
    assert not wide[:, :, :10].any() and not wide[:, :, 70:].any()
    with pytest.raises(ValueError, match="Expected"):
        renderer.render(out=expected[1:])


def test_what_is_wrong_is_an_exception_that_names_it(mujoco, scenes):
    model, datas = scenes
    renderer = saccade.mujoco.BatchRenderer(model, 40, 60, threads=3)
    for arguments, error, what in (((datas[0],), TypeError, "datas is one MjData"), (([model],), TypeError, "MjData"),
                                   ((datas, "below"), ValueError, "does not exist"),
                                   ((datas, [0] * 3), ValueError, f"3 cameras for {COUNT} data"),
                                   ((datas, [3] * COUNT), ValueError, "out of range")):
        with pytest.raises(error, match=what):
            renderer.update_scene(*arguments)
    for threads in (0, 1025):
        with pytest.raises(ValueError, match="expected 1..1024"):
            saccade.mujoco.BatchRenderer(model, 40, 60, threads=threads)
    renderer.update_scene(datas, "aside")
    expected = renderer.render()
    for i in (5, 2):
        datas[i].cam_xpos[0] = np.nan
    renderer.update_scene(datas, "aside")
    out = np.zeros_like(expected)
    with pytest.raises(ValueError, match="frame 2: "):
        renderer.render(out=out)
    drawn = [i for i in range(COUNT) if i not in (5, 2)]
    assert np.array_equal(out[drawn], expected[drawn])
    renderer.close()
    for call in (renderer.render, lambda: renderer.update_scene(datas)):
        with pytest.raises(RuntimeError, match="close"):
            call()


def test_a_callback_that_fails_leaves_nothing_in_view(scenes):
    model, datas = scenes
    renderer = saccade.mujoco.BatchRenderer(model, 40, 60, threads=2)
    renderer.update_scene(datas)
    with pytest.raises(ZeroDivisionError):
        renderer.update_scene(datas, scene_callback=lambda data, scene: 1 / 0)
    assert len(renderer.render()) == 0
    renderer.update_scene(datas)
    assert len(renderer.render()) == COUNT


def test_textures_are_taken_anew_by_reload(scenes):
    model, datas = scenes
    renderer = saccade.mujoco.BatchRenderer(model, 40, 60, threads=2)
    renderer.update_scene(datas, "above")
    before = renderer.render()
    model.tex_data[:] = 0
    renderer.reload()
    renderer.update_scene(datas, "above")
    assert renderer.render()[:, 2, 2].sum() < before[:, 2, 2].sum()


def test_one_warning_names_what_is_not_drawn(mujoco, scenes):
    model, datas = scenes
    option = mujoco.MjvOption()
    option.label = mujoco.mjtLabel.mjLABEL_GEOM
    renderer = saccade.mujoco.BatchRenderer(model, 40, 60, threads=2)
    renderer.update_scene(datas, 0, option)
    saccade.mujoco._warned.clear()
    with pytest.warns(UserWarning, match="does not draw text") as caught:
        renderer.render()
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        renderer.render()


def test_python_goes_on_while_pictures_are_drawn(scenes):
    model, datas = scenes
    renderer = saccade.mujoco.BatchRenderer(model, 600, 800, threads=2)
    renderer.update_scene(datas * 4, "aside")
    counts, done = [0], threading.Event()

    def draw():
        renderer.render()
        done.set()

    thread = threading.Thread(target=draw)
    thread.start()
    while not renderer._owner._lock.locked():  # on a busy machine the other thread may begin late
        time.sleep(0.001)
    while not done.is_set():
        counts[0] += 1
        if counts[0] == 100:  # a second owner meanwhile
            with pytest.raises(RuntimeError, match="another thread"):
                renderer.render()
    thread.join()
    assert counts[0] > 100  # were the lock held, this thread would wait for the whole call
