"""From what a sensor delivers to tokens: camera frames, depth images, point clouds.

Images are [height, width, channels], bytes or float32, and may be views: rows apart by any number of bytes, so that a
crop is image[20:80, 10:70].
"""
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from saccade._core import (BYTE, FLOAT, Workspaces, array, created, dense, documented, ffi, fill, lib, output,
                           pointer)

_ORDERS = {"plain": lib.SAC_PIXELS_PLAIN, "bgr": lib.SAC_PIXELS_BGR, "rgbx": lib.SAC_PIXELS_RGBX,
           "bgrx": lib.SAC_PIXELS_BGRX, "grey": lib.SAC_PIXELS_GREY}
_STORED = {"bgr": (3, 3), "rgbx": (3, 4), "bgrx": (3, 4)}  # channels that tokens see, bytes of a pixel


class Grid(NamedTuple):
    """How an image is cut into patches, row by row."""

    patch: int
    stride: int
    rows: int
    columns: int

    @property
    def size(self) -> int:
        """How many patches there are."""
        return self.rows * self.columns

    def _struct(self) -> Any:
        return ffi.new("sac_grid *", [*self, self.size])

    @documented("sac_grid_center")
    def center(self, index: int) -> tuple[int, int]:
        """(row, column) of a patch's middle."""
        if not 0 <= index < self.size:
            raise IndexError(f"patch {index}, expected 0..{self.size - 1}")
        row, column = ffi.new("int[2]"), ffi.new("int[2]")
        lib.sac_grid_center(self._struct(), index, row, column)
        return row[0], column[0]


def _grid(struct: Any) -> Grid:
    return Grid(struct.patch, struct.stride, struct.rows, struct.columns)


@documented("sac_grid_of")
def grid(height: int, width: int, patch: int, stride: int) -> Grid:
    if not (1 <= patch <= min(height, width) and stride >= 1):
        raise ValueError(f"patch {patch}, stride {stride}: expected 1..{min(height, width)} and 1 at least")
    return _grid(lib.sac_grid_of(height, width, patch, stride))


def _view(image: Any, order: str, channels: int | None) -> tuple[Any, np.ndarray]:
    """A sac_image or sac_float_image of an array, where it is."""
    if order not in _ORDERS:
        raise ValueError(f"order: {order!r}, expected one of {', '.join(_ORDERS)}")
    image = array(image, "image", None)
    if image.ndim == 2:
        image = image[:, :, None]
    kind = FLOAT if image.dtype == FLOAT else BYTE
    array(image, "image", kind, 3)
    height, width, stored = image.shape
    seen = channels or stored if order in ("plain", "grey") else 3
    expected = {"plain": seen, "grey": 1}.get(order) or _STORED[order][1]
    size = kind.itemsize
    gaps = width > 1 and image.strides[1] != stored * size or stored > 1 and image.strides[2] != size
    if stored != expected or gaps or image.strides[0] % size or not image.size:
        raise ValueError(f"image: shape {image.shape}, strides {image.strides}, expected [height, width, {expected}] "
                         "with no gaps within a row")
    if kind == FLOAT:
        view = ffi.new("sac_float_image *", {"height": height, "width": width, "channels": stored})
        view.pixels, view.row_stride = ffi.cast("float *", _address(image)), image.strides[0] // 4
    else:
        view = ffi.new("sac_image *", {"height": height, "width": width, "channels": seen, "order": _ORDERS[order]})
        view.pixels, view.row_stride = ffi.cast("uint8_t *", _address(image)), image.strides[0]
    return view, image


def _address(x: np.ndarray) -> int:
    return int(x.__array_interface__["data"][0])


@documented("sac_image_patches")
def patches(image: Any, patch: int, stride: int, order: str = "plain", out: Any = None) -> Any:
    view, pixels = _view(image, order, None)
    cut = grid(view.height, view.width, patch, stride)
    result, tokens = output(out, (patch * patch * view.channels, cut.size))
    function = lib.sac_float_image_patches if pixels.dtype == FLOAT else lib.sac_image_patches
    function(pointer(tokens), cut.size, view, cut._struct())
    return result


