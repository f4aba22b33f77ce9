"""How a pool divides, keeps and frees the memory of a device."""

from __future__ import annotations

import gc

import pytest

from penstock.engine.tensors import device_memory
from penstock.engine.tensors.device_memory import DevicePool
from penstock.engine.tensors.unused_memory import release_unused_memory

from .recording_cupy import KIB, Card, Diary, lend_at_once


@pytest.fixture
def clock(monkeypatch, pool):
    """The time of the pool, in a list."""
    now = [0.0]
    monkeypatch.setattr(device_memory, "perf_counter", lambda: now[0])
    pool._demand._looked_at = 0.0
    return now


def test_pieces_share_a_segment_and_become_one_again(cupy, pool):
    streams = [cupy.stream(number) for number in (10, 11, 12, 13)]
    held = [pool.lend(KIB, stream) for stream in streams]
    addresses = [memory.memory.ptr for memory, _ in held]
    assert addresses == [addresses[0] + k * KIB for k in range(4)]
    assert (cupy.allocations, pool.idle_bytes) == (1, 0)
    for k in (1, 3, 0, 2):
        held[k] = None
    assert pool.idle_bytes == 4 * KIB
    held = pool.lend(4 * KIB, streams[2])
    assert set(cupy.waited) == {(12, 10), (12, 11), (12, 13)}
    assert cupy.allocations == 1
    del held


def test_the_later_use_of_each_stream_counts(cupy, pool):
    """The rest of a piece waits as the whole did; joined pieces wait for the later event."""
    lend_at_once(pool, cupy.stream(10), 4 * KIB)
    first = pool.lend(KIB, cupy.stream(10))
    rest = pool.lend(3 * KIB, cupy.stream(11))
    assert cupy.waited == [(11, 10)]
    del rest
    del first
    _ = pool.lend(4 * KIB, cupy.stream(12))
    assert sorted(cupy.waited[1:]) == [(12, 10), (12, 11)]
    assert cupy.recorded == [10, 11, 10]


def test_segments_that_lie_side_by_side_stay_apart(cupy, pool):
    lend_at_once(pool, cupy.stream(10), 4 * KIB, 4 * KIB)
    held = pool.lend(8 * KIB, cupy.stream(10))
    assert cupy.allocations == 3
    del held


def test_a_piece_that_is_done_serves_rather_than_one_that_is_in_use(cupy, pool):
    held = {size: pool.lend(size * KIB, cupy.stream(size)) for size in (16, 18, 28)}
    addresses = {size: memory.memory.ptr for size, (memory, _) in held.items()}
    held.clear()
    cupy.done |= {18, 28}
    held = [pool.lend(16 * KIB, cupy.stream(10))]
    assert held[0][0].memory.ptr == addresses[18]
    held.append(pool.lend(16 * KIB, cupy.stream(10)))
    assert held[1][0].memory.ptr == addresses[16]  # the third is much larger
    assert cupy.waited == [(10, 16)]
    held.append(pool.lend(16 * KIB, cupy.stream(10)))
    assert cupy.allocations == 3
    del held


def test_a_closed_pool_keeps_nothing(cupy, pool):
    before = cupy.left
    held = [pool.lend(32 * KIB, cupy.stream(10)) for _ in range(4)]
    kept = held.pop()
    held.clear()
    assert pool.idle_bytes == 96 * KIB
    pool.close()
    assert pool.idle_bytes == 0
    recorded = list(cupy.recorded)
    del kept
    assert cupy.recorded == recorded
    assert (pool.lent_bytes, pool.idle_bytes, cupy.left) == (0, 0, before)


def test_arrays_outlive_their_pool(cupy, pool):
    before = cupy.left
    kept, dropped = pool.lend(KIB, cupy.stream(10)), pool.lend(KIB, cupy.stream(10))
    pool.close()
    del dropped
    assert (cupy.left, pool.lent_bytes) == (before - 4 * KIB, KIB)
    late = pool.lend(KIB, cupy.stream(11))  # a lane that ends its batch takes no free piece
    assert cupy.left == before - 8 * KIB
    del late, pool
    assert cupy.left == before - 4 * KIB
    array, _ = kept
    del kept, _
    assert cupy.left == before - 4 * KIB
    del array
    assert cupy.left == before


def test_a_closed_pool_does_not_grow_by_a_part_of_its_memory(cupy, pool, tuned):
    """A lane that launches a batch while its pipeline is closed may take hundreds of pieces."""
    tuned(device_memory, GROWTH=1 / 4)
    before, stream = cupy.left, cupy.stream(1)
    kept = pool.lend(400 * KIB, stream)
    pool.close()
    late = [pool.lend(KIB, stream) for _ in range(100)]
    assert before - cupy.left <= 500 * KIB
    del late
    assert before - cupy.left == 400 * KIB
    del kept
    assert (cupy.left, pool.idle_bytes) == (before, 0)


def test_a_pool_that_nobody_closes_gives_its_memory_back(tuned):
    cupy = Diary()
    before = cupy.left
    pool = DevicePool(cupy, Card())
    lend_at_once(pool, cupy.stream(10), 3 << 20, 1 << 10)
    assert cupy.left < before
    gc.disable()
    del pool
    gc.enable()
    assert cupy.left == before


def test_a_pool_grows_by_a_part_of_its_memory(cupy, pool, tuned):
    tuned(device_memory, GROWTH=1 / 4)
    stream = cupy.stream(1)
    held = [pool.lend(40 * KIB, stream)]
    held += [pool.lend(5 * KIB, stream) for _ in range(4)]
    assert cupy.allocations == 3  # of 40, 12 and 16 KiB
    assert pool.lent_bytes + pool.idle_bytes == 68 * KIB
    del held


