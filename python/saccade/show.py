"""Films of episodes and plots of runs.

    saccade.show.film(policy, "drive.mp4", seed=3)          what the policy does, and what it looks at while it does so
    saccade.show.save_video(pictures, "own.gif", fps=25)    a film of any pictures, such as those of World.picture
    saccade.show.plot("runs/toy")                           the curves of a run, on axes of matplotlib's

Frames are composed by the library, as `saccade watch` shows them. imageio and matplotlib write them and draw the plots:
pip install 'saccade[film,plots]'.
"""
from __future__ import annotations

import csv
import os
from contextlib import contextmanager
from typing import Any, Callable, Iterable, Iterator

import numpy as np

from saccade._core import (BYTE, ArgumentError, FileError, FormatError, Life, Owner, UnavailableError, check, created,
                           dense, documented, ffi, lib, path_of, pointer, raw, text)
from saccade.policy import Gaze, Policy, _gaze_of
from saccade.training import world_of

__all__ = ["Viewer", "film", "metrics", "plot", "save_video"]


@documented("sac_viewer_create")
class Viewer:
    """An episode of a policy in a world, step by step, with a picture of every step: the world, what the policy sees of it,
    and where it looks. policy None: nobody drives but step(action).

    It is an iterator over the frames of the episode that is under way, the first one included; reset starts another.
    """

    def __init__(self, policy: Policy | None, env: str | None = None, *, seed: int = 0, variant: str | None = None,
                 width: int = lib.SAC_FRAME_WIDTH, height: int = lib.SAC_FRAME_HEIGHT, **options: Any) -> None:
        world, kept = world_of(policy, env, variant, options)
        self._handle = raw(lib.sac_viewer_create, "sac_viewer", ffi.NULL if policy is None else policy._handle, world,
                           width, height)
        self._life = Life(self._handle, lib.sac_viewer_destroy, *(() if policy is None else (policy._life,)))
        self._owner = Owner("this viewer")
        del kept
        self._name, self._variant = text(world.id), text(world.variant) or "original"
        self._shape = (height, width, 3)
        self.reset(seed)

    @documented("sac_viewer_reset")
    def reset(self, seed: int = 0) -> None:
        with self._owner:
            check(lib.sac_viewer_reset(self._handle, seed))
        self.title = f"{self._name}, {self._variant}, seed {seed}"

    @documented("sac_viewer_step")
    def step(self, action: Any = None) -> None:
        if self.ended:
            raise RuntimeError(f"{self._name}: the episode is over; reset comes before a step")
        size = lib.sac_viewer_spec(self._handle).action_size
        values = None if action is None else dense(np.atleast_1d(np.asarray(action, np.float32)), "action", (size,))
        with self._owner:
            check(lib.sac_viewer_step(self._handle, ffi.NULL if values is None else pointer(values)))

    @documented("sac_viewer_draw")
    def frame(self, title: str | None = None, note: str | None = None) -> np.ndarray:
        """Returns a copy, [height, width, 3] of uint8. title None: the world, its variant and the seed."""
        return self._drawn(lib.sac_viewer_draw, (), title, note)

    def _drawn(self, draw: Any, moment: tuple[int, ...], title: str | None, note: str | None) -> np.ndarray:
        rgb = ffi.new("const uint8_t **")
        texts = [ffi.new("char[]", said.encode()) if said is not None else ffi.NULL
                 for said in (self.title if title is None else title, note)]
        with self._owner:
            check(draw(self._handle, *moment, *texts, rgb))
            return np.frombuffer(ffi.buffer(rgb[0], int(np.prod(self._shape))), BYTE).reshape(self._shape).copy()

    @property
    def ended(self) -> bool:
        """Whether the episode is over."""
        return bool(lib.sac_viewer_ended(self._handle))

    @property
    def steps(self) -> int:
        """How many steps the episode has had."""
        return int(lib.sac_viewer_steps(self._handle))

    @property
    def total(self) -> float:
        """The return so far."""
        return float(lib.sac_viewer_return(self._handle))

    @property
    def gaze(self) -> Gaze | None:
        """Where the policy looks at present; None for one that does not look."""
        gaze = lib.sac_viewer_gaze(self._handle)
        return None if gaze == ffi.NULL else _gaze_of(gaze)

    def __iter__(self) -> Iterator[np.ndarray]:
        yield self.frame()
        while not self.ended:
            yield from self.moments()
            yield self.frame()

    @documented("sac_viewer_start", "sac_viewer_moments", "sac_viewer_draw_moment", "sac_viewer_finish")
    def moments(self) -> Iterator[np.ndarray]:
        """Take the step that the policy decided, as step does, and draw what happens during it: of worlds whose steps
        last long, such as `grasp`, 50 frames to a second of the world's own time; in other worlds there are none.
        """
        if self.ended:
            raise RuntimeError(f"{self._name}: the episode is over; reset comes before a step")
        with self._owner:
            check(lib.sac_viewer_start(self._handle, ffi.NULL))
        try:
            for moment in range(lib.sac_viewer_moments(self._handle)):
                yield self._drawn(lib.sac_viewer_draw_moment, (moment,), None, None)
        finally:
            with self._owner:
                check(lib.sac_viewer_finish(self._handle))


