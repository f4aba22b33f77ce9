"""The nodes of a pipeline for other layouts than those of its definition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from .derivation import Axes, derive, results_of
from .nodes import Node, outputs_of


def nodes_for_layouts(
    nodes: Sequence[Node], fed: Mapping[int, tuple[Axes, ...]]
) -> dict[int, Node]:
    """Derive nodes again, for the layouts with which data came; return them by their ordinals.

    Nodes share the operators whose layouts stay as they were.

    Args:
        nodes: in the graph's order.
        fed: the axes of the outputs of open inputs, by the ordinal of the node.

    Raises:
        ArgumentError: an operator cannot take these layouts. A note names the node.
    """
    made: dict[int, Node] = {}
    for node in nodes:
        new = replace(
            node,
            inputs=tuple(made[data.node.ordinal].outputs[data.index] for data in node.inputs),
            arguments={
                name: made[data.node.ordinal].outputs[data.index]
                for name, data in node.arguments.items()
            },
        )
        new.name = node.name
        new.outputs = outputs_of(new, fed.get(node.ordinal) or _results_again(node, new))
        made[node.ordinal] = new
    return made


def _results_again(node: Node, new: Node) -> tuple[Axes, ...]:
    """Give a copied node an operator for its layouts, and return the axes of its outputs."""
    inputs = [data.axes for data in new.inputs]
    layouts = [[data.layout for data in member.dependencies()] for member in (node, new)]
    if not node.problem and layouts[0] == layouts[1]:
        return results_of(node.operator, node.sequences, inputs)
    operator = node.operator
    try:
        derived = derive(
            type(operator),
            operator.device,
            operator._constants,
            inputs,
            {name: data.layout for name, data in new.arguments.items()},
            is_open=False,
        )
    except Exception as error:
        error.add_note(f"in {node}, for the layouts with which the data came")
        raise
    derived.operator.placement = operator.placement
    new.operator, new.sequences, new.problem = derived.operator, derived.sequences, ""
    return derived.results
