"""What holds for every test of the engine: no thread may be left behind."""

from __future__ import annotations

import gc

import pytest

from . import toys


@pytest.fixture(autouse=True)
def _no_thread_left_behind():
    before = set(toys.own_threads())
    yield
    if set(toys.own_threads()) - before:
        gc.collect()  # an exception's traceback keeps a pipeline alive in a cycle
    for thread in set(toys.own_threads()) - before:
        thread.join(20)
    assert set(toys.own_threads()) <= before