def film(policy: Policy | None, path: Any, env: str | None = None, *, seed: int = 0, steps: int | None = None,
         fps: int = 50, variant: str | None = None, width: int = lib.SAC_FRAME_WIDTH,
         height: int = lib.SAC_FRAME_HEIGHT, **options: Any) -> float:
    """Film an episode with what the policy looks at drawn in, as `saccade watch --video` does. Returns what it returned.

    path: of a file that ends in .mp4 or .gif; see save_video
    env: None: the environment that the policy was trained for
    steps: the film ends after so many, or with the episode
    fps: frames a second, and so steps, or moments of a step that lasts long
    """
    viewer = Viewer(policy, env, seed=seed, variant=variant, width=width, height=height, **options)

    def frames() -> Iterator[np.ndarray]:
        yield viewer.frame()
        while not viewer.ended and (steps is None or viewer.steps < steps):
            yield from viewer.moments()
            yield viewer.frame()

    save_video(frames(), path, fps=fps)
    return viewer.total


def save_video(frames: Iterable[Any], path: Any, fps: int = 50) -> None:
    """Write pictures as a film, which appears under its name when it is complete and not before.

    frames: pictures of one shape [height, width, 3] of uint8, each taken only when it is written
    path: of a file that ends in .mp4 (imageio with imageio-ffmpeg or PyAV, or the film module of an installed saccade;
        sides are even) or .gif (Pillow, which comes with imageio; fps is rounded to hundredths of a second a frame)
    """
    name = os.fsdecode(path_of(path, "path"))
    if not 1 <= fps <= 1000:
        raise ValueError(f"fps: {fps}, expected 1 to 1000")
    ending = os.path.splitext(name)[1].lower()
    if ending not in _WRITERS:
        raise ArgumentError(f"{name}: a film ends in .mp4 or .gif")
    writer = _WRITERS[ending]()
    checked = _of_one_shape(iter(frames), even=ending == ".mp4")
    first = next(checked, None)
    if first is None:
        raise ValueError("frames: there are none, expected one at least")
    with _whole_file(name, ending) as part:
        writer(first, checked, part, fps)


def _of_one_shape(frames: Iterator[Any], even: bool) -> Iterator[np.ndarray]:
    shape: tuple[int, ...] = (-1, -1, 3)
    for frame in frames:
        picture = dense(frame, "frames", shape, BYTE)
        shape = picture.shape
        if even and (shape[0] % 2 or shape[1] % 2):
            raise ValueError(f"frames: pictures of {shape[0]} x {shape[1]} pixels, expected even sides, as MP4 has them")
        yield picture


@contextmanager
def _whole_file(name: str, ending: str) -> Iterator[str]:
    """A path to write to; the file gets its name at the end, and is gone where something fails before."""
    folder = os.path.dirname(name) or "."
    if not os.path.isdir(folder):
        raise FileError(f"{name}: there is no folder '{folder}'")
    part = f"{name[:-len(ending)]}.part{os.getpid()}{ending}"
    try:
        yield part
        os.replace(part, name)
    finally:
        if os.path.exists(part):
            os.remove(part)


Writer = Callable[[np.ndarray, Iterator[np.ndarray], str, int], None]


def _mp4_writer() -> Writer:
    """Whatever this Python can write MP4 with."""
    for needs, writer in (("imageio_ffmpeg", _write_by_ffmpeg), ("av", _write_by_pyav)):
        try:
            __import__("imageio.v3")
            __import__(needs)
            return writer
        except ImportError:
            pass
    return _write_by_saccade


def _write_by_ffmpeg(first: np.ndarray, rest: Iterator[np.ndarray], path: str, fps: int) -> None:
    import imageio.v2 as imageio  # type: ignore[import-not-found, unused-ignore]

    film: Any
    with imageio.get_writer(path, format="FFMPEG", mode="I", fps=fps, macro_block_size=2, quality=8,
                            ffmpeg_log_level="error") as film:
        film.append_data(first)
        for frame in rest:
            film.append_data(frame)


def _write_by_pyav(first: np.ndarray, rest: Iterator[np.ndarray], path: str, fps: int) -> None:
    import imageio.v3 as imageio  # type: ignore[import-not-found, unused-ignore]

    with imageio.imopen(path, "w", plugin="pyav") as film:
        film.init_video_stream("libx264", fps=fps)
        film.write_frame(first)
        for frame in rest:
            film.write_frame(frame)


def _write_by_saccade(first: np.ndarray, rest: Iterator[np.ndarray], path: str, fps: int) -> None:
    """By the film module of a saccade that is installed beside the package."""
    try:
        film = created(lib.sac_film_create, "sac_film", lib.sac_film_destroy, path_of(path, "path"), first.shape[1],
                       first.shape[0], fps)
    except UnavailableError:
        raise UnavailableError("an MP4 film needs imageio: pip install 'saccade[film]'") from None
    check(lib.sac_film_add(film, pointer(first)))
    for frame in rest:
        check(lib.sac_film_add(film, pointer(frame)))
    check(lib.sac_film_finish(film))


