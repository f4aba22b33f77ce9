"""Programs that run on a terminal."""

from __future__ import annotations

import os
import pty
import subprocess


def on_terminal(command, environment):
    """Run a command whose output and errors go to a terminal; return the text and the status."""
    master, slave = pty.openpty()
    variables = {**environment, "NO_COLOR": "", "TERM": "xterm"}
    process = subprocess.Popen(command, stdout=slave, stderr=slave, env=variables)
    os.close(slave)
    shown = b""
    while True:
        try:
            shown += os.read(master, 65536)
        except OSError:  # the other end is closed
            break
    os.close(master)
    return shown.decode(), process.wait()
