"""The results of operators, as tuples of batches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import ArgumentError
from .device_tensors import TensorListGPU
from .host_tensors import TensorListCPU
from .tensor_base import TensorList


def as_results(result: Any, count: int) -> tuple[Any, ...]:
    """Return an operator's result as a tuple of `count` results; `count` may be 0."""
    results = result if isinstance(result, tuple) else (result,)
    if count == 0 and result is None:
        return ()
    if len(results) != count:
        raise ArgumentError(f"returned {len(results)} results, but has {count} outputs")
    return results


def as_tensor_lists(
    result: Any, size: int, layouts: Sequence[str], assumed: Mapping[int, str]
) -> tuple[TensorList, ...]:
    """Wrap the results of a batch operator, one a layout: see `as_tensor_list`.

    Args:
        result: the operator's result, or a tuple of results.
        size: number of samples.
        layouts: of the results; "" where unknown.
        assumed: layouts for results whose layout is unknown, by number of dimensions.
    """
    results = as_results(result, len(layouts))
    lists = (as_tensor_list(r, size, layouts[i]) for i, r in enumerate(results))
    return tuple(rows.with_assumed_layout(assumed) if assumed else rows for rows in lists)


def as_tensor_list(result: Any, size: int, layout: str) -> TensorList:
    """Wrap the result of a batch operator; check that it has `size` rows, one a sample."""
    rows = result if isinstance(result, TensorList) else TensorListCPU(result, layout)
    if isinstance(rows, TensorListGPU) and layout:
        rows = rows.with_layout(layout)
    if len(rows) != size:
        raise ArgumentError(f"returned {len(rows)} samples for a batch of {size}")
    return rows
