"""Builds the extension and the wheel: scripts/wheel.sh calls it (make wheel)."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

from setuptools import setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # before 70.1
    from wheel.bdist_wheel import bdist_wheel

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import build_ffi  # noqa: E402
import versions  # noqa: E402


class BuildModules(build_py):
    """The modules, with what the headers say, what the bridge's workers run, and the licences."""

    def run(self):
        super().run()
        package = pathlib.Path(self.build_lib, "saccade")
        build_ffi.write_documentation(package / "_docs.py")
        shutil.copy(build_ffi.BUILD / "saccade-worker.py", package)
        self.copy_worlds(package)
        root = pathlib.Path(__file__).resolve().parent.parent
        shutil.copytree(root / "licences", package / "licences", dirs_exist_ok=True)
        shutil.copy(root / "LICENSE", package / "licences" / "saccade.txt")

    @staticmethod
    def copy_worlds(package):
        """What the worlds of MuJoCo need beside its library: the module that calls it, and the control suite's models."""
        module, models = build_ffi.BUILD / "wheel-modules" / "saccade-mujoco.so", build_ffi.BUILD / "saccade-models"
        if not module.exists() or not models.exists():
            print("without the worlds of MuJoCo, which was not there when the library was built (make mujoco)")
            return
        shutil.copy(module, package)
        shutil.copytree(models, package / "saccade-models", dirs_exist_ok=True)


class BuildExtension(build_ext):
    def run(self):
        super().run()
        self.distribution.libc = self.oldest_libc(self.get_ext_fullpath("saccade._saccade"))

    @staticmethod
    def oldest_libc(path):
        """The oldest glibc that has every function used: (2, N)."""
        objdump = os.environ.get("OBJDUMP", "objdump")
        symbols = subprocess.run([objdump, "-T", path], text=True, check=True, stdout=subprocess.PIPE).stdout
        if missing := re.findall(r"\*UND\*.* (sac_\w+)$", symbols, re.M):
            sys.exit(f"the headers declare {missing[0]}, which libsaccade.a does not have; build the library first")
        return max((int(a), int(b)) for a, b in re.findall(r"GLIBC_(\d+)\.(\d+)", symbols))


class BuildWheel(bdist_wheel):
    """Every Python from 3.9 on, and every Linux with a glibc that is new enough."""

    def finalize_options(self):
        self.py_limited_api = "cp39"
        super().finalize_options()

    def get_tag(self):
        python, abi, platform = super().get_tag()
        major, minor = self.distribution.libc
        return python, abi, platform.replace("linux_", f"manylinux_{major}_{minor}_")


# Gymnasium's environments of MuJoCo import imageio and packaging, which it asks for in an extra of its own alone
gymnasium = ["gymnasium>=1.0", "imageio>=2.14.1", "packaging>=23.0"]
film, plots = ["imageio>=2.28", "imageio-ffmpeg>=0.4.9"], ["matplotlib>=3.5"]
extras = {"mujoco": ["mujoco==" + versions.needed("mujoco")], "gym": gymnasium, "gymnasium": gymnasium,
          "film": film, "plots": plots}
setup(version=versions.own(), cffi_modules=["build_ffi.py:make"], extras_require=extras,
      cmdclass={"build_py": BuildModules, "build_ext": BuildExtension, "bdist_wheel": BuildWheel})
