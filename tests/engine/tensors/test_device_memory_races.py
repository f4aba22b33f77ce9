"""Leases that end in other threads, and inside of the pool's own calls."""

from __future__ import annotations

import sys
import threading

import numpy as np
import pytest

from penstock.engine.tensors import device_leases, device_memory, device_pieces, stream_marks

from .recording_cupy import KIB

FILES = {module.__file__ for module in (device_leases, device_memory, device_pieces, stream_marks)}


@pytest.mark.parametrize("trim_seconds", [0.0, 60.0])
def test_leases_that_end_at_any_line(cupy, pool, tuned, trim_seconds):
    """The garbage collector ends leases, and closes pools, between any two lines of a thread."""
    tuned(device_memory, MAX_TRIM_SECONDS=trim_seconds)
    pool._demand._patience = trim_seconds
    stream, other = cupy.stream(10), cupy.stream(11)
    ending, left = [], 0

    def end(frame, event, argument):
        nonlocal left
        if frame.f_code.co_filename not in FILES:
            return None
        left -= event == "line"
        if left == 0:
            ending.clear()
            pool.free_idle()
        return end

    tracer, line = sys.gettrace(), 0
    while left <= 0:
        line += 1
        ending += [pool.lend(3 * KIB, other), pool.lend(KIB, other)]
        held = [pool.lend(8 * KIB, stream)]
        left = line
        sys.settrace(end)
        held.append(pool.lend(6 * KIB, stream))
        sys.settrace(tracer)
        assert pool.lent_bytes == (18 if left > 0 else 14) * KIB
        sys.settrace(end)
        held.append(pool.lend(KIB, stream))
        del held[0]
        sys.settrace(tracer)
        (start, size), (after, _) = sorted((m.memory.ptr, m.memory.size) for m, _ in held)
        assert start + size <= after
        held.clear()
        assert pool.lent_bytes == len(ending) * 2 * KIB
    assert line > 50


class Owners:
    """The threads that hold units of memory."""

    def __init__(self):
        self.of, self.wrong = {}, 0

    def enter(self, memory, owner):
        for start in range(memory.ptr, memory.ptr + memory.size, 512):
            self.wrong += self.of.setdefault(start, owner) is not owner

    def leave(self, memory, owner):
        for start in range(memory.ptr, memory.ptr + memory.size, 512):
            self.wrong += self.of.pop(start) is not owner


@pytest.mark.parametrize("trim_seconds", [0.0, 0.005, 60.0])
def test_threads_share_a_pool(cupy, pool, tuned, trim_seconds):
    tuned(device_memory, MAX_TRIM_SECONDS=trim_seconds)
    pool._demand._patience = trim_seconds
    owners, left = Owners(), cupy.left
    cupy.locks.clear()  # while a thread frees memory, another may hold the lock

    def work(number):
        random = np.random.default_rng(number)
        stream, held = cupy.stream(number), []
        for _ in range(400):
            if held and random.random() < 0.5:
                memory = held.pop(random.integers(len(held)))
                owners.leave(memory.memory, stream)
                del memory
            elif pool.room > 0:
                held.append(pool.lend(int(random.integers(1, 12 * KIB)), stream)[0])
                owners.enter(held[-1].memory, stream)
        for memory in held:
            owners.leave(memory.memory, stream)

    switching = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        threads = [threading.Thread(target=work, args=(number,)) for number in range(10, 14)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(switching)
    assert (owners.wrong, owners.of, pool.lent_bytes) == (0, {}, 0)
    assert pool.idle_bytes == left - cupy.left
    pool.close()
    assert cupy.left == left
