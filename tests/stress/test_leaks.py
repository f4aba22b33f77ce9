"""The census of threads, processes and descriptors."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

from .leaks import Census


def test_nothing_is_beyond_an_earlier_census():
    before = Census.take_census()
    with open(os.devnull) as opened:
        assert f"1 x descriptor of {opened.name}" in Census.take_census().beyond(before)
    assert Census.take_census().beyond(before) == ""


def test_threads_and_children_are_named():
    before, wait = Census.take_census(), threading.Event()
    thread = threading.Thread(target=wait.wait, name="helper-7")
    thread.start()
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    more = Census.take_census().beyond(before)
    wait.set()
    thread.join()
    child.communicate(b"\n")
    assert "1 x thread helper" in more
    assert "1 x child processes" in more
    assert Census.settled(before).beyond(before) == ""