def _gif_writer() -> Writer:
    try:
        from PIL import Image  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        raise UnavailableError("a GIF needs Pillow: pip install 'saccade[film]'") from None

    def write(first: np.ndarray, rest: Iterator[np.ndarray], path: str, fps: int) -> None:
        Image.fromarray(first).save(path, save_all=True, append_images=map(Image.fromarray, rest),
                                    duration=max(10, round(100 / fps) * 10), loop=0)

    return write


_WRITERS: dict[str, Callable[[], Writer]] = {".mp4": _mp4_writer, ".gif": _gif_writer}


# ----------------------------------------------------------------------------------------------------------------------
# plots


def metrics(run: Any) -> dict[str, np.ndarray]:
    """What a run wrote after each generation: {column: [generations]}, NaN where a cell is empty.

    run: a run folder, or its metrics.csv; it may still grow
    """
    path = os.fsdecode(path_of(run, "run"))
    if os.path.isdir(path):
        path = os.path.join(path, "metrics.csv")
    try:
        with open(path, newline="") as file:
            rows = list(csv.reader(file))
    except OSError as reason:
        raise FileError(f"{path}: {reason.strerror}, expected a run folder or its metrics.csv") from None
    columns = rows[0] if rows else []
    whole = [row for row in rows[1:] if len(row) == len(columns)]
    try:
        numbers = [[float(cell) if cell else np.nan for cell in row] for row in whole]
    except ValueError as reason:
        raise FormatError(f"{path}: {reason}") from None
    if not numbers:
        raise FormatError(f"{path}: no row yet")
    return dict(zip(columns, np.array(numbers).T))


_AXES = {"steps": ("steps", 1, "environment steps"), "minutes": ("seconds", 60, "minutes of training"),
         "generations": ("generation", 1, "generation")}


def plot(*runs: Any, x: str = "steps", ax: Any = None) -> Any:
    """Draw the curves of runs: of one run the population's best and mean, and the held-out evaluation with a band of one
    standard deviation; of several the evaluation of each, and its mean faintly. Returns matplotlib's axes, whose figure
    can be saved: plot("runs/toy").figure.savefig("toy.png").

    runs: run folders of training, or their metrics.csv
    x: "steps", "minutes" or "generations"
    ax: axes to draw on. None: those of a new figure
    """
    if not runs:
        raise ValueError("runs: there are none, expected one at least")
    if x not in _AXES:
        raise ValueError(f"x: '{x}', expected one of {', '.join(_AXES)}")
    read = [(_name_of(run), _of_training(run)) for run in runs]
    ax = ax if ax is not None else _new_axes()
    column, unit, label = _AXES[x]
    for index, (name, numbers) in enumerate(read):
        _draw(ax, numbers[column] / unit, numbers, f"C{index}", name if len(read) > 1 else None)
    ax.set(xlabel=label, ylabel="return", title=read[0][0] if len(read) == 1 else "training curves")
    ax.legend()
    return ax


def _new_axes() -> Any:
    try:
        from matplotlib import pyplot  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        raise UnavailableError("a plot needs matplotlib: pip install 'saccade[plots]'") from None
    return pyplot.subplots(layout="constrained")[1]


def _name_of(run: Any) -> str:
    path = os.path.abspath(os.fsdecode(run))
    return os.path.basename(path if os.path.isdir(path) else os.path.dirname(path))


def _of_training(run: Any) -> dict[str, np.ndarray]:
    numbers = metrics(run)
    if missing := [name for name in ("generation", "steps", "seconds", "best", "mean", "eval_mean", "eval_std")
                   if name not in numbers]:
        raise FormatError(f"{os.fspath(run)}: there is no column '{missing[0]}', expected the metrics of a training")
    return numbers


def _draw(ax: Any, x: np.ndarray, numbers: dict[str, np.ndarray], color: str, name: str | None) -> None:
    """One run's lines; name: what it is called beside others, None: it is alone."""
    tested = np.isfinite(numbers["eval_mean"])
    if name is None:
        ax.plot(x, numbers["best"], color="0.75", linewidth=1, label="best of the population")
    faint = {"alpha": 0.4, "linewidth": 1} if tested.any() else {}
    mean = "mean of the population" if name is None else None if tested.any() else name
    ax.plot(x, numbers["mean"], color="C1" if name is None else color, label=mean, **faint)
    if tested.any():
        x, middle, spread = x[tested], numbers["eval_mean"][tested], numbers["eval_std"][tested]
        ax.plot(x, middle, color=color, label=name or "held-out evaluation \u00b1 std. deviation")
        ax.fill_between(x, middle - spread, middle + spread, color=color, alpha=0.2, linewidth=0)
