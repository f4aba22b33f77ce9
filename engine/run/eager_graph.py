"""A graph whose operators run when they are called, once for each batch.

The definition is called anew for each batch. The graph remembers the operators of the first call
(`call_record`), so inputs and random numbers go on as in a pipeline. Batches become nodes if the
definition passes them to an operator (`given_data`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import ArgumentError
from ..graph.constants import ConstantOperator
from ..graph.context import Placement
from ..graph.derivation import Axes
from ..graph.inputs import FedInput, InputOperator
from ..graph.nodes import DataNode, Graph, Node
from ..graph.operator import Operator
from ..tensors import TensorList
from ..tensors.chosen_rows import selected
from ..work.batch import Batch, samples_that_meet
from ..work.chain import Chain
from ..work.faults import Faults
from ..work.plan import Group, InputNode, Plan, groups_of, stepwise_plan
from ..work.plans import Plans
from .call_record import CallRecord
from .eager_runner import EagerRunner
from .feeding import ONLY_INPUTS_END, fetch_source, select_input
from .given_data import as_tensor_list, given_node, is_array, is_batch
from .opening import check_devices
from .random_keys import random_key

POLL_SECONDS = 0.01
"""Seconds between two looks at a source that another thread feeds: no one notices them."""


class EagerGraph(Graph):
    """The nodes of one batch, whose operators run in the thread that calls them.

    Operators run between `begin` and `end`, within `defining(graph)`. In the first batch an
    operator may run before an input tells how many samples there are, and which. The operator then
    runs again as soon as the input tells.

    Args:
        runner: runs the operators.
        batch_size: largest number of samples.
        seed: of all randomness.
        on_error: policy for samples that fail.
        log: path of the quarantine log, or None.
        pipeline: see `Graph`.
        open_input: opens an input, before its first batch; by default at its start.
        arrays_are_batches: whether an array that is an input of an operator is a batch, whose axis
            0 runs over the samples; otherwise it is a constant.

    Attributes:
        number: of the batch.
    """

    def __init__(
        self,
        runner: EagerRunner,
        *,
        batch_size: int,
        seed: int,
        on_error: str = "raise",
        log: Path | None = None,
        pipeline: Callable[[], Any] = lambda: None,
        open_input: Callable[[InputNode[InputOperator]], None] | None = None,
        arrays_are_batches: bool = False,
    ) -> None:
        super().__init__(pipeline=pipeline)
        self.batch_size = batch_size
        self.seed = seed
        self.number = -1
        self._runner = runner
        self._policy = on_error, log
        self._faults: Faults | None = None
        self._plan: Plan | None = None
        self._record = CallRecord()
        self._calls: dict[object, int] = {}
        self._open_input = open_input
        self._arrays_are_batches = arrays_are_batches
        self._inputs: list[InputNode[InputOperator]] = []  # of the first batch
        self._axes: dict[Operator, tuple[Axes, ...]] = {}
        self._operators: dict[Operator, None] = {}  # to close
        self._given: set[Node] = set()
        # A pipeline replaces a bad sample in all results of the segment of the operator that
        # failed, and of earlier segments, whatever the order of calls. Its group, by the row:
        self._copied: dict[int, Group] = {}
        self._adopted: list[Node] = []
        self._has_size = False
        self._batch: Batch

    @property
    def plan(self) -> Plan:
        """The plan of the first batch; of the nodes so far, before that batch ends."""
        return self._plan or stepwise_plan(self.nodes)

    @property
    def is_complete(self) -> bool:
        """Whether a batch has ended, so that all operators are known."""
        return self._record.is_complete

    @property
    def size(self) -> int:
        """Number of samples of the batch."""
        return self._batch.size

    @property
    def user_state(self) -> dict[str, Any]:
        """The state of each source after this batch, by its name."""
        return self._batch.user_state

    # The batch

    def begin(self, size: int, first: int, number: int | None = None) -> None:
        """Begin a batch: the inputs that are known fetch and select its samples.

        Args:
            size: number of samples, unless an input or a given batch decides.
            first: position of the first sample, unless an input knows the positions.
            number: of the batch; by default one more than the last.

        Raises:
            StopIteration: a source is at the end of its data.
        """
        self.number = self.number + 1 if number is None else number
        for node in self._adopted:
            node.ordinal = -1
        self._adopted.clear()
        self._given.clear()
        self.nodes = []
        self.branch = None
        self._copied.clear()
        self._has_size = False
        self._record.begin()
        self._batch = Batch(self.number, size, self._runner.pool, self.seed, first)
        for source in self._inputs:
            self._enter(source)

    def end(
        self, outputs: Sequence[DataNode], *, keep_values: bool = False
    ) -> tuple[TensorList, ...]:
        """End the batch, and return some of its data.

        Args:
            outputs: the data to return.
            keep_values: whether nodes keep their values, as long as a program holds the nodes.
        """
        self._record.end()
        self._plan = self._plan or stepwise_plan(self.nodes, outputs)
        batch = self._batch
        now = stepwise_plan((), outputs)
        batch.finish(now.outputs, now.output_conditions)
        if not keep_values:
            for node in (*self.nodes, *self._given):
                node.values = None
        results, batch.outputs = batch.outputs, ()
        return results

    def reset(self) -> None:
        """Start the sources over after StopIteration."""
        for source in self.plan.sources:
            source.operator.reset()

    def close(self) -> None:
        """Release what the operators hold; idempotent."""
        while self._operators:
            self._operators.popitem()[0].close()

    # Nodes

    def add(self, node: Node) -> None:
        super().add(node)
        if node.operator.transfers or isinstance(node.operator, ConstantOperator):
            self._place(node, 0)  # no state, and no random numbers
            if not (node.operator.transfers or self._record.is_complete):
                self._number_of(node)
        else:
            self._match(node)
        self._run(node)

    def adopt(self, *data: DataNode) -> None:
        new = {each for each in data if each.node not in self._given}
        before = len(self.nodes)
        super().adopt(*new)
        self._adopted += self.nodes[before:]

    def holds(self, node: Node) -> bool:
        return node in self._given or super().holds(node)

    def with_data(
        self, operator_class: type[Operator], inputs: Sequence[Any], arguments: Mapping[str, Any]
    ) -> tuple[Sequence[Any], Mapping[str, Any]]:
        called = operator_class.called.removeprefix("fn.")
        arrays = self._arrays_are_batches and not operator_class.name.startswith("_")
        nodes = [
            self._give(value, f"Input {i} for operator '{called}'")
            if is_batch(value) or self._is_stale(value) or (arrays and is_array(value))
            else value
            for i, value in enumerate(inputs)
        ]
        data = {
            name: self._give(value, f"Argument {name} for operator '{called}'")
            if name in operator_class.params
            and operator_class.params[name].per_sample
            and (self._is_argument(value) or self._is_stale(value))
            else value
            for name, value in arguments.items()
        }
        return nodes, data

    def with_outputs(self, values: Sequence[Any]) -> list[Any]:
        """Return the results of a definition, in which batches have become nodes."""
        return [
            self._give(value, f"Output {i}") if is_batch(value) or self._is_stale(value) else value
            for i, value in enumerate(values)
        ]

    def _is_argument(self, value: Any) -> bool:
        """Return whether an argument is a batch; shorter lists are vectors and matrices."""
        is_list = isinstance(value, list)
        return is_batch(value) and not (is_list and len(value) != self._batch.size)

    def _is_stale(self, value: Any) -> bool:
        """Return whether a node has the values of an earlier batch, or of another pipeline.

        Nodes that were made outside of any definition have no values of their own.
        """
        return (
            isinstance(value, DataNode)
            and value.node.values is not None
            and value.node.ordinal != -1
            and not self.holds(value.node)
        )

    def _give(self, value: Any, what: str) -> DataNode:
        if self.branch is not None:
            raise ArgumentError(
                "Debug mode with conditional execution (when `enable_conditionals=True`) doesn't "
                "allow for modification of operator outputs by other libraries or using the "
                "TensorLists extracted via `.get()` as inputs in a branch. Expected a node, got "
                f"{type(value)} at {what}, in {self.branch}; pass the data to an operator before "
                "the `if`"
            )
        data = value.get() if isinstance(value, DataNode) else as_tensor_list(value)
        if not self._has_size:
            self._has_size = True
            self._resize(len(data))
        elif len(data) != self._batch.size:
            raise ArgumentError(
                f"Batch size must be uniform across an iteration. {what} has batch size = "
                f"{len(data)}. Expected batch size = {self._batch.size}"
            )
        form = "array" if is_array(value) else "batch"
        node = given_node(data, -2 - len(self._given), form)
        self._given.add(node)
        self._batch.values[node.ordinal] = (data,)
        return node.outputs[0]

    def _resize(self, size: int) -> None:
        if size != self._batch.size:
            self._batch.resize(size)
            self._run_again()

    # Operators

    def _match(self, node: Node) -> None:
        """Give a node the operator that it had in the first batch; open an input."""
        call = self._record.match(node)
        operator = node.operator
        if not self._record.is_complete:
            call.number = self._number_of(node)
        before = operator.placement.ordinal
        self._place(node, random_key(operator, call.number, self.seed))
        is_new = operator not in self._operators
        if is_new:
            self._operators[operator] = None
            check_devices(stepwise_plan([node]))
        if isinstance(operator, InputOperator):
            if is_new:
                self._open(InputNode(node, operator))
            elif before in self._batch.selections:
                self._batch.selections[node.ordinal] = self._batch.selections.pop(before)
            if operator in self._axes:
                for data, axes in zip(node.outputs, self._axes[operator], strict=True):
                    data.layout, data.ndim = axes

    def _number_of(self, node: Node) -> int:
        """Return the number of a node's call among the calls of the first batch."""
        return self._calls.setdefault(node.call, len(self._calls))

    def _place(self, node: Node, key: int) -> None:
        threads, on_error = self._runner.threads, self._policy[0]
        node.operator.placement = Placement(node.ordinal, key, threads, on_error)
        node.is_open = False  # layouts are those of the batch

    def _open(self, source: InputNode[InputOperator]) -> None:
        """Open an input, and have it get the samples of the first batch."""
        operator = source.operator
        if self._open_input is None:
            operator.open(self.batch_size, None)
        else:
            self._open_input(source)
        if operator.device != "cpu":
            operator.attach(self._runner.device)
        self._inputs.append(source)
        self._enter(source)

    def _enter(self, source: InputNode[InputOperator]) -> None:
        """Have an input get the samples of the batch."""
        batch, operator = self._batch, source.operator
        size = self.batch_size
        if isinstance(operator, FedInput):
            while operator.waits_for_feed and operator.available() == 0:
                time.sleep(POLL_SECONDS)
            size = fetch_source(InputNode(source.node, operator), batch, size)
            if operator.learns_layouts:
                self._axes[operator] = operator.batch_axes(batch.number)
        if self._has_size and size != batch.size:
            raise ArgumentError(
                f"Batch size must be uniform across an iteration. Input operator {source.node} "
                f"returned batch size: {size}, expected: {batch.size}"
            )
        before = batch.epoch, batch.position
        self._has_size = True
        batch.resize(size)
        select_input(source, batch)
        if not all(map(np.array_equal, before, (batch.epoch, batch.position))):
            self._run_again()

    def _run_again(self) -> None:
        """Run the operators so far again, for other samples."""
        for node in self.nodes:
            if node.values is not None and not isinstance(node.operator, InputOperator):
                self._run(node)

    def _run(self, node: Node) -> None:
        batch = self._batch
        try:
            self._runner.run(node, batch)
        except StopIteration as error:
            raise RuntimeError(ONLY_INPUTS_END) from error
        for row, group in self._copied.items():
            if groups_of(self.nodes)[node.ordinal] <= group and self._faults is not None:
                batch.errors.pop(row, None)
                self._faults.copy_row(batch, node.ordinal, row, batch.copied[row])
        if batch.errors:
            self._settle(node)
        node.values = self._values_of(node)

    def _values_of(self, node: Node) -> tuple[TensorList, ...] | None:
        """Return the values of a node, of the samples that take its branch."""
        batch = self._batch
        values = batch.values.get(node.ordinal)
        if values is None or node.branch is None:
            return values
        keys = tuple(((each.node.ordinal, each.index), is_) for each, is_ in node.conditions())
        samples = samples_that_meet(batch, keys)
        return tuple(selected(data, samples) for data in values)

    def _settle(self, node: Node) -> None:
        """Apply the policy to the rows that failed in a node."""
        batch = self._batch
        batch.plan = stepwise_plan(self.nodes)
        if self._faults is None:
            device = self._runner.device if batch.plan.uses_gpu else None
            self._faults = Faults(*self._policy, _repeats_of, device)
        self._faults.settle(batch, node.ordinal)
        for row in batch.copied:
            self._copied.setdefault(row, groups_of(self.nodes)[node.ordinal])
        end, batch.end = batch.end, None
        try:
            if end is not None:
                raise end
        finally:
            del end  # its traceback holds the batch
        for each in self.nodes:
            each.values = self._values_of(each)


def _repeats_of(plan: Plan) -> Mapping[int, Chain]:
    return Plans(plan).repeats_of(plan)
