"""The live page of a run of `saccade fit` in a real browser: net.py SACCADE TASK FOLDER [FOLDER for pictures]

The task is that of an attention net; its page is open while it learns.
"""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

from browser import Browser
from server import Server

saccade, task, work = sys.argv[1:4]
pictures = sys.argv[4] if len(sys.argv) > 4 else None
run = f"{work}/net-page"


def text(name):
    return f"document.getElementById('{name}').textContent"


def spread(selector):
    """How many different pixels a canvas shows."""
    return (f"(() => {{ const c = document.querySelector('{selector}'); "
            "const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data; "
            "return new Set(new Uint32Array(d.buffer)).size; })()")


def rows(name):
    with open(f"{run}/{name}") as file:
        return [line.split(",") for line in file.read().split()[1:]]


browser = Browser()
server = None
with tempfile.NamedTemporaryFile("w+") as said:
    fit = subprocess.Popen([saccade, "fit", task, "--run", run, "--set", "train.epochs=1000", "--dash", "0", "--quiet"], stderr=said)
    try:
        while not (port := re.search(r"http://localhost:(\d+)/ shows this run", open(said.name).read())):
            assert fit.poll() is None, open(said.name).read()
            time.sleep(0.05)
        port = int(port[1])
        browser.go(f"http://localhost:{port}/")
        browser.wait("document.readyState == 'complete' && data.epochs.length > 2 && data.looks.length > 2", 60)
        assert browser.evaluate(text("state")) == "running"
        browser.wait(f"{spread('#right')} > 5 && {spread('#loss')} > 5 && {spread('#rates')} > 3 && {spread('#confusion')} > 5")
        browser.wait(f"{text('left')}.includes(' to go')")
        epoch, heads = browser.evaluate(f"[{text('epoch')}, {text('heads-title')}]")
        browser.wait(f"{text('epoch')} != '{epoch}' && {text('heads-title')} != '{heads}'", 60)
        assert "attention-net" in browser.evaluate(text("about")) and browser.evaluate(text("speed")) != "–"
        print("it shows a net while it learns")
    finally:
        fit.send_signal(signal.SIGINT)
        code = fit.wait(60)
    assert code == 130, code

