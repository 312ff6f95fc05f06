"""Pictures of MuJoCo models without a GPU, a display or OpenGL: Renderer takes the place of mujoco.Renderer.

    import mujoco
    import saccade.mujoco

    with saccade.mujoco.Renderer(model, 240, 320) as renderer:
        renderer.update_scene(data, camera="track")
        pixels = renderer.render()

Models and data are those of the mujoco package that the program uses, of version 3.2 or later.
"""
from __future__ import annotations

import warnings
from typing import Any, cast

import mujoco  # type: ignore[import-untyped, import-not-found, unused-ignore]
import numpy as np

from saccade import _mjv
from saccade._core import ArgumentError, Owner, UnavailableError, check, ffi, lib, pointer

__all__ = ["Renderer"]

# the kinds of geoms that the library leaves out, counted from mjGEOM_ARROW
_KINDS = {7: "text", 8: "triangles", 30: "flat textures on solids as this version does"}
_FLAGS = {"WIREFRAME": "wireframes", "FOG": "fog", "ADDITIVE": "additive transparency"}
_warned: set[str] = set()
_layout: Any = None


def _find_layout() -> Any:
    global _layout
    if _layout is None:
        if mujoco.mj_version() < 320:  # 3.1.6 is 316, 3.2.0 is 320, 3.12.0 is 3012000
            raise UnavailableError(f"MuJoCo is of version {mujoco.__version__}, expected 3.2 or later")
        _layout = _mjv.find(mujoco)
    return _layout


def _plain(x: Any, kind: type, name: str) -> Any:
    """An object of mujoco's own; dm_control's wrappers hold one as `ptr`."""
    x = getattr(x, "ptr", x)
    if not isinstance(x, kind):
        raise TypeError(f"{name}: {type(x).__name__}, expected mujoco.{kind.__name__}")
    return x


class _Assets:
    """Textures and meshes of a model, made ready for drawing."""

    def __init__(self, model: Any) -> None:
        self.model, self._kept = _mjv.read_model(mujoco, model)
        out = ffi.new("sac_render_assets **")
        check(lib.sac_mjv_assets_create(out, self.model))
        self.handle = ffi.gc(out[0], lib.sac_render_assets_destroy)


