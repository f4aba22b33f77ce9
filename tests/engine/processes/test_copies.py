"""Processes that are copies of one new interpreter: their start, their ends, nothing left."""

import ctypes
import gc
import os
import signal
import sys
import threading
from collections import Counter

import pytest

from penstock.engine.errors import WorkerError
from penstock.engine.processes import copies
from penstock.engine.processes.copies import Copies

from ...readers.processes import alive, assert_soon, children
from .test_child_process import descriptors

SERVER = """
import os, random, socket, sys, threading
import numpy as np
from penstock.engine.processes.channel import Channel
assert threading.active_count() == 1
loaded = os.getpid()
def main(first, second, connection):
    channel = Channel(socket.socket(fileno=connection))
    drawn = random.random(), np.random.random()
    leads = os.getpgid(0) == os.getpid()
    channel.send([first, second, leads, loaded, drawn, "penstock_test_import" in sys.modules])
    os._exit(channel.receive())
"""


@pytest.fixture(autouse=True)
def server(tmp_path, monkeypatch):
    """Make modules; assert that no process and no descriptor is left."""
    (tmp_path / "penstock_test_server.py").write_text(SERVER)
    (tmp_path / "penstock_test_import.py").write_text("")
    (tmp_path / "penstock_test_failure.py").write_text("import os\nos._exit(9)")
    (tmp_path / "penstock_test_rest.py").write_text("import time\ntime.sleep(100)")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    before = set(children()), Counter(descriptors())
    yield
    gc.collect()
    assert_soon(lambda: set(children()) <= before[0] and Counter(descriptors()) <= before[1])


def started(count, **options):
    numbers = [(i, 10 * i) for i in range(count)]
    return Copies("penstock_test_server", numbers, **options).wait()


def test_each_copy_has_its_numbers_and_is_a_child_of_this_process():
    before = set(children())
    processes = started(3)
    answers = [process.channels[0].receive() for process in processes]
    assert [answer[:3] for answer in answers] == [[i, 10 * i, True] for i in range(3)]
    assert len({answer[3] for answer in answers}) == 1  # the module was imported once
    assert len(set(children()) - before) == 3
    for i, process in enumerate(processes):
        assert not process.has_ended()
        process.channels[0].send(20 + i)
        assert process.fate() == f"ended with exit status {20 + i}"
        process.close()


def test_global_generators_of_copies_differ():
    drawn = [process.channels[0].receive()[4] for process in started(4)]
    assert len({each[0] for each in drawn}) == len({each[1] for each in drawn}) == 4


def test_further_modules_are_imported_before_the_copies_are_made():
    (process,) = started(1, imports=["penstock_test_import"])
    assert process.channels[0].receive()[5]


def test_a_copy_that_is_killed_says_so():
    before = set(children())
    processes = started(2)
    for pid in set(children()) - before:
        os.kill(pid, signal.SIGKILL)
        assert_soon(lambda pid=pid: not alive(pid))
    assert {process.fate()[:35] for process in processes} == {"was ended by the signal SIGKILL (pe"}


def test_an_origin_that_ends_early():
    failing = Copies("penstock_test_failure", [(0, 0), (1, 1)])
    with pytest.raises(WorkerError, match="origin of worker processes ended with exit status 9"):
        failing.wait()


def test_an_origin_that_is_killed_while_it_imports():
    resting = Copies("penstock_test_rest", [(0, 0)])
    threading.Timer(0.2, resting.kill).start()
    with pytest.raises(WorkerError, match="SIGKILL"):
        resting.wait()


def test_an_origin_that_nobody_waits_for_ends():
    before = set(children())
    resting = Copies("penstock_test_rest", [(0, 0)])
    assert set(children()) > before
    del resting
    gc.collect()
    assert_soon(lambda: set(children()) <= before)


@pytest.mark.parametrize("adopts", [0, 1])
def test_adoption_ends_as_it_was_before(adopts):
    prctl, found = ctypes.CDLL(None).prctl, ctypes.c_int(-1)
    prctl(copies._SET_CHILD_SUBREAPER, adopts, 0, 0, 0)
    try:
        started(1)
        prctl(copies._GET_CHILD_SUBREAPER, ctypes.byref(found), 0, 0, 0)
    finally:
        prctl(copies._SET_CHILD_SUBREAPER, 0, 0, 0, 0)
    assert found.value == adopts


def test_copies_end_with_their_connection_where_nobody_adopts_them(monkeypatch):
    monkeypatch.setattr(copies, "_SET_CHILD_SUBREAPER", 0)  # an option that is unknown
    processes = started(2)
    pids = [process._process.pid for process in processes]
    for process in processes:
        process.channels[0].receive()
        process.close()
    assert_soon(lambda: not any(map(alive, pids)))
