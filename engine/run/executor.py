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
    - If a thread is stuck in user code for longer than `TUNING.join_seconds`, a warning names the
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
from queue import Empty, SimpleQueue
from time import perf_counter_ns, thread_time_ns
from typing import Any, NamedTuple

from ..errors import PipelineStopped
from ..gpu.gpu_device import GpuDevice
from ..tensors.memory import SlabPool
from ..threads import join_all, wait_at_exit
from ..work.batch import Batch, run_batch_step
from ..work.chain import ChainRun, make_chains
from ..work.faults import Faults
from ..work.plan import Plan, Segment, SegmentType
from ..work.stats import Clocks, PipelineStats, pipeline_stats
from .budget import Budget
from .config import PipelineConfig
from .delivery import DeliveryQueue
from .device_stage import DeviceStage
from .feeding import accept_sources, fetch_sources
from .grouping import Grouping, check_samples
from .schedule import Schedule
from .uninterrupted import Uninterrupted
from .workers import Workers


class ExecutorTuning(NamedTuple):
    """Waiting times.

    Attributes:
        join_seconds: for the end of all threads, when the executor is closed.
        budget_poll_seconds: between two looks at the byte budget. Memory returns without a
            signal, when the last view is dropped.
    """

    join_seconds: float = 0.8
    budget_poll_seconds: float = 0.02


TUNING = ExecutorTuning()
_STOP = object()


