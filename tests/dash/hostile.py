"""Requests that no page would make get nothing, and the server answers the next one: hostile.py SACCADE RUN [runs]

With `runs` RUN is a folder that holds some, whose pages are asked for, too.
"""

import re
import sys
import time
import urllib.request

from server import Server, body, status

server = Server(sys.argv[1], sys.argv[2])
page = server.get("/")
assert status(page) == 200 and b"<title>saccade</title>" in page


def gets_nothing(what, answer, *codes):
    assert status(answer) in codes, (what, answer[:200])
    assert body(answer) == b"" or status(answer) in (400, 413, 431), (what, answer[:400])
    assert b"root:" not in answer and b"task" not in answer, what


def alive():
    assert server.get("/") == page or status(server.get("/")) == 200


for path in ("/../../../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd", "/page.js/../../task.yaml",
             "/task.yaml", "/metrics.csv", "/heads.csv", "/confusion.csv", "/page.js%00", "/events/", "/.", "/index.html", "http://evil.example/",
             "/" + "a" * 4000):
    gets_nothing(path, server.get(path), 400, 404, 414)
ours, ids = len(sys.argv) > 3, ["12ab34cd", "00000000"]
if ours:
    with urllib.request.urlopen(f"http://localhost:{server.port}/events", timeout=30) as stream:
        while not (found := re.findall(rb'"id":"([0-9a-f]{8})"', stream.readline())):
            pass
    ids = [word.decode() for word in found]
one, two = ids[:2]
for path in ("/runs/", f"/runs/{one}", "/runs/0/", "/runs/deadbeef/", "/runs/deadbeef/events", "/runs/deadbeef/page.css", f"/runs/{one}0/",
             f"/runs/{one[:7]}/", f"/runs/{one}/../{two}/", f"/runs/{one}/task.yaml", f"/runs/{one.upper()}A/", f"/runs/{one}/runs/{two}/",
             "/runs//", f"/runs/{one}//", f"/runs/{one}/events/", f"/runs/%30{one}/", f"/runs/{one}/page.js%00", f"/{one}/"):
    gets_nothing(path, server.get(path), 404)
for path in (f"/runs/{one}/", f"/runs/{one}/page.css", f"/runs/{one}/page.js", f"/runs/{two}/live.js", f"/runs/{two}/drawing.js"):
    assert status(server.get(path)) == (200 if ours else 404), path
assert not ours or body(server.get(f"/runs/{one}/")) != body(page)
for method in ("POST", "PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "BREW"):
    gets_nothing(method, server.get("/", method=method), 405, 404)
gets_nothing("body", server.send(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nabcdefghi"), 405, None)
for host in ("evil.example", "localhost.evil.example", "127.0.0.1.evil.example", f"evil.example:{server.port}",
             "localhost:80x", "127.0.0.1@evil.example", "localhost:", "[::2]", ""):
    gets_nothing(f"Host: {host}", server.get("/", host=host), 403)
    gets_nothing(f"stream for Host: {host}", server.get("/events", host=host), 403)
gets_nothing("no Host", server.send(b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n"), 400, 403)
gets_nothing("no Host, 1.0", server.send(b"GET / HTTP/1.0\r\n\r\n"), 403)
for host in ("localhost", f"localhost:{server.port}", f"127.0.0.1:{server.port}", "127.0.0.1", "[::1]:1"):
    assert status(server.get("/page.css", host=host)) == 200, host
print("foreign paths, methods and hosts get nothing")

gets_nothing("huge header", server.send(b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 200000 + b"\r\n\r\n"),
             431, 413, 400, None)
gets_nothing("many headers", server.send(b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"X: y\r\n" * 20000 + b"\r\n"),
             431, 413, 400, None)
gets_nothing("noise", server.send(bytes(range(256)) * 40), 400, None)
alive()
print("huge heads and noise get nothing")

# more streams than there is room for; then all leave
streams = []
for i in range(40):
    sock = server.connect(2)
    sock.sendall(b"GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n" % (f"/runs/{ids[i % 2]}/events".encode() if ours and i % 3 else b"/events"))
    streams.append(sock)
time.sleep(1)
for sock in streams:
    sock.close()
for _ in range(50):
    if status(server.get("/")) == 200:
        break
    time.sleep(0.2)
alive()
print("forty streams at once leave no trace")

# one that says half a sentence, one that never listens: both are cut off
slow = server.connect(30)
slow.sendall(b"GET / HTTP/1.1\r\nHost: loc")
begin = time.monotonic()
while slow.recv(4096):
    pass  # a server may say why
assert time.monotonic() - begin < 25, "a slow client is kept"
slow.close()
alive()
print(f"a slow client is let go after {time.monotonic() - begin:.0f} s")

with open(f"/proc/{server.process.pid}/net/tcp") as table:
    rows = [row.split() for row in table.read().splitlines()[1:]]
listening = {row[1] for row in rows if row[3] == "0A" and int(row[1].split(":")[1], 16) == server.port}
assert listening == {f"0100007F:{server.port:04X}"}, listening
server.end()
print("it listened on 127.0.0.1 alone and ended in order")
