"""The keys of the operators' random numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..graph.copies import Transfer
from ..graph.nodes import Node, StoredCall
from ..graph.operator import Operator
from ..order import philox

_FROM_SEED = -1  # an operator's `seed` that means: derived from the pipeline's


def random_keys(nodes: Sequence[Node], seed: int) -> dict[int, int]:
    """Return the key of each node, by its ordinal, on whichever device the node runs.

    An operator's own seed alone decides its key. The other keys follow from the pipeline's seed
    and the number of the call among all calls, so the nodes of one call have the same key.

    Args:
        nodes: all nodes of a graph, so that no key depends on which data the pipeline returns.
            Copies between devices do not count.
        seed: of the pipeline.
    """
    nodes = [node for node in nodes if not isinstance(node.operator, Transfer)]
    numbers = call_numbers(nodes)
    return {node.ordinal: random_key(node.operator, numbers[node.call], seed) for node in nodes}


def call_numbers(nodes: Sequence[Node]) -> dict[object, int]:
    """Return the number of each call among all calls: see `random_keys`."""
    calls: dict[object, int] = {}
    for node in nodes:
        if isinstance(node.call, StoredCall):
            calls[node.call] = node.call.number
        elif not isinstance(node.operator, Transfer):
            calls.setdefault(node.call, len(calls))
    return calls


def draws_from_seed(nodes: Iterable[Node]) -> bool:
    """Return whether an operator draws random numbers from the pipeline's seed."""
    operators = (node.operator for node in nodes)
    return any(operator.is_random and operator.seed == _FROM_SEED for operator in operators)


def random_key(operator: Operator, number: int, seed: int) -> int:
    """Return the key of an operator: see `random_keys`.

    Args:
        operator: the operator.
        number: of its call among all calls.
        seed: of the pipeline.
    """
    if operator.seed != _FROM_SEED:
        return philox.mix(operator.seed)
    return philox.mix(seed, philox.mix(number, _FROM_SEED))
