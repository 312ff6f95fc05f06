"""The package's version, and those of others that it is made for: each is read from its one place."""
import pathlib
import re

HERE = pathlib.Path(__file__).resolve().parent


def own():
    header = (HERE.parent / "include/saccade/base.h").read_text()
    return "{MAJOR}.{MINOR}.{PATCH}".format(**dict(re.findall(r"#define SAC_VERSION_(\w+) (\d+)", header)))


def needed(package):
    """What mujoco.txt says of a package, such as "3.17.0"."""
    return re.search(rf"^{package}==(\S+)$", (HERE / "mujoco.txt").read_text(), re.M)[1]