@documented("sac_projection_def")
class Projection:
    """Patches multiplied by weights, straight from the image; call it with one."""

    def __init__(self, height: int, width: int, channels: int, weights: Any, *, patch: int = 1, stride: int = 1,
                 bias: Any = None, order: str = "plain") -> None:
        weights = dense(weights, "weights", (-1, patch * patch * channels))
        struct = ffi.new("sac_projection_def *", lib.sac_projection_default_def())
        outputs = weights.shape[0]
        _kept = fill(struct, {"height": height, "width": width, "channels": channels, "patch": patch, "stride": stride,
                              "order": _ORDERS[order], "outputs": outputs, "weights": weights, "bias": bias},
                     {"bias": (outputs,)})
        self._handle = created(lib.sac_projection_create, "sac_projection", lib.sac_projection_destroy, struct)
        self.grid, self.outputs = _grid(lib.sac_projection_grid(self._handle)), outputs
        self._size = (height, width, channels)
        self._order, self._workspaces = order, Workspaces()
        self._workspace_size = lib.sac_projection_workspace_size(self._handle)

    @documented("sac_projection_run", "sac_projection_run_floats")
    def __call__(self, image: Any, out: Any = None) -> Any:
        floats = array(image, "image", None).dtype == FLOAT
        view, _pixels = _view(image, "plain" if floats else self._order, self._size[2])
        if (view.height, view.width, view.channels) != self._size:
            raise ValueError(f"image: {view.height} x {view.width} x {view.channels}, expected {self._size}")
        result, tokens = output(out, (self.outputs, self.grid.size))
        workspace = self._workspaces.take(self._workspace_size)
        function = lib.sac_projection_run_floats if floats else lib.sac_projection_run
        function(self._handle, pointer(tokens), self.grid.size, view, workspace[1])
        self._workspaces.give(workspace)
        return result


@documented("sac_positions_flat")
def positions(size: int, count: int, out: Any = None) -> Any:
    if size < 1 or not 1 <= count <= 1 << 20:
        raise ValueError(f"size {size}, count {count}: expected 1 at least, and 1..2^20")
    result, encoded = output(out, (size, count))
    lib.sac_positions_flat(pointer(encoded), count, size, count)
    return result


@documented("sac_positions_grid")
def grid_positions(size: int, rows: int, columns: int, out: Any = None) -> Any:
    if size < 2 or size % 2 or rows < 1 or columns < 1 or rows * columns > 1 << 20:
        raise ValueError(f"size {size}, grid {rows} x {columns}: expected an even size and 1..2^20 patches")
    result, encoded = output(out, (size, rows * columns))
    lib.sac_positions_grid(pointer(encoded), rows * columns, size, rows, columns)
    return result


@documented("sac_resize_create")
class Resize:
    """Images of one size to another; call it with one. method: "bilinear" or "area"."""

    def __init__(self, height: int, width: int, channels: int, new_height: int, new_width: int,
                 method: str = "bilinear") -> None:
        methods = {"bilinear": lib.SAC_RESIZE_BILINEAR, "area": lib.SAC_RESIZE_AREA}
        if method not in methods:
            raise ValueError(f"method: {method!r}, expected one of {', '.join(methods)}")
        self._handle = created(lib.sac_resize_create, "sac_resize", lib.sac_resize_destroy, height, width, channels,
                               new_height, new_width, methods[method])
        self._from, self._to = (height, width, channels), (new_height, new_width, channels)
        self._workspaces = Workspaces()

    @documented("sac_resize_run", "sac_resize_run_floats")
    def __call__(self, image: Any, out: Any = None) -> Any:
        view, pixels = _view(image, "plain", None)
        if pixels.shape != self._from:
            raise ValueError(f"image: shape {pixels.shape}, expected {self._from}")
        result, resized = output(out, self._to, pixels.dtype)
        if np.shares_memory(resized, pixels):
            raise ValueError("out: expected other memory than the image's")
        workspace = self._workspaces.take(lib.sac_resize_workspace_size(self._handle))
        function = lib.sac_resize_run_floats if pixels.dtype == FLOAT else lib.sac_resize_run
        function(self._handle, pointer(resized), view, workspace[1])
        self._workspaces.give(workspace)
        return result


