"""Routes: the plans that the batches of one pipeline follow.

A pipeline has one plan, unless data bring layouts along that its definition does not know. Such a
pipeline has a plan for each combination of layouts. The plans have the same nodes, inputs and
outputs. Their operators and segments may differ.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..graph.derivation import Axes
from ..graph.nodes import Graph, nodes_for_layouts
from ..graph.operator import Operator
from .chain import Chain, make_chains, make_repeats
from .plan import Plan, make_plan


class Route:
    """One plan, and its sample segments ready for work.

    Attributes:
        plan: the plan.
        chains: the sample segments, by number.
        repeats: the chains that repeat the work for one row alone, by segment.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.chains = make_chains(plan)
        self.repeats = dict(sorted({**self.chains, **make_repeats(plan)}.items()))


class Routes:
    """The routes of one pipeline; one thread calls `route_for`.

    Args:
        plan: the plan of the definition, for data without layouts of their own.

    Attributes:
        declared: the route of `plan`.
    """

    def __init__(self, plan: Plan) -> None:
        self.declared = Route(plan)
        self._open = [source for source in plan.sources if source.operator.learns_layouts]
        self._routes: dict[tuple[tuple[Axes, ...], ...], Route] = {}

    def route_for(self, number: int) -> Route:
        """Return the route of batch `number`, which all sources have fetched.

        Raises:
            ArgumentError: an operator cannot take the layouts of the batch, or needs a layout.
        """
        if not self._open:
            return self.declared
        axes = tuple(each.operator.batch_axes(number) for each in self._open)
        if axes not in self._routes:
            self._routes[axes] = self._new_route(axes)
        return self._routes[axes]

    def _new_route(self, axes: tuple[tuple[Axes, ...], ...]) -> Route:
        plan = self.declared.plan
        pairs = zip(self._open, axes, strict=True)
        nodes = nodes_for_layouts(plan.nodes, {each.node.ordinal: own for each, own in pairs})
        if all(nodes[node.ordinal].operator is node.operator for node in plan.nodes):
            return self.declared
        outputs = tuple(nodes[ordinal].outputs[i] for ordinal, i in plan.outputs)
        return Route(make_plan(Graph(list(nodes.values())), outputs))

    def chains(self) -> Iterator[Chain]:
        """Yield the chains that batches may need, as far as they are known."""
        if not any(node.problem for node in self.declared.plan.nodes):
            yield from self.declared.chains.values()
        for route in list(self._routes.values()):
            if route is not self.declared:
                yield from route.chains.values()

    def close(self) -> None:
        """Close the operators that the pipeline's definition does not have."""
        closed: set[Operator] = {node.operator for node in self.declared.plan.nodes}
        for route in list(self._routes.values()):
            for operator in {node.operator for node in route.plan.nodes} - closed:
                operator.close()
                closed.add(operator)
        self._routes.clear()
