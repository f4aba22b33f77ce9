"""A pool of small segments, on a stand-in for CuPy."""

from __future__ import annotations

import pytest

from penstock.engine.tensors import device_memory
from penstock.engine.tensors.device_memory import DevicePool

from .recording_cupy import KIB, Card, Diary


@pytest.fixture
def cupy():
    """CuPy; checks that no memory was freed under the pool's lock."""
    diary = Diary()
    yield diary
    assert diary.freed_under_lock == 0


@pytest.fixture
def pool(cupy, tuned):
    tuned(device_memory, GROWTH=0, SEGMENT_STEP=4 * KIB)
    pool = DevicePool(cupy, Card(), budget=100 * KIB)
    cupy.locks.append(pool._lock)
    return pool