def test_a_full_device_gives_back_what_is_idle_and_then_says_so(tuned):
    tuned(device_memory, SEGMENT_STEP=KIB)
    cupy = Diary(total=100 * KIB)
    pool = DevicePool(cupy, Card())
    memory, lease = pool.lend(60 * KIB, cupy.stream(10))
    del memory, lease
    held = pool.lend(90 * KIB, cupy.stream(10))
    with pytest.raises(MemoryError, match=r"GPU has no \d+ bytes left.*lower batch_size"):
        pool.lend(90 * KIB, cupy.stream(10))
    assert pool.lent_bytes == 90 * KIB
    del held
    assert pool.lent_bytes == 0
    memory = pool.lasting(95 * KIB)
    assert (pool.idle_bytes, cupy.left) == (0, 5 * KIB)
    del memory


def test_a_nearly_full_device_gives_no_more_than_is_asked_for(tuned):
    tuned(device_memory, SEGMENT_STEP=KIB, GROWTH=1 / 2)
    cupy = Diary(total=100 * KIB)
    pool = DevicePool(cupy, Card())
    held = [pool.lend(size * KIB, cupy.stream(10)) for size in (70, 10)]
    assert (pool.lent_bytes, pool.idle_bytes, cupy.left) == (80 * KIB, 0, 20 * KIB)
    del held


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


def test_idle_segments_are_released_with_all_unused_memory(cupy, pool):
    before = cupy.left
    kept = pool.lend(8 * KIB, cupy.stream(10))
    lend_at_once(pool, cupy.stream(10), 16 * KIB)
    assert pool.idle_bytes > 0
    release_unused_memory()
    assert pool.idle_bytes == 0
    assert pool.lent_bytes == before - cupy.left > 0
    del kept


def test_idle_memory_makes_room_for_new_memory_within_the_budget(cupy, pool):
    stream = cupy.stream(10)
    lend_at_once(pool, stream, 8 * KIB, 16 * KIB, 32 * KIB)
    assert pool.idle_bytes == 56 * KIB
    kept = pool.lend(32 * KIB, stream)
    held = pool.lend(64 * KIB, stream)
    assert pool.lent_bytes + pool.idle_bytes <= pool.budget
    del kept, held


def test_a_tight_budget_does_not_free_memory_with_each_batch(cupy, pool, clock):
    stream = cupy.stream(10)
    pool.budget = 20 * KIB
    for batch in range(100):
        clock[0] = batch / 50
        lend_at_once(pool, stream, 16 * KIB, 16 * KIB, 16 * KIB)
    assert (cupy.allocations, pool.idle_bytes) == (3, 48 * KIB)
    held = pool.lend(20 * KIB, stream)
    assert (pool.lent_bytes, pool.idle_bytes) == (20 * KIB, 0)
    del held


def test_segments_that_nobody_needs_any_more_are_freed(cupy, pool, clock):
    stream = cupy.stream(10)
    lend_at_once(pool, stream, *[4 * KIB] * 8)
    for second in range(1, 10):
        clock[0] = float(second)
        lend_at_once(pool, stream, *[4 * KIB] * 2)
    assert pool.idle_bytes == 3 * 4 * KIB  # 1.15 times what is lent, in whole segments
    lend_at_once(pool, stream, *[4 * KIB] * 8)
    clock[0] = 11.0
    lend_at_once(pool, stream, *[4 * KIB] * 8)  # all are needed again
    assert pool.idle_bytes == 32 * KIB


def test_the_emptiest_segment_is_retired_and_freed_with_its_last_piece(cupy, pool, clock):
    stream = cupy.stream(10)
    lend_at_once(pool, stream, 20 * KIB, 20 * KIB)
    half, other_half, small = (pool.lend(size * KIB, stream) for size in (10, 10, 1))
    assert half[0].memory.ptr + 10 * KIB == other_half[0].memory.ptr
    del other_half
    left = cupy.left
    for second in (3.0, 6.0, 9.0):
        clock[0] = second
        lend_at_once(pool, stream, KIB)
    assert (cupy.left, pool.idle_bytes) == (left, 29 * KIB)
    late = pool.lend(10 * KIB, stream)
    assert late[0].memory.ptr == half[0].memory.ptr + 10 * KIB
    left = cupy.left
    del small
    assert cupy.left == left + 20 * KIB
    del half, late


def test_a_pool_that_freed_too_much_waits_longer_the_next_time(cupy, pool, clock):
    """What is lent fits into fewer segments by its size, but not by its pieces."""
    stream = cupy.stream(10)
    for second in range(200):
        clock[0] = float(second)
        lend_at_once(pool, stream, *[2560] * 6)  # a segment of 4 KiB for each
    assert pool.idle_bytes == 24 * KIB
    assert cupy.allocations <= 6 + 2 * 6  # after 2, 4, 8, 16, 32 and 60 seconds
    cupy.allocations = 0
    for second in range(200, 800):
        clock[0] = float(second)
        lend_at_once(pool, stream, *[2560] * 6)
    assert cupy.allocations <= 2 * 10


def test_lasting_memory_is_not_lent(cupy, pool):
    left = cupy.left
    memory = pool.lasting(70 * KIB)
    assert memory.nbytes == 70 * KIB == left - cupy.left
    assert pool.lent_bytes == 0
    assert pool.room == pool.budget
    del memory
    assert cupy.left == left
    assert pool.idle_bytes == 0
