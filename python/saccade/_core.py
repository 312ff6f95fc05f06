"""What every module shares: errors, docstrings, arrays and workspaces."""
from __future__ import annotations

import inspect
import re
import threading
from typing import Any, Callable, TypeVar, cast

import numpy as np

from saccade import _mujoco_package
from saccade._docs import DOCS
from saccade._saccade import ffi as ffi
from saccade._saccade import lib as lib

F = TypeVar("F", bound=Callable[..., Any])


# ----------------------------------------------------------------------------------------------------------------------
# errors


class Error(Exception):
    """A failure, in the library's one sentence: what, where, what was expected. `status` is its number."""

    status = 0


class ArgumentError(Error, ValueError):
    status = lib.SAC_ERROR_ARGUMENT


class OutOfMemoryError(Error, MemoryError):
    status = lib.SAC_ERROR_MEMORY


class FileError(Error, OSError):
    status = lib.SAC_ERROR_FILE


class FormatError(Error, ValueError):
    status = lib.SAC_ERROR_FORMAT


class UnavailableError(Error, RuntimeError):
    status = lib.SAC_ERROR_UNAVAILABLE


class WorldError(Error, RuntimeError):
    status = lib.SAC_ERROR_ENVIRONMENT


class InterruptedError(Error, RuntimeError):
    status = lib.SAC_ERROR_INTERRUPTED


class DivergedError(Error, ArithmeticError):
    status = lib.SAC_ERROR_DIVERGED


def _check_cpu_level() -> None:
    """A level that is misspelt would be ignored by the library, which prints nothing."""
    import os

    given = os.environ.get("SACCADE_CPU", "")
    known = [ffi.string(lib.sac_cpu_level_name(level)).decode() for level in range(lib.SAC_CPU_AVX512 + 1)]
    if given and given not in known:
        raise ArgumentError(f"SACCADE_CPU is '{given:.80}', expected one of: {', '.join(known)}")


_check_cpu_level()
_errors = {kind.status: kind for kind in Error.__subclasses__()}
for _kind in _errors.values():
    _kind.__doc__ = ffi.string(lib.sac_status_text(_kind.status)).decode()


# what the library's sentences call as the command does, in Python's words
_FLAGS = {"--any-cpu-level": "any_cpu_level=True", "--generations": "generations", "--resume": "resume=True",
          "--run": "run", "--set": "settings"}


def _in_python(sentence: str) -> str:
    return re.sub(r"(?<![\w-])--[a-z][a-z-]*", lambda flag: _FLAGS.get(flag[0], flag[0]), sentence)


def error_of(status: int) -> Error:
    """The exception of a status, with this thread's last sentence."""
    sentence = (ffi.string(lib.sac_last_error()) or ffi.string(lib.sac_status_text(status))).decode(errors="replace")
    if "saccade-mujoco.so" in sentence:
        sentence = _mujoco_package.explain(sentence)
    return _errors.get(status, WorldError)(_in_python(sentence))


def check(status: int) -> None:
    if status:
        raise error_of(status)


# ----------------------------------------------------------------------------------------------------------------------
# docstrings


def _for_python(text: str, parameters: Any) -> str:
    """The header's text, without parameters that Python fills in by itself and without statuses."""
    lines, kept = [], True
    for line in text.splitlines():
        if match := re.match(r"@param(?:\[[\w,]+\])? +(\w+) +(.*)", line):
            kept = match[1] in parameters or (match[1] in ("importance", "tokens", "weights") and "out" in parameters)
            line = f"{match[1]}: {match[2]}"
        elif re.match(r"@return|Nullable", line):
            kept = not re.search("SAC_ERROR|SAC_OK", line)
            line = line.replace("@return", "Returns")
        elif not line.startswith("     "):
            kept = True
        lines += [re.sub(r"^ +", "    ", line)] if kept else []
    return "\n".join(lines).strip()


