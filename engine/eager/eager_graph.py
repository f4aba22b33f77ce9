"""A graph whose operators run when they are called, once for each batch.

The definition is called anew for each batch. The graph remembers the operators of the first call
(`call_record`), so inputs and random numbers go on as in a pipeline. Batches become nodes if the
definition passes them to an operator (`given_data`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import ArgumentError
from ..graph.constants import ConstantOperator
from ..graph.context import Placement
from ..graph.copies import Transfer
from ..graph.inputs import InputOperator
from ..graph.nodes import DataNode, Graph, Node
from ..graph.operator import Operator
from ..run.feeding import ONLY_INPUTS_END
from ..run.opening import check_devices
from ..run.random_keys import random_key
from ..tensors import TensorList
from ..tensors.chosen_rows import selected
from ..work.batch import Batch, samples_that_meet
from ..work.plan import Plan, stepwise_plan
from .call_record import CallRecord
from .eager_faults import EagerFaults
from .eager_inputs import EagerInputs, OpenInput
from .eager_runner import EagerRunner
from .given_data import as_tensor_list, given_node, is_array, is_batch


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
        pipeline: Callable[[], object] = lambda: None,
        open_input: OpenInput | None = None,
        arrays_are_batches: bool = False,
    ) -> None:
        super().__init__(pipeline=pipeline)
        self.seed = seed
        self.number = -1
        self._runner = runner
        self._faults = EagerFaults(runner, on_error, log)
        self._inputs = EagerInputs(batch_size, runner, open_input)
        self._plan: Plan | None = None
        self._record = CallRecord()
        self._arrays_are_batches = arrays_are_batches
        self._operators: dict[Operator, None] = {}  # to close
        self._given: set[Node] = set()
        self._adopted: list[Node] = []
        self._batch: Batch

    @property
    def plan(self) -> Plan:
        """The plan of the last whole batch; of the nodes so far, before the first batch ends."""
        return self._plan or stepwise_plan(self.nodes)

    @property
    def is_complete(self) -> bool:
        """Whether a batch has ended, so that all operators are known."""
        return self._record.is_complete

    @property
    def batch_size(self) -> int:
        """Largest number of samples of a batch."""
        return self._inputs.batch_size

    @property
    def size(self) -> int:
        """Number of samples of the batch."""
        return self._batch.size

    @property
    def user_state(self) -> dict[str, object]:
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
        for node in {*self.nodes, *self._given}.difference(self._adopted):
            node.outputs = ()  # a cycle, which would keep the values until it is collected
        for node in self._adopted:
            node.ordinal = -1
        self._adopted.clear()
        self._given.clear()
        self.nodes = []
        self.branch = None
        self._faults.begin()
        self._record.begin()
        self._batch = Batch(self.number, size, self._runner.pool, self.seed, first)
        self._inputs.begin(self._batch)

    def end(
        self, outputs: Sequence[DataNode], *, keep_values: bool = False
    ) -> tuple[TensorList, ...]:
        """End the batch, and return some of its data.

        Args:
            outputs: the data to return.
            keep_values: whether nodes keep their values, as long as a program holds the nodes.
        """
        self._record.end()
        if self._plan is None or len(self.nodes) >= len(self._plan.nodes):  # no early return
            self._plan = stepwise_plan(self.nodes, outputs)
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
        if isinstance(node.operator, Transfer | ConstantOperator):
            self._place(node, 0)  # no state, and no random numbers
            if not (isinstance(node.operator, Transfer) or self._record.is_complete):
                self._record.number_of(node)
        else:
            self._match(node)
        self._run(node)

    def adopt(self, *data: DataNode) -> None:
        new = {data_node for data_node in data if data_node.node not in self._given}
        before = len(self.nodes)
        super().adopt(*new)
        self._adopted += self.nodes[before:]

    def holds(self, node: Node) -> bool:
        return node in self._given or super().holds(node)

    def with_data(
        self,
        operator_class: type[Operator],
        inputs: Sequence[object],
        arguments: Mapping[str, object],
    ) -> tuple[Sequence[object], Mapping[str, object]]:
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

    def with_outputs(self, values: Sequence[object]) -> list[object]:
        """Return the results of a definition, in which batches have become nodes."""
        return [
            self._give(value, f"Output {i}") if is_batch(value) or self._is_stale(value) else value
            for i, value in enumerate(values)
        ]

    def _is_argument(self, value: Any) -> bool:
        """Return whether an argument is a batch; shorter lists are vectors and matrices."""
        is_list = isinstance(value, list)
        return is_batch(value) and not (is_list and len(value) != self._batch.size)

    def _is_stale(self, value: object) -> bool:
        """Return whether a node has the values of an earlier batch, or of another pipeline.

        Nodes that were made outside of any definition have no values of their own.
        """
        return (
            isinstance(value, DataNode)
            and value.node.values is not None
            and value.node.ordinal != -1
            and not self.holds(value.node)
        )

    def _give(self, value: object, what: str) -> DataNode:
        if self.branch is not None:
            raise ArgumentError(
                "Debug mode with conditional execution (when `enable_conditionals=True`) doesn't "
                "allow for modification of operator outputs by other libraries or using the "
                "TensorLists extracted via `.get()` as inputs in a branch. Expected a node, got "
                f"{type(value)} at {what}, in {self.branch}; pass the data to an operator before "
                "the `if`"
            )
        data = value.get() if isinstance(value, DataNode) else as_tensor_list(value)
        with self._samples_may_change():
            self._inputs.take_size(self._batch, len(data), f"{what} has")
        form = "array" if is_array(value) else "batch"
        node = given_node(data, -2 - len(self._given), form)
        self._given.add(node)
        self._batch.values[node.ordinal] = (data,)
        return node.outputs[0]

    # Operators

    def _match(self, node: Node) -> None:
        """Give a node the operator that it had in the first batch; open an input."""
        call = self._record.match(node)
        operator = node.operator
        if not self._record.is_complete:
            call.number = self._record.number_of(node)
        before = operator.placement.ordinal
        self._place(node, random_key(operator, call.number, self.seed))
        if operator not in self._operators:
            self._operators[operator] = None
            check_devices(stepwise_plan([node]))
        if isinstance(operator, InputOperator):
            with self._samples_may_change():
                self._inputs.use(node, before, self._batch)

    def _place(self, node: Node, key: int) -> None:
        threads, policy = self._runner.threads, self._faults.policy
        node.operator.placement = Placement(node.ordinal, key, threads, policy)
        node.is_open = False  # layouts are those of the batch

    @contextmanager
    def _samples_may_change(self) -> Iterator[None]:
        """Run the operators so far again if this block decides for other samples."""
        batch = self._batch
        before = batch.epoch, batch.position
        yield
        if not all(map(np.array_equal, before, (batch.epoch, batch.position))):
            for node in self.nodes:
                if node.values is not None and not isinstance(node.operator, InputOperator):
                    self._run(node)

    def _run(self, node: Node) -> None:
        try:
            self._runner.run(node, self._batch)
        except StopIteration as error:
            raise RuntimeError(ONLY_INPUTS_END) from error
        changed = self._faults.settle(self.nodes, node, self._batch)
        for changed_node in self.nodes if changed else [node]:
            changed_node.values = self._values_of(changed_node)

    def _values_of(self, node: Node) -> tuple[TensorList, ...] | None:
        """Return the values of a node, of the samples that take its branch."""
        batch = self._batch
        values = batch.values.get(node.ordinal)
        if values is None or node.branch is None:
            return values
        keys = tuple(
            ((condition.node.ordinal, condition.index), is_) for condition, is_ in node.conditions()
        )
        samples = samples_that_meet(batch, keys)
        return tuple(selected(data, samples) for data in values)
