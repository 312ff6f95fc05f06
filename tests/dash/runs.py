"""The live page of a folder of runs in a real browser: runs.py SACCADE SWEEP.yaml FOLDER [FOLDER for pictures]

SWEEP.yaml has four runs of tasks/toy.yaml, which differ in search.sigma and in their seed.
"""

import json
import subprocess
import sys

from browser import Browser, spread, text
from server import Server

saccade, plan, folder = sys.argv[1:4]


def sweep(generations, *more):
    subprocess.run([saccade, "sweep", plan, "--run", folder, "--generations", str(generations), "--quiet", *more],
                   check=True, stdout=subprocess.DEVNULL)


def cells(column):
    """The words of a column of the table, from top to bottom."""
    return (f"[...document.querySelectorAll('#rows tr')].map((row) => row.children[[...document.querySelectorAll('#columns th')]"
            f".findIndex((cell) => cell.textContent === '{column}')].textContent)")


def click(selector):
    browser.evaluate(f"document.querySelector({json.dumps(selector)}).click()")


sweep(4)
server = Server(saccade, folder)
address = f"http://localhost:{server.port}/"
browser = Browser()
try:
    browser.ask("Emulation.setFocusEmulationEnabled", enabled=True)  # nothing has the focus without a screen
    browser.go(address)
    browser.wait("document.readyState == 'complete' && document.querySelectorAll('#rows tr').length == 4")
    assert browser.evaluate("[...document.querySelectorAll('#columns th')].slice(0, 4).map((c) => c.textContent).join()") == \
        "run,state,sigma,seed"
    runs = json.loads(subprocess.run([saccade, "runs", folder, "--json"], check=True, stdout=subprocess.PIPE).stdout)
    runs.sort(key=lambda run: -run["best"]["mean"])
    assert browser.evaluate(cells("run")) == [run["run"].split("/")[-1] for run in runs]
    assert browser.evaluate(cells("seed")) == [str(run["seed"]) for run in runs]
    assert browser.evaluate(cells("generation")) == ["4 of 4"] * 4
    shown = [float(words.split()[0]) for words in browser.evaluate(cells("best evaluation"))]
    assert all(abs(a - run["best"]["mean"]) < 0.1 for a, run in zip(shown, runs)), (shown, runs)
    assert "4 runs" in browser.evaluate(text("about")) and browser.evaluate(text("state")) == "none is running"
    print("it lists the runs, the best first, with the settings in which they differ")

    browser.wait(f"{spread('curves')} > 8")
    assert browser.evaluate("document.querySelectorAll('#legend li').length") == 4
    assert browser.evaluate("document.querySelector('#legend button').textContent") == \
        f"sigma {browser.evaluate(cells('sigma'))[0]} · seed {runs[0]['seed']}"
    pictures = set()
    for what in ("mean", "best", "rate", "evaluation"):
        for axis in ("steps", "time", "generation"):
            click(f"[data-y={what}]")
            click(f"[data-x={axis}]")
            browser.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
            pictures.add(browser.evaluate("document.getElementById('curves').toDataURL()"))
    assert len(pictures) == 12, len(pictures)
    print("it draws what is chosen over what is chosen")

    click("th:nth-child(4) button")
    browser.wait(f"{cells('seed')}.join() == '1,1,2,2'")
    click("th:nth-child(4) button")
    browser.wait(f"{cells('seed')}.join() == '2,2,1,1'")
    assert browser.evaluate("document.querySelector('th:nth-child(4)').ariaSort") == "descending"
    before = browser.evaluate("document.getElementById('curves').toDataURL()")
    browser.evaluate("document.querySelector('#rows a').focus()")
    browser.wait("document.querySelectorAll('tr.hot').length == 1 && document.querySelectorAll('#legend .hot').length == 1")
    browser.wait(f"document.getElementById('curves').toDataURL() != {before!r}")
    browser.evaluate("document.getElementById('curves').focus()")
    browser.wait("document.querySelectorAll('tr.hot').length == 0")
    browser.press("ArrowRight")
    browser.wait(f"document.querySelector('tr.hot')?.dataset.run == '{int(runs[0]['run'][-4:])}'")
    browser.evaluate("document.getElementById('curves').blur()")
    # the pointer over the end of a curve finds the run
    found = browser.evaluate("""(() => { const c = drawn.curves[2], p = last(c.points), b = $('curves').getBoundingClientRect();
        return [b.x + drawn.plot.x(p[0]), b.y + drawn.plot.y(p[1]), c.run.run]; })()""")
    browser.ask("Input.dispatchMouseEvent", type="mouseMoved", x=found[0], y=found[1])
    browser.wait(f"document.querySelector('tr.hot')?.dataset.run == '{found[2]}'")
    browser.ask("Input.dispatchMouseEvent", type="mouseMoved", x=1, y=1)
    browser.wait("document.querySelectorAll('tr.hot').length == 0")
    print("it sorts, and brings out a run in all its parts, by pointer and keyboard")

    browser.wait("document.querySelectorAll('#agents figure').length == 4")
    browser.wait("places.every((place) => place.shown && new Set(new Uint32Array(place.canvas.getContext('2d')"
                 ".getImageData(0, 0, place.canvas.width, place.canvas.height).data.buffer)).size > 3)")
    assert browser.evaluate("places.map((place) => place.run)") == [int(run["run"][-4:]) for run in runs]
    assert browser.evaluate("new Set(data.frames.map((entry) => entry.frame.seed)).size") == 1
    seed = browser.evaluate("data.frames[0].frame.seed")
    browser.wait(f"data.frames[0].frame.seed != {seed}")
    assert browser.evaluate("new Set(data.frames.map((entry) => entry.frame.seed)).size") == 1
    print("the best agents play the same episode next to each other, and then the next one")

    sweep(9)
    browser.wait(f"{cells('generation')}.every((words) => words == '9 of 9')")
    browser.wait("[...data.curves.values()].every((curve) => curve.points.length == 9)")
    subprocess.run([saccade, "train", "tasks/toy.yaml", "--run", f"{folder}/more", "--set", "policy.attention=relu",
                    "--generations", "3", "--quiet"], check=True)
    browser.wait("document.querySelectorAll('#rows tr').length == 5")
    assert "relu" in browser.evaluate(cells("attention"))
    server.end()
    browser.wait(f"{text('state')} == 'no connection'")
    server = Server(saccade, folder, server.port)
    browser.wait(f"{text('state')} == 'none is running' && document.querySelectorAll('#rows tr').length == 5", 40)
    assert browser.evaluate("[...data.curves.values()].map((curve) => curve.points.length).sort().join()") == "3,9,9,9,9"
    print("it follows runs that go on and runs that are new, and survives a restart of the server")

    origins = browser.evaluate("performance.getEntriesByType('resource').map((r) => new URL(r.name).protocol == 'data:'"
                               " ? location.origin : new URL(r.name).origin)")
    assert set(origins) == {address.rstrip("/")}, origins
    for theme in ("dark", "light"):
        browser.evaluate(f"setTheme('{theme}')")
        for width in (360, 820, 1280):
            browser.ask("Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1, mobile=width < 500)
            browser.wait(f"document.documentElement.scrollWidth <= {width}")
            if len(sys.argv) > 4:
                browser.picture(f"{sys.argv[4]}/runs-{theme}-{width}.png", whole=True)

    name = browser.evaluate("document.querySelector('#rows a').textContent")
    browser.go(f"{address}{browser.evaluate('document.querySelector(`#rows a`).getAttribute(`href`)')}")
    browser.wait(f"document.readyState == 'complete' && document.getElementById('run').textContent == '{folder}/{name}'")
    browser.wait(f"{text('generation')} != '–' && {spread('returns')} > 5 && {spread('picture')} > 5")
    browser.go(browser.evaluate("document.querySelector('.back').href"))
    browser.wait(f"location.href == '{address}' && document.querySelectorAll('#rows tr').length == 5")
    said = [s for s in browser.said if "ERR_CONNECTION_REFUSED" not in str(s) and "ERR_INCOMPLETE" not in str(s)]
    assert not said, said
    print("a run has its own page, which leads back; nothing comes from elsewhere, no width needs scrolling sideways")
finally:
    browser.close()
    server.end()
