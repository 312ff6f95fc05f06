"""A headless Chromium by its debugging pipe: open a page, ask it things, take pictures. Standard library alone."""

import base64
import json
import os
import select
import shutil
import struct
import subprocess
import tempfile
import time
import zlib


def find():
    return next((path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None)


def decode(png):
    """Rows of bytes, and how many a pixel has, of a PNG of 8 bits a channel without interlacing."""
    at, packed, width, channels = 8, b"", 0, 0
    while at < len(png):
        size, kind = struct.unpack(">I4s", png[at:at + 8])
        body = png[at + 8:at + 8 + size]
        if kind == b"IHDR":
            width, channels = struct.unpack(">I", body[:4])[0], {2: 3, 6: 4}[body[9]]
        packed += body if kind == b"IDAT" else b""
        at += size + 12
    data, pitch = zlib.decompress(packed), width * channels
    rows, above = [], bytes(pitch)
    for start in range(0, len(data), pitch + 1):
        how, row = data[start], bytearray(data[start + 1:start + 1 + pitch])
        for i in range(pitch):
            left, up, corner = (row[i - channels], above[i], above[i - channels]) if i >= channels else (0, above[i], 0)
            nearest = min((left, up, corner), key=lambda x: abs(left + up - corner - x))
            row[i] = (row[i] + (0, left, up, (left + up) // 2, nearest)[how]) % 256
        rows.append(row)
        above = row
    return rows, channels


def text(name):
    return f"document.getElementById('{name}').textContent"


def spread(name):
    """How many different pixels a canvas shows."""
    return (f"(() => {{ const c = document.getElementById('{name}'); "
            "const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data; "
            "return new Set(new Uint32Array(d.buffer)).size; })()")


class Browser:
    def __init__(self, width=1280, height=1000, dark=False, phone=False):
        self.folder = tempfile.mkdtemp()
        ours_in, theirs_out = os.pipe()
        theirs_in, ours_out = os.pipe()

        def place():  # the pipe is on descriptors 3 and 4, which os.dup2 makes inheritable
            first, second = os.dup(theirs_in), os.dup(theirs_out)
            os.dup2(first, 3)
            os.dup2(second, 4)

        self.process = subprocess.Popen(
            [find(), "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--hide-scrollbars", "--mute-audio", "--remote-debugging-pipe", f"--user-data-dir={self.folder}",
             f"--window-size={width},{height}", "about:blank"],
            preexec_fn=place, close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(theirs_in)
        os.close(theirs_out)
        self.reader, self.writer, self.left, self.number, self.said = ours_in, ours_out, b"", 0, []
        targets = self.call("Target.getTargets")["targetInfos"]
        target = next(t["targetId"] for t in targets if t["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable")
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=2 if phone else 1,
                 mobile=phone)
        self.ask("Emulation.setEmulatedMedia",
                 features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def receive(self, seconds):
        while b"\0" not in self.left:
            if not select.select([self.reader], [], [], seconds)[0]:
                raise TimeoutError("the browser does not answer")
            part = os.read(self.reader, 1 << 20)
            if not part:
                raise EOFError("the browser has ended")
            self.left += part
        line, self.left = self.left.split(b"\0", 1)
        return json.loads(line)

    def call(self, method, session=None, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self.writer, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive(30)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            if answer.get("method") == "Runtime.exceptionThrown":
                self.said.append(answer["params"])
            # warnings may be about what a test does, such as reading pixels back
            if answer.get("method") == "Log.entryAdded" and answer["params"]["entry"]["level"] == "error":
                self.said.append(answer["params"])

    def ask(self, method, **parameters):
        return self.call(method, self.session, **parameters)

    def go(self, address):
        self.ask("Page.navigate", url=address)

    def evaluate(self, expression):
        result = self.ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def wait(self, expression, seconds=20):
        """Until the expression holds; what it gave."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            value = self.evaluate(expression)
            if value:
                return value
            time.sleep(0.1)
        raise AssertionError(f"not within {seconds} s: {expression}")

    def press(self, key):
        for kind in ("keyDown", "keyUp"):
            self.ask("Input.dispatchKeyEvent", type=kind, key=key, code=key,
                     windowsVirtualKeyCode={"Tab": 9, "Enter": 13, "ArrowLeft": 37, "ArrowRight": 39}[key],
                     **({"text": "\r"} if key == "Enter" and kind == "keyDown" else {}))

    def picture(self, path, whole=False):
        data = self.ask("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def brightness(self, selector):
        """The mean of red, green and blue, 0..255, of an element as it is seen."""
        box = self.evaluate(f"(() => {{ const b = document.querySelector('{selector}').getBoundingClientRect();"
                            " return [b.x + scrollX, b.y + scrollY, b.width, b.height]; })()")
        clip = dict(zip(("x", "y", "width", "height"), box), scale=1)
        data = self.ask("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)["data"]
        rows, channels = decode(base64.b64decode(data))
        colours = [row[i] for row in rows for i in range(len(row)) if i % channels < 3]
        return sum(colours) / len(colours)

    def close(self):
        try:
            self.call("Browser.close")
        except (EOFError, OSError, TimeoutError):
            pass
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.reader)
        os.close(self.writer)
        shutil.rmtree(self.folder, ignore_errors=True)
