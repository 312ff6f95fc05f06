"""Pictures of MuJoCo models without a GPU, a display or OpenGL: Renderer takes the place of mujoco.Renderer.

    import mujoco
    import saccade.mujoco

    with saccade.mujoco.Renderer(model, 240, 320) as renderer:
        renderer.update_scene(data, camera="track")
        pixels = renderer.render()

BatchRenderer draws many MjData of one model at once, in several threads.

Models and data are those of the mujoco package that the program uses, of version 3.2 or later.
"""
from __future__ import annotations

import operator
import os
import warnings
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, Iterable, Sequence, TypeVar, cast

import numpy as np

try:
    import mujoco  # type: ignore[import-untyped, import-not-found, unused-ignore]
except ImportError as reason:
    raise ImportError(f"saccade.mujoco draws models of the package mujoco, which cannot be imported ({reason}): "
                      "pip install 'saccade[mujoco]', or mujoco itself, 3.2 or later") from None

from saccade import _mjv
from saccade._core import ArgumentError, Life, Owner, UnavailableError, check, ffi, lib, pointer

__all__ = ["BatchRenderer", "Renderer"]

# the kinds of geoms that the library leaves out, counted from mjGEOM_ARROW
_KINDS = {7: "text", 8: "triangles"}
# flags of the scene; not all versions have all of them
_FLAGS = {"WIREFRAME": "wireframes", "FOG": "fog", "ADDITIVE": "additive transparency",
          "SEGMENT": "segments as colours (enable_segmentation_rendering gives their numbers)",
          "DEPTH": "depth as grey (enable_depth_rendering gives metres)"}
_MAX_GEOM, _MOST_GEOMS = 10000, 2**20
_NEAREST = 1e-15  # mjMINVAL
Drawing = TypeVar("Drawing", bound="_Drawing")
_warned: set[str] = set()
_layout: Any = None


def _find_layout() -> Any:
    global _layout
    if _layout is None:
        if mujoco.mj_version() < 320:  # 3.1.6 is 316, 3.2.0 is 320, 3.12.0 is 3012000
            raise UnavailableError(f"MuJoCo is of version {mujoco.__version__}, expected 3.2 or later")
        _layout = _mjv.find(mujoco)
    return _layout


def _whole(x: Any, name: str, expected: str = "a whole number") -> int:
    try:
        return operator.index(x)
    except TypeError:
        raise TypeError(f"{name}: {x!r}, expected {expected}") from None


def _plain(x: Any, kind: type, name: str) -> Any:
    """An object of mujoco's own; dm_control's wrappers hold one as `ptr`."""
    x = getattr(x, "ptr", x)
    if not isinstance(x, kind):
        raise TypeError(f"{name}: {type(x).__name__}, expected mujoco.{kind.__name__}")
    return x


_SIZES = {"qpos": "nq", "xpos": "nbody", "geom_xpos": "ngeom", "site_xpos": "nsite", "cam_xpos": "ncam",
          "light_xpos": "nlight"}


def _data(x: Any, model: Any, name: str) -> Any:
    """An MjData of this model, or of a model with the same sizes: MuJoCo reads beyond the end of smaller ones."""
    data = _plain(x, mujoco.MjData, name)
    if getattr(data, "model", None) is not model:
        for array, size in _SIZES.items():
            if len(getattr(data, array)) != getattr(model, size):
                raise ArgumentError(f"{name}: an MjData of another model, whose {size} is {len(getattr(data, array))}, "
                                    f"expected {getattr(model, size)}")
    return data


class _Assets:
    """Textures and meshes of a model, made ready for drawing."""

    def __init__(self, model: Any) -> None:
        self.model, self._kept = _mjv.read_model(mujoco, model)
        out = ffi.new("sac_render_assets **")
        check(lib.sac_mjv_assets_create(out, self.model))
        self.handle = out[0]
        self.life = Life(out[0], lib.sac_render_assets_destroy)


