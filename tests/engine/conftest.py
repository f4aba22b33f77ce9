"""What holds for every test of the engine: no thread may be left behind."""

from __future__ import annotations

import gc

import pytest

from penstock.engine.closing import finish_closing

from . import toys


@pytest.fixture(autouse=True)
def _no_thread_left_behind():
    toys.disown_threads()
    yield
    if toys.own_threads():
        gc.collect()  # an exception's traceback keeps a pipeline alive in a cycle
        finish_closing()
    for thread in toys.own_threads():
        thread.join(60)
    assert toys.own_threads() == []
