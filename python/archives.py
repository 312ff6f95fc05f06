"""The static libraries that the extension takes along, so that a wheel needs libc and libm alone: build_ffi.py links
them, and scripts/sbom.py lists the packages that they come from."""
import os
import pathlib
import subprocess
import sysconfig


def _run(*words):
    return subprocess.run(words, text=True, check=True, stdout=subprocess.PIPE).stdout.strip()


def names():
    """Their files' names, in the order in which the linker reads them."""
    found = [f"lib{name}.a" for name in "lapacke openblas png16 z yaml jansson gfortran".split()]
    if sysconfig.get_platform().endswith("x86_64"):  # of the machine that it is for
        found.append("libquadmath.a")  # Fortran's, where the CPU has no floats of 128 bits
    return found


def folder():
    """Where OpenBLAS lies; all others are where the compiler looks by itself."""
    openblas = _run("pkg-config", "--variable=libdir", "openblas")
    root = os.environ.get("PKG_CONFIG_SYSROOT_DIR", "")  # of another machine's packages
    return openblas if openblas.startswith(root) else root + openblas


def paths():
    """Where each of them lies on this machine, and the compiler's own (-static-libgcc)."""
    beside = pathlib.Path(folder())
    return [beside / name if (beside / name).exists() else pathlib.Path(_run("cc", f"-print-file-name={name}"))
            for name in (*names(), "libgcc.a")]
