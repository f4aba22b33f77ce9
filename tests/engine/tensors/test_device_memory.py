"""Which streams a block's next user waits for, told by a stand-in for CuPy that keeps a diary."""

from __future__ import annotations

import gc
import weakref
from contextlib import nullcontext
from types import SimpleNamespace

import numpy as np
import pytest

from penstock.engine.tensors import device_memory
from penstock.engine.tensors.device_memory import DevicePool
from penstock.engine.tensors.unused_memory import release_unused_memory

KIB = 1024
SMALLEST = 4 * KIB  # bytes of the block that serves for 1 KiB


class CudaRuntimeError(RuntimeError):
    pass


class Foreign:
    """A stream of somebody else's."""

    def __init__(self, ptr):
        self.ptr = ptr


class Diary:
    """As much of CuPy as `DevicePool` uses."""

    def __init__(self, total=1 << 30):
        self.pinned = []
        self.recorded, self.waited, self.gone, self.device_waits = [], [], set(), 0
        self.current = SimpleNamespace(ptr=0)
        self.left = total
        diary = self

        class Memory:
            def __init__(self, size):
                if size > diary.left:
                    raise MemoryError
                diary.left -= size
                self.size, self.ptr = size, id(self)
                weakref.finalize(self, diary.free, size)

        def record(event, stream):
            if stream in self.gone:
                raise CudaRuntimeError("invalid resource handle")
            self.recorded.append(stream)

        class Array(np.ndarray):
            pass

        def ndarray(shape, dtype, memory):
            array = np.zeros(shape, dtype).view(Array)
            array.memory = memory
            return array

        self.ndarray = ndarray
        self.get_default_pinned_memory_pool = lambda: SimpleNamespace(
            free_all_blocks=self.pinned.clear
        )
        self.get_default_memory_pool = lambda: SimpleNamespace(free_all_blocks=lambda: None)
        self.cuda = SimpleNamespace(
            Memory=Memory,
            UnownedMemory=lambda pointer, size, owner, device: owner,
            MemoryPointer=lambda memory, offset: memory,
            alloc_pinned_memory=lambda size: self.pinned.append(size) or bytearray(size),
            Event=lambda disable_timing: SimpleNamespace(ptr=None),
            get_current_stream=lambda: self.current,
            ExternalStream=Foreign,
            memory=SimpleNamespace(OutOfMemoryError=MemoryError),
            runtime=SimpleNamespace(
                CUDARuntimeError=CudaRuntimeError,
                eventRecord=record,
                deviceSynchronize=self.wait_for_device,
                memGetInfo=lambda: (self.left, 1 << 30),
            ),
        )

    def wait_for_device(self):
        self.device_waits += 1

    def free(self, size):
        self.left += size

    def stream(self, ptr):
        return SimpleNamespace(ptr=ptr, wait_event=lambda event: self.waited.append(ptr))


class Card(nullcontext):
    id = 0


@pytest.fixture
def cupy():
    return Diary()


@pytest.fixture
def pool(cupy, tuned):
    tuned(device_memory, MAX_IDLE_BYTES=64 * KIB)
    return DevicePool(cupy, Card(), budget=100 * KIB)


def test_the_same_stream_waits_for_nothing(cupy, pool):
    for _ in range(3):
        memory, lease = pool.lend(KIB, cupy.stream(10))
        assert pool.lent_bytes >= KIB
        assert pool.room == 100 * KIB - pool.lent_bytes
        del memory, lease
    assert pool.lent_bytes == 0
    assert (cupy.recorded, cupy.waited) == ([10, 10, 10], [])


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
    assert len(cupy.waited) == len(cupy.recorded)
    assert set(cupy.waited) == {11}
    assert held[0].size == KIB
    assert cupy.device_waits == 0


@pytest.mark.parametrize("current", [SimpleNamespace(ptr=0), Foreign(55)])
def test_a_stream_that_may_be_destroyed_is_not_touched(cupy, pool, current):
    cupy.current = current
    held = []
    for _ in range(2):
        memory, lease = pool.lend(KIB, cupy.stream(10))
        lease.used_on(55)
        lease.used_on(-1)
        held.append((memory, lease))
    del memory, lease
    held.clear()
    assert cupy.recorded == [10, 10]
    held = [pool.lend(KIB, cupy.stream(10)) for _ in range(2)]
    assert cupy.device_waits == 1  # which served both
    del held
    again = pool.lend(KIB, cupy.stream(10))
    assert cupy.device_waits == 1
    del again


def test_memory_taken_on_a_foreign_stream(cupy, pool):
    memory, lease = pool.lend(KIB, Foreign(20))
    del memory, lease
    assert cupy.recorded == []
    _ = pool.lend(KIB, cupy.stream(10))
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


def test_a_cupy_stream_lives_as_long_as_the_lease(cupy, pool):
    cupy.current = SimpleNamespace(ptr=30)
    memory, lease = pool.lend(KIB, cupy.stream(10))
    lease.used_on(30)
    held = [thing for thing in gc.get_referents(lease._streams) if thing is cupy.current]
    assert len(held) == 1
    del memory, lease
    assert cupy.recorded == [10, 30]


