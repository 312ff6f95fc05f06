"""A report in a real browser, from a file: report.py REPORT.html"""

import os
import sys

from browser import Browser

browser = Browser()
try:
    browser.go(f"file://{os.path.abspath(sys.argv[1])}")
    browser.wait("document.readyState == 'complete' && document.getElementById('scene-about').textContent != ''")
    shown = browser.evaluate("document.getElementById('scene-about').textContent")
    browser.wait(f"document.getElementById('scene-about').textContent != {shown!r}")  # it plays
    assert browser.evaluate("Array.from(document.images).every((i) => i.complete && i.naturalWidth > 0)")
    for name in ("picture", "heat", "mean", "time"):
        assert browser.evaluate(
            f"(() => {{ const c = document.getElementById('{name}'); const d = c.getContext('2d')"
            ".getImageData(0, 0, c.width, c.height).data; return new Set(new Uint32Array(d.buffer)).size; })()") > 2, name
    bright = browser.brightness(".plots img")
    browser.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    dark = browser.brightness(".plots img")
    assert bright > 200 and dark < 80, (bright, dark)  # charts follow the theme
    assert not browser.said, browser.said
    assert browser.evaluate("performance.getEntriesByType('resource').every((r) => r.name.startsWith('data:'))")
finally:
    browser.close()
