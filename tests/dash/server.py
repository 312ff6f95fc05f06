"""The live page's server as a test needs it: started on a free port, found again, ended."""

import re
import signal
import socket
import subprocess


class Server:
    def __init__(self, saccade, run, port=0):
        self.process = subprocess.Popen([saccade, "dash", run, "--port", str(port)], stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        found = re.match(r"http://localhost:(\d+)/ shows ", line)
        assert found, f"unexpected first line: {line!r}"
        self.port = int(found[1])

    def end(self):
        self.process.send_signal(signal.SIGINT)
        code = self.process.wait(15)
        self.process.stdout.close()
        assert code == 0, f"exit code {code}"

    def connect(self, seconds=5):
        return socket.create_connection(("127.0.0.1", self.port), seconds)

    def send(self, raw, seconds=5):
        """What comes back for these bytes until the other side closes or is silent."""
        with self.connect(seconds) as sock:
            answer = b""
            try:
                sock.sendall(raw)
                while part := sock.recv(65536):
                    answer += part
            except (TimeoutError, ConnectionError):
                pass
            return answer

    def get(self, path, host="localhost", method="GET"):
        return self.send(f"{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())


def status(answer):
    return int(answer.split(b" ", 2)[1]) if answer.startswith(b"HTTP/1.") else None


def body(answer):
    return answer.partition(b"\r\n\r\n")[2]