class _View:
    """A scene that MuJoCo fills, and the frame that says where it lies."""

    def __init__(self, model: Any, max_geom: int) -> None:
        self.scene, self._model = mujoco.MjvScene(model, maxgeom=max_geom), model
        scene, visual = self.scene, model.vis
        self.frame = frame = ffi.new("sac_mjv_frame *")
        self._geoms, self._lights = scene.geoms, scene.lights
        if self._geoms:
            frame.geoms = ffi.cast("void *", _mjv.address(self._geoms[0].pos))
        frame.lights = ffi.cast("void *", _mjv.address(self._lights[0].pos))
        frame.camera = ffi.cast("void *", _mjv.address(scene.camera[0].pos))
        self._kept: list[Any] = []
        frame.skinvert, frame.skinnormal = (
            _mjv.pointer_to("float *", x, self._kept) for x in (scene.skinvert, scene.skinnormal))
        self.flexes, kept = _mjv.read_flexes(scene)
        self._kept.append(kept)
        frame.flexes = self.flexes[0]
        self._map, self._haze, self._stat = visual.map, visual.rgba.haze, model.stat
        flags = mujoco.mjtRndFlag
        self._flags = [int(flag) for flag in (flags.mjRND_SHADOW, flags.mjRND_REFLECTION, flags.mjRND_SKYBOX,
                                              flags.mjRND_HAZE)]
        self._undrawn = {int(getattr(flags, "mjRND_" + name)): what for name, what in _FLAGS.items()
                         if hasattr(flags, "mjRND_" + name)}

    def update(self, data: Any, camera: Any, option: Any) -> None:
        """Lets MuJoCo fill the scene."""
        near = np.float32(self._map.znear * self._stat.extent)
        if not _NEAREST <= near < np.inf:  # MuJoCo would end the process
            raise ArgumentError(f"the model's near plane, vis.map.znear * stat.extent, is {near}, "
                                f"expected {_NEAREST} or more")
        # endless planes follow the camera that was set last, so it is set before the scene is made
        mujoco.mjv_updateCamera(self._model, data, camera, self.scene)
        mujoco.mjv_updateScene(self._model, data, option, None, camera, mujoco.mjtCatBit.mjCAT_ALL.value, self.scene)

    def count(self) -> None:
        """Tells the frame what the scene holds now."""
        frame, scene = self.frame, self.scene
        frame.ngeom, frame.nlight = min(scene.ngeom, len(self._geoms)), min(scene.nlight, len(self._lights))
        if scene.nflex:
            flexes = frame.flexes
            flexes.flexvertopt, flexes.flexedgeopt = scene.flexvertopt, scene.flexedgeopt
            flexes.flexskinopt = scene.flexskinopt

    def look(self, solid: bool) -> None:
        """Tells the frame what the model and the scene's flags say."""
        frame, around = self.frame, self._map
        frame.extent, frame.zfar, frame.haze = self._stat.extent, around.zfar, around.haze
        frame.shadowclip, frame.shadowscale = around.shadowclip, around.shadowscale
        frame.haze_rgb = self._haze[:3].tolist()
        frame.shadows, frame.reflections, frame.skybox, frame.hazy = self.scene.flags[self._flags].tolist()
        frame.solid = solid

    def warn(self, left_out: int, stacklevel: int) -> None:
        """Names what was not drawn, unless an earlier warning did."""
        scene = self.scene
        flags, stereo, transform = scene.flags, int(scene.stereo), scene.enabletransform
        if not left_out and not stereo and not transform and not flags[list(self._undrawn)].any():
            return
        kinds = [kind for i, kind in _KINDS.items() if left_out >> i & 1]
        kinds += [what for flag, what in self._undrawn.items() if flags[flag]]
        kinds += ["stereo pictures"] if stereo else []
        kinds += ["the scaling and moving of a whole scene (enabletransform)"] if transform else []
        new = [kind for kind in dict.fromkeys(kinds) if kind not in _warned]
        _warned.update(new)
        if new:
            warnings.warn(f"saccade.mujoco does not draw {', '.join(new)}", stacklevel=stacklevel + 1)


