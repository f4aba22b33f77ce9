"""The run of a pipeline: the batches that its executor computes ahead of the consumer."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from ..errors import ArgumentError, PipelineStopped
from ..run.executor import Executor
from ..run.feeding import fed_source, unfed_source
from ..tensors.dtypes import DALIDataType
from .outputs import seen_dtypes

if TYPE_CHECKING:
    from ..graph.nodes import DataNode
    from ..run.shutdown import Shutdown
    from ..tensors import TensorList
    from ..work.batch import Batch
    from ..work.memory_figures import OperatorMemory
    from ..work.plan import Key
    from ..work.stats import PipelineStats
    from .built import Built
    from .progress import Progress
    from .rank_comparison import RankComparison


class Run:
    """The batches of a pipeline that is built; its threads run from the start.

    Attributes:
        executor: computes the batches.
        pool: memory of the batches.
        seen_dtypes: types of the outputs, once a batch was delivered.
        ended: whether the consumer was told that there are no more batches.
    """

    def __init__(
        self, built: Built, progress: Progress, ranks: RankComparison, shutdown: Shutdown
    ) -> None:
        self._built = built
        self._definition = built.definition
        self._progress = progress
        self._ranks = ranks
        self._shutdown = shutdown
        self._scheduled = False
        self._setup_over = False  # iter_setup has raised StopIteration
        self.ended = False
        self.seen_dtypes: dict[Key, DALIDataType] = {}
        # Without Python workers memory is made only now: a fork before the start would share it.
        self.pool = built.memory(shutdown)
        self.executor = Executor(
            built.plan,
            self._definition.config,
            self._definition.seed,
            self._first_sample(),
            self.pool,
            built.python_workers,
        )
        shutdown.bind()
        shutdown.add(self.executor.close, repeatable=True)
        self.executor.start()

    def _first_sample(self) -> int:
        return self._progress.first_sample(self._definition.config.batch_size)

    def built(self) -> Built:
        """Return what is run."""
        return self._built

    @property
    def in_flight(self) -> int:
        """Number of batches that were launched and not delivered."""
        return self.executor.in_flight

    def check(self) -> None:
        """Raise if the pipeline was stopped, or if its own threads ask."""
        self._shutdown.check()
        self.check_asker()

    def check_asker(self) -> None:
        """Raise ArgumentError if a thread that computes these batches asks for them."""
        if self.executor.owns(threading.current_thread()):
            raise ArgumentError(
                "a source or function of the pipeline asks for the pipeline's own batches or "
                "state, and would wait for itself for ever; give it the data as inputs, or use "
                "another pipeline"
            )

    def feed(
        self, data_node: DataNode | str, data: object, layout: str | None, cuda_stream: object
    ) -> None:
        """Feed a source."""
        fed_source(self._built.plan, data_node).operator.feed(data, layout, cuda_stream)
        self.executor.wake()

    def launch_ahead(self, iter_setup: Callable[[], None] | None) -> None:
        """Start batches ahead of the consumer, each after a call of `iter_setup`."""
        started = 0
        while self.executor.in_flight < self._built.ahead + self._scheduled and (
            started == 0 or not self._scheduled
        ):
            if iter_setup is not None and not self._setup_over:
                try:
                    iter_setup()
                except StopIteration:
                    self._setup_over = True
            if self._setup_over or self._unfed_input():
                break
            self.executor.launch()
            started += 1
        self._scheduled = True

    def next_outputs(self) -> tuple[TensorList, ...]:
        """Wait for the next batch and return its outputs."""
        if self.executor.in_flight == 0:
            if self._setup_over:
                self.ended = True
                raise StopIteration
            raise PipelineStopped(self._shutdown.reason or self._why_nothing_is_under_way())
        try:
            if not self._ranks.is_done:
                self._ranks.compare(self._built, self._progress.restored, self._shutdown)
            return self.deliver(self.executor.next_batch())
        except StopIteration:
            self._scheduled = False
            self.ended = True
            raise
        except BaseException as error:  # KeyboardInterrupt, too, must leave no thread behind
            self._shutdown.stop_after(error)
            raise

    def deliver(self, batch: Batch) -> tuple[TensorList, ...]:
        """Return the outputs of a batch that is done, and count the batch as delivered."""
        if self._built.checks is not None:
            self._built.checks.check(batch.outputs)
        if not self.seen_dtypes:
            keys = self._built.plan.outputs
            self.seen_dtypes = seen_dtypes(zip(keys, batch.outputs, strict=True))
        self._progress.deliver(batch.user_state)
        return batch.outputs

    def _unfed_input(self) -> str:
        plan = self._built.plan
        return unfed_source(plan, self.executor.unfetched) if plan.sources else ""

    def _why_nothing_is_under_way(self) -> str:
        if name := self._unfed_input():
            call = f"feed_input({name!r}, ...) must be called before run"
        else:
            call = "call schedule_run (or just run) first"
        return f"no batch is under way: {call}"

    def drain(self) -> None:
        """Drop the batches under way."""
        self.executor.drain()

    def restart(self) -> None:
        """Go on after `drain`."""
        self.executor.restart(self._definition.seed, self._first_sample())
        self._scheduled = self._setup_over = self.ended = False

    def stats(self) -> PipelineStats:
        """Return where the time went."""
        return self.executor.stats()

    def memory_statistics(self) -> dict[str, OperatorMemory]:
        """Return the memory of operators' results."""
        return self.executor.memory_statistics()

    def shares(self) -> dict[str, float]:
        """Return the part of the operators' time that each one took, by its name."""
        busy: dict[str, float] = {}
        for operator in self.executor.stats().operators:
            busy[operator.name] = busy.get(operator.name, 0.0) + operator.busy_s
        total = sum(busy.values())
        return {name: seconds / total for name, seconds in busy.items()} if total else {}
