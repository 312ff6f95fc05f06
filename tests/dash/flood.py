"""The live page under a flood of events, without growth: flood.py SACCADE [SECONDS] [RUNS]

A run's folder gains 1,000 rows and 1,000 events a second while the page is open in a browser (where there is one) and a
second listener reads the stream. From when the page holds as many points as it ever will, the memory of the server, at
any instant, and of the page's scripts must not grow. With RUNS it is the page of a folder with so many runs, which gain
the rows together.
"""

import contextlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

import browser as chromium
from server import Server

RATE = 1000  # rows, and events, a second
SETTLE = 5  # seconds until the page holds all that it ever will: 1,024 points, 1,024 evaluations, 48 events
ROOM = 1 << 20  # bytes of growth that are none: buffers that had not met their longest message yet

saccade = sys.argv[1]
seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 20
number = int(sys.argv[3]) if len(sys.argv) > 3 else 0
LIMIT = 256 if number else 1024  # points, and evaluations, of a run
folder = tempfile.TemporaryDirectory()
runs = [f"{folder.name}/run{i}" for i in range(max(1, number))]
subprocess.run([saccade, "train", "tasks/toy.yaml", "--run", runs[0], "--generations", "20", "--quiet"], check=True)
for run in runs[1:]:
    shutil.copytree(runs[0], run)


def resident(pid, kind):
    """Resident bytes of a process: RssAnon are its own, VmHWM the most that there ever were, shared files included."""
    with open(f"/proc/{pid}/status") as file:
        return int(re.search(rf"{kind}:\s+(\d+) kB", file.read())[1]) << 10


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        found = [int(word) for word in file.read().split()]
    return found + [grandchild for child in found for grandchild in children(child)]


def is_page(pid):
    with open(f"/proc/{pid}/cmdline", "rb") as file:
        return b"--type=renderer" in file.read()


class Listener(threading.Thread):
    """Reads the stream and keeps nothing but counts and the newest row."""

    def __init__(self, server):
        super().__init__(daemon=True)
        self.stream, self.bytes, self.messages, self.newest, self.rows = server.connect(30), 0, 0, 0, 0
        self.stream.sendall(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")

    def run(self):
        with self.stream.makefile("rb") as lines:
            for line in lines:
                self.bytes += len(line)
                self.messages += line.startswith(b"event: ")
                points = re.match(rb'data: (?:\{"run":\d+,"anew":\w+,"points":)?(\[\[.*?\]\])', line)
                if points:
                    self.newest = max(self.newest, json.loads(points[1])[-1][0])


def write(metrics, events, first, count):
    """Generations first, first + 1, ...: a row each, every tenth with an evaluation, and an event each."""
    rows, lines = [], []
    for g in range(first, first + count):
        score = f"{100 + g % 37}.5,3.25,16" if g % 10 == 0 else ",,"
        rows.append(f"{g},{g * 800},{g / RATE:.3f},{120 + g % 11}.5,{90 + g % 7}.25,4.5,{score},0.1\n")
        lines.append(json.dumps({"generation": g, "event": "note", "text": f"number {g}", "time": "now"}) + "\n")
    metrics.write("".join(rows))
    events.write("".join(lines))


server = Server(saccade, folder.name if number else runs[0])
page = chromium.Browser() if chromium.find() else None
names = ["server", "its peak"] + (["page's scripts", "page's process"] if page else [])
samples = []


def measure(at):
    row = [resident(server.process.pid, kind) for kind in ("RssAnon", "VmHWM")]
    if page:
        page.ask("HeapProfiler.collectGarbage")
        row.append(page.ask("Runtime.getHeapUsage")["usedSize"])
        row.append(max(resident(pid, "RssAnon") for pid in children(page.process.pid) if is_page(pid)))
    samples.append(row)
    print(f"after {at:5.0f} s: " + ", ".join(f"{name} {size / 2**20:.1f} MiB" for name, size in zip(names, row)),
          flush=True)


listener = Listener(server)
listener.start()
try:
    if page:
        page.go(f"http://localhost:{server.port}/")
    generation, begin, marks = 21, time.monotonic(), [SETTLE + (seconds - SETTLE) * k / 4 for k in range(5)]
    with contextlib.ExitStack() as stack:
        files = [[stack.enter_context(open(f"{run}/{name}", "a", buffering=1 << 16)) for name in ("metrics.csv", "events.jsonl")]
                 for run in runs]
        while marks:
            due = 21 + int(RATE / len(runs) * (time.monotonic() - begin))
            for metrics, events in files:
                write(metrics, events, generation, due - generation)
                metrics.flush()
                events.flush()
            generation = due
            if time.monotonic() - begin > marks[0]:
                measure(marks.pop(0))
            time.sleep(0.02)
    took = time.monotonic() - begin
    written = (generation - 21) * len(runs)
    print(f"{written} rows and as many events in {took:.0f} s; a listener got {listener.messages} messages, "
          f"{listener.bytes / 2**20:.1f} MiB")
    assert written > 0.95 * RATE * seconds, "the flood was no flood"
    # a point of the page stands for up to so many rows as were merged into one: the last whole one is there
    merged = 1
    while (generation - 1) // merged > LIMIT:
        merged *= 2
    end = time.monotonic() + 10
    while listener.newest < generation - 1 - merged and time.monotonic() < end:
        time.sleep(0.1)
    assert listener.newest >= generation - 1 - merged, f"the listener heard of {listener.newest} of {generation - 1}"
    if page:
        there = generation - 1 - merged
        if number:
            page.wait(f"[...data.curves.values()].every((curve) => last(curve.points)[0] >= {there})")
            page.wait(f"runs().length == {number} && runs().every((run) => run.generation >= {there})")
            assert page.evaluate("[...data.curves.values()].every((c) => c.points.length <= 256 && c.scores.length <= 256)")
            assert page.evaluate(f"data.curves.size == {number} && document.querySelectorAll('#rows tr').length == {number}")
        else:
            page.wait(f"Number(document.getElementById('generation').textContent.replace(/,/g, '')) >= {there}")
            assert page.evaluate("data.points.length <= 1024 && data.scores.length <= 1024 && data.events.length <= 48")
        assert not page.said, page.said
    for name, first, last in zip(names, samples[0], samples[-1]):
        if name == "page's process":
            continue  # the browser frees what it pleases when it pleases: told, not judged
        assert last - first < ROOM, f"the {name} grew by {(last - first) / 2**20:.1f} MiB"
finally:
    if page:
        page.close()
    server.end()
print("no growth")