class Renderer:
    """Draws scenes of a model with the methods of mujoco.Renderer, on the CPU.

    model: an MjModel
    height, width: pixels of a picture, 1..8192
    max_geom: geoms of a scene at most; more are not drawn
    font_scale: for mujoco.Renderer's sake; text is not drawn

    What is in view and cannot be drawn is named in one warning.
    """

    def __init__(self, model: Any, height: int = 240, width: int = 320, max_geom: int | None = 10000,
                 font_scale: Any = None) -> None:
        self._renderer: Any = None
        self._model = _plain(model, mujoco.MjModel, "model")
        self._height, self._width = int(height), int(width)
        self._owner = Owner("this renderer")
        self._scene, self._option = mujoco.MjvScene(self._model, maxgeom=max_geom), mujoco.MjvOption()
        self._depth = self._segmentation = False
        self._create()
        self._prepare()

    def _create(self) -> None:
        """The library's parts."""
        quality, geoms = self._model.vis.quality, max(1, self._scene.maxgeom)
        definition = ffi.new("sac_renderer_def *", lib.sac_renderer_default_def())
        definition.width, definition.height, definition.max_geoms = self._width, self._height, geoms
        definition.shadows, definition.reflections = quality.shadowsize > 0, True
        definition.antialias = quality.offsamples > 0
        renderer, scene = ffi.new("sac_renderer **"), ffi.new("sac_mjv_scene **")
        check(lib.sac_renderer_create(renderer, definition))
        renderer = ffi.gc(renderer[0], lib.sac_renderer_destroy)
        assets = _Assets(self._model)
        flexes, self._kept = _mjv.read_flexes(self._scene)
        check(lib.sac_mjv_scene_create(scene, _find_layout(), assets.handle, assets.model, flexes, geoms))
        self._ours, self._assets = ffi.gc(scene[0], lib.sac_mjv_scene_destroy), assets
        self._renderer = renderer

    def _prepare(self) -> None:
        """What every picture uses again."""
        scene, visual = self._scene, self._model.vis
        self._frame = ffi.new("sac_mjv_frame *")
        self._geoms, self._lights = scene.geoms, scene.lights
        if self._geoms:
            self._frame.geoms = ffi.cast("void *", _mjv.address(self._geoms[0].pos))
        self._frame.lights = ffi.cast("void *", _mjv.address(self._lights[0].pos))
        self._frame.camera = ffi.cast("void *", _mjv.address(scene.camera[0].pos))
        self._frame.skinvert, self._frame.skinnormal = (
            _mjv.pointer_to("float *", x, self._kept) for x in (scene.skinvert, scene.skinnormal))
        self._frame.flexes = _mjv.read_flexes(scene)[0][0]
        self._map, self._haze, self._stat = visual.map, visual.rgba.haze, self._model.stat
        flags = mujoco.mjtRndFlag
        self._flags = [int(flag) for flag in (flags.mjRND_SHADOW, flags.mjRND_REFLECTION, flags.mjRND_SKYBOX,
                                              flags.mjRND_HAZE)]
        self._undrawn = {int(getattr(flags, "mjRND_" + name)): what for name, what in _FLAGS.items()}
        self._picture = ffi.new("sac_picture *")
        self._ids = np.empty((self._height, self._width), np.int32)

    @property
    def model(self) -> Any:
        return self._model

    @property
    def scene(self) -> Any:
        """The mujoco.MjvScene that is drawn. You may add geoms to it between update_scene and render."""
        return self._scene

    @property
    def height(self) -> int:
        return self._height

    @property
    def width(self) -> int:
        return self._width

    def enable_depth_rendering(self) -> None:
        self._depth, self._segmentation = True, False

    def disable_depth_rendering(self) -> None:
        self._depth = False

    def enable_segmentation_rendering(self) -> None:
        self._depth, self._segmentation = False, True

    def disable_segmentation_rendering(self) -> None:
        self._segmentation = False

    def update_scene(self, data: Any, camera: Any = -1, scene_option: Any = None) -> None:
        """Takes what is to be seen from data.

        data: an MjData, up to date: after mj_forward, or after mj_step as it is
        camera: the number or the name of a camera of the model, an MjvCamera, or -1: the free camera
        scene_option: an MjvOption, or None: the default
        """
        data = _plain(data, mujoco.MjData, "data")
        if not isinstance(camera, mujoco.MjvCamera):
            camera = self._camera(camera)
        with self._owner:
            # endless planes follow the camera that was set last, so it is set before the scene is made
            mujoco.mjv_updateCamera(self._model, data, camera, self._scene)
            mujoco.mjv_updateScene(self._model, data, scene_option or self._option, None, camera,
                                   mujoco.mjtCatBit.mjCAT_ALL.value, self._scene)

    def _camera(self, which: Any) -> Any:
        number = which
        if isinstance(which, str):
            number = mujoco.mj_name2id(self._model, mujoco.mjtObj.mjOBJ_CAMERA.value, which)
            if number == -1:
                raise ArgumentError(f'The camera "{which}" does not exist.')
        if number < -1 or number >= self._model.ncam:
            raise ArgumentError(f"The camera id {number} is out of range [-1, {self._model.ncam}).")
        camera = mujoco.MjvCamera()
        camera.fixedcamid = number
        if number == -1:
            camera.type = mujoco.mjtCamera.mjCAMERA_FREE
            mujoco.mjv_defaultFreeCamera(self._model, camera)
        else:
            camera.type = mujoco.mjtCamera.mjCAMERA_FIXED
        return camera

    def render(self, *, out: Any = None) -> np.ndarray:
        """Draws the scene.

        out: an array for the result, which is returned; its type may be another. None: a new array

        Returns bytes [height, width, 3], with depth floats [height, width] in metres, the far plane's distance where
        there is nothing, with segmentation int32 [height, width, 2]: number and mjtObj of the object, -1 for nothing.
        """
        if self._renderer is None:
            raise RuntimeError("render cannot be called after close.")
        shape: tuple[int, ...] = (self._height, self._width)
        shape += () if self._depth else (2,) if self._segmentation else (3,)
        if out is not None and out.shape != shape:
            if not self._segmentation or out.shape != (*shape[:2], 3):  # mujoco.Renderer's, which it leaves aside
                raise ValueError(f"Expected `out.shape == {shape}`. Got `out.shape={out.shape}` instead.")
            out = None
        dtype = np.float32 if self._depth else np.int32 if self._segmentation else np.uint8
        fits = out is not None and out.dtype == dtype and out.flags.carray
        pixels = out if fits else np.empty(shape, dtype)
        with self._owner:
            self._draw(pixels)
        if out is None or fits:
            return pixels
        out[...] = pixels
        return cast(np.ndarray, out)

    def _draw(self, pixels: np.ndarray) -> None:
        frame, scene, picture = self._frame, self._scene, self._picture
        frame.ngeom, frame.nlight = min(scene.ngeom, len(self._geoms)), min(scene.nlight, len(self._lights))
        around, flags = self._map, scene.flags
        frame.extent, frame.zfar, frame.haze = self._stat.extent, around.zfar, around.haze
        frame.shadowclip, frame.shadowscale = around.shadowclip, around.shadowscale
        frame.haze_rgb = self._haze[:3].tolist()
        frame.shadows, frame.reflections, frame.skybox, frame.hazy = flags[self._flags].tolist()
        if scene.nflex:
            flexes = frame.flexes
            flexes.flexvertopt, flexes.flexedgeopt = scene.flexvertopt, scene.flexedgeopt
            flexes.flexskinopt = scene.flexskinopt
        frame.solid = self._depth or self._segmentation
        picture.rgb = picture.depth = picture.ids = objects = ffi.NULL
        if self._segmentation:
            objects, picture.ids = (ffi.cast("int32_t *", _mjv.address(x)) for x in (pixels, self._ids))
        elif self._depth:
            picture.depth = pointer(pixels)
        else:
            picture.rgb = pointer(pixels)
        check(lib.sac_mjv_draw(self._renderer, self._ours, self._assets.model, frame, picture, objects))
        if (left_out := lib.sac_mjv_scene_left_out(self._ours)) or flags[list(self._undrawn)].any():
            self._warn(left_out)

    def _warn(self, left_out: int) -> None:
        kinds = [kind for i, kind in _KINDS.items() if left_out >> i & 1]
        kinds += [what for flag, what in self._undrawn.items() if self._scene.flags[flag]]
        new = [kind for kind in dict.fromkeys(kinds) if kind not in _warned]
        _warned.update(new)
        if new:
            warnings.warn(f"saccade.mujoco does not draw {', '.join(new)}", stacklevel=4)

    def reload(self) -> None:
        """Takes the model's textures, meshes and height fields anew, after they were changed."""
        with self._owner:
            self._create()

    def close(self) -> None:
        """Gives the memory back. Nothing can be drawn afterwards."""
        with self._owner:
            self._renderer = self._ours = self._assets = None  # type: ignore[assignment]

    def __enter__(self) -> Renderer:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()
