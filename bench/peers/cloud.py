"""cloud.py FOLDER: microseconds that the Point Cloud Library takes from the depth picture in FOLDER/picture to objects.

cloud.cc does it; it is compiled here, once for each FOLDER, where PCL and a C++ compiler are installed.
"""

import os
import shutil
import subprocess
import sys

from common import absent, report

MODULES = ["pcl_common", "pcl_filters", "pcl_segmentation", "pcl_search", "pcl_sample_consensus"]


def main():
    here, folder = os.path.dirname(os.path.abspath(__file__)), sys.argv[1]
    compiler = os.environ.get("CXX", "g++")
    if not shutil.which(compiler) or not shutil.which("pkg-config"):
        absent("no C++ compiler")
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", *MODULES], capture_output=True, text=True)
    if flags.returncode != 0:
        absent(flags.stderr)
    program = os.path.join(folder, "cloud")
    if not os.path.exists(program):
        # no more than Debian's own flags: PCL's classes have another layout where Eigen sees other instructions
        subprocess.run([compiler, "-O3", "-std=c++17", "-w", os.path.join(here, "cloud.cc"), "-o", program,
                        *flags.stdout.split(), "-llz4"], check=True)
    answer = subprocess.run([program, os.path.join(folder, "picture")], capture_output=True, text=True, check=True)
    time, objects, version = answer.stdout.split()
    with open(os.path.join(folder, "objects")) as file:
        ours = file.read().strip()
    if objects != ours:
        sys.exit(f"PCL finds {objects} objects, saccade {ours}")
    report("PCL " + version, float(time))


main()
