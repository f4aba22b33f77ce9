"""The keys of the operators' random numbers."""

from __future__ import annotations

from collections.abc import Iterable

from ..graph.nodes import Node
from ..order import philox

_FROM_SEED = -1  # an operator's `seed` that means: derived from the pipeline's


def random_keys(nodes: Iterable[Node], seed: int) -> dict[int, int]:
    """Return the key of each node, by its ordinal, on whichever device the node runs.

    An operator's own seed alone decides its key. The other keys follow from the pipeline's seed
    and the number of the call among all calls, so the nodes of one call have the same key.

    Args:
        nodes: the nodes of a plan, without copies between devices.
        seed: of the pipeline.
    """
    calls: dict[object, int] = {}
    keys = {}
    for node in nodes:
        number = calls.setdefault(node.call, len(calls))
        own = node.operator.seed
        keys[node.ordinal] = (
            philox.mix(seed, philox.mix(number, _FROM_SEED))
            if own == _FROM_SEED
            else philox.mix(own)
        )
    return keys
