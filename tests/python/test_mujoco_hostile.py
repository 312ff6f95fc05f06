"""saccade.mujoco on models and states that nobody would draw on purpose: an error or a picture, and never a crash."""
import os
import pathlib
import subprocess
import sys
import warnings

import numpy as np
import pytest
import saccade

RENDERS = pathlib.Path(__file__).resolve().parents[1] / "mujoco/renders.py"
KINDS = ("plane", "sphere", "capsule", "ellipsoid", "cylinder", "box")
ASSETS = """
  <asset>
    <texture name="flat" type="2d" builtin="checker" width="16" height="16" rgb1="1 0 0" rgb2="0 0 1"/>
    <texture name="cube" type="cube" builtin="gradient" width="8" height="48" rgb1="1 0 0" rgb2="0 0 1"/>
    <texture name="sky" type="skybox" builtin="gradient" width="8" height="48" rgb1="1 0 0" rgb2="0 0 1"/>
    <material name="flat" texture="flat" reflectance=".5"/><material name="cube" texture="cube"/>
    <mesh name="mesh" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/>
    <hfield name="field" nrow="4" ncol="4" size="1 1 1 .1"/>
  </asset>"""
GEOMS = "".join(f'<geom type="{kind}" size=".3 .3 .3" pos="{i - 3} 0 .5" material="{"flat" if i % 2 else "cube"}"/>'
                for i, kind in enumerate(KINDS))
MODEL = f"""
<mujoco>{ASSETS}
  <worldbody>
    <light pos="0 0 3"/><light pos="0 0 3" type="directional"/>
    <camera name="eye" pos="0 -4 1" xyaxes="1 0 0 0 .3 1"/>
    {GEOMS}<geom type="mesh" mesh="mesh"/><geom type="hfield" hfield="field" pos="0 3 0"/>
    <body><freejoint/><geom size=".2"/><site size=".1"/></body>
    <flexcomp type="grid" count="3 3 1" spacing=".1 .1 .1" pos="0 0 1" radius=".01" name="cloth" dim="2" mass="1">
      <contact selfcollide="none"/></flexcomp>
  </worldbody>
</mujoco>"""
WILD = (np.nan, np.inf, -np.inf, 0.0, -1.0, 1e30, 1e-30, 3.4e38)


@pytest.fixture
def scene(mujoco):
    model = mujoco.MjModel.from_xml_string(MODEL)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return model, data


def draw_all(renderer, data, camera=-1):
    """Colour, depth and segmentation; a ValueError is an answer, too. Returns how many pictures there were."""
    drawn = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            renderer.update_scene(data, camera)
        except ValueError:
            return 0
        for start, stop in ((lambda: None, lambda: None),
                            (renderer.enable_depth_rendering, renderer.disable_depth_rendering),
                            (renderer.enable_segmentation_rendering, renderer.disable_segmentation_rendering)):
            start()
            try:
                drawn += renderer.render() is not None
            except ValueError:
                pass
            stop()
    return drawn


def test_a_model_without_cameras_lights_or_geoms(mujoco):
    for text in ("<mujoco/>", '<mujoco><worldbody><geom size="1"/></worldbody></mujoco>',
                 "<mujoco><worldbody><light/></worldbody></mujoco>"):
        model = mujoco.MjModel.from_xml_string(text)
        data = mujoco.MjData(model)
        mujoco.mj_forward(model, data)
        renderer = saccade.mujoco.Renderer(model, 10, 10)
        assert draw_all(renderer, data) == 3
        with pytest.raises(ValueError, match="out of range"):
            renderer.update_scene(data, 0)


def test_data_of_another_model_are_refused(mujoco, scene):
    model, data = scene
    larger = mujoco.MjModel.from_xml_string(MODEL.replace("<geom type=\"mesh\"", "<geom size=\"1\"/><geom type=\"mesh\""))
    same = mujoco.MjModel.from_xml_string(MODEL)
    with saccade.mujoco.Renderer(larger, 8, 8) as one, saccade.mujoco.BatchRenderer(larger, 8, 8, threads=2) as many:
        for call, given, name in ((one.update_scene, data, "data"), (many.update_scene, [data], "datas")):
            with pytest.raises(ValueError, match=f"{name}: an MjData of another model, whose ngeom is .*, expected"):
                call(given)
    with saccade.mujoco.Renderer(same, 8, 8) as renderer:  # the same file twice
        renderer.update_scene(data)
        assert renderer.render().any()


def test_nothing_is_drawn_before_there_is_a_scene(mujoco, scene):
    with saccade.mujoco.Renderer(scene[0], 8, 8) as renderer:
        with pytest.raises(RuntimeError, match="before update_scene"):
            renderer.render()
        camera = mujoco.MjvCamera()
        mujoco.mjv_defaultFreeCamera(scene[0], camera)
        mujoco.mjv_updateScene(scene[0], scene[1], mujoco.MjvOption(), None, camera,
                               mujoco.mjtCatBit.mjCAT_ALL.value, renderer.scene)  # as some programs do themselves
        assert renderer.render().any()


