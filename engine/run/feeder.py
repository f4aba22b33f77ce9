"""The feeder: the thread that starts batches, and runs the segments of whole batches on the CPU.

A batch starts if the consumer has asked for it, its external sources are fed, and memory suffices.
Batches under way come first. But while another process works on a step of a batch, the next batch
starts. Small batches may start together, as one group.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Sequence
from queue import Empty, SimpleQueue
from time import perf_counter_ns, thread_time_ns
from typing import Any, Protocol

from ..graph.inputs import SeekableInput
from ..tensors.memory import SlabPool
from ..work.batch import Batch, Rest, run_batch_step
from ..work.plan import Plan
from ..work.plans import Plans
from ..work.stats import Clocks
from .budget import Budget
from .config import PipelineConfig
from .delivery import DeliveryQueue
from .feeding import accept_sources, fetch_sources
from .grouping import Grouping, check_samples
from .schedule import Schedule

BUDGET_POLL_SECONDS = 0.02
"""Seconds between two looks at the byte budget. Memory returns without a signal, when the last view
is dropped."""

MAX_BEGUN_STEPS = 2
"""Number of steps that operators have begun elsewhere and that the feeder waits for. So a process
that reads has the next batch when it has read one."""


_STOP, _NOTHING = object(), object()


class Walk(Protocol):
    """The way of batches through the plan's segments: the executor."""

    def advance(self, batch: Batch, index: int) -> None:
        """Send the batch to the threads of segment `index`."""

    def finish_segment(self, batch: Batch, index: int) -> None:
        """Settle the errors of a segment that is done, and send the batch on."""

    def deliver(self, batch: Batch) -> None:
        """Hand the batch out, or compute the parts of a group that failed."""

    def guard(self, batch: Batch, work: Callable[..., None], *arguments: Any) -> None:
        """Let an exception end the batch instead of the thread."""


