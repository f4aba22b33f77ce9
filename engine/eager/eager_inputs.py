"""The inputs of a graph whose operators run at once, and the samples of its batches."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from ..errors import ArgumentError
from ..graph.derivation import Axes
from ..graph.inputs import FedInput, InputOperator, Resources
from ..graph.nodes import Node
from ..run.feeding import fetch_source, select_input
from ..work.batch import Batch
from ..work.plan import InputNode
from .eager_runner import EagerRunner

OpenInput = Callable[[InputNode[InputOperator]], None]

POLL_SECONDS = 0.01
"""Seconds between two looks at a source that another thread feeds: no one notices them."""


class EagerInputs:
    """Opens inputs when they are called first, and has them choose the samples of each batch.

    Args:
        batch_size: largest number of samples.
        runner: has the device of inputs that feed the GPU.
        open_input: opens an input; by default at its start.

    Attributes:
        batch_size: see the argument.
        has_size: whether an input, or data of the program, has decided the size of the batch.
    """

    def __init__(self, batch_size: int, runner: EagerRunner, open_input: OpenInput | None) -> None:
        self.has_size = False
        self.batch_size = batch_size
        self._runner = runner
        self._open_input = open_input
        self._inputs: dict[InputOperator, Node] = {}  # nodes of the last batch
        self._axes: dict[InputOperator, tuple[Axes, ...]] = {}

    def begin(self, batch: Batch) -> None:
        """Have the inputs that are known choose the samples of a batch.

        Raises:
            StopIteration: a source is at the end of its data.
        """
        self.has_size = False
        for i, (operator, node) in enumerate(self._inputs.items()):
            # The number of its node in this batch is not known yet.
            operator.placement = replace(operator.placement, ordinal=-1 - i)
            self._enter(InputNode(node, operator), batch)

    def take_size(self, batch: Batch, size: int, what: str) -> None:
        """Let data decide the size of a batch; raise ArgumentError if others have done so."""
        if self.has_size and size != batch.size:
            raise ArgumentError(
                f"Batch size must be uniform across an iteration. {what} batch size = {size}. "
                f"Expected batch size = {batch.size}"
            )
        self.has_size = True
        batch.samples.resize(size)

    def use(self, node: Node, earlier: int, batch: Batch) -> None:
        """Let an input's node have the samples that the input has chosen.

        Args:
            node: of the input.
            earlier: number of the input's node until now.
            batch: the batch.
        """
        operator = node.operator
        assert isinstance(operator, InputOperator)
        is_new = operator not in self._inputs
        self._inputs[operator] = node
        if is_new:
            self._open(InputNode(node, operator), batch)
        elif earlier in batch.selections:
            batch.selections[node.ordinal] = batch.selections.pop(earlier)
        for data, axes in zip(node.outputs, self._axes.get(operator, ()), strict=False):
            data.layout, data.ndim = axes

    def _open(self, source: InputNode[InputOperator], batch: Batch) -> None:
        operator = source.operator
        if self._open_input is None:
            operator.open(self.batch_size, None)
        else:
            self._open_input(source)
        if operator.device != "cpu":
            operator.begin(Resources(device=self._runner.device))
        self._enter(source, batch)

    def _enter(self, source: InputNode[InputOperator], batch: Batch) -> None:
        operator, size = source.operator, self.batch_size
        if isinstance(operator, FedInput):
            while operator.waits_for_feed and operator.available() == 0:
                time.sleep(POLL_SECONDS)
            size = fetch_source(InputNode(source.node, operator), batch, size)
            if operator.learns_layouts:
                self._axes[operator] = operator.batch_axes(batch.number)
        self.take_size(batch, size, f"{source.node} returned")
        select_input(source, batch)
