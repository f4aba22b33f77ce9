"""Batches that a server feeds to a pipeline, each of which has an end of its own."""

from __future__ import annotations

from collections.abc import Mapping
from threading import Thread
from typing import TYPE_CHECKING, NamedTuple

from ..errors import ArgumentError, PipelineStopped
from ..run.feeding import fed_source
from ..work.batch_state import Failure
from ..work.faults import is_machine_error
from .staged_pipeline import build_for_feeding

if TYPE_CHECKING:
    from ..graph.inputs import FedSample
    from ..graph.nodes import Node
    from ..order.selection import Selection
    from ..tensors import TensorList
    from .pipeline import Pipeline
    from .run import Run

__all__ = ["Failure", "FedBatch", "FedBatches"]


class FedBatch(NamedTuple):
    """A batch that is done.

    Attributes:
        outputs: of the pipeline; () if the whole batch failed.
        failures: of rows. Other data of the batch stand in these rows.
        error: what ended the whole batch, or None. Its traceback holds memory of the batch.
    """

    outputs: tuple[TensorList, ...]
    failures: Mapping[int, Failure]
    error: BaseException | None = None

    @property
    def is_error_of_machine(self) -> bool:
        """Whether the machine ended the batch, such as by a lack of memory."""
        return is_machine_error(self.error)


class FedBatches:
    """The batches of a pipeline that are fed one by one.

    `Pipeline.run` stops the pipeline at the first error. Here an error belongs to a batch or to a
    row, and the pipeline goes on. One thread may feed while another one takes. The pipeline starts
    with its first batch, and must not be run otherwise.

    Args:
        pipeline: not built yet, or with another `on_error` than "raise", if rows fail alone.
        rows_fail_alone: whether an `on_error` of "raise" becomes "replace", so that the error of a
            row leaves the other rows of its batch good.
        most_output_bytes: that a sample's output may take. An operator that works sample by sample
            on the CPU takes no more memory for it: the row fails. None for any number.

    Attributes:
        ahead: batches that may be under way ahead of the consumer.
        uses_gpu: whether the pipeline has operators on the GPU.

    Raises:
        ArgumentError: the pipeline is in debug mode, or is built with the wrong `on_error`.
    """

    def __init__(
        self,
        pipeline: Pipeline,
        *,
        rows_fail_alone: bool = False,
        most_output_bytes: int | None = None,
    ) -> None:
        built, self._start = build_for_feeding(
            pipeline, rows_fail_alone=rows_fail_alone, most_output_bytes=most_output_bytes
        )
        self._pipeline = pipeline
        self._run: Run | None = None
        self._plan = built.plan
        self.ahead = built.ahead
        self.uses_gpu = self._plan.uses_gpu

    def inputs(self) -> dict[Node, FedSample | None]:
        """Return what is fed to each input for a sample; None for one that has its own data."""
        fed: dict[Node, FedSample | None] = {each.node: None for each in self._plan.readers}
        fed |= {each.node: each.operator.fed_sample() for each in self._plan.sources}
        return fed

    def users_of(self, name: str) -> list[Node]:
        """Return the nodes that work on an input's data as they are."""
        return [
            node
            for node in self._plan.nodes
            if any(data.node.name == name for data in (*node.inputs, *node.arguments.values()))
        ]

    @property
    def feeder(self) -> Thread | None:
        """The thread that starts batches, once the pipeline has started."""
        return None if self._run is None else self._run.executor.feeder

    def feed(
        self, data: Mapping[str, object], samples: Selection | None = None, *, owned: bool
    ) -> None:
        """Feed one batch, which starts at once.

        Args:
            data: the samples of each input by its name.
            samples: whose epoch and position key the random numbers; None if unknown.
            owned: whether nobody else changes the memory of the data.

        Raises:
            Exception: the data are not what an input takes. Some inputs may be fed: `discard` must
                come next.
        """
        run = self._started()
        for name, rows in data.items():
            fed_source(self._plan, name).operator.feed_samples(rows, samples, owned=owned)
        run.executor.launch()

    def take(self) -> FedBatch:
        """Wait for the next batch in the order of `feed`.

        Raises:
            PipelineStopped: the pipeline was closed.
            BaseException: no error of a batch, such as one of a signal's handler. `discard` must
                come next.
        """
        run = self._started()
        batch = run.executor.next_ended()
        end, failures = batch.end, batch.rows.failures
        batch.forget_errors()
        if isinstance(end, StopIteration):
            stopped = PipelineStopped("an external source of the pipeline has no more data")
            return FedBatch((), failures, stopped)
        if end is not None:
            return FedBatch((), failures, end)
        try:
            return FedBatch(run.deliver(batch), failures)
        except ArgumentError as error:  # an output is not as declared
            return FedBatch((), failures, error)

    def discard(self) -> None:
        """Drop all batches that were fed or started, and go on.

        An exception of a signal's handler may end the call at any line. Call it again then.
        """
        run = self._started()
        run.drain()
        for source in self._plan.sources:
            source.operator.discard()
        run.restart()

    def close(self) -> None:
        """Close the pipeline."""
        self._pipeline.close()

    def _started(self) -> Run:
        if self._run is None:
            self._run = self._start()
        self._run.check()
        return self._run