class _Drawing:
    """What both renderers share: the size of their pictures, what these show, and how cameras are named."""

    def __init__(self, model: Any, height: int, width: int, max_geom: int | None) -> None:
        self._handle: Any = None
        self._life: Any = None
        self._model = _plain(model, mujoco.MjModel, "model")
        self._height, self._width = _whole(height, "height"), _whole(width, "width")
        self._max_geom = _MAX_GEOM if max_geom is None else _whole(max_geom, "max_geom")
        if not 0 <= self._max_geom <= _MOST_GEOMS:
            raise ArgumentError(f"max_geom is {max_geom}, expected 0..{_MOST_GEOMS}")
        self._owner = Owner("this renderer")
        self._view, self._option = _View(self._model, self._max_geom), mujoco.MjvOption()
        self._depth = self._segmentation = False
        self._picture = ffi.new("sac_picture *")
        self._ids: Any = None
        self._create()

    def _create(self) -> None:
        """The library's parts."""
        raise NotImplementedError

    def _definition(self) -> Any:
        quality = self._model.vis.quality
        definition = ffi.new("sac_renderer_def *", lib.sac_renderer_default_def())
        definition.width, definition.height = self._width, self._height
        definition.max_geoms = max(1, self._view.scene.maxgeom)
        definition.shadows, definition.reflections = quality.shadowsize > 0, True
        definition.antialias = quality.offsamples > 0
        definition.later_in_front = True
        return definition

    @property
    def model(self) -> Any:
        return self._model

    @property
    def height(self) -> int:
        return self._height

    @property
    def width(self) -> int:
        return self._width

    def enable_depth_rendering(self) -> None:
        """From now on render gives depth."""
        self._depth, self._segmentation = True, False

    def disable_depth_rendering(self) -> None:
        """From now on render gives colour, unless it gives segmentation."""
        self._depth = False

    def enable_segmentation_rendering(self) -> None:
        """From now on render gives the objects that are seen."""
        self._depth, self._segmentation = False, True

    def disable_segmentation_rendering(self) -> None:
        """From now on render gives colour, unless it gives depth."""
        self._segmentation = False

    def _camera(self, which: Any) -> Any:
        if isinstance(which, mujoco.MjvCamera):
            return which
        if isinstance(which, str):
            number = mujoco.mj_name2id(self._model, mujoco.mjtObj.mjOBJ_CAMERA.value, which)
            if number == -1:
                raise ArgumentError(f'The camera "{which}" does not exist.')
        else:
            number = _whole(which, "camera", "a number, a name or an MjvCamera")
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

    def _render(self, out: Any, before: tuple[int, ...], draw: Callable[[Any], None]) -> np.ndarray:
        """Lets `draw` write to `out` or to a new array; `before` is the shape before height and width."""
        self._open("render")
        size = (*before, self._height, self._width)
        shape = size + (() if self._depth else (2,) if self._segmentation else (3,))
        if out is not None and not isinstance(out, np.ndarray):
            raise TypeError(f"out is a {type(out).__name__}, expected a NumPy array of the shape {shape}")
        if out is not None and out.shape != shape:
            if not self._segmentation or out.shape != (*size, 3):  # mujoco.Renderer's, which it leaves aside
                raise ValueError(f"Expected `out.shape == {shape}`. Got `out.shape={out.shape}` instead.")
            out = None
        dtype = np.float32 if self._depth else np.int32 if self._segmentation else np.uint8
        fits = out is not None and out.dtype == dtype and out.flags.carray
        pixels = out if fits else np.empty(shape, dtype)
        with self._owner:
            self._view.look(self._depth or self._segmentation)
            draw(self._aim(pixels, size))
        if out is None or fits:
            return pixels
        out[...] = pixels
        return cast(np.ndarray, out)

    def _aim(self, pixels: np.ndarray, size: tuple[int, ...]) -> Any:
        """Leads the picture to an array. Returns where the objects go."""
        picture = self._picture
        picture.rgb = picture.depth = picture.ids = ffi.NULL
        if self._segmentation:
            if self._ids is None or self._ids.shape != size:
                self._ids = np.empty(size, np.int32)
            picture.ids = ffi.cast("int32_t *", _mjv.address(self._ids))
            return ffi.cast("int32_t *", _mjv.address(pixels))
        if self._depth:
            picture.depth = pointer(pixels)
        else:
            picture.rgb = pointer(pixels)
        return ffi.NULL

    def _open(self, what: str) -> Any:
        """The library's parts, for a method of this name."""
        if self._handle is None:
            raise RuntimeError(f"{what} cannot be called after close.")
        return self._handle

    def reload(self) -> None:
        """Takes the model's textures, meshes and height fields anew, after they were changed."""
        with self._owner:
            self._open("reload")
            self._create()

    def close(self) -> None:
        """Gives the memory back. Nothing can be drawn afterwards."""
        with self._owner:
            self._handle = self._life = None

    def __enter__(self: Drawing) -> Drawing:
        self._open("__enter__")
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


