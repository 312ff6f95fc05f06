"""The board and the live page say the same: same.py SACCADE TASK RUN [OPTION of train...]

A run is trained with --json and its page is open; after a stage its generations take several times as long. What the
page says of a generation is what the run said of it: the time to go, the time so far, the number. With --seconds the
time to go is that to the end by the clock, and the page does not count towards generations that will not be reached.
"""

import json
import re
import signal
import subprocess
import sys
import tempfile
import time

from browser import Browser

saccade, task, run, *options = sys.argv[1:]
timed = "--seconds" in options


def duration(seconds):
    s = int(seconds)  # as the board cuts it
    return f"{s // 60}:{s % 60:02}" if s < 3600 else f"{s // 3600}:{s // 60 % 60:02}:{s % 60:02}"


with tempfile.TemporaryFile("w+") as out, tempfile.NamedTemporaryFile("w+") as err:
    trainer = subprocess.Popen([saccade, "train", task, "--run", run, "--dash", "0", "--json", *options], stdout=out, stderr=err)
    while not (port := re.search(r"http://localhost:(\d+)/", open(err.name).read())):
        assert trainer.poll() is None, open(err.name).read()
        time.sleep(0.05)
    browser = Browser()
    shown = {}
    try:
        browser.go(f"http://localhost:{port[1]}/")
        browser.wait("document.readyState == 'complete' && data.now && data.now.live && data.points.length > 0")
        begin = time.monotonic()  # a slow machine takes its time for as many generations
        while time.monotonic() < begin + 5 or (len(shown) < 6 and time.monotonic() < begin + 90):
            state, generation, left, events = browser.evaluate(
                "drawTiles(), drawEvents(), [data.now.state, data.now.live.generation, $('left').textContent + '|' + $('generations').textContent,"
                " data.events.map((e) => [e.generation, e.event, e.text])]")
            number = int(browser.evaluate("$('generation').textContent").replace(",", ""))
            # a row may come before its progress, and a folder is seen to be held a moment after it is there
            if number == generation and state == "running":
                shown[generation] = left
            time.sleep(0.1)
        trainer.send_signal(signal.SIGINT)
        trainer.wait(60)
        out.seek(0)
        said = {row["generation"]: row for row in map(json.loads, out)}
    finally:
        trainer.kill()
        browser.close()

stages = [row["note"] for row in said.values() if row["note"]]
assert len(stages) == 1 and "episodes 1 -> 8" in stages[0], stages
noted = next(g for g, row in said.items() if row["note"])
assert [noted, "stage", stages[0]] in events, events
checked = 0
for generation, words in shown.items():
    row = said[generation]
    words, total = words.split("|")
    assert (total == "") == timed, (total, options)
    so_far = re.match(r"([0-9:]+) so far", words)[1]
    assert so_far == duration(row["seconds"]), (words, row)
    if row["seconds_left"] is None:
        assert "to go" not in words, words
        continue
    checked += 1
    assert words.endswith(f", {duration(row['seconds_left'])} to go"), (words, row["seconds_left"])
assert checked >= 3, shown
print(f"board and page agree on {checked} generations, at last {duration(said[max(said)]['seconds_left'])} to go")
