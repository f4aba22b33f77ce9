"""What a pipeline computes: its arguments, its graph, and the data that it returns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass, replace
from typing import Any

from ..conditions.decorators import convert
from ..errors import ArgumentError
from ..graph.context import Placement
from ..graph.copies import Transfer
from ..graph.nodes import DataNode, Graph, defining
from ..run.config import PipelineConfig
from ..run.random_keys import random_keys
from ..work.plan import Plan, make_plan
from .outputs import Names, as_outputs, names_and_values


@dataclass(eq=False)
class Definition:
    """What a pipeline computes.

    Attributes:
        config: the arguments of the pipeline.
        seed: of all randomness.
        graph: the operators.
        outputs: the data that the pipeline returns; () until something has defined the graph.
        names: of the outputs.
        most_output_bytes: that an output of a sample may take; None for any number.
    """

    config: PipelineConfig
    seed: int
    graph: Graph
    outputs: tuple[DataNode, ...] = ()
    names: Names = None
    most_output_bytes: int | None = None
    _block: AbstractContextManager[Any] | None = None

    @property
    def is_open(self) -> bool:
        """Whether nothing has defined the graph yet."""
        return not self.outputs

    def define(self, function: Callable[..., object], *args: object, **kwargs: object) -> None:
        """Let `function` define the graph."""
        if self.graph.conditionals:
            function = convert(function)
        with defining(self.graph):
            self._take(function(*args, **kwargs))

    def set_outputs(self, outputs: tuple[object, ...], named: dict[str, object]) -> None:
        """Define the graph by its outputs: see `Pipeline.set_outputs`."""
        if outputs and named:
            raise ArgumentError(
                f"set_outputs has {len(outputs)} output(s) without a name, and others named "
                f"{', '.join(named)}: name all of them or none"
            )
        if isinstance(self._block, closing):
            self._block = nullcontext()  # this block defines the graph, and does not close
        with defining(self.graph):
            only = outputs[0] if len(outputs) == 1 else outputs
            self._take(named or (only if isinstance(only, Mapping) else outputs))

    def _take(self, result: object) -> None:
        names, values = names_and_values(result)
        self.replace_outputs(as_outputs(self.graph, values, names), names)

    def replace_outputs(self, outputs: tuple[DataNode, ...], names: Names) -> None:
        """Return these data of the graph from now on."""
        self.outputs, self.names = outputs, names

    def add_sink(self, edge: DataNode) -> None:
        """Compute `edge` in every batch."""
        self.graph.adopt(edge)
        edge.node.operator.keep()

    def configure(self, **changed: Any) -> None:
        """Change arguments."""
        self.config = replace(self.config, **changed)

    def reseed(self, seed: int) -> None:
        """Change the seed."""
        self.seed = seed

    def plan(self) -> Plan:
        """Return the plan of the graph."""
        return make_plan(self.graph, self.outputs)

    def place(self, plan: Plan, seed: int | None = None) -> None:
        """Give the operators their numbers, and the keys of their random numbers.

        Args:
            plan: has the operators.
            seed: of all randomness from now on; None for the same seed as before.
        """
        if seed is not None:
            self.reseed(seed)
        keys = random_keys(self.graph.nodes, self.seed)
        computing = (node for node in plan.nodes if not isinstance(node.operator, Transfer))
        for node in computing:
            node.operator.placement = Placement(
                node.ordinal, keys[node.ordinal], self.config.threads(), self.config.on_error
            )

    # The `with` block of the pipeline

    def enter(self, block: AbstractContextManager[object]) -> None:
        """Begin a block: one that defines the graph, or one that closes the pipeline."""
        self._block = block
        block.__enter__()

    def leave(self) -> AbstractContextManager[Any] | None:
        """Return the block that ends now; None if none has begun."""
        block, self._block = self._block, None
        return block
