"""Workers that die lose nothing and leave nothing: training in a world that kills, hangs, throws and lies gives the
same policies, byte for byte, as in one that does not, and nothing is left of the command however it ends.

usage: deaths.py SACCADE DEATHS; exit code 77 where Gymnasium is not there
"""
import glob
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

try:
    import gymnasium  # noqa: F401
except ImportError as error:
    print(f"skip: needs {error.name} (make worlds)")
    sys.exit(77)
saccade, deaths = os.path.abspath(sys.argv[1]), int(sys.argv[2])
mark = f"saccade-deaths-{os.getpid()}"
os.environ.update(PYTHONPATH=os.path.dirname(os.path.abspath(__file__)), SACCADE_TEST_MARK=mark)

TASK = """
env:
  id: gym:worlds:Blink-v0
  python: %s
  timeout: %s
  restarts: 1000
  workers: 2
  kwargs: '%s'
policy:
  kind: attention-agent
  top: 3
search:
  method: sep-cma-es
  population: %d
train:
  generations: %d
  common_episodes: false
evaluation:
  every: 1
  episodes: 2
"""


def left():
    """processes that carry our mark, beside this one"""
    found = []
    for path in glob.glob("/proc/[0-9]*/environ"):
        pid = int(path.split("/")[2])
        try:
            if pid != os.getpid() and mark.encode() in open(path, "rb").read():
                found.append((pid, open(f"/proc/{pid}/cmdline").read().replace("\0", " ")))
        except OSError:
            pass
    return found


def parent(pid):
    return int(open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()[1])


def wait_for_none():
    for _ in range(100):
        if not left():
            return
        time.sleep(0.05)
    raise SystemExit(f"processes are left: {left()}")


def tensors(path):
    """the numbers; the header also names the world's options, which differ"""
    data = open(path, "rb").read()
    return data[8 + int.from_bytes(data[:8], "little"):]


def train(folder, name, timeout=1.5, **kwargs):
    with open(f"{folder}/{name}.yaml", "w") as file:
        file.write(TASK % (sys.executable, timeout, json.dumps(kwargs), population, generations))
    subprocess.run([saccade, "train", f"{folder}/{name}.yaml", "--run", f"{folder}/{name}", "--quiet"], check=True,
                   cwd=folder)
    return [tensors(f"{folder}/{name}/{file}.safetensors") for file in ("mean", "best")] + [
        [row.split(",")[:2] + row.split(",")[3:] for row in open(f"{folder}/{name}/metrics.csv")]]  # all but the time


def killed(folder, victim):
    """the command, or one of its workers, ends by kill -9 in the middle of a hang with a grandchild"""
    ledger = f"{folder}/{victim}"
    kwargs = {"rate": 1000, "ledger": ledger, "sleeper": True}
    with open(f"{folder}/{victim}.yaml", "w") as file:
        file.write(TASK % (sys.executable, 600, json.dumps(kwargs), 4, 1))
    command = subprocess.Popen([saccade, "train", f"{folder}/{victim}.yaml", "--run", f"{folder}/{victim}-run",
                                "--quiet"], cwd=folder, stderr=subprocess.DEVNULL)
    for _ in range(1200):  # until a worker sleeps beside its grandchild
        if sum(line.startswith("sleep") for _, line in left()) >= 2:
            break
        time.sleep(0.05)
    else:
        raise SystemExit("no worker came to hang")
    if victim == "worker":
        for pid, line in left():
            if "saccade-worker" in line and parent(pid) != command.pid:  # not the guards
                os.kill(pid, signal.SIGKILL)
    command.kill()
    command.wait()
    wait_for_none()


segments = set(os.listdir("/dev/shm"))
with tempfile.TemporaryDirectory() as folder:
    population = 4
    generations = 1 + deaths // 150
    rate = 1100 * deaths // ((generations * population + 2) * 40)  # of 1000 steps; evaluations repeat two episodes
    calm = train(folder, "calm")
    ledger = f"{folder}/ledger"
    wild = train(folder, "wild", rate=rate, ledger=ledger)
    count = len(open(ledger).read().split())
    assert wild == calm, "the policies differ"
    wait_for_none()
    print(f"{count} deaths, the same policies")
    assert count >= deaths, f"{count} deaths, {deaths} were wanted"
    for victim in ("command", "worker"):
        killed(folder, victim)
        print(f"kill -9 of the {victim}: nothing is left")
    known = {"calm", "wild", "calm.yaml", "wild.yaml", "ledger", "command", "worker", "command.yaml", "worker.yaml",
             "command-run", "worker-run"}
    assert set(os.listdir(folder)) == known, os.listdir(folder)
new = {name for name in set(os.listdir("/dev/shm")) - segments if "saccade" in name.lower()}
assert not new, new
