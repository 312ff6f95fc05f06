"""The live page in a real browser: page.py SACCADE RUN [FOLDER for pictures]"""

import subprocess
import sys

from browser import Browser, spread, text
from server import Server

saccade, run = sys.argv[1:3]


def train(generations, *more):
    subprocess.run([saccade, "train", "tasks/toy.yaml", "--run", run, "--generations", str(generations), "--quiet", *more],
                   check=True)


train(20)
server = Server(saccade, run)
address = f"http://localhost:{server.port}/"
browser = Browser()
try:
    browser.go(address)
    browser.wait(f"document.readyState == 'complete' && {text('generation')} == '20'")
    assert browser.evaluate(text("state")) == "finished"
    assert browser.evaluate(text("best")) != "–" and browser.evaluate(text("rate")) != "–"
    browser.wait(f"{spread('returns')} > 5 && {spread('rates')} > 3")
    browser.wait("document.querySelectorAll('#phase-list b').length == 5")
    browser.wait("document.querySelectorAll('#events li').length >= 2")
    print("it loads: tiles, curves, phases, events")

    browser.wait(f"{spread('picture')} > 5 && {spread('heat')} > 2")
    step = browser.evaluate(text("scene-about"))
    browser.wait(f"{text('scene-about')} != {step!r}")
    print("it shows the agent driving")

    train(35, "--resume")
    browser.wait(f"{text('generation')} == '35'")
    assert browser.evaluate("document.getElementById('returns').getAttribute('aria-label')").startswith(
        "returns up to generation 35")
    print("it follows a run that goes on")

    browser.evaluate("document.getElementById('theme').focus()")
    for _ in range(2):
        browser.press("Enter")
    assert browser.evaluate("document.documentElement.dataset.theme") == "dark"
    browser.press("Tab")
    browser.press("Tab")
    browser.press("Enter")
    assert browser.evaluate("document.activeElement.dataset.x + document.activeElement.ariaPressed") == "stepstrue"
    for _ in range(2):
        browser.press("Tab")
    before = browser.evaluate("document.getElementById('returns').toDataURL()")
    browser.press("ArrowLeft")
    browser.wait(f"document.getElementById('returns').toDataURL() != {before!r}")
    print("it obeys the keyboard")

    server.end()
    browser.wait(f"{text('state')} == 'no connection'")
    train(40, "--resume")
    server = Server(saccade, run, server.port)
    browser.wait(f"{text('generation')} == '40' && {text('state')} == 'finished'", 40)
    step = browser.evaluate(text("scene-about"))
    browser.wait(f"{text('scene-about')} != {step!r}")
    print("it survives a restart of the server")

    origins = browser.evaluate("performance.getEntriesByType('resource').map((r) => new URL(r.name).protocol == 'data:'"
                               " ? location.origin : new URL(r.name).origin)")
    assert set(origins) == {address.rstrip("/")}, origins
    for width in (360, 820, 1280):
        browser.ask("Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1, mobile=width < 500)
        browser.wait(f"document.documentElement.scrollWidth <= {width}")
        if len(sys.argv) > 3:
            browser.picture(f"{sys.argv[3]}/page-{width}.png")
    # the lost connection is the only thing that the browser may complain of
    said = [s for s in browser.said if "ERR_CONNECTION_REFUSED" not in str(s) and "ERR_INCOMPLETE" not in str(s)]
    assert not said, said
    print("nothing comes from elsewhere, no width needs scrolling sideways, no error is reported")
finally:
    browser.close()
    server.end()