try:
    browser.wait(f"{text('state')} == 'no connection'")
    server = Server(saccade, run, port)
    browser.wait(f"{text('state')} == 'interrupted'", 40)
    last = rows("metrics.csv")[-1]
    browser.wait(f"data.epochs.length && last(data.epochs)[EPOCH] == {last[0]} && data.looks.length == data.epochs.length + 1")
    assert browser.evaluate("document.querySelectorAll('#events li').length") == 2
    print("it survives a restart of the server, and shows a run that has ended")

    # what is said is what the files hold
    browser.evaluate("Object.values(painters).forEach((paint) => paint())")
    assert browser.evaluate(text("epoch")) == f"{int(last[0]):,}" and browser.evaluate(text("epochs")) == "of 1,000"
    tested = [row for row in rows("metrics.csv") if row[-1]][-1]
    assert browser.evaluate(text("test")) == f"{100 * float(tested[7]):.2f} %", (browser.evaluate(text("test")), tested)
    assert f"loss {float(tested[6]):.4f}" in browser.evaluate(text("test-about"))
    table = [[int(n) for n in row[1:]] for row in rows("confusion.csv")]
    assert browser.evaluate("data.confusion") == table
    right, every = sum(row[i] for i, row in enumerate(table)), sum(map(sum, table))
    label = browser.evaluate("document.getElementById('confusion').getAttribute('aria-label')")
    assert f"{right} of {every} right" in label, label
    shown = json.loads(subprocess.run([saccade, "heads", f"{run}/net.safetensors", "--json"], check=True, stdout=subprocess.PIPE
                                      ).stdout.splitlines()[-1])
    newest = browser.evaluate("last(last(data.looks).heads)")
    assert newest[:2] == [shown["layer"], shown["head"]] and newest[8] == shown["kind"], (newest, shown)
    for page, exact in zip(newest[2:7], shown["centre"] + shown["covariance"]):
        assert abs(page - exact) <= 1e-5 * abs(exact) + 1e-9, (newest, shown)
    print("its numbers are those of the run's files and of `saccade heads`")

    # heads: a panel a layer; the slider goes back, and the newest is followed again at its end
    layers = 1 + shown["layer"]
    assert browser.evaluate("document.querySelectorAll('#panels canvas').length") == layers
    for i in range(1, layers + 1):
        assert browser.evaluate(spread(f"#panels figure:nth-child({i}) canvas")) > 5
    drawn = "document.querySelector('#panels canvas').toDataURL()"
    newest = browser.evaluate(drawn)
    slide = "(() => {{ const s = document.getElementById('place'); s.value = {}; s.dispatchEvent(new Event('input')); }})()"
    browser.evaluate(slide.format(0))
    browser.wait(f"{text('heads-title')} == 'where heads look before training'")
    assert browser.evaluate(drawn) != newest
    browser.evaluate("document.getElementById('play').click()")
    browser.wait(f"{text('heads-title')} == 'where heads look after epoch 2'")
    browser.evaluate("document.getElementById('play').click()")
    browser.evaluate(slide.format("s.max"))
    browser.wait(f"view.place === null && {drawn} == {newest!r}")
    browser.evaluate("document.getElementById('paths').click()")
    browser.wait(f"{drawn} != {newest!r}")
    print("heads are replayed")

    # keys: a point of a curve, a cell of the table
    browser.evaluate("document.getElementById('right').focus()")
    before = browser.evaluate("document.getElementById('right').toDataURL()")
    browser.press("ArrowLeft")
    browser.wait(f"document.getElementById('right').toDataURL() != {before!r}")
    browser.evaluate("document.getElementById('confusion').focus()")
    for _ in range(2):
        browser.press("ArrowRight")
    browser.wait(f"{text('confusion-about')}.startsWith('class 0 taken for 1: {table[0][1]} of {sum(table[0])}')")
    before = browser.evaluate("document.getElementById('right').toDataURL()")
    browser.evaluate("document.querySelector('[data-x=time]').click()")
    browser.wait(f"document.getElementById('right').toDataURL() != {before!r}")
    print("it obeys the keyboard")

    bright = browser.brightness("#panels")
    browser.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    browser.wait("getComputedStyle(document.body).backgroundColor != 'rgb(244, 245, 247)'")
    time.sleep(0.3)
    assert bright > 200 and browser.brightness("#panels") < 80, (bright, browser.brightness("#panels"))
    origins = browser.evaluate("performance.getEntriesByType('resource').map((r) => new URL(r.name).protocol == 'data:'"
                               " ? location.origin : new URL(r.name).origin)")
    assert set(origins) == {f"http://localhost:{port}"}, origins
    for dark in (False, True):
        browser.ask("Emulation.setEmulatedMedia",
                    features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        for width in (360, 820, 1280):
            browser.ask("Emulation.setDeviceMetricsOverride", width=width, height=1000, deviceScaleFactor=1, mobile=width < 500)
            browser.wait(f"document.documentElement.scrollWidth <= {width}")
            time.sleep(0.3)
            if pictures:
                browser.picture(f"{pictures}/net-{width}{'-dark' if dark else ''}.png", whole=True)
    # the report is the same page from a file, with all that it was told
    server.end()
    server = None
    told = "JSON.stringify([data.epochs, data.looks, data.confusion, data.events])"
    browser.wait("document.readyState == 'complete'")
    shown = browser.evaluate(told)
    report = f"{work}/net-report.html"
    subprocess.run([saccade, "report", run, "--out", report], check=True, stdout=subprocess.DEVNULL)
    browser.go(f"file://{os.path.abspath(report)}")
    browser.wait(f"document.readyState == 'complete' && {text('state')} == 'interrupted' && {text('epoch')} == '{int(last[0]):,}'")
    assert browser.evaluate(told) == shown
    browser.wait(f"{spread('#right')} > 5 && {spread('#confusion')} > 5 && {spread('#panels canvas')} > 5")
    browser.evaluate(slide.format(0))
    browser.wait(f"{text('heads-title')} == 'where heads look before training'")
    assert browser.evaluate("performance.getEntriesByType('resource').every((r) => r.name.startsWith('data:'))")
    for width in (360, 1280):
        browser.ask("Emulation.setDeviceMetricsOverride", width=width, height=1000, deviceScaleFactor=1, mobile=width < 500)
        browser.wait(f"document.documentElement.scrollWidth <= {width}")
        if pictures:
            browser.picture(f"{pictures}/net-report-{width}.png", whole=True)
    print("a report is the same page as one file")

    complaints = [s for s in browser.said if "ERR_CONNECTION_REFUSED" not in str(s) and "ERR_INCOMPLETE" not in str(s)]
    assert not complaints, complaints
    print("it follows the theme, nothing comes from elsewhere, no width needs scrolling sideways, no error is reported")
finally:
    browser.close()
    if server:
        server.end()
