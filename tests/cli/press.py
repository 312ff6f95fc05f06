#!/usr/bin/env python3
"""press.py OUTPUT MARK... -- COMMAND...: runs a command as a terminal does and presses Ctrl-C where it says something.

Each MARK is a regular expression; when what the command has printed since the last press matches it, its whole process
group gets SIGINT, as from a keyboard. All that it prints goes to OUTPUT. Ends with the command's own exit code, 128 and
the number where a signal ended it.
"""
import os
import re
import signal
import subprocess
import sys

split = sys.argv.index("--")
output, marks, command = sys.argv[1], sys.argv[2:split], sys.argv[split + 1:]
process = subprocess.Popen(
    command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
    preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))  # a test may have been started in the background
said, seen = b"", 0
with open(output, "wb") as file:
    while True:
        chunk = os.read(process.stdout.fileno(), 65536)
        if not chunk:
            break
        said += chunk
        file.write(chunk)
        file.flush()
        if marks and re.search(marks[0].encode(), said[seen:], re.M):
            seen = len(said)
            del marks[0]
            os.killpg(process.pid, signal.SIGINT)
status = process.wait()
sys.exit(f"never said: {marks[0]}" if marks else status if status >= 0 else 128 - status)
