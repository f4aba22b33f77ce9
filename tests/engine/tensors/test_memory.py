"""Slabs come back when their last view is dropped, and not before."""

from __future__ import annotations

import gc
import os
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.engine.tensors import arena, memory
from penstock.engine.tensors.memory import SlabPool, size_class

BIG = 64 * 1024


@given(st.integers(1, 1 << 40))
def test_sizes_are_rounded_up_a_little(nbytes):
    size = size_class(nbytes)
    assert nbytes <= size <= nbytes * 9 // 8 + 4096
    assert size % 4096 == 0
    assert size_class(size) == size


def test_a_slab_is_used_again():
    pool = SlabPool()
    first = pool.empty((BIG,), np.uint8)
    address = first.ctypes.data
    assert (pool.lent_bytes, pool.idle_bytes) == (BIG, 0)
    del first
    assert (pool.lent_bytes, pool.idle_bytes) == (0, BIG)
    second = pool.empty((BIG // 8 - 10,), np.float64)
    assert second.ctypes.data == address
    assert second.ctypes.data % 4096 == 0
    assert pool.idle_bytes == 0


def test_a_larger_idle_slab_serves_unless_it_is_far_larger():
    pool = SlabPool()
    first, second = pool.empty((3 * BIG,)), pool.empty((2 * BIG,))
    addresses = first.ctypes.data, second.ctypes.data
    del first, second
    again = pool.empty((2 * BIG - 8192,))
    assert again.ctypes.data == addresses[1]
    assert (again.size, pool.lent_bytes, pool.idle_bytes) == (2 * BIG - 8192, 2 * BIG, 3 * BIG)
    small = pool.empty((BIG,))
    assert small.ctypes.data not in addresses
    assert pool.lent_bytes == 3 * BIG
    larger = pool.empty((2 * BIG,))
    assert larger.ctypes.data == addresses[0]
    assert pool.idle_bytes == 0
    del again, small, larger
    assert (pool.lent_bytes, pool.idle_bytes) == (0, 6 * BIG)


def test_every_view_holds_the_slab():
    pool = SlabPool()
    views = {
        "slice": lambda a: a[1:2],
        "row of a row": lambda a: a[1][3:4],
        "transposed": lambda a: a.T,
        "reshaped": lambda a: a.reshape(-1)[::7],
        "other type": lambda a: a.view(np.uint8)[0],
        "memoryview": memoryview,
        "dlpack": lambda a: np.from_dlpack(a),
        "0-d": lambda a: a[0, 0, ...],
    }
    for name, make in views.items():
        array = pool.empty((4, 4096), np.float32)
        view = make(array)
        del array
        assert pool.lent_bytes == BIG, name
        del view
        assert pool.lent_bytes == 0, name
    assert pool.idle_bytes == BIG


def test_small_arrays_are_left_to_malloc():
    pool = SlabPool()
    small = pool.empty((10, 3), np.int16)
    assert (small.shape, small.dtype, pool.lent_bytes) == ((10, 3), np.int16, 0)
    assert pool.empty((0, 7), np.int64).shape == (0, 7)
    assert pool.empty((), np.int64).shape == ()


def test_what_lies_idle_is_limited(tuned):
    tuned(memory, MAX_IDLE_BYTES=2 * BIG)
    pool = SlabPool()
    held = [pool.empty((BIG,)) for _ in range(5)]
    assert pool.lent_bytes == 5 * BIG
    held.clear()
    assert (pool.lent_bytes, pool.idle_bytes) == (0, 2 * BIG)


def test_a_closed_pool_keeps_nothing_and_takes_nothing_away():
    pool = SlabPool()
    del_me = pool.empty((BIG,))
    kept = pool.empty((BIG,))
    kept[:] = 7
    del del_me
    pool.close()
    assert pool.idle_bytes == 0
    assert (kept == 7).all()
    del kept
    assert (pool.lent_bytes, pool.idle_bytes) == (0, 0)


def test_threads_never_share_a_slab():
    pool = SlabPool()
    clashes = []

    def work(mark):
        for _ in range(300):
            slab = pool.empty((BIG,), np.uint8)
            slab[::4096] = mark
            if not (slab[::4096] == mark).all():
                clashes.append(mark)

    threads = [threading.Thread(target=work, args=(mark,)) for mark in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert clashes == []
    assert pool.lent_bytes == 0
    # A thread asks for the next slab before it drops the one that it has.
    assert pool.idle_bytes <= 2 * len(threads) * BIG


def test_what_is_lent_is_counted_in_all_threads():
    pool = SlabPool()

    def lend_and_drop():
        for i in range(2000):
            kept = [pool.empty((BIG * (1 + i % 3),)) for _ in range(2)]
            del kept

    threads = [threading.Thread(target=lend_and_drop) for _ in range(4)]
    held = pool.empty((BIG,))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (pool.lent_bytes, pool.budget - pool.room) == (held.nbytes, held.nbytes)


def test_what_does_not_stay_in_the_pool_takes_no_pages(tuned):
    tuned(memory, MAX_IDLE_BYTES=0)
    pool = SlabPool()
    pages = lambda: os.fstat(pool.arena.descriptor).st_blocks * 512  # noqa: E731
    slab = pool.empty((BIG,))
    slab[:] = 1
    assert pages() >= BIG
    del slab
    assert pages() == 0
    for _ in range(10):
        pool.empty((BIG,))[:] = 1
    assert pool.arena.reserve(1) == BIG  # the addresses are used again, too


@pytest.mark.parametrize("shared", [True, False])
def test_as_much_may_lie_idle_as_is_lent(shared, tuned):
    tuned(memory, MAX_IDLE_BYTES=BIG)
    pool = SlabPool(shared=shared)
    slabs = [pool.empty((4 * BIG,), np.uint8) for _ in range(4)]
    for slab in slabs:
        slab[:] = 7
    addresses = {slab.ctypes.data for slab in slabs}
    del slab
    del slabs[:2]
    assert (pool.lent_bytes, pool.idle_bytes) == (8 * BIG, 8 * BIG)
    again = [pool.empty((4 * BIG,), np.uint8) for _ in range(2)]
    assert {slab.ctypes.data for slab in again} < addresses
    del again
    del slabs[:]
    assert (pool.lent_bytes, pool.idle_bytes) == (0, 8 * BIG)


def test_as_much_may_lie_idle_as_was_lent_lately(tuned):
    tuned(
        memory,
        MAX_IDLE_BYTES=0,
        LARGE_BLOCK_BYTES=BIG,
        IDLE_BATCHES=4,
        IDLE_SECONDS=0,
        TRIM_INTERVAL=2,
    )
    pool = SlabPool()
    slabs = [pool.empty((BIG,)) for _ in range(4)]
    del slabs[1:]
    assert (pool.lent_bytes, pool.idle_bytes) == (BIG, 3 * BIG)
    slabs += [pool.empty((BIG,)) for _ in range(3)]
    del slabs[:]
    assert pool.idle_bytes == 4 * BIG
    for _ in range(9):  # so little is lent in these batches
        slabs = [pool.empty((BIG,)) for _ in range(2)]
        pool.count_batch()
        del slabs
    assert pool.idle_bytes == 2 * BIG
    held = [pool.empty((BIG,)) for _ in range(2)]
    pool.empty((2 * BIG,))
    assert (len(held), pool.idle_bytes) == (2, 2 * BIG)


def test_blocks_that_no_batch_wanted_for_long_are_freed(tuned):
    tuned(memory, IDLE_BATCHES=4, IDLE_SECONDS=0, TRIM_INTERVAL=2)
    pool = SlabPool()
    pages = lambda: os.fstat(pool.arena.descriptor).st_blocks * 512  # noqa: E731
    rare, common = pool.empty((8 * BIG,)), pool.empty((BIG,))
    rare[:], common[:] = 1, 1
    del rare, common
    for _ in range(4):
        pool.empty((BIG,))
        pool.count_batch()
    assert (pool.idle_bytes, pages()) == (9 * BIG, 9 * BIG)
    for _ in range(4):
        pool.empty((BIG,))
        pool.count_batch()
    assert (pool.idle_bytes, pages()) == (BIG, BIG)


def test_blocks_stay_for_some_seconds(tuned):
    tuned(memory, MAX_IDLE_BYTES=0, LARGE_BLOCK_BYTES=BIG, IDLE_BATCHES=4, TRIM_INTERVAL=2)
    pool = SlabPool()
    slabs = [pool.empty((BIG,)) for _ in range(4)]
    del slabs[:]
    for _ in range(100):
        pool.count_batch()
    assert pool.idle_bytes == 4 * BIG
    tuned(memory, IDLE_BATCHES=4, IDLE_SECONDS=0, TRIM_INTERVAL=2)
    for _ in range(10):
        pool.count_batch()
    assert pool.idle_bytes == 0


@pytest.mark.parametrize("shared", [True, False])
def test_a_full_arena_is_replaced_by_the_heap(tuned, shared):
    tuned(arena, MAX_ARENA_BYTES=4 * BIG, MIN_ARENA_BYTES=BIG)
    pool = SlabPool(shared=shared)
    slabs = [pool.empty((BIG,), np.uint8) for _ in range(6)]
    for i, slab in enumerate(slabs):
        slab[:] = i
    assert [pool.arena.offset(slab) is None for slab in slabs] == [False] * 4 + [True] * 2
    assert [int(slab.max()) for slab in slabs] == list(range(6))
    assert pool.lent_bytes == 6 * BIG
    del slab, slabs
    assert (pool.lent_bytes, pool.idle_bytes) == (0, 4 * BIG)


class Pins:
    """Takes the place of a device, and knows which blocks are locked."""

    def __init__(self):
        self.locked = set()

    def pin(self, address, size):
        assert address not in self.locked
        self.locked.add(address)

    def unpin(self, address):
        self.locked.remove(address)


@pytest.fixture
def pins():
    return Pins()


def test_blocks_are_unlocked_when_they_are_freed(pins):
    pool = SlabPool()
    before = pool.empty((BIG,))
    pool.pin_with(pins)
    idle, lent = pool.empty((BIG,)), pool.empty((BIG,))
    assert pins.locked == {idle.ctypes.data, lent.ctypes.data}
    del idle, before
    pool.close()
    assert pins.locked == {lent.ctypes.data}
    del lent
    assert not pins.locked


def test_blocks_that_become_garbage_with_their_pool_are_unlocked(pins):
    pool = SlabPool()
    pool.pin_with(pins)
    kept, in_cycle = pool.empty((BIG,)), pool.empty((BIG,))
    cycle = [pool, in_cycle]
    cycle.append(cycle)
    pool.close()
    assert len(pins.locked) == 2
    del pool, in_cycle, cycle
    gc.collect()
    assert not pins.locked
    kept[:] = 1  # the memory is still there


def test_a_closed_pool_keeps_no_descriptor():
    before = set(os.listdir("/proc/self/fd"))
    pool = SlabPool()
    kept = pool.empty((1 << 20,))
    kept[:] = 7
    dropped = pool.empty((1 << 20,))
    file = pool.arena.descriptor
    pool.close()
    pool.close()
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(file)
    with pytest.raises(OSError, match="closed"), pool.arena.lent_file():
        pass
    del dropped
    assert kept.min() == 7
    late = pool.empty((1 << 20,))  # a thread that still works gets memory of the C library
    assert pool.arena.offset(late) is None
    del kept
    assert pool.lent_bytes == late.nbytes
    assert set(os.listdir("/proc/self/fd")) <= before  # those of other tests may go


def test_a_process_gets_a_descriptor_of_its_own():
    pool = SlabPool()
    with pool.arena.lent_file() as file:
        assert file != pool.arena.descriptor
        assert os.path.sameopenfile(file, pool.arena.descriptor)
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(file)
    pool.close()
