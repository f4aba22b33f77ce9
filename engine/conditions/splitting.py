"""`fn._conditional`: batches that a definition splits and merges itself, without `if`.

>>> import numpy as np
>>> from penstock import fn, pipeline_def
>>> @pipeline_def(batch_size=3, num_threads=1)
... def define():
...     number = fn.external_source(lambda: [np.int32(1), np.int32(2), np.int32(3)])
...     large, small = fn._conditional.split(number, predicate=number > 1)
...     return fn._conditional.merge(large * 10, small, predicate=number > 1)
>>> with define() as pipe:
...     pipe.run()[0].as_array().tolist()
[1, 20, 30]
"""

from __future__ import annotations

from typing import Any

from ..graph.branch_operators import Merge, Truth
from ..graph.branches import Branch
from ..graph.callers import caller
from ..graph.copies import Copy
from ..graph.nodes import DataNode, add_node, branch_of, in_branch


def split(data: Any, *, predicate: DataNode, **_compatible: Any) -> list[DataNode]:
    """Return the samples that meet a condition, and those that do not.

    Operators that get one of the two compute its samples alone. Only `merge` takes both.

    Args:
        data: a node, or a constant.
        predicate: a single number for each sample, which is true if it is not 0.
    """
    parts: list[DataNode] = []
    for branch in _branches(predicate, data):
        with in_branch(branch):
            device = data.device if isinstance(data, DataNode) else "cpu"
            parts += add_node(Copy, (data,), {}, device=device)
    return parts


def _branches(predicate: DataNode, data: object) -> list[Branch[DataNode]]:
    """Return the two branches of a condition: the same ones for all data that it splits."""
    outer = branch_of((predicate, *([data] if isinstance(data, DataNode) else [])))
    known: dict[Any, list[Branch[DataNode]]] = vars(predicate.node).setdefault("_splits", {})
    key = predicate.index, outer
    if key not in known:
        condition, where = _truth(predicate, "if"), f"the split at {caller()}"
        known[key] = [
            Branch(condition, side, outer, where, is_split=True) for side in (True, False)
        ]
    return known[key]


def merge(if_true: DataNode, if_false: DataNode, *, predicate: DataNode) -> DataNode:
    """Return each sample from one of two parts, as `split` has made them."""
    parts = (if_true, if_false)
    made = " and ".join(dict.fromkeys(part.node.made_at for part in parts))
    what = f"the data merged at {caller()} (made at {made})"
    (merged,) = add_node(Merge, (_truth(predicate, "if"), *parts), {"what": what})
    return merged


def not_(data: DataNode) -> DataNode:
    """Return whether a number is 0."""
    return _truth(data, "not", negated=True)


def validate_logical(data: DataNode, *, expression_name: str, expression_side: str) -> DataNode:
    """Return truth values; samples that are no single value of type bool are errors."""
    return _truth(data, expression_name, side=expression_side)


def _truth(data: DataNode, word: str, **arguments: object) -> DataNode:
    (result,) = add_node(Truth, (data.cpu(),), {"word": word, "line": caller(), **arguments})
    return result
