"""Inputs: where users feed external sources, and how samples enter a batch."""

from __future__ import annotations

from collections import Counter
from functools import partial
from time import perf_counter_ns

from ..errors import ArgumentError
from ..graph.inputs import FedInput, InputOperator
from ..graph.nodes import DataNode
from ..work.batch import Batch
from ..work.plan import InputNode, Plan
from .grouping import check_samples

ONLY_INPUTS_END = "an operator raised StopIteration, which only inputs may do"


def fed_source(plan: Plan, data_node: DataNode | str) -> InputNode[FedInput]:
    """Return the external source with this name or output."""
    name = data_node.node.name if isinstance(data_node, DataNode) else data_node
    sources = {source.node.name: source for source in plan.sources}
    if name not in sources:
        raise ArgumentError(
            f"there is no external source named {name!r}; there are {list(sources)}"
        )
    return sources[name]


def unfed_source(plan: Plan, unfetched: int) -> str:
    """Return the name of a source that must be fed before one more batch starts, or "".

    Args:
        plan: the plan of the pipeline.
        unfetched: batches that were launched, and have not taken their data yet.
    """
    for source in plan.sources:
        available = None if source.operator.waits_for_feed else source.operator.available()
        if available is not None and available <= unfetched:
            return source.node.name
    return ""


def fetch_sources(plan: Plan, batch: Batch, busy_ns: Counter[int]) -> int:
    """Let all sources get the data of the batch; return the batch's number of samples.

    Args:
        plan: the plan.
        batch: the batch.
        busy_ns: nanoseconds by the number of a node, to which the sources' times are added.

    Raises:
        StopIteration: a source is at the end of its data.
        ArgumentError: the inputs differ in their number of samples.
    """
    limit = batch.size
    sizes = {r.node.name: r.operator.size_of(batch.number, limit) for r in plan.readers}
    for source in plan.sources:
        started = perf_counter_ns()
        sizes[source.node.name] = fetch_source(source, batch, limit)
        busy_ns[source.node.ordinal] += perf_counter_ns() - started
    if len(set(sizes.values())) > 1:
        raise ArgumentError(
            f"the inputs of batch {batch.number} differ in their number of samples: {sizes}"
        )
    return next(iter(sizes.values()), limit)


def fetch_source(source: InputNode[FedInput], batch: Batch, limit: int) -> int:
    """Let a source get the data of a batch of so many samples at most; return the number.

    Raises:
        StopIteration: the source is at the end of its data.
    """
    try:
        size = source.operator.fetch(batch.number, limit)
    except StopIteration:
        raise
    except BaseException as error:
        error.add_note(f"in {source.node}, input of batch {batch.number}")
        raise
    state = source.operator.snapshot()
    if state is not None:
        batch.user_state[source.node.name] = state
    return size


def size_batch(plan: Plan, batch: Batch) -> None:
    """Set the number of samples of a batch of a pipeline without sources, as its readers say.

    Raises:
        ArgumentError: the readers differ in their number of samples.
    """
    if batch.count > 1:
        return
    sizes = {r.node.name: r.operator.size_of(batch.number, batch.size) for r in plan.readers}
    if len(set(sizes.values())) > 1:
        raise ArgumentError(
            f"the readers of batch {batch.number} differ in their number of samples: {sizes}. Give "
            "all of them the same batch_cost and lengths"
        )
    batch.samples.resize(next(iter(sizes.values()), batch.size))


def select_samples(plan: Plan, batch: Batch) -> None:
    """Let all inputs select the samples of a batch, whose size is known.

    Sources for the GPU copy their data now, before the sources' buffers may change.

    Raises:
        SharedSampleError: a sample comes twice in a group of batches.
    """
    for input_node in plan.inputs:
        _select(input_node, batch)
    for source in plan.sources:
        _accept(source.operator, batch)


def select_input(input_node: InputNode[InputOperator], batch: Batch) -> None:
    """Let one input select the samples of a batch: see `select_samples`."""
    _select(input_node, batch)
    if isinstance(input_node.operator, FedInput):
        _accept(input_node.operator, batch)


def _select(input_node: InputNode[InputOperator], batch: Batch) -> None:
    operator = input_node.operator
    selection = operator.select(batch.number, batch.count)
    if selection is not None:
        if batch.count > 1:
            check_samples(batch, selection)
        locate = partial(operator.where, selection)
        batch.samples.select(operator.placement.ordinal, selection, locate)


def _accept(source: FedInput, batch: Batch) -> None:
    if source.device != "cpu":
        source.accept(batch)
