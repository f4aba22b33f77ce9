"""Functions that run where no signal's handler interrupts them."""

from __future__ import annotations

import os
import signal
import threading
import time

import pytest

from penstock.engine.uninterrupted import Uninterrupted


def test_the_function_has_returned_when_run_returns():
    names = []
    Uninterrupted(lambda: names.append(threading.get_ident())).run()
    assert names
    assert names[0] != threading.get_ident()


def test_the_exception_of_the_function_is_raised():
    def fail():
        raise OSError("no more threads")

    with pytest.raises(OSError, match="no more threads"):
        Uninterrupted(fail).run()


def test_a_handler_interrupts_the_wait_alone():
    class Alarm(Exception):  # noqa: N818
        pass

    alarms = []

    def handler(*_):
        alarms.append(1)
        if len(alarms) == 1:
            raise Alarm

    sent, go_on, finished = threading.Event(), threading.Event(), []

    def wait():
        while not alarms:  # a signal just before a wait for a lock does not interrupt that wait
            os.kill(os.getpid(), signal.SIGALRM)
            time.sleep(0.01)
        sent.set()
        assert go_on.wait(30)
        finished.append(1)

    work = Uninterrupted(wait)
    before = signal.signal(signal.SIGALRM, handler)
    try:
        with pytest.raises(Alarm):
            work.run()
        assert sent.wait(30)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert finished == []
    go_on.set()
    work.wait(30)
    assert finished == [1]


def test_there_is_nothing_to_wait_for_before_the_start():
    started = time.monotonic()
    Uninterrupted(lambda: None).wait(30)
    assert time.monotonic() - started < 20
