"""Films of episodes and plots of runs, and what is said where the package that writes them is missing."""
import pathlib
import subprocess
import sys

import numpy as np
import pytest
import saccade
from saccade import show

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture
def policy(policy_path):
    return saccade.load(policy_path)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    task, folder = ROOT / "tasks/toy.yaml", tmp_path_factory.mktemp("runs") / "toy"
    saccade.train(task, folder, generations=12)
    return folder


def module(name):
    try:
        return __import__(name)
    except ImportError:
        pytest.skip(f"needs {name} (scripts/python.sh readers)")


def without(*names):
    """A program's first line, after which these modules cannot be imported."""
    return f"import sys; sys.modules.update(dict.fromkeys({names!r}))\n"


def said(code, cwd):
    done = subprocess.run([sys.executable, "-c", code], cwd=cwd, text=True, capture_output=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_a_viewer_is_the_worlds_own_episode(policy):
    viewer = show.Viewer(policy, "car-racing", seed=3, max_steps=4)
    world = saccade.World("car-racing", max_steps=4)
    state, observation, total = policy.state(), world.reset(3), 0.0
    frames = [viewer.frame()]
    while not viewer.ended:
        observation, reward, *_ = world.step(state.act(observation))
        total += reward
        viewer.step()
        frames.append(viewer.frame())
    assert viewer.steps == 4 and viewer.total == total and len(frames) == 5
    assert all(f.shape == (720, 1136, 3) and f.dtype == np.uint8 for f in frames)
    assert not np.array_equal(frames[0], frames[4])
    assert np.array_equal(viewer.gaze.importance, policy.attend(observation).importance)
    with pytest.raises(RuntimeError, match="the episode is over"):
        viewer.step()
    viewer.reset(3)
    assert all(np.array_equal(a, b) for a, b in zip(frames, viewer))
    assert not np.array_equal(viewer.frame(note="paused"), viewer.frame())


def test_a_grasp_is_shown_while_it_happens(mujoco):
    policy = saccade.load(ROOT / "zoo/grasp/student.safetensors")
    viewer, other = (show.Viewer(policy, "grasp", seed=1100, hold_seconds=0.2, points=128, width=320, height=200)
                     for _ in range(2))
    gaze = viewer.gaze
    assert gaze.grid == (128, 1) and gaze.patch == 0 and gaze.importance.sum() == pytest.approx(128, rel=1e-4)
    with pytest.raises(ValueError, match="points have no patches"):
        gaze.heat_map()
    frames = list(viewer)
    other.step()
    assert viewer.total == other.total == 1 and viewer.steps == 1
    assert len(frames) > 40 and not np.array_equal(frames[5], frames[20])  # a second of the world's at least
    assert np.array_equal(frames[-1], other.frame())
    viewer.reset(1100)
    moments = viewer.moments()
    assert np.array_equal(next(moments), frames[1])
    moments.close()  # the step is over all the same
    assert viewer.steps == 1 and np.array_equal(viewer.frame(), frames[-1])


def test_a_viewer_outlives_its_policy_and_is_driven_by_hand(policy_path):
    viewer = show.Viewer(saccade.load(policy_path), "car-racing", width=240, height=160)
    viewer.step()
    driven, idle = (show.Viewer(None, "car-racing", width=240, height=160) for _ in range(2))
    for _ in range(30):
        driven.step([0, 1, 0])
        idle.step()
    assert driven.gaze is None and not np.array_equal(driven.frame(), idle.frame())
    with pytest.raises(ValueError, match="shape"):
        driven.step([0, 1])


@pytest.mark.parametrize("bad, words", [
    (dict(env="car-racin"), "car-racing"), (dict(width=241), "even"), (dict(variant="colour"), "color")])
def test_a_viewer_refuses(policy, bad, words):
    with pytest.raises(saccade.ArgumentError, match=words):
        show.Viewer(policy, **{"env": "car-racing", **bad})


def test_a_gif_holds_the_frames(policy, tmp_path):
    module("PIL")
    from PIL import Image, ImageSequence

    total = show.film(policy, tmp_path / "drive.gif", "car-racing", seed=3, steps=5, fps=20, width=480, height=320)
    assert [path.name for path in tmp_path.iterdir()] == ["drive.gif"]
    viewer = show.Viewer(policy, "car-racing", seed=3, width=480, height=320)
    with Image.open(tmp_path / "drive.gif") as film:
        assert film.size == (480, 320) and film.info["duration"] == 50 and film.n_frames == 6
        for seen, frame in zip(ImageSequence.Iterator(film), viewer):
            # 256 colours in place of all
            assert np.abs(np.asarray(seen.convert("RGB"), int) - frame).mean() < 6
    assert viewer.steps == 5 and total == viewer.total


def test_an_mp4_holds_the_frames(policy, tmp_path):
    module("imageio")
    module("imageio_ffmpeg")
    import imageio.v2 as imageio

    path = tmp_path / "drive.mp4"
    show.film(policy, path, "car-racing", seed=3, steps=5, fps=20, width=480, height=320)
    with imageio.get_reader(path) as film:
        frames = [frame for frame in film]  # list() would ask how many there are, which nobody knows
        assert film.get_meta_data()["fps"] == 20 and film.get_meta_data()["size"] == (480, 320)
    viewer = show.Viewer(policy, "car-racing", seed=3, width=480, height=320)
    assert len(frames) == 6
    for seen, frame in zip(frames, viewer):
        assert np.abs(np.asarray(seen, int) - frame).mean() < 6  # what H.264 loses


def test_any_pictures_make_a_film_and_a_failure_leaves_none(tmp_path):
    module("PIL")
    world = saccade.World("toy")

    def pictures(count, broken=False):
        world.reset(seed=1)
        for _ in range(count):
            yield world.picture(64)
            world.step([0.1, 0.2])
        if broken:
            raise RuntimeError("broken")

    show.save_video(pictures(3), tmp_path / "toy.gif", fps=10)
    with pytest.raises(RuntimeError, match="broken"):
        show.save_video(pictures(2, broken=True), tmp_path / "none.gif")
    assert [path.name for path in tmp_path.iterdir()] == ["toy.gif"]


FRAME = np.zeros((4, 6, 3), np.uint8)


@pytest.mark.parametrize("frames, name, fps, error, words", [
    ([FRAME], "film.avi", 50, saccade.ArgumentError, "ends in .mp4 or .gif"),
    ([FRAME], "no/film.gif", 50, saccade.FileError, "there is no folder"),
    ([FRAME], "film.gif", 0, ValueError, "expected 1 to 1000"),
    ([], "film.gif", 50, ValueError, "there are none"),
    ([FRAME, FRAME[:2]], "film.gif", 50, ValueError, "shape"),
    ([FRAME.astype(float)], "film.gif", 50, TypeError, "float64"),
    ([FRAME[:3]], "film.mp4", 50, ValueError, "even sides"),
])
def test_a_film_refuses(tmp_path, monkeypatch, frames, name, fps, error, words):
    module("PIL")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(error, match=words):
        show.save_video(iter(frames), name, fps)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("missing, code, words", [
    (("imageio", "imageio.v3", "av"), "show.film(None, 'a.mp4', 'toy', steps=2)",
     "an MP4 film needs imageio: pip install 'saccade[film]'"),
    (("PIL",), "show.film(None, 'a.gif', 'toy', steps=2)", "a GIF needs Pillow: pip install 'saccade[film]'"),
    (("matplotlib",), "show.plot(RUN)", "a plot needs matplotlib: pip install 'saccade[plots]'"),
])
def test_what_is_missing_is_said_in_one_line(run, tmp_path, missing, code, words):
    code = (without(*missing) + f"import saccade\nfrom saccade import show\nRUN = {str(run)!r}\ntry:\n    {code}\n"
            "except saccade.UnavailableError as reason:\n    print(reason)\nelse:\n    print('done')")
    line = said(code, tmp_path)
    # an installed saccade has a film module of its own
    assert line == words or (line == "done" and "MP4" in words and (tmp_path / "a.mp4").exists())


def test_metrics_are_the_runs_own(run):
    numbers, summary = show.metrics(run), saccade.summary(run)
    assert list(numbers["generation"]) == list(range(1, 13)) and numbers["steps"][-1] == summary.steps
    assert summary.mean == pytest.approx(numbers["mean"][-1], rel=1e-6)
    assert np.isnan(numbers["eval_mean"][0]) and {len(column) for column in numbers.values()} == {12}
    again = show.metrics(run / "metrics.csv")
    assert all(np.array_equal(again[name], numbers[name], equal_nan=True) for name in numbers)


@pytest.mark.parametrize("content, words", [
    (None, "expected a run folder or its metrics.csv"), ("", "no row yet"), ("generation,mean\n", "no row yet"),
    ("generation,mean\n1,x\n", "'x'"), ("epoch,accuracy\n1,0.5\n", "no column 'generation'")])
def test_what_are_no_metrics_is_refused(tmp_path, content, words):
    path = tmp_path / "metrics.csv"
    if content is not None:
        path.write_text(content)
    with pytest.raises(saccade.Error, match=words):
        show.plot(path)


def test_a_plot_has_the_runs_curves(run, tmp_path):
    module("matplotlib").use("agg")
    numbers, axes = show.metrics(run), show.plot(run, x="generations")
    drawn = {line.get_label(): line.get_xydata() for line in axes.get_lines()}
    assert np.array_equal(drawn["mean of the population"].T, [numbers["generation"], numbers["mean"]])
    tested = np.isfinite(numbers["eval_mean"])
    if tested.any():
        held = drawn["held-out evaluation \u00b1 std. deviation"]
        assert np.array_equal(held.T, [numbers["generation"][tested], numbers["eval_mean"][tested]])
    assert axes.get_xlabel() == "generation" and axes.get_title() == "toy"
    axes.figure.savefig(tmp_path / "toy.png")
    assert (tmp_path / "toy.png").stat().st_size > 1000
    both = show.plot(run, run / "metrics.csv", x="minutes", ax=axes.figure.add_subplot())
    assert both is not axes and len(both.get_legend().get_texts()) == 2
    with pytest.raises(ValueError, match="steps, minutes, generations"):
        show.plot(run, x="hours")
    with pytest.raises(ValueError, match="none"):
        show.plot()
