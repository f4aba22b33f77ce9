"""A stand-in for CuPy that keeps a diary of memory, events and waits."""

from __future__ import annotations

import weakref
from contextlib import nullcontext
from types import SimpleNamespace

import numpy as np

KIB = 1024


class CudaRuntimeError(RuntimeError):
    pass


class Foreign:
    """A stream of somebody else's."""

    def __init__(self, ptr):
        self.ptr = ptr


class Stream:
    """A stream of CuPy's."""

    def __init__(self, diary, ptr):
        self.diary, self.ptr = diary, ptr

    def wait_event(self, event):
        self.diary.waited.append((self.ptr, event.stream))


class Event:
    """An event that is done as soon as its stream is among those of which the work is done."""

    def __init__(self, diary):
        self.diary, self.stream, self.ptr = diary, None, self

    @property
    def done(self):
        return self.stream in self.diary.done


class Diary:
    """As much of CuPy as `DevicePool` uses."""

    def __init__(self, total=1 << 30):
        self.pinned = []
        self.recorded, self.waited, self.gone, self.done, self.device_waits = (
            [],
            [],
            set(),
            set(),
            0,
        )
        self.current = SimpleNamespace(ptr=0)
        self.left, self.end = total, 1 << 40
        self.allocations = 0
        self.locks, self.freed_under_lock = [], 0
        diary = self

        class Memory:
            def __init__(self, size):
                if size > diary.left:
                    raise MemoryError
                diary.left -= size
                diary.allocations += 1
                self.size, self.ptr = size, diary.end  # where the memory before ends
                diary.end += size
                weakref.finalize(self, diary.free, size)

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
            UnownedMemory=lambda pointer, size, owner, device: SimpleNamespace(
                ptr=pointer, size=size, owner=owner
            ),
            MemoryPointer=lambda memory, offset: memory,
            alloc_pinned_memory=lambda size: self.pinned.append(size) or bytearray(size),
            Event=lambda disable_timing: Event(self),
            get_current_stream=lambda: self.current,
            ExternalStream=Foreign,
            memory=SimpleNamespace(OutOfMemoryError=MemoryError),
            runtime=SimpleNamespace(
                CUDARuntimeError=CudaRuntimeError,
                eventRecord=self.record,
                deviceSynchronize=self.wait_for_device,
                memGetInfo=lambda: (self.left, 1 << 30),
            ),
        )

    def record(self, event, stream):
        if stream in self.gone:
            raise CudaRuntimeError("invalid resource handle")
        event.stream = stream
        self.recorded.append(stream)

    def wait_for_device(self):
        self.device_waits += 1

    def free(self, size):
        self.left += size
        self.freed_under_lock += any(lock.locked() for lock in self.locks)

    def stream(self, ptr):
        return Stream(self, ptr)


class Card(nullcontext):
    id = 0


def lend_at_once(pool, stream, *sizes):
    """Lend pieces, and let all come back."""
    held = [pool.lend(size, stream) for size in sizes]
    del held
