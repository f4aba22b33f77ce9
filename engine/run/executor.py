"""The executor: batches walk through the plan's segments, several at a time.

    launch -> [feeder] -> [workers x num_threads] -> [device] -> ... -> delivered in order
               batch       sample                     gpu
               segments    segments                   segments

Each type of segment has its own threads (see `workers` for processes) and its own FIFO queue. The
thread that finishes a batch's segment puts the batch into the queue of the next segment. There is
no barrier between batches: a worker that finds no row left in one batch takes up the next. The
executor holds no more batches than were launched and not delivered, so its queues need no bound.

Failures:

    - Small batches may go through the plan as one (`grouping`). An exception ends none of them:
      they are computed again, each by itself.
    - An exception in a segment ends its batch, never a thread. `next_batch` raises the exception
      when that batch's turn comes. Batches before it are delivered, the same in every run.
    - An exception elsewhere, such as a lack of memory, ends its thread; `next_batch` raises it.
    - `Faults` treats a sample's exception first. The death of a worker process is no sample's
      exception, and ends the batch.
    - After an error is delivered nothing more is launched.
    - `close` wakes every thread. Each thread ends after the row or operator in hand, and inputs
      that wait for remote data are interrupted. Worker processes are killed. Waiting consumers
      get `PipelineStopped`.
    - If a thread is stuck in user code for longer than `JOIN_SECONDS`, a warning names the
      thread. The interpreter's end waits for the thread a while, and then ends with the thread,
      because all threads are daemons.
    - No thread runs before `start`. If `start` or `close` is interrupted, another `close` ends
      the threads that are left.

If the code differs from this text, the code is wrong.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable
from operator import attrgetter
from time import perf_counter_ns
from typing import Any

from ..errors import PipelineStopped
from ..gpu.gpu_device import GpuDevice
from ..tensors.memory import SlabPool
from ..threads import join_all, wait_at_exit
from ..work.batch import Batch
from ..work.chain import ChainRun
from ..work.faults import Faults
from ..work.plan import Plan, Segment, SegmentType
from ..work.plans import Plans
from ..work.stats import Clocks, PipelineStats, pipeline_stats
from .budget import Budget
from .config import PipelineConfig
from .delivery import DeliveryQueue
from .device_stage import DeviceStage
from .feeder import Feeder
from .rehearsal import Rehearsal
from .uninterrupted import Uninterrupted
from .workers import Workers

JOIN_SECONDS = 0.8
"""Seconds for the end of all threads, when the executor is closed."""


class Executor:
    """Runs the plan of one pipeline.

    Args:
        plan: the plan.
        config: the pipeline's arguments.
        seed: seed of all randomness.
        first_sample: position of the first sample, which keys the randomness without a reader.
        pool: memory for batches. A batch starts only if its expected size fits into the pool's
            room, or if the consumer waits for the batch.
    """

    def __init__(
        self, plan: Plan, config: PipelineConfig, seed: int, first_sample: int, pool: SlabPool
    ) -> None:
        self.clocks = Clocks()
        self._plan = plan
        self._num_threads = config.threads()
        self._pool = pool
        self._plans = Plans(plan)
        self._device: GpuDevice | None = None
        if plan.uses_gpu:
            self._device = GpuDevice(
                config.device_id, config.prefetch_device_bytes, self._num_threads
            )
        self._delivery = DeliveryQueue()
        self._faults = Faults(config.on_error, config.log_path(), self._plans, self._device)
        self._workers = Workers(
            self._num_threads,
            config.exec_processes,
            self._plans,
            pool.arena,
            self.clocks,
            self._run_done,
            self._delivery.watch,
        )
        self._feeder = Feeder(
            self._plans,
            config,
            seed,
            first_sample,
            pool,
            self._budgets(),
            self.clocks,
            self._delivery,
            self,
        )
        self._stopping = False
        self._starter = Uninterrupted(self._start_threads)
        self._threads = [self._feeder.thread]
        self._stage: DeviceStage | None = None
        self._rehearsal: Rehearsal | None = None
        if self._device is not None:
            self._stage = self._open_stage(self._device)

    def _open_stage(self, device: GpuDevice) -> DeviceStage:
        stage = DeviceStage(
            device, self._plan, self._device_done, self.clocks, self._delivery.watch
        )
        self._threads += stage.threads
        self._rehearsal = Rehearsal(self._plan, device, self._pool, self._num_threads)
        self._threads += self._rehearsal.threads
        self._pool.pin_with(device)
        for each in self._plan.inputs:
            if each.operator.device != "cpu":
                each.operator.attach(device)
        return stage

    def _budgets(self) -> list[Budget]:
        budgets = [Budget(self._pool, attrgetter("taken_bytes"))]
        if self._device is not None:
            budgets.append(Budget(self._device.pool, attrgetter("taken_device_bytes")))
        return budgets

    def start(self) -> None:
        """Start all threads."""
        self._starter.run()

    def _start_threads(self) -> None:
        for thread in self._threads:
            thread.start()
        self._workers.start()

    # Calls of the consumer

    @property
    def in_flight(self) -> int:
        """Batches launched and not delivered yet."""
        return self._feeder.schedule.launched - self._delivery.taken

    @property
    def unfetched(self) -> int:
        """Batches launched whose data were not asked of the inputs yet."""
        return self._feeder.unfetched

    def stats(self) -> PipelineStats:
        """Return where the time went so far."""
        return pipeline_stats(
            self.clocks,
            self._plan,
            num_threads=self._num_threads,
            workers=self._workers.worker_type,
            why_threads=self._workers.why_threads,
            pool=self._pool,
            device_pool=self._device.pool if self._device else None,
            skipped=self._faults.counts,
        )

    def owns(self, thread: threading.Thread) -> bool:
        """Return whether the thread computes this pipeline's batches."""
        return thread in self._threads or thread in self._workers.threads

    def launch(self) -> None:
        """Begin one more batch."""
        self._feeder.launch()

    def wake(self) -> None:
        """Let the feeder check again whether it may start a batch."""
        self._feeder.wake()

    def next_batch(self) -> Batch:
        """Wait for the next batch in order; raise the exception that ended the batch."""
        started = perf_counter_ns()
        batch = self._delivery.next_batch()
        self.clocks.consumer_wait_ns += perf_counter_ns() - started
        if batch is None:
            raise PipelineStopped("the pipeline was closed while a batch was waited for")
        self._raise_end(batch)
        self.clocks.batches += 1
        self.clocks.samples += batch.size
        return batch

    def _raise_end(self, batch: Batch) -> None:
        end, batch.end = batch.end, None  # its traceback holds the batch, so this breaks a cycle
        try:
            if isinstance(end, StopIteration) and not self._feeder.is_end(end):
                wrong = RuntimeError("an operator raised StopIteration, which only inputs may do")
                for note in getattr(end, "__notes__", ()):
                    wrong.add_note(note)
                raise wrong from end
            if end is not None:
                raise end
        finally:
            del end

    def drain(self) -> None:
        """Drop all batches in flight; the inputs rest then, until `restart`."""
        self._delivery.drop_until(self._feeder.schedule.hold())

    def restart(self, seed: int, first_sample: int) -> None:
        """Go on after `drain`. The count of batches continues after the last delivered batch.

        Args:
            seed: seed of all randomness.
            first_sample: position of the first sample of batch 0 (see the class).
        """
        self._delivery.restart(self.clocks.batches)
        self._feeder.restart(self.clocks.batches, seed, first_sample)

    def close(self) -> None:
        """Stop and join all threads; idempotent, also after an interrupt."""
        self._stopping = True
        self._starter.wait(JOIN_SECONDS)
        dropped = self._delivery.stop()
        for reader in self._plan.readers:
            reader.operator.interrupt()
        self._feeder.stop()
        self._workers.stop()
        if self._rehearsal is not None:
            self._rehearsal.stop()
        if self._stage is not None:
            self._stage.stop()
        threads = self._threads + self._workers.threads
        join_all(threads, JOIN_SECONDS)
        for batch in [*dropped, *self._feeder.under_way.values()]:
            batch.forget_errors()
        self._feeder.under_way.clear()
        if self._device is not None:
            self._device.pool.free_pinned()  # no batch holds any now
        self._plans.close()
        wait_at_exit(threads)
        stuck = [thread.name for thread in threads if thread.is_alive()]
        if stuck and threading.current_thread() not in threads:
            warnings.warn(
                f"{', '.join(stuck)} did not stop within {JOIN_SECONDS} s: probably a "
                "user-supplied function waits for something, or a kernel is being compiled",
                ResourceWarning,
                stacklevel=2,
            )

    # The workers

    def _run_done(self, run: ChainRun, index: int) -> None:
        self.guard(run.batch, self._finish_run, run, index)

    def _finish_run(self, run: ChainRun, index: int) -> None:
        run.finish()
        self.finish_segment(run.batch, index)

    # From segment to segment

    def advance(self, batch: Batch, index: int) -> None:
        """Send the batch to the threads of segment `index`."""
        if self._stopping:
            return  # a batch in a queue would keep its memory
        segments = batch.plan.segments
        if index == len(segments) or batch.end is not None:
            self.deliver(batch)
            return
        segment: Segment = segments[index]
        if segment.type == SegmentType.GPU:
            assert self._stage is not None
            self._stage.queue_segment(batch, segment, index)
        elif segment.type == SegmentType.BATCH:
            self._feeder.queue_segment(batch, index)
        else:
            run = self._plans.chains_of(batch.plan)[index].start(
                batch, self._workers.rows_per_turn(batch.size)
            )
            if batch.size == 0:
                self._finish_run(run, index)
            else:
                self._workers.queue_run(run, index)

    def finish_segment(self, batch: Batch, index: int) -> None:
        """Settle the errors of a segment that is done, and send the batch on."""
        if batch.errors and batch.end is None:
            if batch.count > 1:
                raise next(iter(batch.errors.values()))
            self._faults.settle(batch, index)
        self.advance(batch, index + 1)

    def _device_done(self, batch: Batch, index: int, error: BaseException | None) -> None:
        if error is not None:
            batch.fail(error)
        self.guard(batch, self.finish_segment, batch, index)

    def guard(self, batch: Batch, work: Callable[..., None], *arguments: Any) -> None:
        """Let an exception end the batch instead of the thread."""
        try:
            work(*arguments)
        except BaseException as error:
            batch.fail(error)
            self.deliver(batch)

    def deliver(self, batch: Batch) -> None:
        """Hand the batch out, or have the parts of a group that failed computed."""
        feeder = self._feeder
        feeder.under_way.pop(batch.number, None)
        if batch.count > 1 and batch.end is not None:
            feeder.compute_apart(batch)
            batch.values.clear()
            batch.forget_errors()
            feeder.wake()
            return
        batch.finish(self._plan.outputs)
        feeder.note_done(batch)
        for part in batch.parts():
            if not self._delivery.deliver(part):
                part.forget_errors()
        if feeder.may_start():
            feeder.wake()  # there may be memory for the next batch now
