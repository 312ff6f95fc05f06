"""docs/python.md, run from the top to the bottom, and README's lines."""
import importlib
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/python.md"


def blocks(page=PAGE):
    """(first line, what it needs, code) of each block that is fenced as "python test"."""
    text = page.read_text()
    for match in re.finditer(r"^```python test *(\w*)\n(.*?)^```", text, re.M | re.S):
        yield text[:match.start()].count("\n") + 2, match[1], match[2]


def test_the_tutorial_runs(tmp_path, monkeypatch, capsys, why):
    for folder in ("tasks", "zoo"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    shutil.copy(ROOT / "tests/golden/data/net_v2.safetensors", tmp_path / "net.safetensors")
    monkeypatch.chdir(tmp_path)
    names, count, missing = {}, 0, set()
    for line, needs, code in blocks():
        if needs == "stable_baselines3":
            continue  # run by baselines/test_stable_baselines3.py, with the Python that has it
        try:
            importlib.import_module(needs) if needs else None
        except ImportError:
            missing.add(needs)
            continue
        exec(compile("\n" * (line - 1) + code, str(PAGE), "exec"), names)
        count += 1
    assert count > 10
    if missing:
        pytest.skip(why(*sorted(missing)) + " for some blocks")


def test_readmes_lines_run(tmp_path, monkeypatch, capsys):
    pytest.importorskip("PIL", reason="needs Pillow (scripts/python.sh readers)")
    monkeypatch.chdir(tmp_path)
    (block,) = blocks(ROOT / "README.md")
    names = {}
    exec(compile("\n" * (block[0] - 1) + block[2], "README.md", "exec"), names)
    saccade = names["saccade"]
    before = saccade.evaluate(names["world"].policy(attention="softmax", controller="linear"), "toy", seeds=range(100))
    after = saccade.evaluate(names["policy"], "toy", seeds=range(100))
    assert after.mean > before.mean + 5 and (tmp_path / "toy.gif").stat().st_size > 1000


def test_all_python_of_the_page_is_run():
    assert len(re.findall(r"^```python", PAGE.read_text(), re.M)) == len(list(blocks()))


def test_the_bridges_worked_example_runs_in_python(gymnasium, tmp_path):
    """The world of docs/bridge.md beside a script, trained and driven from Python; the command's part is own.py."""
    text = (ROOT / "docs/bridge.md").read_text()
    files = {name: code for name, code in re.findall(r"^```\w+ (\S+\.\w+)\n(.*?)^```", text, re.M | re.S)}
    assert set(files) == {"reach.py", "reach.yaml"}
    (script,) = re.findall(r"^```python test gymnasium\n(.*?)^```", text, re.M | re.S)
    for name, code in files.items():
        (tmp_path / name).write_text(code)
    train = "import saccade\nsaccade.train('reach.yaml', 'runs/reach', generations=2)\n"
    done = subprocess.run([sys.executable, "-c", train + script], cwd=tmp_path, text=True, stdout=subprocess.PIPE)
    assert done.returncode == 0 and len(done.stdout.strip("[]\n").split()) == 3, done.stdout


def test_a_robot_finds_things_by_embeddings_that_are_given_to_it(gymnasium, mujoco, tmp_path):
    """The block of docs/words.md: an encoder of the user's, in a world of workers, drives the finder to things."""
    ((_, needs, code),) = blocks(ROOT / "docs/words.md")
    assert needs == "gymnasium"
    shutil.copy(ROOT / "examples/named_rooms.py", tmp_path)
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, text=True, stdout=subprocess.PIPE)
    assert done.returncode == 0, done.stdout
    found = [int(word) for word in re.findall(r"(\d) of 4", done.stdout)]
    assert len(found) == 2 and found[0] > found[1], done.stdout  # with the encoder, and where it sees nothing
