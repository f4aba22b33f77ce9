"""The end of what became garbage: never in the finalizer, always soon, and once."""

from __future__ import annotations

import threading

import pytest

from penstock.engine import closing
from penstock.engine.closing import close_after, close_soon, finish_closing

from ..interpreters import output_of
from ..readers.processes import assert_soon


class Owner:
    """An object that may become garbage."""


def closers():
    return [thread for thread in threading.enumerate() if thread.name == closing.THREAD_NAME]


def test_what_is_garbage_is_closed_in_a_thread_that_ends():
    calls = []

    def close(text):
        calls.append((text, threading.current_thread()))

    owner = Owner()
    close_after(owner, close, "a")
    assert calls == []
    del owner
    finish_closing()
    ((text, thread),) = calls
    assert (text, thread.name) == ("a", closing.THREAD_NAME)
    assert_soon(lambda: not closers())


def test_a_finalizer_does_not_wait_for_a_lock_of_its_own_thread():
    lock = threading.Lock()
    owner = Owner()
    close_after(owner, lock.acquire)
    with lock:
        del owner
    finish_closing()
    assert lock.locked()


def test_thousands_at_once_take_few_threads_and_keep_their_order(monkeypatch):
    started, calls = [], []
    start = closing._Closer._start_thread
    monkeypatch.setattr(
        closing._Closer, "_start_thread", lambda self: (started.append(self), start(self))
    )
    release = threading.Event()
    close_soon(release.wait)
    for number in range(3000):
        close_soon(lambda number=number: calls.append(number))
    release.set()
    finish_closing()
    assert calls == list(range(3000))
    assert len(started) < 30


def test_a_close_may_queue_another_and_wait_for_none():
    calls = []

    def outer():
        close_soon(lambda: calls.append("inner"))
        finish_closing()  # would wait for itself
        calls.append("outer")

    close_soon(outer)
    finish_closing()
    assert calls == ["outer", "inner"]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_an_error_is_told_and_the_rest_is_closed(monkeypatch):
    told, calls = [], []
    monkeypatch.setattr(threading, "excepthook", told.append)

    def fail():
        raise OSError("it fails")

    close_soon(fail)
    close_soon(lambda: calls.append(1))
    finish_closing()
    assert [str(each.exc_value) for each in told] == ["it fails"]
    assert calls == [1]


def test_a_process_without_more_threads_closes_later(monkeypatch):
    calls = []
    with monkeypatch.context() as patch:

        def no_thread(*_):
            raise RuntimeError("can't start new thread")

        patch.setattr("_thread.start_new_thread", no_thread)
        close_soon(lambda: calls.append(1))
        assert calls == []
        finish_closing()
    assert calls == [1]


EXIT = """
from penstock.engine.closing import close_after
class Owner: pass
young, old = Owner(), Owner()
close_after(old, print, "the older one")
close_after(young, print, "the younger one")
"""


def test_the_end_of_the_interpreter_closes_what_is_left():
    assert output_of(EXIT) == "the younger one\nthe older one\n"


FORK = """
import os, threading
from penstock.engine.closing import close_soon, finish_closing
gate, started = threading.Event(), threading.Event()
close_soon(lambda: (started.set(), gate.wait()))
close_soon(lambda: print("in the parent", flush=True))
started.wait()
child = os.fork()
if not child:
    finish_closing()
    close_soon(lambda: print("in the child", flush=True))
    finish_closing()
    os._exit(0)
os.waitpid(child, 0)
gate.set()
finish_closing()
"""


def test_a_fork_leaves_to_its_parent_what_was_queued_there():
    assert output_of(FORK) == "in the child\nin the parent\n"
