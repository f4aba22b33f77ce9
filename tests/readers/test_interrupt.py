"""Waits that another thread ends."""

import threading
from concurrent.futures import Future

import pytest

from penstock.engine.errors import PipelineStopped
from penstock.readers.interrupt import Interrupt, wait_for


def test_a_wait_returns_the_result_or_raises_the_error():
    done, failed = Future(), Future()
    done.set_result(5)
    failed.set_exception(OSError("no"))
    assert wait_for(done) == 5
    with Interrupt(), pytest.raises(OSError, match="no"):
        wait_for(failed)


def test_another_thread_ends_a_wait():
    interrupt, future = Interrupt(), Future()
    threading.Timer(0.05, interrupt.set).start()
    with interrupt, pytest.raises(PipelineStopped, match="while remote data were read"):
        wait_for(future)
    assert future.cancelled()


def test_waits_that_begin_later_end_at_once():
    interrupt = Interrupt()
    interrupt.set()
    with interrupt, pytest.raises(PipelineStopped):
        wait_for(Future())


def test_only_the_thread_in_the_block_is_interrupted():
    interrupt, future = Interrupt(), Future()
    with interrupt:
        pass
    interrupt.set()
    future.set_result("kept")
    assert wait_for(future) == "kept"


def test_an_inner_block_leaves_the_outer_block_s_interrupt():
    outer, inner = Interrupt(), Interrupt()
    outer.set()
    with outer:
        with inner:
            pass
        with pytest.raises(PipelineStopped):
            wait_for(Future())
