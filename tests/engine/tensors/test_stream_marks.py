"""Random use of memory on streams, which a clock of each stream's work checks.

Each stream knows how much of the others' work is done before its own next work. A stream learns
that by events and by waits for the whole device.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from contextlib import nullcontext
from itertools import count
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

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

    def proceed(self, number):
        """Let some streams do some work."""
        if self.events:
            self.done |= self.events[number % len(self.events)]


class Card(nullcontext):
    id = 0


class Use:
    """Loans of a small pool, and work on their memory."""

    def __init__(self):
        self.cupy = Device()
        self.pool = DevicePool(self.cupy, Card(), budget=120 * UNIT)
        self.held = []

    def lend(self, stream, size):
        if self.pool.room <= 0:
            return
        memory, lease = self.pool.lend(size, self.cupy.stream(stream))
        units = range(memory[0], memory[0] + memory[1], UNIT)
        assert self.cupy.has_taken_over(stream, units)
        self.cupy.work(stream, units)
        self.held.append((memory, lease, units))

    def consume(self, stream, number):
        """Use a loan on another stream; of stream 30 nothing is known."""
        if self.held:
            _, lease, units = self.held[number % len(self.held)]
            lease.used_on(stream, lasts=stream == 20)
            self.cupy.work(stream, units)

    def drop(self, number):
        if self.held:
            self.held.pop(number % len(self.held))

    def free_idle(self):
        self.pool.free_idle()
        assert self.pool.lent_bytes or not self.pool.idle_bytes

    def check(self):
        every = sorted(unit for *_, units in self.held for unit in units)
        assert len(every) == len(set(every))
        assert self.pool.lent_bytes == len(every) * UNIT
        assert self.pool.lent_bytes + self.pool.idle_bytes == self.cupy.taken

    def close(self):
        """Close the pool while loans live."""
        self.pool.close()
        self.check()
        self.held.clear()
        assert (self.pool.lent_bytes, self.cupy.taken) == (0, 0)


STREAMS = 10, 11, 12
CONSUMERS = 1, 1, 1, 20, 20, 30
NUMBERS = st.integers(0, 50)
ACTIONS = st.one_of(
    st.tuples(st.just("lend"), st.sampled_from(STREAMS), st.integers(1, 20 * UNIT)),
    st.tuples(st.just("consume"), st.sampled_from(CONSUMERS), NUMBERS),
    st.tuples(st.just("drop"), NUMBERS),
    st.tuples(st.just("proceed"), NUMBERS),
    st.tuples(st.just("free_idle")),
)


@pytest.fixture(scope="module")
def small():
    """Small segments, and a clock that goes on by a second whenever the pool looks at it."""
    seconds = count()
    values = {"SEGMENT_STEP": 8 * UNIT, "MAX_TRIM_SECONDS": 4.0}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(device_memory, "perf_counter", lambda: float(next(seconds)))
        for name, value in values.items():
            patch.setattr(device_memory, name, value)
        yield


@pytest.mark.usefixtures("small")
@given(st.lists(ACTIONS, max_size=100))
def test_no_work_is_overtaken(actions):
    use = Use()
    for name, *values in actions:
        getattr(use.cupy if name == "proceed" else use, name)(*values)
        use.check()
    use.close()


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("seed", range(10))
def test_no_work_is_overtaken_in_a_long_run(seed):
    random, use = np.random.default_rng(seed), Use()
    for _ in range(600):
        action, number = random.random(), int(random.integers(1000))
        if action < 0.4:
            use.lend(int(random.choice(STREAMS)), int(random.integers(1, 20 * UNIT)))
        elif action < 0.6:
            use.consume(int(random.choice(CONSUMERS)), number)
        elif action < 0.95:
            use.drop(number)
        else:
            use.cupy.proceed(number)
        use.check()
    use.close()