def _text_of(name: str, parameters: Any) -> str:
    fields = [f"{field}: {DOCS[f'{name}.{field}']}" for field in parameters if f"{name}.{field}" in DOCS]
    if name not in DOCS and not fields:
        raise KeyError(f"the headers say nothing about {name}")
    general = re.sub(r"What to create\. Start from \w+\(\)\.\s*", "", DOCS.get(name, ""))
    return "\n".join(filter(None, [_for_python(general, parameters), *fields]))


def documented(*names: str) -> Callable[[F], F]:
    """Appends what the C headers say about functions or types to a docstring."""

    def decorate(target: F) -> F:
        try:
            parameters: Any = inspect.signature(target).parameters
        except (TypeError, ValueError):
            parameters = ()
        parts = [inspect.cleandoc(target.__doc__ or ""), *(_text_of(name, parameters) for name in names)]
        target.__doc__ = "\n\n".join(filter(None, parts))
        return target

    return decorate


# ----------------------------------------------------------------------------------------------------------------------
# arrays

FLOAT, BYTE, INT, DOUBLE = (np.dtype(x) for x in ("f4", "u1", "i4", "f8"))
_arrays = {np.dtype(name): ffi.typeof(kind + "[]") for name, kind in (
    ("f4", "float"), ("u1", "uint8_t"), ("i4", "int"), ("f8", "double"), ("u4", "uint32_t"), ("u2", "uint16_t"))}
_pointers = {dtype: ffi.typeof(f"{kind.item.cname} *") for dtype, kind in _arrays.items()}


def array(x: Any, name: str, dtype: np.dtype | None = FLOAT, ndim: int | None = None) -> np.ndarray:
    """x itself as a NumPy array, without a copy: NumPy's, any object with __dlpack__ or the buffer protocol.

    Of any type where dtype is None."""
    if not isinstance(x, np.ndarray):
        if hasattr(x, "__dlpack__"):
            x = np.from_dlpack(x)
        else:
            try:
                x = np.asarray(memoryview(x))
            except TypeError:
                raise TypeError(f"{name}: {type(x).__name__}, expected an array (NumPy's, or an object with __dlpack__ "
                                "or the buffer protocol)") from None
    if dtype is not None and x.dtype != dtype:
        raise TypeError(f"{name}: {x.dtype}, expected {dtype}; nothing is converted by itself")
    if ndim is not None and x.ndim != ndim:
        raise ValueError(f"{name}: shape {x.shape}, expected {ndim} dimensions")
    return cast(np.ndarray, x)


def pointer(x: np.ndarray) -> Any:
    """To the first element. Valid while x lives."""
    if x.flags.c_contiguous:
        return ffi.from_buffer(_arrays[x.dtype], x)
    return ffi.cast(_pointers[x.dtype], x.__array_interface__["data"][0])


def _fits(shape: tuple[int, ...], pattern: tuple[int, ...]) -> bool:
    return len(shape) == len(pattern) and all(b in (a, -1) for a, b in zip(shape, pattern))


def dense(x: Any, name: str, shape: tuple[int, ...] | None = None, dtype: np.dtype = FLOAT) -> np.ndarray:
    """An array without gaps, in C's order; -1 in its shape: any number."""
    x = array(x, name, dtype)
    if shape is not None and x.shape != shape and not _fits(x.shape, shape):
        raise ValueError(f"{name}: shape {x.shape}, expected {shape}")
    if not x.flags.c_contiguous:
        raise ValueError(f"{name}: not contiguous; numpy.ascontiguousarray makes a copy that is")
    return cast(np.ndarray, x)


def planes(x: Any, name: str, rows: int | None = None, count: int | None = None) -> tuple[np.ndarray, int]:
    """Planar tokens [rows, count], each row without gaps, and the stride from row to row in floats."""
    x = array(x, name, FLOAT, 2)
    if rows is not None and x.shape[0] != rows:
        raise ValueError(f"{name}: shape {x.shape}, expected {rows} rows, one a dimension")
    if count is not None and x.shape[1] != count:
        raise ValueError(f"{name}: shape {x.shape}, expected {count} columns, one a token")
    if x.shape[1] == 0:
        raise ValueError(f"{name}: shape {x.shape}, expected a token at least")
    row, column = x.strides
    if x.shape[0] == 1:
        row = 4 * x.shape[1]
    if (column != 4 and x.shape[1] > 1) or row % 4 or row < 4 * x.shape[1]:
        raise ValueError(f"{name}: rows must follow each other and have no gaps; numpy.ascontiguousarray makes a copy "
                         "that has none (tokens are [dimensions, tokens])")
    return x, row // 4


