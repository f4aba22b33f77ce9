"""The steps at a pipeline's end: each once, in reverse order, also after an interrupt."""

from __future__ import annotations

import os
import threading

import pytest

from penstock import PipelineStopped
from penstock.engine.closing import finish_closing
from penstock.engine.run import shutdown as shutdown_module
from penstock.engine.run.shutdown import Shutdown


def test_steps_run_once_in_reverse_order():
    done, shutdown = [], Shutdown()
    for name in "abc":
        shutdown.add(lambda name=name: done.append(name))
    shutdown()
    shutdown()
    assert done == ["c", "b", "a"]


def test_a_step_that_fails_keeps_no_other_from_running():
    done, shutdown = [], Shutdown()
    shutdown.add(lambda: done.append("first"))

    def fail():
        raise OSError("cannot close")

    shutdown.add(fail)
    with pytest.raises(OSError, match="cannot close"):
        shutdown()
    shutdown()
    assert done == ["first"]


def test_after_an_interrupt_the_steps_that_are_left_run():
    done, shutdown = [], Shutdown()
    shutdown.add(lambda: done.append("first"))
    calls = []

    def interrupted():
        calls.append(1)
        if len(calls) == 1:
            raise KeyboardInterrupt
        done.append("second")

    shutdown.add(interrupted)
    with pytest.raises(KeyboardInterrupt):
        shutdown()
    assert done == []
    shutdown()
    assert done == ["second", "first"]


def test_a_repeatable_step_is_tried_again_after_an_error():
    calls, shutdown = [], Shutdown()

    def fails_once():
        calls.append(1)
        if len(calls) == 1:
            raise ValueError

    shutdown.add(fails_once, repeatable=True)
    with pytest.raises(ValueError):
        shutdown()
    shutdown()
    shutdown()
    assert len(calls) == 2


def test_a_forked_child_runs_nothing(monkeypatch):
    done, shutdown = [], Shutdown()
    shutdown.add(lambda: done.append(1))
    shutdown.bind()
    own = os.getpid()
    monkeypatch.setattr(os, "getpid", lambda: own + 1)
    shutdown()
    assert done == []
    monkeypatch.undo()
    shutdown()
    assert done == [1]


def test_a_finalizer_has_another_thread_run_the_steps_that_are_left(monkeypatch):
    threads, queued = [], []
    shutdown = Shutdown()
    shutdown.add(lambda: threads.append(threading.current_thread().name))
    shutdown.run_soon()
    finish_closing()
    assert threads == ["penstock-closer"]
    monkeypatch.setattr(shutdown_module, "close_soon", queued.append)
    shutdown.run_soon()  # nothing is left, so no thread starts
    assert queued == []


def test_the_first_reason_counts_and_is_raised():
    shutdown = Shutdown()
    shutdown.check()
    shutdown.stop("closed")
    shutdown.stop("closed again")
    with pytest.raises(PipelineStopped, match=r"^closed$"):
        shutdown.check()


def test_an_error_that_stops_remembers_what_failed_at_the_end():
    shutdown = Shutdown()
    shutdown.add(lambda: 1 / 0)
    with pytest.raises(KeyError) as caught, shutdown.after_errors():
        raise KeyError("first")
    assert "could not be closed properly: ZeroDivisionError" in caught.value.__notes__[0]
    assert shutdown.reason == "an earlier error stopped the pipeline: KeyError: 'first'"
