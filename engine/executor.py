"""The executor: batches walk through the plan's segments, several at a time.

    launch -> [feeder] -> [workers x num_threads] -> [device] -> ... -> delivered in order
               batch       sample                     gpu
               segments    segments                   segments

Each kind of segment has its own threads (workers may be processes, driven by a thread each: see
`workers`) and its own FIFO queue. The thread that finishes a
batch's segment puts the batch into the queue of the next one. There is no barrier between
batches: a worker that finds no row left in one takes up the next. The executor holds no
more batches than were launched and not taken, so its queues need no bound of their own.

What happens when something goes wrong:

    - An exception in a segment ends its batch, never a thread. `take` raises it when that
      batch's turn comes: batches before it are delivered, the same in every run.
    - A sample's exception is dealt with by `Faults` first. The death of a worker process is
      no sample's exception, and ends the batch.
    - After an error is delivered nothing more is launched.
    - `close` wakes every thread; each ends after the row or operator it is working on, and
      inputs that wait for remote data are interrupted. Worker processes are killed.
      Waiting consumers get `PipelineStopped`.
    - A thread stuck in user code for longer than `_JOIN_SECONDS` is left to the
      interpreter's end (it is a daemon), and a warning names it.

If the code differs from this text, the code is wrong.
"""

from __future__ import annotations

import threading
import time
import warnings
from collections.abc import Callable
from queue import Empty, SimpleQueue
from time import perf_counter_ns
from typing import Any

from .batch import Batch, run_batch_step
from .budget import Budget
from .chain import Chain, ChainRun
from .device_stage import DeviceStage
from .errors import ArgumentError, PipelineStopped
from .faults import Faults
from .graph import Node
from .memory import SlabPool
from .operator import InputOperator
from .plan import Plan, Segment
from .stats import Clocks, OperatorStats, PipelineStats
from .workers import Workers

_JOIN_SECONDS = 0.8
_BUDGET_POLL_SECONDS = 0.02  # memory comes back without a signal, when the last view is dropped


