"""Reductions along axes with NumPy.

NumPy is slow in loops of a few elements, such as those over the channels of a pixel. So axes are
reduced from the outermost on, which leaves long loops, and a short last axis as a few arrays.
"""

from __future__ import annotations

from collections.abc import Collection
from math import prod

import numpy as np

from ...engine.arrays import DType
from ...engine.graph.context import Workspace
from ...engine.graph.operator import Array
from .axis_groups import axis_groups

MIN_CALL_EXTENT = 16
"""Extent of a last axis from which one call of NumPy reduces the axis."""

NARROW_ELEMENTS = 64
"""Elements behind a reduced axis, below which the axis is folded."""

FOLD_ELEMENTS = 512
"""Number of elements of a folded axis that are reduced side by side."""


def reduce_axes(
    workspace: Workspace,
    function: np.ufunc,
    data: Array,
    axes: Collection[int],
    dtype: DType,
) -> Array:
    """Return `function` over all elements along the axes.

    Args:
        function: `np.add`, `np.minimum` or `np.maximum`.
        data: any array.
        axes: to reduce; not negative.
        dtype: to compute in.

    Returns:
        the results of dtype `dtype`; reduced axes have the extent 1.
    """
    shape = data.shape
    groups = axis_groups(data.ndim, axes)
    result = np.ascontiguousarray(data).reshape([prod(shape[group.axes]) for group in groups])
    for axis, group in enumerate(groups):
        if group.reduced:
            result = _reduced(workspace, function, result, axis, dtype)
    wanted = [1 if axis in axes else extent for axis, extent in enumerate(shape)]
    return result.astype(dtype, copy=False).reshape(wanted)


def _reduced(
    workspace: Workspace, function: np.ufunc, data: Array, axis: int, dtype: DType
) -> Array:
    extent, inner = data.shape[axis], prod(data.shape[axis + 1 :])
    if axis < data.ndim - 1 and inner < NARROW_ELEMENTS and extent >= 2 * FOLD_ELEMENTS:
        return _folded(function, data, axis, dtype)
    if axis < data.ndim - 1 or not 0 < extent < MIN_CALL_EXTENT:
        whole: Array = function.reduce(data, axis, dtype, keepdims=True)
        return whole
    result = workspace.scratch(data.shape[:-1], dtype)
    np.copyto(result, data[..., 0], casting="unsafe")
    for i in range(1, extent):
        function(result, data[..., i], out=result, dtype=dtype, casting="unsafe")
    return result[..., np.newaxis]


def _folded(function: np.ufunc, data: Array, axis: int, dtype: DType) -> Array:
    """Reduce an axis that has few elements behind it: first to at most two folds."""
    before, extent = prod(data.shape[:axis]), data.shape[axis]
    inner, turns = prod(data.shape[axis + 1 :]), extent // FOLD_ELEMENTS
    columns = data.reshape(before, extent, inner)
    whole = columns[:, : turns * FOLD_ELEMENTS].reshape(before, turns, FOLD_ELEMENTS * inner)
    first = function.reduce(whole, 1, dtype).reshape(before, FOLD_ELEMENTS, inner)
    rest = columns[:, turns * FOLD_ELEMENTS :].astype(dtype)
    result: Array = function.reduce(np.concatenate([first, rest], axis=1), 1, dtype)
    return result.reshape(*data.shape[:axis], 1, *data.shape[axis + 1 :])
