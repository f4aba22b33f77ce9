"""Batches that a server feeds to a pipeline: a sample that fails fails alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from ..errors import ArgumentError
from ..work.batch import Failure
from ..work.faults import is_machine_error

if TYPE_CHECKING:
    from ..graph.inputs import FedSample
    from ..graph.nodes import Node
    from ..tensors import TensorList
    from .pipeline import Pipeline

__all__ = ["Failure", "FedBatch", "FedBatches"]


class FedBatch(NamedTuple):
    """A batch that is done.

    Attributes:
        outputs: of the pipeline; () if the whole batch failed.
        failures: of rows. Other data of the batch stand in these rows.
        failure: why the whole batch failed, or None.
        is_of_machine: whether this is an error of the machine, such as a lack of memory.
    """

    outputs: tuple[TensorList, ...]
    failures: Mapping[int, Failure]
    failure: Failure | None = None
    is_of_machine: bool = False


class FedBatches:
    """The batches of a pipeline all of whose inputs are fed by name.

    One thread feeds, and another one takes. `Pipeline.run` would stop the pipeline at the first
    error. Here each error belongs to a row or to a batch, and the pipeline goes on. Therefore its
    `on_error` becomes "replace" if it is "raise".

    Args:
        pipeline: not built yet, or with another `on_error`.

    Raises:
        ArgumentError: the pipeline is built, is in debug mode, has readers or sources that are not
            fed, or has no input.
    """

    def __init__(self, pipeline: Pipeline) -> None:
        if pipeline._config.debug:
            raise ArgumentError("a pipeline in debug mode computes nothing ahead: leave out debug")
        if pipeline._config.on_error == "raise":
            if pipeline._plan is not None:
                raise ArgumentError(
                    "the pipeline is built already, with on_error='raise'; give one that is not"
                )
            pipeline._config = replace(pipeline._config, on_error="replace")
        pipeline.build()
        assert pipeline._plan is not None
        self._pipeline = pipeline
        self._sources = {source.node.name: source.operator for source in pipeline._plan.sources}
        self.data: dict[str, FedSample] = {}
        for reader in pipeline._plan.readers:
            _refuse(reader.node)
        for source in pipeline._plan.sources:
            fed = source.operator.fed_sample()
            if fed is None:
                _refuse(source.node)
            self.data[source.node.name] = fed
        if not self.data:
            raise ArgumentError(
                "the pipeline has no input: give one as fn.external_source(name=...)"
            )
        self.ahead = pipeline._ahead
        self.uses_gpu = pipeline._plan.uses_gpu
        self._executor = pipeline._start()

    def users_of(self, name: str) -> list[Node]:
        """Return the nodes that work on an input's data as they are."""
        assert self._pipeline._plan is not None
        return [
            node
            for node in self._pipeline._plan.nodes
            if any(data.node.name == name for data in (*node.inputs, *node.arguments.values()))
        ]

    def feed(self, data: Mapping[str, Sequence[Any]]) -> None:
        """Feed one batch: the samples of each input by its name. The batch starts at once.

        Raises:
            Exception: the data are not what an input takes. Earlier inputs may have theirs, so no
                batch may be fed any more.
        """
        for name, samples in data.items():
            self._sources[name].feed(samples, None, None)
        self._executor.launch()

    def take(self) -> FedBatch:
        """Wait for the next batch in the order of `feed`.

        Raises:
            PipelineStopped: the pipeline was closed.
            Exception: a thread of the pipeline has ended; there are no more batches.
        """
        batch = self._executor.next_ended()
        end, failures, outputs = batch.end, batch.failures, batch.outputs
        batch.forget_errors()
        if end is None and any(len(output) != batch.size for output in outputs):
            end = ArgumentError("an output of the pipeline has the samples of one branch alone")
        if end is not None:
            return FedBatch((), failures, Failure.of(end), is_machine_error(end))
        return FedBatch(tuple(output.as_cpu() for output in outputs), failures)

    def close(self) -> None:
        """Close the pipeline."""
        self._pipeline.close()


def _refuse(node: Node) -> NoReturn:
    raise ArgumentError(
        f"{node} has data of its own; a pipeline to which a program gives every batch has no other "
        "inputs than fn.external_source(name=...), without a source and without num_outputs"
    )