def _is_old(x: Any) -> bool:
    """Whether x speaks the first DLPack, which cannot say that memory is read-only."""
    try:
        x.__dlpack__(max_version=(1, 0))
    except TypeError:
        return True
    return False


def output(out: Any, shape: tuple[int, ...], dtype: np.dtype = FLOAT, name: str = "out") -> tuple[Any, np.ndarray]:
    """Where a result goes: a new array, or the caller's memory. Returns what to give back, and the array to write."""
    if out is None:
        out = np.empty(shape, dtype)
        return out, out
    if type(out) is np.ndarray and out.shape == shape and out.dtype == dtype and out.flags.carray:
        return out, out
    x = dense(out, name, shape, dtype)
    if not x.flags.writeable and (isinstance(out, np.ndarray) or not hasattr(out, "__dlpack__") or not _is_old(out)):
        raise ValueError(f"{name}: read-only")
    return out, x


class Workspaces:
    """Scratch memory, one a call at a time: calls of several threads do not meet."""

    def __init__(self) -> None:
        self._free: list[tuple[int, Any, Any]] = []

    def take(self, size: int) -> tuple[int, Any, Any]:
        try:
            workspace = self._free.pop()
            if workspace[0] >= size:
                return workspace
        except IndexError:
            pass
        memory = np.empty(size + 64, np.uint8)
        address: int = memory.__array_interface__["data"][0]
        return size, ffi.cast("void *", (address + 63) & ~63), memory

    def give(self, workspace: tuple[int, Any, Any]) -> None:
        self._free.append(workspace)


class Owner:
    """Something with one owner at a time: a second thread meanwhile is an error and not a crash."""

    def __init__(self, what: str) -> None:
        self._lock, self._what = threading.Lock(), what
        self._acquire, self._release = self._lock.acquire, self._lock.release

    def __enter__(self) -> None:
        if not self._acquire(False):
            raise RuntimeError(f"{self._what} is in use by another thread; it has one owner at a time")

    def __exit__(self, *_: Any) -> None:
        self._release()


class Owners:
    """All of several things, or none of them; see Owner."""

    def __init__(self, owners: list[Owner]) -> None:
        self._owners = owners

    def __enter__(self) -> None:
        held = 0
        try:
            for owner in self._owners:
                owner.__enter__()
                held += 1
        except BaseException:
            for owner in self._owners[:held]:
                owner._release()
            raise

    def __exit__(self, *_: Any) -> None:
        for owner in self._owners:
            owner._release()


# ----------------------------------------------------------------------------------------------------------------------
# structs and texts


def text(chars: Any) -> str:
    return "" if chars == ffi.NULL else ffi.string(chars).decode(errors="replace")


def path_of(path: Any, name: str) -> bytes:
    """A path as the library reads it; `name` is what the caller's parameter is called."""
    import os

    encoded = os.fsencode(path)
    if not encoded:
        raise ArgumentError(f"{name} is empty, expected a path")
    return encoded


def fill(struct: Any, values: dict[str, Any], shapes: dict[str, tuple[int, ...]] | None = None) -> list[Any]:
    """Writes values into a C struct's fields, arrays as pointers. Returns what must live as long as the struct."""
    kept: list[Any] = []
    kind = ffi.typeof(struct)
    fields = dict((kind.item if kind.kind == "pointer" else kind).fields)
    for name, value in values.items():
        if value is None:
            continue
        field = fields[name].type
        if isinstance(value, str):
            value = ffi.new("char[]", value.encode())
            kept.append(value)
        elif field.kind == "pointer" and field.item.kind == "primitive":
            kept.append(dense(value, name, (shapes or {}).get(name)))
            value = pointer(kept[-1])
        setattr(struct, name, value)
    return kept


