"""Random use of memory on streams, which a clock of each stream's work checks.

Each stream knows how much of the others' work is done before its own next work. A stream learns
that by events and by waits for the whole device.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from contextlib import nullcontext
from types import SimpleNamespace

import numpy as np
import pytest

from penstock.engine.tensors import device_memory
from penstock.engine.tensors.device_memory import DevicePool
from penstock.engine.tensors.streams import ForeignStream

UNIT = device_memory.ALIGNMENT


class Device:
    """As much of CuPy as a pool uses, on streams that do their work late.

    Attributes:
        known: by stream, the work of each stream that comes before the stream's next work.
        done: the work of each stream that is done.
    """

    def __init__(self):
        self.known = defaultdict(Counter)
        self.done = Counter()
        self.events = []
        self.taken = 0
        self.users = defaultdict(list)  # by unit of memory, the streams and their work
        device = self

        class Memory:
            end = 0

            def __init__(self, size):
                self.size, self.ptr = size, Memory.end
                Memory.end += size
                device.taken += size

            def __del__(self):
                device.taken -= self.size

        class Event:
            def __init__(self, disable_timing):
                self.ptr, self.work = self, Counter()

            @property
            def done(self):
                return self.work <= device.done

        def wait_for_device():
            for work in self.known.values():
                self.done |= work

        def record(event, stream):
            event.work = self.known[stream].copy()
            self.events.append(event.work)

        self.cuda = SimpleNamespace(
            Memory=Memory,
            UnownedMemory=lambda *memory: memory,
            MemoryPointer=lambda memory, offset: memory,
            Event=Event,
            ExternalStream=ForeignStream,
            get_current_stream=lambda: SimpleNamespace(ptr=0),
            memory=SimpleNamespace(OutOfMemoryError=MemoryError),
            runtime=SimpleNamespace(
                CUDARuntimeError=RuntimeError,
                eventRecord=record,
                deviceSynchronize=wait_for_device,
            ),
        )
        self.ndarray = lambda shape, dtype, memory: memory

    def stream(self, ptr):
        def wait_event(event):
            self.known[ptr] |= event.work

        return SimpleNamespace(ptr=ptr, wait_event=wait_event)

    def work(self, stream, units):
        """Use memory on a stream."""
        known = self.known[stream]
        known[stream] += 1
        for unit in units:
            self.users[unit].append((stream, known[stream]))

    def has_taken_over(self, stream, units):
        """Return whether a stream's work follows all earlier work on the memory; forget that."""
        known = self.known[stream] | self.done
        return all(known[user] >= work for unit in units for user, work in self.users.pop(unit, ()))

    def proceed(self, random):
        """Let some streams do some work."""
        if self.events:
            self.done |= self.events[random.integers(len(self.events))]


class Card(nullcontext):
    id = 0


@pytest.mark.parametrize("seed", range(30))
def test_no_work_is_overtaken(seed, tuned):
    tuned(device_memory, SEGMENT_STEP=8 * UNIT, MAX_IDLE_BYTES=200 * UNIT, TRIM_SECONDS=0.002)
    random = np.random.default_rng(seed)
    cupy = Device()
    pool = DevicePool(cupy, Card(), budget=120 * UNIT)
    streams = {ptr: cupy.stream(ptr) for ptr in (10, 11, 12)}
    held = []
    for _ in range(600):
        action = random.random()
        if action < 0.4 and pool.room > 0:
            ptr = int(random.choice(list(streams)))
            memory, lease = pool.lend(int(random.integers(1, 20 * UNIT)), streams[ptr])
            units = range(memory[0], memory[0] + memory[1], UNIT)
            assert cupy.has_taken_over(ptr, units)
            cupy.work(ptr, units)
            held.append((memory, lease, units))
            del memory, lease
        elif held and action < 0.6:
            lease, units = held[random.integers(len(held))][1:]
            consumer = int(random.choice([1, 1, 1, 20, 20, 30]))
            lease.used_on(consumer, lasts=consumer == 20)  # of 30 nothing is known
            cupy.work(consumer, units)
            del lease
        elif held and action < 0.95:
            held.pop(random.integers(len(held)))
        else:
            cupy.proceed(random)
        every = sorted(unit for *_, units in held for unit in units)
        assert len(every) == len(set(every))
        assert pool.lent_bytes == len(every) * UNIT
        assert pool.lent_bytes + pool.idle_bytes == cupy.taken
    held.clear()
    assert pool.lent_bytes == 0
    pool.close()
    assert cupy.taken == 0
