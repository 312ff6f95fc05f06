"""docs/python.md, run from the top to the bottom."""
import importlib
import pathlib
import re
import shutil

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/python.md"


def blocks():
    """(first line, what it needs, code) of each block that is fenced as "python test"."""
    text = PAGE.read_text()
    for match in re.finditer(r"^```python test *(\w*)\n(.*?)^```", text, re.M | re.S):
        yield text[:match.start()].count("\n") + 2, match[1], match[2]


def test_the_tutorial_runs(tmp_path, monkeypatch, capsys, why):
    for folder in ("tasks", "zoo"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    monkeypatch.chdir(tmp_path)
    names, count, missing = {}, 0, set()
    for line, needs, code in blocks():
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


def test_all_python_of_the_page_is_run():
    assert len(re.findall(r"^```python", PAGE.read_text(), re.M)) == len(list(blocks()))