class Renderer(_Drawing):
    """Draws scenes of a model with the methods of mujoco.Renderer, on the CPU.

    model: an MjModel
    height, width: pixels of a picture, 1..8192
    max_geom: geoms of a scene at most, 0..2^20; more are not drawn. None: 10000
    font_scale: for mujoco.Renderer's sake; text is not drawn

    What is in view and cannot be drawn is named in one warning. A ValueError says which argument is out of range. After
    close every method that draws or takes a scene is a RuntimeError.
    """

    def __init__(self, model: Any, height: int = 240, width: int = 320, max_geom: int | None = 10000,
                 font_scale: Any = None) -> None:
        super().__init__(model, height, width, max_geom)

    def _create(self) -> None:
        assets, definition = _Assets(self._model), self._definition()
        renderer, scene = ffi.new("sac_renderer **"), ffi.new("sac_mjv_scene **")
        check(lib.sac_renderer_create(renderer, definition))
        renderer = ffi.gc(renderer[0], lib.sac_renderer_destroy)
        check(lib.sac_mjv_scene_create(scene, _find_layout(), assets.handle, assets.model, self._view.flexes,
                                       definition.max_geoms))
        self._life = Life(scene[0], lib.sac_mjv_scene_destroy, assets.life)
        self._handle = renderer, scene[0], assets

    @property
    def scene(self) -> Any:
        """The mujoco.MjvScene that is drawn. You may add geoms to it between update_scene and render."""
        return self._view.scene

    def update_scene(self, data: Any, camera: Any = -1, scene_option: Any = None) -> None:
        """Takes what is to be seen from data.

        data: an MjData, up to date: after mj_forward, or after mj_step as it is
        camera: the number or the name of a camera of the model, an MjvCamera, or -1: the free camera
        scene_option: an MjvOption, or None: the default
        """
        data, camera = _data(data, self._model, "data"), self._camera(camera)
        with self._owner:
            self._open("update_scene")
            self._view.update(data, camera, scene_option or self._option)

    def render(self, *, out: Any = None) -> np.ndarray:
        """Draws the scene.

        out: an array for the result, which is returned; its type may be another. None: a new array

        Returns bytes [height, width, 3], with depth floats [height, width] in metres, the far plane's distance where
        there is nothing, with segmentation int32 [height, width, 2]: number and mjtObj of the object, -1 for nothing.
        """
        return self._render(out, (), self._draw)

    def _draw(self, objects: Any) -> None:
        renderer, scene, assets = self._handle
        if not self.scene.camera[0].frustum_far and not any(self.scene.camera[0].forward):  # as MuJoCo makes it
            raise RuntimeError("render cannot be called before update_scene.")
        self._view.count()
        check(lib.sac_mjv_draw(renderer, scene, assets.model, self._view.frame, self._picture, objects))
        self._view.warn(lib.sac_mjv_scene_left_out(scene), stacklevel=4)


