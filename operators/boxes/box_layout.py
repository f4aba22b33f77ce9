"""The order of the columns of boxes: edges, or a corner and a size, in two or three dimensions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...engine.errors import ArgumentError
from ...engine.graph.operator import Array

_EDGES = {2: "xyXY", 3: "xyzXYZ"}
_SIZES = {2: "xyWH", 3: "xyzWHD"}
_SLACK = 1e-5  # boxes may reach so far beyond the image, because of rounding errors


@dataclass(frozen=True)
class BoxLayout:
    """What the columns of boxes hold.

    Attributes:
        dimensions: 2 or 3.
        columns: the columns of x, y (and z) of the lower corner, then of the upper corner or the
            size.
        sized: whether boxes have a size instead of an upper corner.
    """

    dimensions: int
    columns: tuple[int, ...]
    sized: bool

    def corners(self, boxes: Array) -> Array:
        """Return the lower corners, then the upper corners: (2 * dimensions, boxes)."""
        corners: Array = boxes.T.take(self.columns, axis=0)
        if self.sized:
            corners[self.dimensions :] += corners[: self.dimensions]
        return corners

    def write(self, corners: Array, out: Array) -> None:
        """Write boxes whose corners are given as `corners` returns them."""
        if self.sized:
            corners[self.dimensions :] -= corners[: self.dimensions]
        out.T[list(self.columns)] = corners


def box_layout(owner: str, layout: str, dimensions: int, *, ltrb: bool = True) -> BoxLayout:
    """Return the layout that an argument names; "" is "xyXY", or "xyWH" without `ltrb`.

    >>> box_layout("fn.some", "yxHW", 2)
    BoxLayout(dimensions=2, columns=(1, 0, 3, 2), sized=True)

    Raises:
        ArgumentError: the letters are not those of boxes with this number of dimensions.
    """
    layout = layout or (_EDGES if ltrb else _SIZES)[dimensions]
    for letters in (_EDGES[dimensions], _SIZES[dimensions]):
        if sorted(layout) == sorted(letters):
            columns = tuple(layout.index(letter) for letter in letters)
            return BoxLayout(dimensions, columns, letters == _SIZES[dimensions])
    raise ArgumentError(
        f"{owner}: bbox_layout is {layout!r}, but must have the letters of {_EDGES[dimensions]!r} "
        f"or {_SIZES[dimensions]!r} for boxes with {dimensions} dimensions"
    )


def check_in_image(owner: str, corners: Array) -> Array:
    """Return corners that lie in the image; corners beyond it by rounding errors are moved.

    Args:
        owner: the operator, for messages.
        corners: as `BoxLayout.corners` returns them, relative to the image.

    Raises:
        ArgumentError: a box lies outside of the image, or is not a number.
    """
    if corners.size == 0:
        return corners
    lower, upper = corners[: len(corners) // 2], corners[len(corners) // 2 :]
    least, most = np.minimum.reduce(corners, axis=None), np.maximum.reduce(corners, axis=None)
    if least >= 0 and most <= 1:
        return corners
    right = (np.minimum(lower, upper) >= -_SLACK) & (np.maximum(lower, upper) <= 1 + _SLACK)
    if right.all():
        return np.clip(corners, 0, 1)
    box = int(np.flatnonzero(~right.all(axis=0))[0])
    raise ArgumentError(
        f"{owner}: box {box} reaches from {lower[:, box].tolist()} to {upper[:, box].tolist()}; "
        "coordinates are relative to the image, from 0 to 1"
    )
