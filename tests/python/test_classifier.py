"""Nets that classify pictures, beside the command, whose numbers are theirs to the bit."""
import json
import os
import pathlib
import struct
import subprocess
import threading
import zlib

import numpy as np
import pytest
import saccade

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("SACCADE_BUILD", ROOT / "build"))
GREY = ROOT / "tests/golden/data/net_v2.safetensors"


def write_png(path, picture):
    """8 bits a channel, grey or red, green and blue."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows, columns, channels = picture.shape
    header = struct.pack(">IIBBBBB", columns, rows, 8, {1: 0, 3: 2}[channels], 0, 0, 0)
    lines = b"".join(b"\0" + row.tobytes() for row in picture)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b""))


@pytest.fixture
def classifier():
    return saccade.Classifier(GREY)


@pytest.fixture
def pictures(classifier, random):
    return random.integers(0, 256, (50, *classifier.shape), np.uint8)


def write_cifar(folder, random):
    """CIFAR-10's binary version with twelve pictures a file."""
    folder.mkdir()
    for name in [*(f"data_batch_{i}" for i in range(1, 6)), "test_batch"]:
        rows = random.integers(0, 256, (12, 3073), np.uint8)
        rows[:, 0] %= 3
        (folder / f"{name}.bin").write_bytes(rows.tobytes())


@pytest.fixture(scope="module")
def coloured(tmp_path_factory):
    """A net for colours."""
    folder = tmp_path_factory.mktemp("colours")
    write_cifar(folder / "data", np.random.default_rng(3))
    (folder / "task.yaml").write_text(f"data: {{format: cifar-10, folder: {folder / 'data'}}}\n"
                                      "net: {kind: resnet, width: 4, stages: 2}\ntrain: {epochs: 1, batch: 10}\n")
    run = folder / "run"
    subprocess.run([BUILD / "saccade", "fit", folder / "task.yaml", "--run", run, "--quiet"], check=True)
    return run / "net.safetensors"


def classify(net, pictures, folder):
    """What the command says: the class of each picture, and its most probable classes with their probabilities."""
    paths = [folder / f"{i:03}.png" for i in range(len(pictures))]
    for path, picture in zip(paths, pictures):
        write_png(path, picture)
    said = subprocess.run([BUILD / "saccade", "classify", net, *paths, "--json"], check=True, stdout=subprocess.PIPE)
    return [json.loads(line) for line in said.stdout.splitlines()]


@pytest.mark.parametrize("colours", [False, True])
def test_the_bits_are_those_of_the_command(colours, coloured, tmp_path, random):
    net = coloured if colours else GREY
    classifier = saccade.Classifier(net)
    pictures = random.integers(0, 256, (40, *classifier.shape), np.uint8)
    labels, probabilities = classifier(pictures)
    for row, label, given in zip(classify(net, pictures, tmp_path), labels, probabilities):
        assert row["class"] == label
        for likely in row["most_likely"]:
            assert np.float32(likely["probability"]) == given[likely["class"]] and likely["probability"] == float(given[likely["class"]])


def test_results_have_types_shapes_and_sums(classifier, pictures):
    result = classifier(pictures)
    assert result.labels.dtype == np.int32 and result.labels.shape == (50,)
    assert result.probabilities.dtype == np.float32 and result.probabilities.shape == (50, classifier.classes)
    assert np.allclose(result.probabilities.sum(1), 1, atol=1e-6)
    assert np.array_equal(result.labels, result.probabilities.argmax(1))
    empty = classifier(pictures[:0])
    assert empty.labels.shape == (0,) and empty.probabilities.shape == (0, classifier.classes)


def test_neither_neighbours_nor_threads_nor_the_last_axis_matter(classifier, pictures):
    _, whole = classifier(pictures)
    assert np.array_equal(np.concatenate([classifier(pictures[i:i + 1])[1] for i in range(50)]), whole)
    assert np.array_equal(saccade.Classifier(GREY, threads=3)(pictures)[1], whole)
    assert np.array_equal(classifier(pictures[..., 0])[1], whole)
    assert np.array_equal(saccade.Classifier.read(GREY.read_bytes())(pictures)[1], whole)


def test_it_says_what_it_takes(classifier, coloured):
    rows, columns, channels = classifier.shape
    assert channels == 1 and classifier.classes >= 2 and classifier.parameter_count > 0
    assert f"{rows} x {columns} pictures with 1 channel in {classifier.classes} classes" in repr(classifier)
    assert saccade.Classifier(coloured).shape == (32, 32, 3)


def test_what_does_not_fit_is_said(classifier, coloured, pictures):
    rows, columns, _ = classifier.shape
    expected = rf"expected \(count, {rows}, {columns}, 1\) or \(count, {rows}, {columns}\)"
    for wrong in (pictures[0], pictures[:, 1:], pictures[:, :, :, [0, 0, 0]], pictures[0, :, :, 0]):
        with pytest.raises(ValueError, match=rf"pictures: shape \({wrong.shape[0]}, .*{expected}"):
            classifier(wrong)
    with pytest.raises(ValueError, match=r"expected \(count, 32, 32, 3\)$"):
        saccade.Classifier(coloured)(np.zeros((2, 32, 32), np.uint8))
    with pytest.raises(TypeError, match="pictures: float32, expected uint8"):
        classifier(pictures.astype(np.float32))
    with pytest.raises(ValueError, match="not contiguous"):
        classifier(pictures[::2])
    with pytest.raises(TypeError, match="pictures: list, expected an array"):
        classifier([[1, 2], [3, 4]])


def test_files_that_are_none_are_said(tmp_path, policy_path):
    with pytest.raises(saccade.FileError, match="nothing.safetensors"):
        saccade.Classifier(tmp_path / "nothing.safetensors")
    with pytest.raises(saccade.FormatError, match="is a policy, not a net that classifies pictures"):
        saccade.Classifier(policy_path)
    with pytest.raises(saccade.FormatError, match="bytes from the net"):
        saccade.Classifier.read(GREY.read_bytes()[:100], "bytes from the net")
    with pytest.raises(saccade.ArgumentError, match="a classifier of 0 threads, expected 1 to 1024"):
        saccade.Classifier(GREY, threads=0)


def test_a_second_thread_is_an_error(classifier, pictures):
    many, errors = np.repeat(pictures, 400, 0), []

    def run():
        try:
            classifier(many)
        except RuntimeError as error:
            errors.append(str(error))

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors and all("a classifier is in use by another thread" in error for error in errors)
