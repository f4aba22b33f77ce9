"""Neighboring axes of one role, kept or reduced, as one axis."""

from __future__ import annotations

from collections.abc import Collection
from itertools import groupby
from typing import NamedTuple


class AxisGroup(NamedTuple):
    """Neighboring axes.

    Attributes:
        axes: the first axis, and the first axis after the group.
        reduced: whether the axes are reduced, or kept.
    """

    axes: slice
    reduced: bool


def axis_groups(ndim: int, reduced: Collection[int]) -> list[AxisGroup]:
    """Return the groups of a sample's axes, from the outermost on.

    >>> [(group.axes.start, group.axes.stop, group.reduced) for group in axis_groups(3, (0, 1))]
    [(0, 2, True), (2, 3, False)]
    """
    groups = []
    for is_reduced, axes in groupby(range(ndim), lambda axis: axis in reduced):
        members = list(axes)
        groups.append(AxisGroup(slice(members[0], members[-1] + 1), is_reduced))
    return groups
