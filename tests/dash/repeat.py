"""What a report prints repeats its run: repeat.py SACCADE RUN

Writes a report of the run, saves the files that it offers into an empty folder, runs the commands that it prints there,
and compares the vectors byte for byte, with the generation and the score that their files tell. (The files spell the
world's options as the task does: those of task.yaml are spelled out.)
"""

import base64
import hashlib
import html
import json
import os
import re
import struct
import subprocess
import sys
import tempfile

saccade, run = (os.path.abspath(path) for path in sys.argv[1:3])


def vector(path):
    """The hash of a policy's tensors, and of which generation and how good it is."""
    with open(path, "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        info = json.loads(header["__metadata__"]["info"])
        return hashlib.sha256(file.read()).hexdigest(), info["generation"], info["score"]


with tempfile.TemporaryDirectory() as folder:
    report = os.path.join(folder, "report.html")
    subprocess.run([saccade, "report", run, "--out", report, "--frames", "0"], check=True, stdout=subprocess.DEVNULL)
    text = open(report).read()
    for name, data in re.findall(r'<a download="([^"]+)" href="data:[^;]+;base64,([^"]+)"', text):
        with open(os.path.join(folder, name), "wb") as file:
            file.write(base64.b64decode(data))
    commands = html.unescape(re.search(r"<pre[^>]*>(saccade train .*?)</pre>", text, re.S)[1])
    commands = commands.replace("saccade watch", "saccade watch --steps 5 --frames seen")  # there is no window here
    commands = commands.replace("--seeds 0..99", "--seeds 0..2")
    bin = os.path.join(folder, "bin")
    os.mkdir(bin)
    os.symlink(saccade, os.path.join(bin, "saccade"))
    subprocess.run(["bash", "-euc", commands], cwd=folder, check=True, stdout=subprocess.DEVNULL,
                   env={**os.environ, "PATH": bin + ":" + os.environ["PATH"],
                        "SACCADE_MODULES": os.path.dirname(saccade)})
    compared = 0
    for name in ("best.safetensors", "mean.safetensors"):
        if os.path.exists(os.path.join(run, name)):
            compared += 1
            assert vector(os.path.join(run, name)) == vector(os.path.join(folder, "again", name)), (name, commands)
    assert compared > 0