def _flat(options: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """{"high": {"kind": "cnn"}} is {"high.kind": "cnn"}, as in a task file."""
    flat: dict[str, Any] = {}
    for key, value in options.items():
        flat |= _flat(value, f"{prefix}{key}.") if isinstance(value, dict) else {prefix + key: value}
    return flat


def settings_of(options: dict[str, Any]) -> tuple[Any, int, list[Any]]:
    """Options as the library reads them: key and text; those of a map have its name before their own."""
    kept: list[Any] = []
    flat = _flat(options)
    settings = ffi.new("sac_setting[]", max(1, len(flat)))
    for setting, (key, value) in zip(settings, flat.items()):
        typed = str(value).lower() if isinstance(value, (bool, np.bool_)) else str(value)
        kept += [ffi.new("char[]", key.encode()), ffi.new("char[]", typed.encode())]
        setting.key, setting.value = kept[-2:]
    return settings, len(flat), [settings, *kept]


def options_of(settings: Any, count: int) -> dict[str, str]:
    return {text(settings[i].key): text(settings[i].value) for i in range(count)}


def share_path() -> None:
    """Tells the library where MuJoCo lies, and the bridge's workers where this Python looks for modules beside what is
    installed: scripts and notebooks have worlds next to them."""
    import os
    import sys

    _mujoco_package.share()
    standard = os.path.join(sys.base_prefix, "lib")
    own = [os.path.abspath(folder) for folder in sys.path if "site-packages" not in folder
           and "dist-packages" not in folder and not folder.startswith(standard)]
    os.environ["SACCADE_PYTHONPATH"] = os.pathsep.join(own)


def listing(at: Callable[[int], Any]) -> list[Any]:
    """What a function of an index gives, up to its first None."""
    found: list[Any] = []
    while (item := at(len(found))) is not None:
        found.append(item)
    return found


def created(function: Any, kind: str, destroy: Any, *arguments: Any) -> Any:
    """Calls a create function; the handle destroys itself with the last reference to it."""
    return ffi.gc(raw(function, kind, *arguments), destroy)


def raw(function: Any, kind: str, *arguments: Any) -> Any:
    """Calls a create function; the handle is the caller's to destroy."""
    out = ffi.new(f"{kind} **")
    check(function(out, *arguments))
    return out[0]


class Life:
    """Destroys a C object when its last user is gone, and only then lets go of those that it needs, in whatever order
    Python collects them."""

    def __init__(self, handle: Any, destroy: Any, *needs: Life) -> None:
        self._handle, self._destroy, self._needs = handle, destroy, needs
        self._others: list[None] = []  # one for each user beside the first; append and pop are atomic
        for need in needs:
            need._others.append(None)

    def _leave(self) -> None:
        try:
            self._others.pop()
        except IndexError:
            self._destroy(self._handle)
            for need in self._needs:
                need._leave()

    def __del__(self) -> None:
        self._leave()


# ----------------------------------------------------------------------------------------------------------------------
# plugins


@documented("sac_plugin_load")
def load_plugin(path: Any) -> None:
    check(lib.sac_plugin_load(path_of(path, "path")))


# ----------------------------------------------------------------------------------------------------------------------
# the log

_log: Callable[[str, str], Any] | None = None


@ffi.def_extern()  # type: ignore[untyped-decorator]
def on_log(user: Any, level: int, line: Any) -> None:
    if _log is not None:
        _log("warning" if level == lib.SAC_LOG_WARNING else "info", text(line))


@documented("sac_set_log")
def set_log(log: Callable[[str, str], Any] | None) -> None:
    """log(level, line) is told each line; level is "info" or "warning"."""
    global _log
    _log = log
    lib.sac_set_log(ffi.NULL if log is None else lib.on_log, ffi.NULL)
