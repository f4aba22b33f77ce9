"""The executor: batches walk through the plan's segments, several at a time.

    launch -> [feeder] -> [workers x num_threads] -> [device] -> ... -> delivered in order
               batch       sample                     gpu
               segments    segments                   segments

The executor owns the batches: it makes them, sends them from segment to segment, and delivers them.
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
from operator import attrgetter
from time import perf_counter_ns
from typing import TYPE_CHECKING

from ..errors import PipelineStopped
from ..tensors.memory import SlabPool
from ..work.batch import Batch
from ..work.chain import ChainRun
from ..work.faults import Faults
from ..work.memory_figures import MemoryFigures, OperatorMemory
from ..work.plan import Plan, Segment, SegmentType
from ..work.plans import Plans
from ..work.stats import Clocks, PipelineStats, pipeline_stats
from .budget import Budget
from .config import PipelineConfig
from .delivery import DeliveryQueue
from .feeder import Feeder
from .feeding import ONLY_INPUTS_END
from .gpu_work import GpuWork
from .intake import Intake
from .opening import begin_inputs
from .run_threads import RunThreads
from .schedule import Schedule
from .workers.workers import Workers

if TYPE_CHECKING:
    from ..processes.python_workers import PythonWorkers


class Executor:
    """Runs the plan of one pipeline.

    Args:
        plan: the plan.
        config: the pipeline's arguments.
        seed: seed of all randomness.
        first_sample: position of the first sample, which keys the randomness without a reader.
        pool: memory for batches. A batch starts only if its expected size fits into the pool's
            room, or if the consumer waits for the batch.
        python_workers: the processes that call users' code, or None.
    """

    def __init__(
        self,
        plan: Plan,
        config: PipelineConfig,
        seed: int,
        first_sample: int,
        pool: SlabPool,
        python_workers: PythonWorkers | None = None,
    ) -> None:
        self.clocks = Clocks()
        self._python_workers = python_workers
        self._pool = pool
        self._plans = Plans(plan)
        self._memory = MemoryFigures(plan) if config.enable_memory_stats else None
        self._delivery = DeliveryQueue()
        self._gpu: GpuWork | None = None
        if plan.uses_gpu:
            self._gpu = GpuWork(
                plan,
                config,
                pool,
                self._segment_done,
                self.clocks,
                self._delivery.watch,
                keep=self._memory is not None,
            )
        device = self._gpu.device if self._gpu else None
        self._faults = Faults(config.on_error, config.log_path(), self._plans.repeats_of, device)
        for reader in plan.readers:
            self._faults.note_left_out(reader)
        self._workers = Workers(
            config.threads(),
            config.exec_processes,
            self._plans,
            pool.arena,
            self.clocks,
            self._run_done,
            self._delivery.watch,
        )
        self._schedule = Schedule(
            plan, config, self._budgets(), self._delivery, self.clocks.decisions
        )
        self._feeder = Feeder(
            self._schedule,
            self._start_batches,
            self._segment_done,
            self.clocks,
            self._delivery.watch,
        )
        self._intake = Intake(self._plans, config.batch_size, pool, self.clocks.feeder_busy_ns)
        self._intake.restart(seed, first_sample, 0)
        self._stopping = False
        own = [self._feeder.thread, *(self._gpu.threads if self._gpu else ())]
        self._threads = RunThreads(own, self._workers)
        begin_inputs(plan, pool, device, self.clocks.decisions)

    def _budgets(self) -> list[Budget]:
        budgets = [Budget(self._pool, attrgetter("memory.taken_bytes"))]
        if self._gpu is not None:
            budgets.append(Budget(self._gpu.device.pool, attrgetter("memory.taken_device_bytes")))
        return budgets

    def start(self) -> None:
        """Start all threads."""
        self._threads.start()

    # Calls of the consumer

    @property
    def feeder(self) -> threading.Thread:
        """The thread that starts batches."""
        return self._feeder.thread

    @property
    def in_flight(self) -> int:
        """Batches launched and not delivered yet."""
        return self._schedule.launched - self._delivery.delivered

    @property
    def unfetched(self) -> int:
        """Batches launched whose data were not asked of the sources yet."""
        return self._schedule.launched - self._intake.fetched

    def memory_statistics(self) -> dict[str, OperatorMemory]:
        """Return the memory of operators' results: see `Pipeline.executor_statistics`."""
        return {} if self._memory is None else self._memory.table()

    def stats(self) -> PipelineStats:
        """Return where the time went so far."""
        return pipeline_stats(
            self.clocks,
            self._plans.declared,
            num_threads=self._workers.count,
            workers=self._workers.worker_type,
            why_threads=self._workers.why_threads,
            pool=self._pool,
            device_pool=self._gpu.device.pool if self._gpu else None,
            skipped=self._faults.counts,
        )

    def owns(self, thread: threading.Thread) -> bool:
        """Return whether the thread computes this pipeline's batches."""
        return thread in self._threads.all()

    def launch(self) -> None:
        """Begin one more batch."""
        self._schedule.launched += 1
        self._wake_if_ready()

    def wake(self) -> None:
        """Let the feeder check again whether it may start a batch."""
        self._feeder.wake()

    def next_batch(self) -> Batch:
        """Wait for the next batch in order; raise the exception that ended the batch."""
        batch = self.next_ended()
        self._raise_end(batch)
        return batch

    def next_ended(self) -> Batch:
        """Wait for the next batch in order, which an exception may have ended: see `Batch.end`.

        Such a batch does not keep the executor from going on.
        """
        started = perf_counter_ns()
        batch = self._delivery.next_batch()
        self.clocks.consumer_wait_ns += perf_counter_ns() - started
        if batch is None:
            raise PipelineStopped("the pipeline was closed while a batch was waited for")
        if batch.end is None:
            self.clocks.take(batch.size)
        return batch

    def _raise_end(self, batch: Batch) -> None:
        end, batch.end = batch.end, None  # its traceback holds the batch, so this breaks a cycle
        try:
            if isinstance(end, StopIteration) and end is not self._intake.end:
                wrong = RuntimeError(ONLY_INPUTS_END)
                for note in getattr(end, "__notes__", ()):
                    wrong.add_note(note)
                raise wrong from end
            if end is not None:
                raise end
        finally:
            del end

    def drain(self) -> None:
        """Drop all batches in flight; the inputs rest then, until `restart`."""
        self._delivery.drop_until(self._schedule.hold())

    def restart(self, seed: int, first_sample: int) -> None:
        """Go on after `drain`. The count of batches continues after the last delivered batch.

        If an exception of a signal's handler ends the call, `drain` and `restart` may be repeated.

        Args:
            seed: seed of all randomness.
            first_sample: position of the first sample of batch 0 (see the class).
        """
        self._intake.restart(seed, first_sample, self.clocks.batches)
        # In this order, nothing is under way in between: a second `drain` would not wait.
        self._schedule.restart(self.clocks.batches)
        self._delivery.restart(self.clocks.batches)

    def close(self) -> None:
        """Stop and join all threads; idempotent, also after an interrupt."""
        self._stopping = True
        self._threads.end_start()
        dropped = self._delivery.stop()
        for reader in self._plans.declared.readers:
            reader.operator.interrupt()
        if self._python_workers is not None:
            self._python_workers.close()  # the feeder may wait for them
        self._feeder.stop()
        self._workers.stop()
        if self._gpu is not None:
            self._gpu.stop()
        self._threads.join()
        for batch in [*dropped, *self._schedule.under_way.values()]:
            batch.forget_errors()
        self._schedule.under_way.clear()
        if self._gpu is not None:
            self._gpu.device.pool.free_pinned()  # no batch holds any now
        self._plans.close()
        self._threads.leave_stuck()

    # The start of batches, in the feeder's thread

    def _start_batches(self) -> None:
        """Start the next batch of the schedule, or several as one."""
        clocks, schedule = self.clocks, self._schedule
        numbers = schedule.start(clocks.readings)
        if not numbers:
            return
        batch = schedule.under_way[numbers.start] = self._intake.batch(numbers)
        try:
            self._intake.fill(batch)
            self._advance(batch, 0)
        except BaseException as error:
            batch.fail(error)
            self._deliver(batch)

    # From segment to segment

    def _advance(self, batch: Batch, index: int) -> None:
        """Send the batch to the threads of segment `index`."""
        if self._stopping:
            return  # a batch in a queue would keep its memory
        segments = batch.plan.segments
        if index == len(segments) or batch.end is not None:
            self._deliver(batch)
            return
        segment: Segment = segments[index]
        if segment.type == SegmentType.GPU:
            assert self._gpu is not None
            self._gpu.stage.queue_segment(batch, segment, index)
        elif segment.type == SegmentType.BATCH:
            self._feeder.queue_segment(batch, segment, index)
        else:
            chain = self._plans.chains_of(batch.plan)[index]
            if batch.size == 0:
                self._run_done(chain.start(batch), index)
            else:
                self._workers.queue_batch(batch, chain, index)

    def _run_done(self, run: ChainRun, index: int) -> None:
        try:
            run.finish()
        except BaseException as error:
            self._segment_done(run.batch, index, error)
        else:
            self._segment_done(run.batch, index, None)

    def _segment_done(self, batch: Batch, index: int, error: BaseException | None) -> None:
        """Settle the errors of a segment that is done, and send the batch on."""
        try:
            if error is not None:
                batch.fail(error)
            elif batch.errors and batch.end is None:
                if batch.count > 1:
                    raise next(iter(batch.errors.values()))
                self._faults.settle(batch, index)
            self._advance(batch, index + 1)
        except BaseException as failure:
            batch.fail(failure)
            self._deliver(batch)

    def _deliver(self, batch: Batch) -> None:
        """Hand the batch out, or have the parts of a group that failed computed."""
        schedule = self._schedule
        schedule.under_way.pop(batch.number, None)
        if batch.count > 1 and batch.end is not None:
            schedule.compute_parts(batch)
            batch.values.clear()
            batch.forget_errors()
            self._feeder.wake()
            return
        if self._memory is not None and batch.end is None:
            self._memory.count(batch)
        plan = self._plans.declared
        batch.finish(plan.outputs, plan.output_conditions)
        schedule.learn(batch)
        for part in batch.parts():
            if not self._delivery.deliver(part):
                part.forget_errors()
        self._wake_if_ready()  # there may be memory for the next batch now

    def _wake_if_ready(self) -> None:
        if self._schedule.may_start():
            self._feeder.wake()