@pytest.mark.parametrize("wild", WILD)
def test_sizes_that_are_zero_or_no_numbers(mujoco, scene, wild):
    model, data = scene
    renderer = saccade.mujoco.Renderer(model, 20, 30)
    for column in (0, 1, 2, slice(None)):
        before = model.geom_size.copy()
        model.geom_size[:, column] = wild
        model.site_size[:, column] = wild
        draw_all(renderer, data)
        model.geom_size[:] = before
    assert draw_all(renderer, data) == 3


@pytest.mark.parametrize("wild", WILD)
def test_states_colours_lights_and_cameras_that_are_no_numbers(mujoco, scene, wild):
    model, data = scene
    renderer = saccade.mujoco.Renderer(model, 20, 30)
    batch = saccade.mujoco.BatchRenderer(model, 20, 30, threads=2)
    for array in (data.geom_xpos, data.geom_xmat, data.xpos, data.site_xpos, data.light_xpos, data.light_xdir,
                  data.cam_xpos, data.cam_xmat, data.flexvert_xpos, model.geom_rgba, model.mat_texrepeat,
                  model.mat_shininess, model.mat_reflectance, model.light_attenuation, model.light_cutoff,
                  model.cam_fovy, model.hfield_size):
        before = array.copy()
        array[:] = wild
        for camera in (-1, "eye"):
            draw_all(renderer, data, camera)
            draw_all(batch, [data] * 3, camera)
        array[:] = before
    for owner, name in ((model.vis.map, "zfar"), (model.vis.map, "znear"), (model.vis.map, "haze"),
                        (model.vis.map, "shadowclip"), (model.vis.map, "shadowscale"), (model.stat, "extent")):
        before = getattr(owner, name)
        setattr(owner, name, wild)
        try:
            draw_all(renderer, data, "eye")
        except mujoco.FatalError:  # MuJoCo's own answer
            pass
        setattr(owner, name, before)
    mujoco.mj_forward(model, data)
    assert draw_all(renderer, data, "eye") == draw_all(batch, [data], "eye") == 3


def test_a_state_that_is_no_number_goes_through_the_physics(mujoco, scene):
    model, data = scene
    renderer = saccade.mujoco.Renderer(model, 20, 30)
    data.qpos[:] = np.nan
    mujoco.mj_kinematics(model, data)
    assert draw_all(renderer, data, "eye") == 3


def test_textures_that_are_too_large_or_end_early_are_errors(mujoco, scene):
    model, data = scene
    for array, wild in ((model.tex_width, 2**30), (model.tex_height, 2**31 - 1), (model.tex_width, 0),
                        (model.tex_height, -5), (model.tex_nchannel, 9), (model.tex_adr, 2**40), (model.tex_adr, -1),
                        (model.hfield_nrow, 2**30), (model.hfield_adr, -7), (model.mesh_vertnum, 2**30),
                        (model.mesh_facenum, -1), (model.mesh_vertadr, 2**30)):
        before = array.copy()
        array[0] = wild
        for kind in (saccade.mujoco.Renderer, saccade.mujoco.BatchRenderer):
            with pytest.raises(ValueError):
                kind(model, 20, 30)
        array[:] = before
    assert draw_all(saccade.mujoco.Renderer(model, 20, 30), data) == 3


def test_indices_that_lead_nowhere_are_not_followed(mujoco, scene):
    model, data = scene
    renderer = saccade.mujoco.Renderer(model, 20, 30)
    renderer.update_scene(data, "eye")
    for wild in (-1, -2**31, 99, 2**31 - 1):
        for field in ("dataid", "objid", "matid", "segid", "type", "category", "texid"):
            for i in range(renderer.scene.ngeom):
                geom = renderer.scene.geoms[i]
                if not hasattr(geom, field):
                    continue
                before = getattr(geom, field)
                setattr(geom, field, wild)
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    renderer.render()
                setattr(geom, field, before)


def test_a_scene_that_is_full_is_drawn(mujoco, scene):
    model, data = scene
    for most in (1, 5):
        assert draw_all(saccade.mujoco.Renderer(model, 20, 30, max_geom=most), data) == 3
        assert draw_all(saccade.mujoco.BatchRenderer(model, 20, 30, max_geom=most), [data] * 2) == 3


def draw_again_and_again(*options):
    """What tests/mujoco/renders.py says. It counts what is allocated, Python's objects among it, in a process of its own."""
    return subprocess.run([sys.executable, RENDERS, os.environ.get("SACCADE_RENDERS", "200"), *options], text=True,
                          capture_output=True, env={**os.environ, "PYTHONMALLOC": "malloc"})


def test_models_of_others_again_and_again_take_no_memory(mujoco):
    """Twenty models of the installed packages; SACCADE_RENDERS says how often each is drawn."""
    done = draw_again_and_again()
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_renderer_that_keeps_a_little_is_found_out(mujoco):
    for leak in ("32", "100000"):  # small pieces, and those that libc maps one by one
        done = draw_again_and_again("--models", "1", "--leak", leak)
        assert done.returncode == 1 and "kept most" in done.stdout, done.stdout + done.stderr
