"""Which streams a piece's next user waits for."""

from __future__ import annotations

import weakref
from types import SimpleNamespace

import pytest

from .recording_cupy import KIB, CudaRuntimeError, Foreign, lend_at_once


def test_the_same_stream_waits_for_nothing(cupy, pool):
    for _ in range(3):
        memory, lease = pool.lend(KIB, cupy.stream(10))
        assert pool.lent_bytes == KIB
        assert pool.room == 99 * KIB
        assert pool.idle_bytes == 3 * KIB
        del memory, lease
    assert pool.lent_bytes == 0
    assert (cupy.recorded, cupy.waited, cupy.allocations) == ([10, 10, 10], [], 1)


@pytest.mark.parametrize(
    ("stream", "handle"), [(None, 1), (1, 1), (2, 1), (0, 1), (55, 55), (10, 10)]
)
def test_a_consumers_stream_is_waited_for(cupy, pool, stream, handle):
    memory, lease = pool.lend(KIB, cupy.stream(10))
    lease.used_on(stream, lasts=True)
    lease.used_on(stream)
    del memory, lease
    assert set(cupy.recorded) == {10, handle}
    held = pool.lend(KIB, cupy.stream(11))
    assert set(cupy.waited) == {(11, 10), (11, handle)}
    assert held[0].size == KIB
    assert cupy.device_waits == 0


def test_work_that_is_done_is_not_waited_for(cupy, pool):
    memory, lease = pool.lend(KIB, cupy.stream(10))
    lease.used_on(55, lasts=True)
    del memory, lease
    cupy.done.add(10)
    held = pool.lend(4 * KIB, cupy.stream(11))
    assert cupy.waited == [(11, 55)]
    del held


@pytest.mark.parametrize("current", [SimpleNamespace(ptr=0), Foreign(55)])
def test_a_stream_that_may_be_destroyed_is_not_touched(cupy, pool, current):
    cupy.current = current
    held = []
    for _ in range(2):
        memory, lease = pool.lend(4 * KIB, cupy.stream(10))
        lease.used_on(55)
        lease.used_on(-1)
        held.append((memory, lease))
    del memory, lease
    held.clear()
    assert cupy.recorded == [10, 10]
    held = [pool.lend(4 * KIB, cupy.stream(10)) for _ in range(2)]
    assert cupy.device_waits == 1  # which served both
    del held
    again = pool.lend(4 * KIB, cupy.stream(10))
    assert cupy.device_waits == 1
    del again


def test_memory_taken_on_a_foreign_stream(cupy, pool):
    memory, lease = pool.lend(KIB, Foreign(20))
    del memory, lease
    assert cupy.recorded == []
    _ = pool.lend(4 * KIB, cupy.stream(10))
    assert cupy.device_waits == 1


def test_a_batch_that_moved_on_no_longer_waits_for_its_first_stream(cupy, pool):
    first, own = Foreign(1), cupy.stream(10)
    memory, lease = pool.lend(KIB, first)
    lease.moved(first, own)
    lease.moved(own, own)
    del memory, lease
    assert cupy.recorded == [10]


def test_a_batch_that_is_given_out_twice_keeps_its_consumers(cupy, pool):
    first, own = Foreign(1), cupy.stream(10)
    memory, lease = pool.lend(KIB, first)
    lease.moved(first, own)
    lease.used_on(None)
    lease.moved(first, own)
    del memory, lease
    assert sorted(cupy.recorded) == [1, 10]


def test_a_cupy_stream_lives_until_its_work_is_done(cupy, pool):
    cupy.current = cupy.stream(30)
    own = weakref.ref(cupy.current)
    memory, lease = pool.lend(KIB, cupy.stream(10))
    lease.used_on(30)
    cupy.current = None
    assert own() is not None
    del memory, lease
    assert cupy.recorded == [10, 30]
    lend_at_once(pool, cupy.stream(10), KIB)
    assert own() is not None  # else another stream could have its handle
    cupy.done.add(30)
    lend_at_once(pool, cupy.stream(10), KIB)
    assert own() is None


def test_a_piece_of_which_a_stream_is_gone_waits_for_the_device(cupy, pool):
    memory, lease = pool.lend(KIB, cupy.stream(10))
    lease.used_on(40, lasts=True)
    cupy.gone.add(40)
    del memory, lease
    assert pool.lent_bytes == 0
    held = pool.lend(4 * KIB, cupy.stream(10))
    assert (cupy.device_waits, cupy.allocations) == (1, 1)
    del held


def test_a_piece_whose_user_could_not_wait_is_not_lent_without_a_wait(cupy, pool):
    def fail(event):
        raise CudaRuntimeError("the context is lost")

    lend_at_once(pool, cupy.stream(10), KIB)
    with pytest.raises(CudaRuntimeError, match="lost"):
        pool.lend(4 * KIB, SimpleNamespace(ptr=11, wait_event=fail))
    assert pool.lent_bytes == 0
    held = pool.lend(4 * KIB, cupy.stream(11))
    assert cupy.device_waits == 1
    del held