class Executor:
    """Runs one plan.

    Args:
        plan: what to run.
        batch_size: largest batch.
        num_threads: number of workers.
        processes: whether they are processes: see `Workers`.
        seed: of all randomness.
        first_sample: place of the first sample, which keys the randomness without a reader.
        faults: what becomes of bad samples.
        pool: memory for batches; a batch is only begun if it is expected to fit into what the
            pool has room for, or if the consumer waits for it.
        device_id: CUDA device, if the plan needs one.
        device_bytes: as the pool's budget, of the device's memory.
    """

    def __init__(
        self,
        plan: Plan,
        batch_size: int,
        num_threads: int,
        processes: bool | None,
        seed: int,
        first_sample: int,
        faults: Callable[[list[Chain | None]], Faults],
        pool: SlabPool,
        device_id: int | None,
        device_bytes: int,
    ) -> None:
        self._plan = plan
        self._batch_size = batch_size
        self._seed = seed
        self._first_sample = first_sample
        self._pool = pool
        self._chains = [Chain(s) if s.kind == "sample" else None for s in plan.segments]
        self._faults = faults(self._chains)
        self.clocks = Clocks()
        self._workers = Workers(
            num_threads,
            processes,
            {i: chain for i, chain in enumerate(self._chains) if chain is not None},
            pool.arena,
            self.clocks,
            self._run_done,
        )
        self._feed: SimpleQueue[Any] = SimpleQueue()
        self._changed = threading.Condition()
        self._delivered: dict[int, Batch] = {}
        self._launched = self._taken = self._next = self._fetched = 0
        self._end: BaseException | None = None
        self._under_way: dict[int, Batch] = {}
        self._budgets = [Budget(lambda: pool.room, lambda batch: batch.taken_bytes)]
        self._stopping = False
        self._num_threads = num_threads
        self._device: DeviceStage | None = None
        self._threads = [threading.Thread(target=self._feeder, name="penstock-feeder", daemon=True)]
        if plan.uses_gpu:
            self._device = self._open_device(device_id, device_bytes)
        for thread in self._threads:
            thread.start()

    def _open_device(self, device_id: int | None, device_bytes: int) -> DeviceStage:
        stage = DeviceStage(
            device_id, device_bytes, self._num_threads, self._plan, self._device_done, self.clocks
        )
        self._threads += stage.threads
        self._pool.pinned_by(stage)
        for node in self._plan.inputs:
            assert isinstance(node.operator, InputOperator)
            if node.operator.device != "cpu":
                node.operator.attach(stage)
        memory = stage.pool
        self._budgets.append(Budget(lambda: memory.room, lambda batch: batch.taken_device_bytes))
        return stage

    # What the consumer calls

    @property
    def in_flight(self) -> int:
        """Batches launched and not taken yet."""
        return self._launched - self._taken

    @property
    def unfetched(self) -> int:
        """Batches launched for which the inputs were not asked yet."""
        return self._launched - self._fetched

    def stats(self, operators: tuple[OperatorStats, ...]) -> PipelineStats:
        """Return where the time went so far."""
        clocks = self.clocks
        return PipelineStats(
            batches=clocks.batches,
            samples=clocks.samples,
            wall_s=(perf_counter_ns() - clocks.started_ns) / 1e9,
            num_threads=self._num_threads,
            consumer_wait_s=clocks.consumer_wait_ns / 1e9,
            workers=self._workers.kind,
            why_threads=self._workers.why_threads,
            workers_wait_s=sum(worker.wait_ns for worker in clocks.workers) / 1e9,
            workers_cpu_s=sum(worker.cpu_ns for worker in clocks.workers) / 1e9,
            feeder_wait_s=clocks.feeder_wait_ns / 1e9,
            memory_wait_s=clocks.memory_wait_ns / 1e9,
            operators=operators,
            lent_bytes=self._pool.lent_bytes,
            idle_bytes=self._pool.idle_bytes,
            skipped=dict(self._faults.counts),
            device_lent_bytes=self._device.pool.lent_bytes if self._device else 0,
            device_idle_bytes=self._device.pool.idle_bytes if self._device else 0,
        )

    def launch(self) -> None:
        """Begin one more batch."""
        self._launched += 1
        self._feed.put(None)

    def take(self) -> Batch:
        """Wait for the next batch in order; raise what ended it."""
        started = perf_counter_ns()
        number = self._taken
        with self._changed:
            while number not in self._delivered and not self._stopping:
                self._changed.wait()
            batch = self._delivered.pop(number, None)
            if batch is not None:
                self._taken += 1
                self._changed.notify_all()
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
        """Drop what is in flight, and begin again after the data's end.

        Batches are counted on from the last one delivered, however many were begun ahead.
        """
        with self._changed:
            while self._taken < self._launched and not self._stopping:
                while self._taken not in self._delivered and not self._stopping:
                    self._changed.wait()
                self._delivered.pop(self._taken, None)
                self._taken += 1
        self._end = None
        self._taken = self.clocks.batches
        self._next = self._fetched = self._launched = self._taken
        for node in self._plan.inputs:
            assert isinstance(node.operator, InputOperator)
            node.operator.reset()

    def close(self) -> None:
        """Stop and join all threads; idempotent."""
        with self._changed:
            if self._stopping:
                return
            self._stopping = True
            dropped = list(self._delivered.values())
            self._delivered.clear()
            self._changed.notify_all()
        for node in self._plan.inputs:
            assert isinstance(node.operator, InputOperator)
            node.operator.interrupt()
        self._feed.put(_STOP)
        self._workers.stop()
        if self._device is not None:
            self._device.stop()
        deadline = time.monotonic() + _JOIN_SECONDS
        threads = self._threads + self._workers.threads
        for thread in threads:
            if thread is not threading.current_thread():
                thread.join(max(0.0, deadline - time.monotonic()))
        for batch in [*dropped, *self._under_way.values()]:
            batch.forget_errors()
        self._under_way.clear()
        stuck = [thread.name for thread in threads if thread.is_alive()]
        if stuck and threading.current_thread() not in threads:
            warnings.warn(
                f"{', '.join(stuck)} did not stop within {_JOIN_SECONDS} s: probably a "
                "user-supplied function waits for something, or a kernel is being compiled",
                ResourceWarning,
                stacklevel=2,
            )

    # The feeder thread

    def _feeder(self) -> None:
        while True:
            launched = self._next < self._launched
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
                self._begin()

    def _next_job(self, launched: bool, short: bool) -> Any:
        """Return a batch and its segment, _STOP, or None: something may have changed.

        Begun batches come first, also while memory is short: the batch that the consumer waits
        for, and whose memory will come back then, may need this thread.
        """
        started = perf_counter_ns()
        budget_used_up = short and self._budgets[0].known
        try:
            return self._feed.get(not launched or short, _BUDGET_POLL_SECONDS if short else None)
        except Empty:
            return None
        finally:
            elapsed = perf_counter_ns() - started
            self.clocks.feeder_wait_ns += elapsed
            self.clocks.memory_wait_ns += elapsed if budget_used_up else 0

    def _is_short_of_memory(self) -> bool:
        """Whether the next batch has to wait: never, if the consumer waits for that one."""
        if self._next == self._taken:
            return False
        under_way = list(self._under_way.values())
        return any(budget.is_short(under_way) for budget in self._budgets)

    def _begin(self) -> None:
        number, self._next = self._next, self._next + 1
        first = self._first_sample + number * self._batch_size
        batch = Batch(number, self._batch_size, self._pool, self._seed, first)
        batch.end = self._end
        if batch.end is None:
            self._under_way[number] = batch
            self._guard(batch, self._fill, batch)
        else:
            self._deliver(batch)

    def _fill(self, batch: Batch) -> None:
        sizes: dict[str, int] = {}
        for node in self._plan.inputs:
            try:
                sizes[node.name] = self._fetch(node, batch)
            except StopIteration as end:
                batch.end = self._end = end
                self._deliver(batch)
                return
            except BaseException as error:
                error.add_note(f"in {node}, input of batch {batch.number}")
                raise
            finally:
                self._fetched = batch.number + 1
        if len(set(sizes.values())) > 1:
            raise ArgumentError(
                f"the inputs of batch {batch.number} differ in their number of samples: {sizes}"
            )
        batch.resize(next(iter(sizes.values()), self._batch_size))
        for node in self._plan.inputs:
            assert isinstance(node.operator, InputOperator)
            draw = node.operator.draw(batch.number)
            if draw is not None:
                batch.set_draw(node.ordinal, draw, node.operator)
            if node.device != "cpu":
                node.operator.accept(batch)
        self._advance(batch, 0)

    def _fetch(self, node: Node, batch: Batch) -> int:
        operator = node.operator
        assert isinstance(operator, InputOperator)
        size = operator.fetch(batch.number, self._batch_size)
        state = operator.snapshot()
        if state is not None:
            batch.user_state[node.name] = state
        return size

    def _run_batch_segment(self, batch: Batch, index: int) -> None:
        for step in self._plan.segments[index].steps:
            started = perf_counter_ns()
            run_batch_step(step, batch, "CPU")
            self.clocks.add_feeder(step.node.ordinal, perf_counter_ns() - started)
        self._finish_segment(batch, index)

    # The workers

    def _run_done(self, run: ChainRun, index: int) -> None:
        self._guard(run.batch, self._finish_run, run, index)

    def _finish_run(self, run: ChainRun, index: int) -> None:
        run.finish()
        self._finish_segment(run.batch, index)

    # The way from segment to segment

    def _advance(self, batch: Batch, index: int) -> None:
        """Send the batch to the threads of segment `index`."""
        if self._stopping:
            return  # whatever lay in a queue now would hold its memory
        if index == len(self._plan.segments) or batch.end is not None:
            self._deliver(batch)
            return
        segment: Segment = self._plan.segments[index]
        if segment.kind == "gpu":
            assert self._device is not None
            self._device.put(batch, segment, index)
        elif segment.kind == "batch":
            if threading.current_thread() is self._threads[0]:
                self._run_batch_segment(batch, index)
            else:
                self._feed.put((batch, index))
        else:
            chain = self._chains[index]
            assert chain is not None
            run = chain.start(batch, self._workers.share(batch.size))
            if batch.size == 0:
                self._finish_run(run, index)
            else:
                self._workers.put(run, index)

    def _finish_segment(self, batch: Batch, index: int) -> None:
        if batch.errors and batch.end is None:
            self._faults.settle(batch, index)
        self._advance(batch, index + 1)

    def _device_done(self, batch: Batch, index: int, error: BaseException | None) -> None:
        if error is not None:
            batch.end = error
        self._guard(batch, self._finish_segment, batch, index)

    def _guard(self, batch: Batch, work: Callable[..., None], *arguments: Any) -> None:
        """Let an exception end the batch instead of the thread."""
        try:
            work(*arguments)
        except BaseException as error:
            batch.end = error
            self._deliver(batch)

    def _deliver(self, batch: Batch) -> None:
        batch.finish(self._plan.outputs)
        self._under_way.pop(batch.number, None)
        for budget in self._budgets:
            budget.note(batch)
        with self._changed:
            if not self._stopping:
                self._delivered[batch.number] = batch
            else:
                batch.forget_errors()
            self._changed.notify_all()
        if self._next < self._launched:
            self._feed.put(None)  # there may be memory for it now


_STOP = object()
