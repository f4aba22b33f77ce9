"""The axes of a sample along which a filter works."""

from __future__ import annotations

import numpy as np

from ...engine.errors import ArgumentError
from ...engine.graph.operator import Array

MOST_AXES = 3


def filter_axes(owner: str, layout: str, ndim: int) -> tuple[int, ...]:
    """Return the axes along which a sample is filtered: all but F and C.

    Args:
        owner: the operator, for messages.
        layout: of the sample; "" if all its axes are data.
        ndim: number of dimensions of the sample.
    """
    if layout and len(layout) != ndim:
        raise ArgumentError(
            f"the layout {layout!r} names {len(layout)} dimensions, but the sample has {ndim}"
        )
    data = tuple(i for i in range(ndim) if not layout or layout[i] not in "FC")
    if not 1 <= len(data) <= MOST_AXES or data != tuple(range(data[0], data[0] + len(data))):
        raise ArgumentError(
            f"{owner} filters 1 to {MOST_AXES} axes that follow one another, with F before and C "
            f"before or after them, but the sample of {ndim} dimensions is {layout!r}"
        )
    return data


def parts_of(data: Array, axes: tuple[int, ...]) -> Array:
    """Return a sample as parts that are filtered alone: (parts, *axes, channels).

    Args:
        data: the sample; a copy is made if it is not contiguous.
        axes: what `filter_axes` returns.
    """
    spatial = data.shape[axes[0] : axes[-1] + 1]
    channels = data.shape[axes[-1] + 1] if axes[-1] + 1 < data.ndim else 1
    return np.ascontiguousarray(data).reshape(-1, *spatial, channels)
