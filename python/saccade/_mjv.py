"""Where the fields of MuJoCo's structs lie in memory, found by asking the user's own mujoco package.

Versions of MuJoCo lay out mjvGeom, mjvLight and mjvGLCamera differently. The package's objects show fields of several
numbers as NumPy views, whose addresses say where they lie. Fields of one number are found by writing to them and looking
which bytes of the struct change. So there are no tables of versions, and a version that is not out yet works too, or
is refused with one sentence.
"""
from __future__ import annotations

import struct
from typing import Any

import numpy as np

from saccade._core import UnavailableError, ffi, lib

# what older or newer versions do not have; see include/saccade/mjv.h
_OPTIONAL = {"geom_texid", "geom_texuniform", "geom_texrepeat", "geom_castshadow", "light_type", "light_directional"}
# numbers of geoms' types that src/mjv/scene.c counts on
_TYPES = {"PLANE": 0, "HFIELD": 1, "SPHERE": 2, "CAPSULE": 3, "ELLIPSOID": 4, "CYLINDER": 5, "BOX": 6, "MESH": 7,
          "SDF": 8, "ARROW": 100, "LINE": 103}
# pairs of values, and in how many bytes they differ in a field of their type: a float, an int, a byte, a text
_TRIES: tuple[tuple[Any, Any, int], ...] = (
    (struct.unpack("<f", b"\1\1\1\1")[0], struct.unpack("<f", b"\2\2\2\2")[0], 4),
    (0x01010101, 0x02020202, 4), (0, 1, 1), ("a", "b", 1))


def address(array: np.ndarray) -> int:
    return int(array.__array_interface__["data"][0])


def _refuse(mujoco: Any, what: str) -> UnavailableError:
    return UnavailableError(f"MuJoCo {mujoco.__version__}: {what}, so saccade cannot read its scenes; "
                            "expected 3.2 or later")


class _Struct:
    """MuJoCo's structs that follow each other in memory, with something before the one that is tried out."""

    def __init__(self, items: Any, tried: int) -> None:
        self._item = items[tried]
        self._pos = address(items[tried].pos)
        self.stride = address(items[1].pos) - address(items[0].pos)
        # `pos` is somewhere in the struct, so the struct lies within a stride before and after it
        self._around = ffi.buffer(ffi.cast("char *", self._pos - self.stride), 2 * self.stride)

    def place(self, field: str) -> int | None:
        """Bytes from `pos` to the field; None where there is no such field."""
        value = getattr(self._item, field, None)
        if value is None:
            return None
        if isinstance(value, np.ndarray):
            return address(value) - self._pos
        for first, second, size in _TRIES:
            changed = self._changed(field, first, second)
            if len(changed) == size:
                setattr(self._item, field, value)
                return changed[0] - self.stride
        return None

    def _changed(self, field: str, first: Any, second: Any) -> list[int]:
        """The bytes that differ between two values of the field."""
        try:
            setattr(self._item, field, first)
            before = bytes(self._around)
            setattr(self._item, field, second)
        except (TypeError, ValueError):  # the field is of another type
            return []
        return [i for i, pair in enumerate(zip(before, bytes(self._around))) if pair[0] != pair[1]]


def find(mujoco: Any) -> Any:
    """The layout of this MuJoCo, a sac_mjv_layout."""
    for name, number in _TYPES.items():
        if int(getattr(mujoco.mjtGeom, "mjGEOM_" + name, -1)) != number:
            raise _refuse(mujoco, f"mjGEOM_{name} is not {number}")
    model = mujoco.MjModel.from_xml_string("<mujoco/>")
    scene = mujoco.MjvScene(model, maxgeom=3)
    scene.geoms[1].label = ""  # a text that was never written has no end, and would be read beyond its memory
    # the two cameras lie within an mjvScene, behind its lights
    structs = {"geom": _Struct(scene.geoms, 1), "light": _Struct(scene.lights, 1), "camera": _Struct(scene.camera, 0)}
    layout = ffi.new("sac_mjv_layout *")
    for name, _ in ffi.typeof("sac_mjv_layout").fields:
        kind, _, field = name.partition("_")
        place = structs[kind].stride if field == "stride" else structs[kind].place(field)
        if place is None and name not in _OPTIONAL:
            raise _refuse(mujoco, f"there is no field '{field}' of a scene's {kind}")
        setattr(layout, name, lib.SAC_MJV_ABSENT if place is None else place)
    if layout.light_type == layout.light_directional == lib.SAC_MJV_ABSENT:
        raise _refuse(mujoco, "a scene's lights have no type")
    return layout


_DTYPES = {"double": np.float64, "float": np.float32, "int": np.int32, "uint8_t": np.uint8, "int64_t": np.int64}


def pointer_to(kind: str, array: Any, kept: list[Any]) -> Any:
    """An array as a pointer of a C type, without a copy where its type is right, so what changes in it is seen."""
    array = np.ascontiguousarray(array, _DTYPES[kind.removeprefix("const ").removesuffix(" *")])
    kept.append(array)
    return ffi.cast(kind, address(array)) if array.size else ffi.NULL


def read_flexes(scene: Any) -> tuple[Any, list[Any]]:
    """What a scene says of flexes, a sac_mjv_flexes, and what must live as long."""
    out, kept = ffi.new("sac_mjv_flexes *"), [scene]
    for name, field in ffi.typeof("sac_mjv_flexes").fields:
        value = getattr(scene, name)
        setattr(out, name, pointer_to(field.type.cname, value, kept) if field.type.kind == "pointer" else value)
    return out, kept


def read_model(mujoco: Any, model: Any) -> tuple[Any, list[Any]]:
    """A model's arrays, a sac_mjv_model, and what must live as long."""
    out, kept = ffi.new("sac_mjv_model *"), [model]
    roles = getattr(mujoco, "mjtTextureRole", None)
    version = tuple(int(x) for x in mujoco.mj_versionString().split(".")[:2])
    values = {"flat_by_shape": version >= (3, 12), "box_cells": model.vis.quality.numquads,
              "mat_roles": model.mat_texid.size // max(1, model.nmat),
              "mat_rgb": int(roles.mjTEXROLE_RGB) if roles else 0,
              "ntexdata": model.ntexdata, "tex_data": getattr(model, "tex_data", getattr(model, "tex_rgb", None))}
    for name, field in ffi.typeof("sac_mjv_model").fields:
        value = values[name] if name in values else getattr(model, name, None)
        if value is None and name in ("tex_nchannel", "tex_colorspace"):  # what older versions do not have
            continue
        if value is None:
            raise _refuse(mujoco, f"a model has no {name}")
        if field.type.kind == "pointer":
            value = pointer_to(field.type.cname, value, kept)
        setattr(out, name, value)
    return out, kept
