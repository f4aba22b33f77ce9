from __future__ import annotations

import io
import os
import pty

from penstock.cli.progress import Spinner


def test_a_terminal_sees_a_line_that_is_wiped_at_the_end():
    master, slave = pty.openpty()
    with open(slave, "w") as terminal, Spinner(terminal) as tick:
        tick("looking")
        tick("x" * 500)
        terminal.flush()
        shown = b""
        while b"x" not in shown:
            shown += os.read(master, 65536)
    assert b"| looking" in shown
    assert shown.count(b"x") < 500  # cut at the terminal's edge
    left = os.read(master, 65536)
    assert left.endswith(b"\r\x1b[K")
    os.close(master)


def test_nothing_is_written_elsewhere():
    stream = io.StringIO()
    with Spinner(stream) as tick:
        tick("looking")
    assert stream.getvalue() == ""
