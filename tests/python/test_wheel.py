"""The wheel on its own, as it lies on a machine that has Python and no saccade beside it: worlds of MuJoCo with the
library of the package mujoco, and what is said where that is missing or of another version."""
import importlib.metadata
import os
import pathlib
import re
import shutil
import subprocess
import sys
import zipfile

import pytest
import saccade

WHEEL = next((pathlib.Path(saccade.__file__).parents[2] / "../wheel").resolve().glob("saccade-*.whl"))
WORLDS = ["cheetah-run", "quadruped-walk", "legs:stones", "rooms", "grasp"]
TRY = """
import sys, saccade
for name in sys.argv[1:]:
    try:
        world = saccade.World(name)
        world.reset(seed=1)
        reward = world.step([0.1] * world.spec.action_size)[1]
        print(name, reward, world.picture(120).std() > 10, sep="|")
    except saccade.UnavailableError as reason:
        print(name, reason, sep="|")
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The wheel, copied away from the checkout and unpacked by itself."""
    folder = tmp_path_factory.mktemp("fresh")
    shutil.copy(WHEEL, folder)
    with zipfile.ZipFile(folder / WHEEL.name) as archive:
        archive.extractall(folder / "site")
        if "saccade/saccade-mujoco.so" not in archive.namelist():
            pytest.skip("needs MuJoCo (make worlds)")
    return folder / "site"


def run(code, *arguments, path, cwd):
    """Runs Python without any variable but its path, and without the folder of the sources."""
    done = subprocess.run([sys.executable, "-c", code, *arguments], cwd=cwd, text=True, capture_output=True,
                          env={"PYTHONPATH": os.pathsep.join(map(str, path)), "PYTHONDONTWRITEBYTECODE": "1"})
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def without_mujoco(code):
    return "import sys; sys.modules['mujoco'] = None\n" + code


def test_worlds_of_mujoco_step_and_are_seen(mujoco, site, tmp_path):
    lines = [line.split("|") for line in run(TRY, *WORLDS, path=[site], cwd=tmp_path)]
    assert [line[0] for line in lines] == WORLDS and all(line[2] == "True" for line in lines), lines
    here = []
    for name in WORLDS:  # the same bits where all of the package is imported
        world = saccade.World(name)
        world.reset(seed=1)
        here.append(str(world.step([0.1] * world.spec.action_size)[1]))
    assert [line[1] for line in lines] == here
    assert list(tmp_path.iterdir()) == []


def test_nothing_but_the_wheel_and_the_package_is_opened(mujoco, site, tmp_path):
    code = TRY + """
for line in open("/proc/self/maps"):
    if "mujoco" in line and "r-xp" in line:
        print(line.split()[-1])
"""
    package = pathlib.Path(mujoco.__file__).resolve().parent
    assert run(code, path=[site], cwd=tmp_path) == []  # nothing before a world needs it
    opened = {pathlib.Path(line).resolve() for line in run(code, "legs:flat", path=[site], cwd=tmp_path)[1:]}
    assert opened == {site / "saccade/saccade-mujoco.so", *package.glob("libmujoco.so.*")}


def test_the_module_finds_the_package_beside_it(mujoco, site, tmp_path):
    """As pip installs both: without a variable, and by a path that can be moved."""
    dynamic = subprocess.run(["readelf", "-d", site / "saccade/saccade-mujoco.so"], text=True, check=True,
                             stdout=subprocess.PIPE).stdout
    assert re.findall(r"\((?:RPATH|RUNPATH)\).*(\[.*\])", dynamic) == ["[$ORIGIN/../mujoco]"]
    (tmp_path / "saccade").mkdir()
    shutil.copy(site / "saccade/saccade-mujoco.so", tmp_path / "saccade")
    (tmp_path / "mujoco").symlink_to(pathlib.Path(mujoco.__file__).parent)
    run(f"import ctypes; ctypes.CDLL({str(tmp_path / 'saccade/saccade-mujoco.so')!r})", path=[], cwd=tmp_path)


