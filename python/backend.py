"""What pip calls to build the package from its sources (PEP 517): the library by CMake, and then the wheel by setup.py.
`make wheel` does the same in a checkout, with the library that `make build` made."""
import gzip
import importlib.util
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile

import versions

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
# what a source distribution holds: all that the library and the package are made of
SOURCES = ["CHANGELOG.md", "CITATION.cff", "CMakeLists.txt", "LICENSE", "README.md", "cmake", "include", "licences",
           "pyproject.toml", "python", "src"]
MODELS = HERE / "dm_control"  # in a source distribution: the control suite's models, as their package has them
# what must be there, and Debian's package of it
PROGRAMS = {"cmake": "cmake", "make": "make", "cc": "gcc", "pkg-config": "pkg-config", "objdump": "binutils"}
LIBRARIES = {"lapacke": "liblapacke-dev", "openblas": "libopenblas-dev", "libpng": "libpng-dev", "zlib": "zlib1g-dev",
             "yaml-0.1": "libyaml-dev", "jansson": "libjansson-dev"}
ARCHIVES = {"libgfortran.a": "gfortran"}


def _run(*command, **options):
    return subprocess.run([str(word) for word in command], text=True, **options)


def missing():
    """Debian's packages that building needs and that are not there."""
    packages = [package for program, package in PROGRAMS.items() if not shutil.which(program)]
    if "pkg-config" not in packages:
        packages += [package for library, package in LIBRARIES.items() if _run("pkg-config", "--exists", library).returncode]
    if "gcc" not in packages:
        packages += [package for archive, package in ARCHIVES.items() if not os.path.isabs(
            _run("cc", f"-print-file-name={archive}", stdout=subprocess.PIPE).stdout.strip())]
    if not pathlib.Path(sysconfig.get_path("include"), "Python.h").exists():
        packages.append("python3-dev")
    return packages


def _check():
    if packages := missing():
        sys.exit(f"saccade: building it needs packages that are missing: apt-get install {' '.join(packages)}")


def _mujoco():
    """CMake's options for the package mujoco, where it is there in the version that the worlds are made for."""
    spec, version = importlib.util.find_spec("mujoco"), versions.needed("mujoco")
    folder = pathlib.Path(spec.origin).parent if spec and spec.origin else None
    if folder is None or not (folder / f"libmujoco.so.{version}").exists():
        print(f"saccade: without the worlds of MuJoCo, because mujoco {version} is not there", file=sys.stderr)
        return []
    return [f"-DSAC_MUJOCO={folder}", f"-DSAC_DM_CONTROL={MODELS}"]


def _build_library(build):
    jobs = len(os.sched_getaffinity(0))
    _run("cmake", "-S", ROOT, "-B", build, "-DCMAKE_BUILD_TYPE=Release", "-DSAC_LIBRARY_ONLY=ON", *_mujoco(), check=True)
    _run("cmake", "--build", build, f"-j{jobs}", "--target", "wheel_parts", check=True)


def get_requires_for_build_wheel(config_settings=None):
    _check()
    return ["mujoco==" + versions.needed("mujoco")] if sys.version_info >= (3, 10) else []


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    from setuptools import build_meta

    _check()
    target = os.path.abspath(wheel_directory)
    with tempfile.TemporaryDirectory(prefix="saccade-") as build:
        _build_library(build)
        os.environ["SACCADE_BUILD"] = build
        os.chdir(HERE)
        return build_meta.build_wheel(target, config_settings)


def get_requires_for_build_sdist(config_settings=None):
    return []


def _tracked():
    """The sources by path: what git tracks, or in an unpacked source distribution all of it."""
    listed = _run("git", "ls-files", "-z", *SOURCES, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    if listed.returncode == 0:
        return sorted(filter(None, listed.stdout.split("\0")))
    return sorted(str(path.relative_to(ROOT)) for name in SOURCES for path in [ROOT / name, *(ROOT / name).rglob("*")]
                  if path.is_file() and "__pycache__" not in path.parts)


def _models():
    """(path in the source distribution, file) of the control suite's models, from the library that was built here."""
    models = pathlib.Path(os.environ.get("SACCADE_BUILD", ROOT / "build"), "saccade-models")
    if MODELS.exists() or not models.exists():
        return []  # they are among the sources already, or there are none
    return [(str(MODELS.relative_to(ROOT) / "suite" / path.relative_to(models)), path)
            for path in sorted(models.rglob("*.xml"))]


def _facts():
    """PKG-INFO: the facts that stand in python/pyproject.toml."""
    text = (HERE / "pyproject.toml").read_text()
    name, summary, python = (re.search(rf'^{key} = "(.*)"$', text, re.M)[1]
                             for key in ("name", "description", "requires-python"))
    return (f"Metadata-Version: 2.1\nName: {name}\nVersion: {versions.own()}\nSummary: {summary}\nLicense: MIT\n"
            f"Requires-Python: {python}\n").encode()


def build_sdist(sdist_directory, config_settings=None):
    """The same bytes for the same sources: files in the order of their names, with the time of the last commit."""
    name = f"saccade-{versions.own()}"
    time = int(os.environ.get("SOURCE_DATE_EPOCH") or _run(
        "git", "log", "-1", "--format=%ct", cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout or 0)
    files = [(path, ROOT / path) for path in _tracked()] + _models()
    if not any(path.startswith(str(MODELS.relative_to(ROOT))) for path, _ in files):
        print("saccade: without the models of the control suite, which are not there (make mujoco)", file=sys.stderr)
    os.makedirs(sdist_directory, exist_ok=True)
    with open(os.path.join(sdist_directory, name + ".tar.gz"), "wb") as file, \
            gzip.GzipFile("", "wb", mtime=time, fileobj=file) as packed, \
            tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path, content in [("PKG-INFO", _facts()), *((path, file.read_bytes()) for path, file in sorted(files))]:
            entry = tarfile.TarInfo(f"{name}/{path}")
            entry.size, entry.mtime = len(content), time
            entry.mode = 0o755 if content.startswith(b"#!") else 0o644
            archive.addfile(entry, io.BytesIO(content))
    return name + ".tar.gz"
