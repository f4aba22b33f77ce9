"""The device stage: threads that launch the GPU work of batches, and threads that wait for it.

A lane is one CUDA stream with two threads. The first thread launches the operators of a segment
and goes on to the next batch. The second thread waits until the device has done the work, and
sends the batch on. So a batch that leaves the stage is complete: a consumer on any stream has
nothing to wait for.

A batch's segment runs on one lane. There are three lanes if operators spend CPU time in their GPU
work (decoders do), unless an operator needs the batches in order. Training on photographs of many
sizes on an H200: in batches of 32 two, three and four lanes reach 5,430, 6,360 and 5,890 images a
second, in batches of 256 15,400, 14,900 and 14,700.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue
from time import perf_counter_ns, thread_time_ns
from typing import Any

from ..gpu.device import Device
from ..gpu.gpu_device import GpuDevice
from ..work.batch import Batch, SegmentDone, begin_batch_step, run_batch_step
from ..work.plan import Plan, Segment, SegmentType
from ..work.stats import Clocks, LaneClocks

_DECODING_LANES = 3

_SegmentJob = tuple[Batch, Segment, int]


class DeviceStage:
    """Runs `gpu` segments.

    Args:
        device: the device that does the work.
        plan: the plan of the pipeline.
        done: called with the batch, the segment's number and an error or None.
        clocks: counts how long each operator took.
        watch: calls a thread's function, and reports what it raises.
        keep: whether batches keep results that no operator reads any more.

    Attributes:
        threads: the threads that launch work.
    """

    def __init__(
        self,
        device: GpuDevice,
        plan: Plan,
        done: SegmentDone,
        clocks: Clocks,
        watch: Callable[..., None],
        *,
        keep: bool = False,
    ) -> None:
        self._keep = keep
        self._device = device
        self._done = done
        self._clocks = clocks
        self._watch = watch
        self._queue: SimpleQueue[_SegmentJob | None] = SimpleQueue()
        self._stopped = False
        self.threads = [
            threading.Thread(
                target=watch, args=(self._lane,), name=f"penstock-device-{i}", daemon=True
            )
            for i in range(lanes(plan))
        ]

    def queue_segment(self, batch: Batch, segment: Segment, index: int) -> None:
        """Have a segment of a batch computed."""
        begin_batch_step(segment.steps[0], batch)
        self._queue.put((batch, segment, index))
        if self._stopped:
            self._end_threads()

    def stop(self) -> None:
        """Let the threads end after the work at hand; idempotent."""
        self._stopped = True
        self._end_threads()
        self._device.pool.close()

    def _end_threads(self) -> None:
        """Drop what waits, whose memory the queue would keep, and tell the threads to end."""
        with suppress(Empty):
            while True:
                self._queue.get_nowait()
        for _ in self.threads:
            self._queue.put(None)

    def _lane(self) -> None:
        launched: SimpleQueue[Any] = SimpleQueue()
        name = threading.current_thread().name.replace("device", "awaiter")
        awaiter = threading.Thread(
            target=self._watch, args=(self._await, launched), name=name, daemon=True
        )
        try:
            with self._device.lane() as device:
                self._launch_all(device, launched, awaiter)
        except BaseException as error:
            _end(awaiter, launched)
            self._device.examine(error)
            raise

    def _launch_all(
        self, device: Device, launched: SimpleQueue[Any], awaiter: threading.Thread
    ) -> None:
        clocks = LaneClocks()
        self._clocks.lanes.append(clocks)
        device.decisions = self._clocks.decisions
        try:
            awaiter.start()
            while (job := self._next_job(device)) is not None:
                batch, segment, index = job
                batch.device = device
                device.readings = self._clocks.readings
                before, started = device.taken_bytes, perf_counter_ns()
                events, failure = self._launch(batch, segment, device)
                clocks.launch_ns += perf_counter_ns() - started
                clocks.cpu_ns = thread_time_ns()
                clocks.gpu_wait_ns = device.times.wait_ns["gpu"]
                clocks.threads_wait_ns = device.times.wait_ns["threads"]
                clocks.engines_ns = dict(device.times.engines_ns)
                batch.debts.hold(device.end_batch())
                batch.memory.count(device=device.taken_bytes - before)
                launched.put((batch, segment, index, events, failure))
                # Or this thread would hold the batch's memory while it waits.
                del job, batch, events, failure
        finally:
            _end(awaiter, launched)
            if not launched.empty():  # the awaiter has failed, and the device may be at work
                device.synchronize()

    def _next_job(self, device: Device) -> _SegmentJob | None:
        with device.waiting("batches"):
            return self._queue.get()

    def _launch(
        self, batch: Batch, segment: Segment, device: Device
    ) -> tuple[list[Any], BaseException | None]:
        """Launch a segment; return an event before and after each operator, and the error."""
        events: list[object] = []
        try:
            events.append(self._device.mark(device))
            for step in segment.steps:
                run_batch_step(step, batch, "GPU")
                events.append(self._device.mark(device))
                for ordinal in () if self._keep else step.done_with:
                    del batch.values[ordinal]  # the next operators get the memory
        except BaseException as error:
            with suppress(Exception):  # the context may be lost
                events.append(self._device.mark(device))
            return events, error
        return events, None

    def _await(self, launched: SimpleQueue[Any]) -> None:
        with self._device.current():
            while (job := launched.get()) is not None:
                batch, segment, index, events, failure = job
                try:
                    self._finish(batch, segment, events)
                except BaseException as error:
                    failure = failure or error
                if failure is not None:
                    self._device.examine(failure)
                batch.debts.release()
                self._done(batch, index, failure)
                del job, batch, failure

    def _finish(self, batch: Batch, segment: Segment, events: list[object]) -> None:
        if events:
            self._device.wait_for(events[-1])
            for step, elapsed in zip(segment.steps, self._device.elapsed_ns(events), strict=False):
                self._clocks.device_busy_ns[step.node.ordinal] += elapsed
        batch.debts.run_checks()


def _end(awaiter: threading.Thread, launched: SimpleQueue[Any]) -> None:
    """Let an awaiter end after the work in its queue; idempotent."""
    launched.put(None)
    if awaiter.ident is not None:  # it was started
        awaiter.join()


def lanes(plan: Plan) -> int:
    """Return how many batches' GPU work may be launched at a time."""
    segments = [segment for segment in plan.segments if segment.type == SegmentType.GPU]
    operators = [step.node.operator for segment in segments for step in segment.steps]
    if any(operator.on_gpu.in_order for operator in operators):
        return 1
    return _DECODING_LANES if any(operator.device == "mixed" for operator in operators) else 1