class BatchRenderer(_Drawing):
    """Draws many MjData of one model at once, in several threads, with the methods of Renderer.

        renderer = saccade.mujoco.BatchRenderer(model, 84, 84, threads=2)
        renderer.update_scene(datas, camera="track")
        pixels = renderer.render()                     # bytes [len(datas), 84, 84, 3]

    The pixels are those of one Renderer, one data after another, to the byte, for any number of threads. Threads draw
    without Python's lock. MuJoCo makes the scenes one after another, which takes microseconds; those of models with
    skins or flexes are made in threads, too.

    model: an MjModel, which all data are of
    height, width: pixels of a picture, 1..8192
    max_geom: geoms of a scene at most, 0..2^20; more are not drawn. None: 10000
    threads: 1..1024, the calling one among them

    What is in view and cannot be drawn is named in one warning. A ValueError says which argument is out of range.
    """

    def __init__(self, model: Any, height: int = 240, width: int = 320, max_geom: int | None = 10000, *,
                 threads: int = 1) -> None:
        self._threads, self._count, self._process = _whole(threads, "threads"), 0, os.getpid()
        self._views: list[_View] = []  # of the other threads
        self._pool: Any = None
        super().__init__(model, height, width, max_geom)
        if self._threads > 1 and (self._model.nskin or self._model.nflex):
            self._views = [_View(self._model, self._max_geom) for _ in range(self._threads - 1)]
            self._pool = ThreadPoolExecutor(self._threads - 1, "saccade")

    def _create(self) -> None:
        assets, batch = _Assets(self._model), ffi.new("sac_mjv_batch **")
        check(lib.sac_mjv_batch_create(batch, self._definition(), _find_layout(), assets.handle, assets.model,
                                       self._view.flexes, self._threads))
        self._life = Life(batch[0], lib.sac_mjv_batch_destroy, assets.life)
        self._handle, self._count = (batch[0], assets), 0

    @property
    def threads(self) -> int:
        return self._threads

    @property
    def scene(self) -> Any:
        """A mujoco.MjvScene whose flags hold for all pictures. Geoms are added to it by a scene_callback."""
        return self._view.scene

    def update_scene(self, datas: Iterable[Any], camera: Any = -1, scene_option: Any = None, *,
                     scene_callback: Callable[[Any, Any], Any] | None = None) -> None:
        """Takes what is to be seen from each of several data, which may change afterwards.

        datas: MjData, up to date; one may come several times, to be seen by several cameras
        camera: as in Renderer.update_scene, for all; or a list of as many cameras as there are data
        scene_option: an MjvOption for all, or None: the default
        scene_callback: called as scene_callback(data, scene) for each data in turn when its MjvScene is made. It may
            add geoms to the scene
        """
        if isinstance(datas, mujoco.MjData):
            raise TypeError("datas is one MjData, expected a list of them")
        datas = [_data(data, self._model, "datas") for data in datas]
        cameras = self._cameras(camera, len(datas))
        with self._owner:
            batch, _ = self._open("update_scene")
            self._count = 0  # nothing is in view should this fail
            check(lib.sac_mjv_batch_resize(batch, len(datas)))
            self._take(list(zip(range(len(datas)), datas, cameras)), scene_option or self._option, scene_callback)
            self._count = len(datas)

    def _cameras(self, camera: Any, count: int) -> Sequence[Any]:
        if not isinstance(camera, (list, tuple, np.ndarray)):
            return [self._camera(camera)] * count
        if len(camera) != count:
            raise ArgumentError(f"{len(camera)} cameras for {count} data, expected one for each, or one for all")
        return [self._camera(which) for which in camera]

    def _open(self, what: str) -> Any:
        handle = super()._open(what)
        if self._threads > 1 and self._process != os.getpid():
            raise RuntimeError("this renderer was made before a fork, and its threads stayed behind; make one here")
        return handle

    def _take(self, all_of: list[Any], option: Any, callback: Any) -> None:
        """Lets MuJoCo make the scene of each (index, data, camera), and copies it."""
        views = [self._view, *self._views]
        # two threads may not use one data, and a camera that tracks is moved by each scene that it sees
        tracks = any(camera.type == mujoco.mjtCamera.mjCAMERA_TRACKING for _, _, camera in all_of)
        if callback or tracks or len({id(data) for _, data, _ in all_of}) < len(all_of):
            del views[1:]

        def take(view: _View, some: list[Any]) -> None:
            batch, assets = self._handle
            for index, data, camera in some:
                view.update(data, camera, option)
                if callback:
                    callback(data, view.scene)
                view.count()
                check(lib.sac_mjv_batch_take(batch, index, assets.model, view.frame))

        others = [self._pool.submit(take, view, all_of[i::len(views)]) for i, view in enumerate(views) if i > 0]
        try:
            take(self._view, all_of[::len(views)])
        finally:
            failures = [other.exception() for other in others]  # waits for all
        for failure in filter(None, failures):
            raise failure

    def render(self, *, out: Any = None) -> np.ndarray:
        """Draws all that the last update_scene took.

        out: an array for the result, which is returned; its type may be another. None: a new array

        Returns bytes [n, height, width, 3] for n data, with depth floats [n, height, width] in metres, the far plane's
        distance where there is nothing, with segmentation int32 [n, height, width, 2]: number and mjtObj of the object,
        -1 for nothing. A ValueError names the first of them whose camera is not finite; the others are in `out` then.
        """
        return self._render(out, (self._count,), self._draw)

    def _draw(self, objects: Any) -> None:
        batch, assets = self._open("render")
        check(lib.sac_mjv_batch_resize(batch, self._count))
        check(lib.sac_mjv_batch_draw(batch, assets.model, self._view.frame, self._picture, objects))
        self._view.warn(lib.sac_mjv_batch_left_out(batch), stacklevel=4)

    def reload(self) -> None:
        """Takes the model's textures, meshes and height fields anew, after they were changed. What update_scene took is
        gone."""
        super().reload()

    def close(self) -> None:
        """Gives the memory back and ends the threads. Nothing can be drawn afterwards."""
        super().close()
        if self._pool:
            self._pool.shutdown()
