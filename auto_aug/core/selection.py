"""`select`: one of several operations for each sample."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...engine.conditions.runtime import if_expression
from ...engine.errors import ArgumentError
from ...engine.graph.callers import caller
from ...engine.graph.nodes import DataNode


def select(
    ops: Sequence[Callable[..., object]], selected_op_idx: DataNode, *args: object, **kwargs: object
) -> Any:
    """Apply one of several operations to each sample: `ops[selected_op_idx](*args, **kwargs)`.

    Each operation works on the samples that select it, and on no others. Functions that have `if`
    on data need a pipeline with `enable_conditionals=True`; `select` itself does not.

    Args:
        ops: functions of nodes, such as augmentations. Their results have one dtype and number of
            dimensions.
        selected_op_idx: a node of integers on the CPU, from 0 to `len(ops) - 1`, one a sample.
        args, kwargs: what the operations get. Nodes are divided among them.

    Returns:
        the result of each sample's operation.

    Raises:
        ArgumentError: there are no operations.

    >>> import numpy as np
    >>> from penstock import fn, pipeline_def, types
    >>> @pipeline_def(batch_size=3, num_threads=1)
    ... def one_of():
    ...     numbers = fn.external_source(lambda: [np.float32(4), np.float32(9), np.float32(16)])
    ...     which = fn.external_source(lambda: [np.int32(0), np.int32(1), np.int32(0)])
    ...     return select([lambda x: -x, lambda x: x * 2], which, numbers)
    >>> with one_of() as pipe:
    ...     [row.item() for row in pipe.run()[0].rows()]
    [-4.0, 18.0, -16.0]
    """
    if not ops:
        raise ArgumentError("`select` has no operations to select from.")
    line = caller()

    def of_range(first: int, last: int) -> Any:
        if first == last:
            return ops[first](*args, **kwargs)
        middle = (first + last) // 2
        return if_expression(
            selected_op_idx <= middle,
            lambda: of_range(first, middle),
            lambda: of_range(middle + 1, last),
            line,
        )

    return of_range(0, len(ops) - 1)
