"""What the live page says and shows of agents that keep patches, mix all of them, or have no attention:
scene.py SACCADE RUN POLICY KIND, where RUN is a run folder whose mean agent gives way to POLICY's, and KIND is keeps,
mixes or none."""

import os
import shutil
import sys
import tempfile

from browser import Browser
from server import Server

saccade, run, policy, kind = sys.argv[1:5]
CAPTIONS = {"keeps": "framed: the patches that it keeps", "mixes": "it mixes all patches", "none": "what it sees"}


def shows(name):
    return f"document.getElementById('{name}').getBoundingClientRect().height > 0"


with tempfile.TemporaryDirectory() as folder:
    shown = os.path.join(folder, "shown")
    shutil.copytree(run, shown)
    shutil.copy(policy, os.path.join(shown, "mean.safetensors"))
    server = Server(saccade, shown)
    browser = Browser()
    try:
        browser.go(f"http://localhost:{server.port}/")
        browser.wait("document.readyState == 'complete' && data.frame && data.frame.step > 20", 60)
        browser.wait("shown && picture.complete")
        browser.evaluate("document.getElementById('pause').click()")
        browser.wait("shown === data.frame && picture.complete")
        words = browser.evaluate("document.getElementById('picture').closest('figure').querySelector('figcaption').textContent")
        assert CAPTIONS[kind] in words, words
        for name in ("heat", "overlay"):
            assert browser.evaluate(shows(name)) == (kind != "none"), name
        if kind == "none":
            sys.exit()

        look = "paint(shown), document.getElementById('picture').toDataURL()"
        with_attention = browser.evaluate(look)
        browser.evaluate("document.getElementById('overlay').click()")
        without = browser.evaluate(look)
        assert with_attention != without, "the attention button marks nothing"

        # the colours are used evenly: from the fifth to the 95th of a hundred patches they span half of the scale
        spread = browser.evaluate(
            "(() => { const levels = levelsOf(shown).sort((a, b) => a - b), n = levels.length;"
            " return levels[Math.floor(0.95 * n)] - levels[Math.floor(0.05 * n)]; })()")
        assert spread > 0.5, spread
        assert "the top 5 % of the patches " + {"keeps": "get", "mixes": "give"}[kind] in browser.evaluate(
            "document.getElementById('heat').closest('figure').querySelector('figcaption').textContent")
    finally:
        browser.close()
        server.end()
