"""The device stage: threads that launch the GPU work of batches, and threads that await it.

A lane is one CUDA stream with two threads. The first launches the operators of a segment and
goes on to the next batch; the second waits until the device has done the work, and sends the
batch on. So what leaves the stage is complete, and whoever takes it, on whatever stream, has
nothing to wait for.

A batch's segment runs on one lane. There are two lanes where operators spend processor time in
their GPU work (decoders), unless an operator wants the batches in order.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import pairwise
from queue import SimpleQueue
from typing import Any

from .batch import Batch, run_batch_step
from .device import Device, import_cupy
from .device_export import ForeignStream
from .device_memory import DevicePool, give_stream, take_stream
from .plan import Plan, Segment
from .stats import Clocks

Done = Callable[[Batch, int, BaseException | None], None]


class DeviceStage:
    """Runs `gpu` segments.

    Args:
        device_id: CUDA device; None is the current one.
        budget: bytes of its memory that should be lent at most.
        num_threads: of the pipeline, for operators that use the processor, too.
        plan: what will be run.
        done: called with the batch, the segment's index and what went wrong, if anything.
        clocks: told how long each operator took.
    """

    def __init__(
        self,
        device_id: int | None,
        budget: int,
        num_threads: int,
        plan: Plan,
        done: Done,
        clocks: Clocks,
    ) -> None:
        self._cupy = import_cupy()
        self._device = self._cupy.cuda.Device(device_id)
        self.pool = DevicePool(self._cupy, self._device, budget=budget)
        self._num_threads = num_threads
        self._done = done
        self._clocks = clocks
        self._queue: SimpleQueue[Any] = SimpleQueue()
        self._events: deque[Any] = deque()
        self._lanes = lanes(plan)
        self.threads = [
            threading.Thread(target=self._lane, name=f"penstock-device-{i}", daemon=True)
            for i in range(self._lanes)
        ]

    def put(self, batch: Batch, segment: Segment, index: int) -> None:
        """Queue a segment of a batch."""
        self._queue.put((batch, segment, index))

    def stop(self) -> None:
        """Let the threads end after the work at hand."""
        for _ in range(self._lanes):
            self._queue.put(None)
        self.pool.close()

    @contextmanager
    def on_stream(self, handle: int) -> Iterator[Device]:
        """Work on a stream of user code, in its thread: it is CuPy's current one meanwhile."""
        stream = ForeignStream(self._cupy.cuda.runtime, handle)
        with self._device, self._cupy.cuda.Stream.from_external(stream):
            yield Device(self._cupy, self._device.id, stream, self.pool, self._num_threads)

    @contextmanager
    def aside(self) -> Iterator[Device]:
        """Work on a stream of one's own, in the caller's thread; it is done when this ends."""
        stream = take_stream(self._cupy, self._device)
        try:
            with self._device, stream:
                yield Device(self._cupy, self._device.id, stream, self.pool, self._num_threads)
                stream.synchronize()
        finally:
            give_stream(self._device, stream)

    def pin(self, address: int, size: int) -> None:
        """Lock host memory, so that copies need no detour; without it they are slower."""
        with suppress(self._cupy.cuda.runtime.CUDARuntimeError), self._device:
            self._cupy.cuda.runtime.hostRegister(address, size, 0)

    def unpin(self, address: int) -> None:
        """Undo `pin`."""
        with suppress(self._cupy.cuda.runtime.CUDARuntimeError), self._device:
            self._cupy.cuda.runtime.hostUnregister(address)

    def _lane(self) -> None:
        launched: SimpleQueue[Any] = SimpleQueue()
        name = threading.current_thread().name.replace("device", "awaiter")
        awaiter = threading.Thread(target=self._await, args=(launched,), name=name, daemon=True)
        awaiter.start()
        stream = take_stream(self._cupy, self._device)
        with self._device, stream:
            device = Device(self._cupy, self._device.id, stream, self.pool, self._num_threads)
            while (job := self._queue.get()) is not None:
                batch, segment, index = job
                batch.device = device
                before = device.taken_bytes
                events, failure = self._launch(batch, segment, stream)
                device.end_batch()
                batch.taken_device_bytes += device.taken_bytes - before
                launched.put((batch, segment, index, events, failure))
                # Or this thread would hold the batch's memory while it waits.
                del job, batch, events, failure
            launched.put(None)
            awaiter.join()
            device.own.clear()
        give_stream(self._device, stream)

    def _launch(
        self, batch: Batch, segment: Segment, stream: Any
    ) -> tuple[list[Any], BaseException | None]:
        """Launch a segment; return an event before and after each operator, and its error."""
        failure: BaseException | None = None
        events = [self._mark(stream)]
        try:
            for step in segment.steps:
                run_batch_step(step, batch, "GPU")
                events.append(self._mark(stream))
        except BaseException as error:
            failure = error
            with suppress(Exception):  # the context may be lost
                events.append(self._mark(stream))
        return events, failure

    def _mark(self, stream: Any) -> Any:
        try:
            event = self._events.popleft()
        except IndexError:
            event = self._cupy.cuda.Event(block=True)
        event.record(stream)
        return event

    def _await(self, launched: SimpleQueue[Any]) -> None:
        with self._device:
            while (job := launched.get()) is not None:
                batch, segment, index, events, failure = job
                try:
                    events[-1].synchronize()
                    for step, elapsed in zip(segment.steps, self._times(events), strict=False):
                        self._clocks.add_device(step.node.ordinal, elapsed)
                    self._events.extend(events)  # to be used again
                    batch.run_checks()
                except BaseException as error:
                    failure = failure or error
                batch.held.clear()
                self._done(batch, index, failure)
                del job, batch, failure

    def _times(self, events: list[Any]) -> Iterator[int]:
        between = self._cupy.cuda.get_elapsed_time
        for before, after in pairwise(events):
            yield int(between(before, after) * 1e6)


def lanes(plan: Plan) -> int:
    """Return how many batches' GPU work may be launched at a time."""
    steps = [step for s in plan.segments if s.kind == "gpu" for step in s.steps]
    operators = [step.node.operator for step in steps]
    if any(operator.in_order for operator in operators):
        return 1
    return 2 if any(operator.device == "mixed" for operator in operators) else 1