class Executor:
    """Runs one plan.

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
        self._batch_size = config.batch_size
        self._num_threads = config.threads()
        self._seed = seed
        self._first_sample = first_sample
        self._pool = pool
        self._chains = make_chains(plan)
        self._device: GpuDevice | None = None
        if plan.uses_gpu:
            self._device = GpuDevice(
                config.device_id, config.prefetch_device_bytes, self._num_threads
            )
        self._delivery = DeliveryQueue()
        self._faults = Faults(config.on_error, config.log_path(), plan, self._chains, self._device)
        self._workers = Workers(
            self._num_threads,
            config.exec_processes,
            self._chains,
            pool.arena,
            self.clocks,
            self._run_done,
            self._delivery.watch,
        )
        self._feed: SimpleQueue[Any] = SimpleQueue()
        self._fetched = 0
        self._grouping = Grouping(plan, config)
        self._schedule = Schedule(self._grouping)
        self._end: BaseException | None = None
        self._under_way: dict[int, Batch] = {}
        self._budgets = [Budget(lambda: pool.room, attrgetter("taken_bytes"))]
        self._stopping = False
        self._starter = Uninterrupted(self._start_threads)
        feeder = threading.Thread(
            target=self._delivery.watch, args=(self._feeder,), name="penstock-feeder", daemon=True
        )
        self._threads = [feeder]
        self._stage: DeviceStage | None = None
        if self._device is not None:
            self._stage = self._open_stage(self._device)

    def _open_stage(self, device: GpuDevice) -> DeviceStage:
        stage = DeviceStage(
            device, self._plan, self._device_done, self.clocks, self._delivery.watch
        )
        self._threads += stage.threads
        self._pool.pin_with(device)
        for each in self._plan.inputs:
            if each.operator.device != "cpu":
                each.operator.attach(device)
        memory = device.pool
        self._budgets.append(Budget(lambda: memory.room, attrgetter("taken_device_bytes")))
        return stage

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
        return self._schedule.launched - self._delivery.taken

    @property
    def unfetched(self) -> int:
        """Batches launched whose data were not asked of the inputs yet."""
        return self._schedule.launched - self._fetched

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

    def launch(self) -> None:
        """Begin one more batch."""
        self._schedule.launched += 1
        if self._may_start():
            self.wake()

    def wake(self) -> None:
        """Let the feeder check again whether it may start a batch."""
        self._feed.put(None)

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
            if isinstance(end, StopIteration) and end is not self._end:
                wrong = RuntimeError("an operator raised StopIteration, which only inputs may do")
                for note in getattr(end, "__notes__", ()):
                    wrong.add_note(note)
                raise wrong from end
            if end is not None:
                raise end
        finally:
            del end

    def restart(self) -> None:
        """Drop all batches in flight, and start again after the end of the data.

        The count of batches continues after the last delivered batch.
        """
        self._delivery.drop_until(self._schedule.launched)
        self._end = None
        self._fetched = self.clocks.batches
        self._schedule.restart(self.clocks.batches)
        self._delivery.restart(self.clocks.batches)
        for source in self._plan.sources:
            source.operator.reset()

    def close(self) -> None:
        """Stop and join all threads; idempotent, also after an interrupt."""
        self._stopping = True
        self._starter.wait(TUNING.join_seconds)
        dropped = self._delivery.stop()
        for reader in self._plan.readers:
            reader.operator.interrupt()
        self._feed.put(_STOP)
        self._workers.stop()
        if self._stage is not None:
            self._stage.stop()
        threads = self._threads + self._workers.threads
        join_all(threads, TUNING.join_seconds)
        for batch in [*dropped, *self._under_way.values()]:
            batch.forget_errors()
        self._under_way.clear()
        if self._device is not None:
            self._device.pool.free_pinned()  # no batch holds any now
        wait_at_exit(threads)
        stuck = [thread.name for thread in threads if thread.is_alive()]
        if stuck and threading.current_thread() not in threads:
            warnings.warn(
                f"{', '.join(stuck)} did not stop within {TUNING.join_seconds} s: probably a "
                "user-supplied function waits for something, or a kernel is being compiled",
                ResourceWarning,
                stacklevel=2,
            )

    # The feeder thread

    def _feeder(self) -> None:
        while True:
            launched = self._may_start() and not self._is_unfed()
            short = launched and self._is_short_of_memory()
            job = self._next_job(launched, short)
            if job is _STOP:
                return
            if self._stopping:
                continue  # drops the job
            if job is not None:
                self._guard(job[0], self._run_batch_segment, *job)
                del job  # or this thread would hold the batch's memory while it waits
            elif launched and not short:
                self._start_batch()

    def _next_job(self, launched: bool, short: bool) -> Any:
        """Return a batch and its segment, or _STOP, or None: something may have changed.

        Batches under way come first, also while memory is short. The consumer may wait for such
        a batch, and its memory returns once the batch is consumed.
        """
        started = perf_counter_ns()
        budget_used_up = short and self._budgets[0].known
        timeout = TUNING.budget_poll_seconds if short else None
        try:
            return self._feed.get(not launched or short, timeout)
        except Empty:
            return None
        finally:
            elapsed = perf_counter_ns() - started
            self.clocks.feeder_wait_ns += elapsed
            self.clocks.memory_wait_ns += elapsed if budget_used_up else 0

    def _is_unfed(self) -> bool:
        """Whether the next batch waits for `feed_input`, after which `wake` is called."""
        sources = (source.operator for source in self._plan.sources)
        return any(each.waits_for_feed and each.available() == 0 for each in sources)

    def _may_start(self) -> bool:
        return self._schedule.may_start(self._delivery.taken)

    def _is_short_of_memory(self) -> bool:
        """Whether the next batch has to wait: never, if the consumer waits for that batch."""
        numbers = self._schedule.first()
        if numbers.start == self._delivery.taken:
            return False
        under_way = list(self._under_way.values())
        return any(budget.is_short(under_way, len(numbers)) for budget in self._budgets)

    def _start_batch(self) -> None:
        numbers = self._schedule.start(
            self._delivery.taken, perf_counter_ns(), self.clocks.consumer_wait_ns
        )
        number, count = numbers.start, len(numbers)
        self.clocks.together = count
        first = self._first_sample + number * self._batch_size
        self._pool.count_batch()
        size = self._batch_size * count
        batch = Batch(number, size, self._pool, self._seed, first, count)
        batch.end = self._end
        if batch.end is None:
            self._under_way[number] = batch
            self._guard(batch, self._fill, batch)
        else:
            self._deliver(batch)

    def _fill(self, batch: Batch) -> None:
        try:
            if self._plan.sources:
                batch.resize(fetch_sources(self._plan, batch, self.clocks.feeder_busy_ns))
        except StopIteration as end:
            batch.end = self._end = end
            self._deliver(batch)
            return
        finally:
            self._fetched = batch.number + 1
        for each in self._plan.inputs:
            selection = each.operator.select(batch.number, batch.count)
            if selection is not None:
                if batch.count > 1:
                    check_samples(batch, selection)
                locations = each.operator.where(selection)
                batch.set_selection(each.node.ordinal, selection, locations)
        if self._plan.sources:
            accept_sources(self._plan, batch)
        self._advance(batch, 0)

    def _run_batch_segment(self, batch: Batch, index: int) -> None:
        for step in self._plan.segments[index].steps:
            started = perf_counter_ns()
            run_batch_step(step, batch, "CPU")
            self.clocks.feeder_busy_ns[step.node.ordinal] += perf_counter_ns() - started
        self.clocks.feeder_cpu_ns = thread_time_ns()
        self._finish_segment(batch, index)

    # The workers

    def _run_done(self, run: ChainRun, index: int) -> None:
        self._guard(run.batch, self._finish_run, run, index)

    def _finish_run(self, run: ChainRun, index: int) -> None:
        run.finish()
        self._finish_segment(run.batch, index)

    # From segment to segment

    def _advance(self, batch: Batch, index: int) -> None:
        """Send the batch to the threads of segment `index`."""
        if self._stopping:
            return  # a batch in a queue would keep its memory
        if index == len(self._plan.segments) or batch.end is not None:
            self._deliver(batch)
            return
        segment: Segment = self._plan.segments[index]
        if segment.type == SegmentType.GPU:
            assert self._stage is not None
            self._stage.queue_segment(batch, segment, index)
        elif segment.type == SegmentType.BATCH:
            if threading.current_thread() is self._threads[0]:
                self._run_batch_segment(batch, index)
            else:
                self._feed.put((batch, index))
        else:
            run = self._chains[index].start(batch, self._workers.rows_per_turn(batch.size))
            if batch.size == 0:
                self._finish_run(run, index)
            else:
                self._workers.queue_run(run, index)

    def _finish_segment(self, batch: Batch, index: int) -> None:
        if batch.errors and batch.end is None:
            if batch.count > 1:
                raise next(iter(batch.errors.values()))
            self._faults.settle(batch, index)
        self._advance(batch, index + 1)

    def _device_done(self, batch: Batch, index: int, error: BaseException | None) -> None:
        if error is not None:
            batch.fail(error)
        self._guard(batch, self._finish_segment, batch, index)

    def _guard(self, batch: Batch, work: Callable[..., None], *arguments: Any) -> None:
        """Let an exception end the batch instead of the thread."""
        try:
            work(*arguments)
        except BaseException as error:
            batch.fail(error)
            self._deliver(batch)

    def _deliver(self, batch: Batch) -> None:
        self._under_way.pop(batch.number, None)
        if batch.count > 1 and batch.end is not None:
            self._compute_apart(batch)
            return
        batch.finish(self._plan.outputs)
        self._grouping.learn(batch)
        for budget in self._budgets:
            budget.learn(batch)
        for part in batch.parts():
            if not self._delivery.deliver(part):
                part.forget_errors()
        if self._may_start():
            self.wake()  # there may be memory for the next batch now

    def _compute_apart(self, batch: Batch) -> None:
        """Compute the parts of a group that failed."""
        self._schedule.compute_apart(self._grouping.parts_after(batch, self._delivery.taken))
        batch.values.clear()
        batch.forget_errors()
        self.wake()