def test_a_block_is_freed_if_one_of_its_streams_is_gone(cupy, pool):
    before = cupy.left
    memory, lease = pool.lend(KIB, cupy.stream(10))
    lease.used_on(40, lasts=True)
    cupy.gone.add(40)
    del memory, lease
    assert (pool.lent_bytes, pool.idle_bytes, cupy.left) == (0, 0, before)


def test_what_lies_idle_is_limited_and_a_closed_pool_keeps_nothing(cupy, pool):
    before = cupy.left
    held = [pool.lend(32 * KIB, cupy.stream(10)) for _ in range(4)]
    kept = held.pop()
    held.clear()
    assert 0 < pool.idle_bytes <= 64 * KIB
    pool.close()
    assert pool.idle_bytes == 0
    recorded = list(cupy.recorded)
    del kept
    assert cupy.recorded == recorded
    assert (pool.lent_bytes, cupy.left) == (0, before)


def test_a_block_of_another_size_serves_unless_it_is_too_large(cupy, pool):
    stream = cupy.stream(1)
    first, lease = pool.lend(24 * KIB, stream)
    del first, lease
    memory, lease = pool.lend(8 * KIB, stream)
    assert pool.idle_bytes == 24 * KIB
    assert pool.lent_bytes == 8 * KIB
    other, more = pool.lend(13 * KIB, stream)
    assert other.nbytes == 13 * KIB
    assert (pool.idle_bytes, pool.lent_bytes) == (0, 32 * KIB)
    del memory, lease, other, more
    assert pool.idle_bytes == 32 * KIB


def test_the_blocks_that_came_back_first_make_room(cupy, pool):
    stream, left = cupy.stream(1), cupy.left
    held = [pool.lend(size * KIB, stream) for size in (20, 4, 40, 4)]
    while held:
        del held[0]
    assert pool.idle_bytes == 48 * KIB  # without the block of 20 KiB
    assert cupy.left == left - 48 * KIB
    memory, lease = pool.lend(40 * KIB, stream)
    assert pool.idle_bytes == 8 * KIB
    del memory, lease


def test_a_full_device_gives_back_what_is_idle_and_then_says_so():
    cupy = Diary(total=100 * KIB)
    pool = DevicePool(cupy, Card())
    memory, lease = pool.lend(60 * KIB, cupy.stream(10))
    del memory, lease
    held = pool.lend(90 * KIB, cupy.stream(10))
    with pytest.raises(MemoryError, match=r"GPU has no \d+ bytes left.*lower batch_size"):
        pool.lend(90 * KIB, cupy.stream(10))
    assert pool.lent_bytes < 100 * KIB
    del held
    assert pool.lent_bytes == 0


def test_pinned_memory_of_others_stays_unless_the_pool_has_taken_much(cupy, pool, tuned):
    cupy.pinned.append(5)
    tuned(device_memory, PINNED_STEPS=(2 * KIB, 4 * KIB))
    assert len(pool.pinned(KIB)) == KIB
    pool.free_pinned()
    assert cupy.pinned == [5, 2 * KIB]
    assert len(pool.pinned(5 * KIB)) == 5 * KIB
    assert cupy.pinned == [5, 2 * KIB, 8 * KIB]
    pool.free_pinned()
    assert cupy.pinned == []
    cupy.pinned.append(5)
    pool.free_pinned()
    assert cupy.pinned == [5]


def test_idle_blocks_are_released_with_all_unused_memory(cupy, pool):
    before = cupy.left
    kept = pool.lend(8 * KIB, cupy.stream(10))
    pool.lend(16 * KIB, cupy.stream(10))
    assert pool.idle_bytes > 0
    release_unused_memory()
    assert pool.idle_bytes == 0
    assert pool.lent_bytes == before - cupy.left > 0
    del kept


def test_idle_memory_makes_room_for_new_memory_within_the_budget(cupy, pool):
    stream = cupy.stream(10)
    idle = [pool.lend(size * KIB, stream) for size in (8, 16, 32)]
    del idle
    assert pool.idle_bytes == 56 * KIB
    held = pool.lend(64 * KIB, stream)  # 8 KiB came back last
    assert pool.lent_bytes + pool.idle_bytes <= pool.budget
    assert pool.idle_bytes > 0
    del held


def test_blocks_that_nobody_needs_any_more_are_freed(cupy, pool, monkeypatch):
    now = [0.0]
    monkeypatch.setattr(device_memory, "perf_counter", lambda: now[0])
    pool._since = 0.0
    stream = cupy.stream(10)

    def lend_at_once(count):
        leases = [pool.lend(KIB, stream) for _ in range(count)]
        del leases

    lend_at_once(8)
    for second in range(1, 10):
        now[0] = float(second)
        lend_at_once(2)
    assert pool.idle_bytes == 2 * SMALLEST
    lend_at_once(8)
    now[0] = 11.5
    lend_at_once(8)  # all are needed again
    assert pool.idle_bytes == 8 * SMALLEST


def test_lasting_memory_is_not_lent(cupy, pool):
    left = cupy.left
    memory = pool.lasting(70 * KIB)
    assert memory.nbytes == 70 * KIB == left - cupy.left
    assert pool.lent_bytes == 0
    assert pool.room == pool.budget
    del memory
    assert cupy.left == left
    assert pool.idle_bytes == 0