class Depth:
    """A depth image, float32 metres or uint16 millimetres; valid where least <= depth <= most (metres)."""

    def __init__(self, pixels: Any, least: float = 0.0, most: float = float("inf")) -> None:
        pixels = array(pixels, "pixels", None, 2)
        kinds = {FLOAT: lib.SAC_DEPTH_METRES, np.dtype("u2"): lib.SAC_DEPTH_MILLIMETRES}
        if pixels.dtype not in kinds or not pixels.size or pixels.strides[1] != pixels.itemsize:
            raise TypeError(f"pixels: {pixels.dtype}, strides {pixels.strides}, expected float32 or uint16 with no "
                            "gaps within a row")
        self.pixels, (self.height, self.width) = pixels, pixels.shape
        self._struct = ffi.new("sac_depth *", {
            "pixels": ffi.cast("void *", _address(pixels)), "height": self.height, "width": self.width,
            "row_stride": pixels.strides[0], "format": kinds[pixels.dtype], "least": least, "most": most})

    @documented("sac_depth_image")
    def image(self, out: Any = None) -> Any:
        result, image = output(out, (self.height, self.width, 2))
        lib.sac_depth_image(pointer(image), self._struct)
        return result

    @documented("sac_intrinsics", "sac_depth_points")
    def points(self, focal: tuple[float, float], center: tuple[float, float],
               step: int = 1) -> tuple[np.ndarray, np.ndarray]:
        """Returns (points [3, count], pixels [count]); focal and center are (row, column), in pixels."""
        if step < 1:
            raise ValueError(f"step: {step}, expected 1 at least")
        most = -(-self.height // step) * -(-self.width // step)
        points, pixels = np.empty((3, most), FLOAT), np.empty(most, "i4")
        camera = ffi.new("sac_intrinsics *", [*focal, *center])
        count = lib.sac_depth_points(pointer(points), most, pointer(pixels), self._struct, camera, step)
        return points[:, :count], pixels[:count]


@documented("sac_cloud")
class Cloud:
    """Points [N, 3 + fields], float32, which may be apart by any number of bytes."""

    def __init__(self, points: Any) -> None:
        points = array(points, "points", FLOAT, 2)
        if points.shape[1] < 3 or points.strides[1] != 4:
            raise ValueError(f"points: shape {points.shape}, expected [N, 3 + fields] with no gaps within a point")
        self.points = points
        self._struct = ffi.new("sac_cloud *", {"points": ffi.cast("void *", _address(points)), "count": len(points),
                                               "fields": points.shape[1] - 3, "point_stride": points.strides[0]})

    @documented("sac_cloud_tokens")
    def tokens(self, center: Any = None) -> np.ndarray:
        tokens = np.empty((self.points.shape[1], max(1, len(self.points))), FLOAT)
        center = None if center is None else dense(center, "center", (3,))
        count = lib.sac_cloud_tokens(pointer(tokens), tokens.shape[1], self._struct,
                                     ffi.NULL if center is None else pointer(center))
        return tokens[:, :count]

    @documented("sac_cloud_center")
    def center(self) -> np.ndarray:
        center = np.empty(3, FLOAT)
        lib.sac_cloud_center(pointer(center), self._struct)
        return center

    @documented("sac_cloud_axis")
    def axis(self) -> np.ndarray:
        axis = np.empty(3, FLOAT)
        lib.sac_cloud_axis(pointer(axis), self._struct)
        return axis


__all__ = ["Cloud", "Depth", "Grid", "Projection", "Resize", "grid", "grid_positions", "patches", "positions"]