def test_gymnasium_makes_them_and_the_renderer_draws(mujoco, gymnasium, site, tmp_path):
    assert run("""
import gymnasium, saccade, mujoco, saccade.mujoco
env = gymnasium.make("saccade/CheetahRun-v0", render_mode="rgb_array")
env.reset(seed=1)
env.step(env.action_space.sample())
print(env.render().shape)
model = mujoco.MjModel.from_xml_string("<mujoco><worldbody><light/><geom size='.3'/></worldbody></mujoco>")
data = mujoco.MjData(model)
with saccade.mujoco.Renderer(model, 60, 80) as renderer:
    mujoco.mj_forward(model, data)
    renderer.update_scene(data)
    print(renderer.render().shape)
try:
    mujoco.mj_setKeyframe(model, data, 7)
except mujoco.FatalError as reason:  # the package's own errors are its own still
    print("fatal")
""", path=[site], cwd=tmp_path) == ["(400, 400, 3)", "(60, 80, 3)", "fatal"]


def test_the_extra_gym_brings_what_gymnasiums_worlds_of_mujoco_import(gymnasium, site):
    def names(needs, extra):
        return {re.match(r"[\w-]+", need)[0] for need in needs if re.search(f"extra == .{extra}.$", need)}

    (metadata,) = site.glob("saccade-*.dist-info/METADATA")
    brought = re.findall("^Requires-Dist: (.*)$", metadata.read_text(), re.M)
    theirs = names(importlib.metadata.requires("gymnasium"), "mujoco")
    assert "imageio" in theirs and theirs <= names(brought, "gym") | names(brought, "mujoco")


def test_without_mujoco_it_says_what_to_install(site, tmp_path):
    lines = run(without_mujoco(TRY), *WORLDS, "toy", path=[site], cwd=tmp_path)
    assert [line.split("|")[1] for line in lines[:-1]] == [
        f"{name}: MuJoCo is not installed: pip install 'saccade[mujoco]'" for name in WORLDS]
    assert lines[-1].startswith("toy|")
    (said,) = run(without_mujoco("try:\n    import saccade.mujoco\nexcept ImportError as reason:\n    print(reason)"),
                  path=[site], cwd=tmp_path)
    assert said.endswith("pip install 'saccade[mujoco]', or mujoco itself, 3.2 or later")


def test_another_mujoco_is_named_beside_the_one_that_is_needed(site, tmp_path):
    from saccade._docs import MUJOCO

    (tmp_path / "mujoco").mkdir()
    (tmp_path / "mujoco/__init__.py").touch()
    (tmp_path / "mujoco/libmujoco.so.3.2.1").touch()
    (line,) = run(TRY, "rooms", path=[tmp_path, site], cwd=tmp_path)
    assert line == (f"rooms|rooms: MuJoCo {MUJOCO} is needed, and 3.2.1 is installed: pip install 'saccade[mujoco]'; "
                    "saccade.mujoco.Renderer works with any version from 3.2 on")


def test_a_folder_without_the_library_is_refused(site, tmp_path):
    code = "import os; os.environ['SACCADE_MUJOCO'] = '/nowhere'\n" + TRY
    (line,) = run(code, "grasp", path=[site], cwd=tmp_path)
    assert "SACCADE_MUJOCO names no folder of MuJoCo" in line and "/nowhere/libmujoco.so" in line


def test_the_models_are_those_of_the_wheel(mujoco, site, tmp_path):
    """With the licence that they are under; and no other place is looked at."""
    package = tmp_path / "saccade"
    shutil.copytree(site / "saccade", package)
    assert "Apache License" in (package / "licences/dm_control.txt").read_text()
    shutil.rmtree(package / "saccade-models")
    (line,) = run(TRY, "cheetah-run", path=[tmp_path], cwd=tmp_path)
    assert "the models of dm_control are not there" in line


def test_extras_are_named_and_the_version_has_one_source(site):
    from saccade._docs import MUJOCO

    (metadata,) = site.glob("saccade-*.dist-info/METADATA")
    text = metadata.read_text()
    assert {line.split()[1] for line in text.splitlines() if line.startswith("Provides-Extra")} >= {
        "mujoco", "gym", "film", "plots"}
    assert re.search(rf"^Requires-Dist: mujoco \(?=={re.escape(MUJOCO)}\)? ?; extra == ['\"]mujoco", text, re.M)