class Feeder:
    """Starts the batches of one pipeline.

    Args:
        plans: the plans of the batches.
        config: the pipeline's arguments.
        seed: seed of all randomness.
        first_sample: position of the first sample, which keys the randomness without a reader.
        pool: memory for batches.
        budgets: of memory, which a batch must fit into, unless the consumer waits for the batch.
        clocks: counts where the time goes.
        delivery: tells what the consumer has taken, and reports what a thread raises.
        walk: takes batches that have started.

    Attributes:
        thread: the thread, which does not run yet.
        schedule: the numbers of the batches to start.
        grouping: chooses how many batches start together.
        under_way: the batches that have started and are not delivered, by number.
    """

    def __init__(
        self,
        plans: Plans,
        config: PipelineConfig,
        seed: int,
        first_sample: int,
        pool: SlabPool,
        budgets: Sequence[Budget],
        clocks: Clocks,
        delivery: DeliveryQueue,
        walk: Walk,
    ) -> None:
        self._plans = plans
        plan = self._plan = plans.declared
        self._batch_size = config.batch_size
        self._seed = seed
        self._first_sample = first_sample
        self._pool = pool
        self._budgets = budgets
        self._clocks = clocks
        self._delivery = delivery
        self._walk = walk
        self._queue: SimpleQueue[Any] = SimpleQueue()
        self._begun: deque[tuple[Batch, int, int, Rest]] = deque()
        self._end: BaseException | None = None
        self._only_readers = _only_readers(plan, config)
        self._fetched = 0
        self._stopping = False
        self._process = os.getpid()
        self.grouping = Grouping(plan, config, budgets)
        self.schedule = Schedule(self.grouping)
        self.under_way: dict[int, Batch] = {}
        self.thread = threading.Thread(
            target=delivery.watch, args=(self._run,), name="penstock-feeder", daemon=True
        )

    # Calls of other threads

    @property
    def unfetched(self) -> int:
        """Batches launched whose data were not asked of the inputs yet."""
        return self.schedule.launched - self._fetched

    def launch(self) -> None:
        """Begin one more batch."""
        self.schedule.launched += 1
        if self.may_start():
            self.wake()

    def wake(self) -> None:
        """Check again whether a batch may start."""
        self._queue.put(None)

    def queue_segment(self, batch: Batch, index: int) -> None:
        """Have a batch segment computed; at once, if the feeder itself asks for it."""
        if threading.current_thread() is self.thread:
            self._run_segment(batch, index)
        else:
            self._queue.put((batch, index))

    def note_done(self, batch: Batch) -> None:
        """Learn from a batch that is done."""
        self.grouping.learn(batch)
        for budget in self._budgets:
            budget.learn(batch)

    def compute_apart(self, group: Batch) -> None:
        """Compute the parts of a group that failed, once the feeder wakes."""
        self.schedule.compute_apart(self.grouping.parts_after(group, self._delivery.taken))

    def restart(self, number: int, seed: int, first_sample: int) -> None:
        """Go on with batch `number`, while no batch is under way."""
        self._seed = seed
        self._first_sample = first_sample
        self._end = None
        self._fetched = number
        self.schedule.restart(number)

    def is_end(self, error: BaseException) -> bool:
        """Whether an error is the end of the data, which an input has raised."""
        return error is self._end

    def stop(self) -> None:
        """Let the thread end after the operator at hand; idempotent."""
        self._stopping = True
        self._queue.put(_STOP)

    def may_start(self) -> bool:
        """Whether one more batch or group may start, as far as the consumer is concerned."""
        at_once = min((each.read_at_once() for each in self._only_readers), default=1)
        return self.schedule.may_start(self._delivery.taken, at_once)

    # The thread

    def _run(self) -> None:
        while True:
            launched = self.may_start() and not self._is_unfed()
            short = launched and self._is_short_of_memory()
            job = self._next_job(launched, short)
            if job is _STOP:
                self._begun.clear()
                return
            if self._stopping:
                continue  # drops the job
            if job is not None and job is not _NOTHING:
                self._walk.guard(job[0], self._run_segment, *job)
                del job  # or this thread would hold the batch's memory while it waits
            elif launched and not short and len(self._begun) < MAX_BEGUN_STEPS:
                self._start()
            elif job is _NOTHING and self._begun:
                begun = self._begun.popleft()
                self._walk.guard(begun[0], self._run_segment, *begun)
                del begun

    def _next_job(self, launched: bool, short: bool) -> Any:
        """Return a batch and its segment, or _STOP, or None: something may have changed.

        Return _NOTHING if there is no job, and the thread need not wait for one.

        Batches under way come first, also while memory is short. The consumer may wait for such
        a batch, and its memory returns once the batch is consumed.
        """
        started = perf_counter_ns()
        budget_used_up = short and self._budgets[0].known
        timeout = BUDGET_POLL_SECONDS if short else None
        try:
            return self._queue.get((not launched or short) and not self._begun, timeout)
        except Empty:
            return _NOTHING
        finally:
            elapsed = perf_counter_ns() - started
            self._clocks.feeder_wait_ns += elapsed
            self._clocks.memory_wait_ns += elapsed if budget_used_up else 0

    def _is_unfed(self) -> bool:
        """Whether the next batch waits for `feed_input`, after which `wake` is called."""
        sources = (source.operator for source in self._plan.sources)
        return any(each.waits_for_feed and each.available() == 0 for each in sources)

    def _is_short_of_memory(self) -> bool:
        """Whether the next batch has to wait: never, if the consumer waits for that batch."""
        numbers = self.schedule.first()
        if numbers.start == self._delivery.taken:
            return False
        under_way = list(self.under_way.values())
        return any(budget.is_short(under_way, len(numbers)) for budget in self._budgets)

    def _start(self) -> None:
        clocks = self._clocks
        numbers = self.schedule.start(
            self._delivery.taken, perf_counter_ns(), clocks.consumer_wait_ns
        )
        number, count = numbers.start, len(numbers)
        if not count:
            return
        clocks.together = self.grouping.count
        first = self._first_sample + number * self._batch_size
        self._pool.count_batch()
        batch = Batch(number, self._batch_size * count, self._pool, self._seed, first, count)
        batch.plan = self._plan
        batch.end = self._end
        if batch.end is None:
            self.under_way[number] = batch
            self._walk.guard(batch, self._fill, batch)
        else:
            self._walk.deliver(batch)

    def _fill(self, batch: Batch) -> None:
        """Have the inputs select the samples of a batch, and send the batch on its way."""
        plan = self._plan
        try:
            if plan.sources:
                batch.resize(fetch_sources(plan, batch, self._clocks.feeder_busy_ns))
                batch.plan = self._plans.plan_for(batch.number)
        except StopIteration as end:
            batch.end = self._end = end
            self._walk.deliver(batch)
            return
        finally:
            self._end_forked_child()
            self._fetched = batch.number + 1
        for each in plan.inputs:
            selection = each.operator.select(batch.number, batch.count)
            if selection is not None:
                if batch.count > 1:
                    check_samples(batch, selection)
                batch.set_selection(each.node.ordinal, selection, each.operator.where(selection))
        if plan.sources:
            accept_sources(plan, batch)
        self._walk.advance(batch, 0)

    def _run_segment(
        self, batch: Batch, index: int, number: int = 0, rest: Rest | None = None
    ) -> None:
        """Run the steps of a segment from `number` on, or `rest` and then the steps after it."""
        steps = batch.plan.segments[index].steps
        while number < len(steps):
            started = perf_counter_ns()
            try:
                rest = rest() if rest else run_batch_step(steps[number], batch, "CPU")
            finally:
                self._end_forked_child()
            self._clocks.feeder_busy_ns[steps[number].node.ordinal] += perf_counter_ns() - started
            if rest is not None:
                self._begun.append((batch, index, number, rest))
                return
            number += 1
        self._clocks.feeder_cpu_ns = thread_time_ns()
        self._walk.finish_segment(batch, index)

    def _end_forked_child(self) -> None:
        """End this process, if user code has forked it: its parent's threads are not here."""
        if os.getpid() != self._process:
            os.write(2, _FORKED)
            os._exit(1)


_FORKED = (
    b"penstock: a source or function forked this process and returned in it, where no pipeline "
    b"runs; the process ends. End it by os._exit, or use multiprocessing or subprocess\n"
)


def _only_readers(plan: Plan, config: PipelineConfig) -> list[SeekableInput]:
    """Return the readers of a pipeline that does nothing but read ahead; [] of any other."""
    ahead = config.exec_pipelined and config.exec_async
    readers = [each.operator for each in plan.readers]
    return readers if ahead and len(readers) == len(plan.nodes) else []
