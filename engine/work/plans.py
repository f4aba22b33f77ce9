"""The plans of one pipeline.

A pipeline has one plan, unless data bring layouts along that its definition does not know. Such a
pipeline has a plan for each combination of layouts. The plans have the same nodes, inputs and
outputs. Their operators and segments may differ.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..graph.derivation import Axes
from ..graph.nodes import Graph
from ..graph.operator import Operator
from ..graph.other_layouts import nodes_for_layouts
from .chain import Chain, make_chains, make_repeats
from .plan import Plan, make_plan


class Plans:
    """The plans of one pipeline, and their sample segments; one thread calls `plan_for`.

    Args:
        plan: the plan of the definition, for data that bring no layouts along.

    Attributes:
        declared: the plan of the definition.
    """

    def __init__(self, plan: Plan) -> None:
        self.declared = plan
        self._open = [source for source in plan.sources if source.operator.learns_layouts]
        self._plans: dict[tuple[tuple[Axes, ...], ...], Plan] = {}
        self._chains: dict[Plan, Mapping[int, Chain]] = {}
        self._repeats: dict[Plan, Mapping[int, Chain]] = {}
        self._enter(plan)

    def _enter(self, plan: Plan) -> None:
        chains = self._chains[plan] = make_chains(plan)
        self._repeats[plan] = dict(sorted({**chains, **make_repeats(plan)}.items()))

    def plan_for(self, number: int) -> Plan:
        """Return the plan of batch `number`, which all sources have fetched.

        Raises:
            ArgumentError: an operator cannot take the layouts of the batch, or needs a layout.
        """
        if not self._open:
            return self.declared
        axes = tuple(source.operator.batch_axes(number) for source in self._open)
        if axes not in self._plans:
            self._plans[axes] = self._new_plan(axes)
        return self._plans[axes]

    def _new_plan(self, axes: tuple[tuple[Axes, ...], ...]) -> Plan:
        declared = self.declared
        pairs = zip(self._open, axes, strict=True)
        nodes = nodes_for_layouts(declared.nodes, {given.node.ordinal: own for given, own in pairs})
        if all(nodes[node.ordinal].operator is node.operator for node in declared.nodes):
            return declared
        outputs = tuple(nodes[ordinal].outputs[i] for ordinal, i in declared.outputs)
        plan = make_plan(Graph(list(nodes.values())), outputs)
        self._enter(plan)
        return plan

    def chains_of(self, plan: Plan) -> Mapping[int, Chain]:
        """Return the chains of the sample segments of a plan, by the segment's number."""
        return self._chains[plan]

    def repeats_of(self, plan: Plan) -> Mapping[int, Chain]:
        """Return the chains that repeat the work for one row alone, by the segment's number."""
        return self._repeats[plan]

    def chains(self) -> Iterator[Chain]:
        """Yield the chains that batches may need, as far as they are known."""
        for plan, chains in list(self._chains.items()):
            if not any(node.problem for node in plan.nodes):
                yield from chains.values()

    def close(self) -> None:
        """Close the operators that the pipeline's definition does not have."""
        closed: set[Operator] = {node.operator for node in self.declared.nodes}
        for plan in self._plans.values():
            for operator in {node.operator for node in plan.nodes} - closed:
                operator.close()
                closed.add(operator)
        self._plans.clear()
