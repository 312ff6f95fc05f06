"""Demonstrations from Python: recorded, written from arrays, read, and learned from."""
import gc
import os
import pathlib
import re

import numpy as np
import pytest
import saccade

TEACHER = {"inputs": "state", "teacher": True, "controller": "linear", "activation": "clip"}


def test_a_recording_is_what_was_played(tmp_path):
    path = tmp_path / "random.safetensors"
    score = saccade.record(None, path, "toy", seeds=[5, 3, 1_000_000], random=True, threads=2, max_steps=20, size=24)
    shown = saccade.Demonstrations(path)
    assert shown.environment == "toy" and shown.driver == "random" and shown.settings == {"max_steps": "20", "size": "24"}
    assert list(shown.parts) == ["camera"] and shown.frames["camera"].shape == (60, 24, 24, 3)
    assert shown.actions.shape == (60, 2) and shown.seeds.tolist() == [5, 3, 1_000_000] and len(shown) == 3
    assert shown.returns.tolist() == score.episodes["return"].tolist() and shown.truncated.all()
    assert np.flatnonzero(shown.starts).tolist() == [0, 20, 40]
    world = saccade.World("toy", max_steps=20, size=24)
    for episode, seed in zip(shown, shown.seeds.tolist()):
        assert np.array_equal(shown.frames["camera"][episode][0], world.reset(seed=seed))


def test_any_number_of_threads_writes_the_same_bytes(tmp_path):
    for threads in (1, 3):
        saccade.record(None, tmp_path / str(threads), "toy", threads=threads, max_steps=9, parts=["state", "camera"])
    assert (tmp_path / "1").read_bytes() == (tmp_path / "3").read_bytes()


def test_arrays_come_back(tmp_path, random):
    path = tmp_path / "own.safetensors"
    frames = {"camera": random.integers(0, 256, (7, 4, 5, 3), np.uint8),
              "depth": random.uniform(0, 1, (7, 4, 5)).astype(np.float32),
              "state": random.uniform(-1, 1, (7, 6)).astype(np.float32)}
    actions, rewards = random.uniform(-1, 1, (7, 2)).astype(np.float32), random.uniform(0, 1, 7)
    saccade.write_demonstrations(path, frames, actions, lengths=[3, 4], rewards=rewards, seeds=[9, -1], terminated=[1, 0],
                                 env="toy", options={"size": 24}, driver="hand", low=[-1, -1], high=[1, 1],
                                 privileged=["state"])
    shown = saccade.Demonstrations(path)
    for name, part in frames.items():
        assert np.array_equal(shown.frames[name], part) and shown.frames[name].dtype == part.dtype
        assert shown.parts[name].privileged == (name == "state")
    assert np.array_equal(shown.actions, actions) and np.array_equal(shown.rewards, rewards)
    assert shown.lengths.tolist() == [3, 4] and shown.seeds.tolist() == [9, -1]
    assert shown.terminated.tolist() == [True, False] and shown.truncated.tolist() == [False, False]
    assert np.allclose(shown.returns, [rewards[:3].sum(), rewards[3:].sum()])
    assert shown.action.low.tolist() == [-1, -1] and shown.driver == "hand" and "7 frames" in repr(shown)
    with pytest.raises(ValueError):
        shown.actions[0] = 0


def test_another_reader_reads_the_file(tmp_path, random):
    numpy_files = pytest.importorskip("safetensors.numpy")
    path = tmp_path / "own.safetensors"
    frames = random.integers(0, 256, (5, 4, 4, 3), np.uint8)
    saccade.write_demonstrations(path, {"camera": frames}, np.arange(5) % 3, choices=3)
    found = numpy_files.load_file(path)
    assert np.array_equal(found["observation.camera"], frames) and found["actions"].ravel().tolist() == [0, 1, 2, 0, 1]


def test_views_outlive_the_file_object(tmp_path):
    path = tmp_path / "own.safetensors"
    saccade.write_demonstrations(path, {"state": np.ones((1000, 8), np.float32)}, np.zeros((1000, 1)))
    view = saccade.Demonstrations(path).frames["state"][10:20]
    gc.collect()
    assert (view == 1).all()


def test_what_cannot_be_is_said(tmp_path):
    frames, path = np.zeros((4, 2, 2, 3), np.uint8), tmp_path / "x"
    with pytest.raises(ValueError, match="4 frames, and 3 actions"):
        saccade.write_demonstrations(path, {"camera": frames}, np.zeros((3, 1)))
    with pytest.raises(ValueError, match=r"frames\['camera'\]"):
        saccade.write_demonstrations(path, {"camera": frames[0, 0]}, np.zeros((2, 1)))
    with pytest.raises(ValueError, match="seeds: shape"):
        saccade.write_demonstrations(path, {"camera": frames}, np.zeros((4, 1)), seeds=[1, 2])
    with pytest.raises(saccade.ArgumentError, match="add up to 2"):
        saccade.write_demonstrations(path, {"camera": frames}, np.zeros((4, 1)), lengths=[2])
    with pytest.raises(saccade.ArgumentError, match="not finite|finite numbers"):
        saccade.write_demonstrations(path, {"camera": frames}, np.full((4, 1), np.nan))
    with pytest.raises(saccade.ArgumentError, match="did you mean 'camera'"):
        saccade.record(None, path, "toy", parts=["camra"])
    assert not path.exists()
    path.write_bytes(b"nothing of the kind")
    with pytest.raises(saccade.FormatError):
        saccade.Demonstrations(path)


TASK = """
env: {id: toy, size: 24, max_steps: 12}
policy: {kind: iap-trans, attention: relu, attention_features: 0, patch: 6, stride: 0, controller: mlp}
search: {method: distill, episodes: 4, fit_steps: 5, batch: 16}
train: {generations: 3}
evaluation: {every: 1, episodes: 2}
"""


def test_a_student_learns_from_a_file(tmp_path):
    task, shown = tmp_path / "task.yaml", tmp_path / "shown.safetensors"
    task.write_text(TASK)
    saccade.record(None, shown, "toy", random=True, size=24, max_steps=12)
    seen = []
    run = saccade.distill(task, tmp_path / "run", demonstrations=shown, threads=2, progress=seen.append)
    assert run.state == "finished" and run.search == "distill" and [p.generation for p in seen] == [1, 2, 3]
    assert os.path.exists(tmp_path / "run" / "distill.csv")
    with pytest.raises(saccade.ArgumentError, match="teacher.policy is missing"):
        saccade.distill(task, tmp_path / "other")


def test_the_example_of_the_document_runs(tmp_path, monkeypatch):
    page = pathlib.Path(__file__).resolve().parents[2] / "docs/demonstrations.md"
    blocks = re.findall(r"^```python test\n(.*?)^```", page.read_text(), re.M | re.S)
    monkeypatch.chdir(tmp_path)
    for block in blocks:
        exec(compile(block, str(page), "exec"), {})
    assert len(blocks) == 1
