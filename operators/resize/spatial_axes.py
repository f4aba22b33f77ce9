"""Which axes of a sample a resize changes."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...engine.errors import ArgumentError

_LAYOUT = re.compile("([FC]*)(D?HW)(C?)")


@dataclass(frozen=True, slots=True)
class SpatialAxes:
    """The axes of a sample that are resampled.

    Attributes:
        first: index of the first spatial axis; each index in front of it selects an image.
        spatial: the slice of a shape that holds the spatial extents.
        count: number of spatial axes, 2 or 3.
        ndim: number of dimensions of a sample.
        channels_last: whether an axis of channels follows the spatial axes.
    """

    first: int
    spatial: slice
    count: int
    ndim: int
    channels_last: bool

    def image_counts(self, shapes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the number of images in each sample of a batch."""
        counts: NDArray[np.int64] = shapes[:, : self.first].prod(1)
        return counts

    def channel_counts(self, shapes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the number of channels after the spatial axes in each sample of a batch."""
        return shapes[:, -1] if self.channels_last else np.ones_like(shapes[:, 0])


def spatial_axes(owner: str, layout: str) -> SpatialAxes:
    """Return the axes that a layout names.

    Raises:
        ArgumentError: the layout does not describe images, videos or volumes.
    """
    match = _LAYOUT.fullmatch(layout)
    if match is None or len(set(layout)) != len(layout):
        raise ArgumentError(
            f"{owner} cannot resize the layout {layout!r}. H, W (or D, H, W) must be adjacent. C "
            "may come before or after them, and F must come before them. Examples are HW, HWC, "
            "CHW, FHWC, FCHW, CFHW, DHWC and CDHW"
        )
    first, end = match.span(2)
    return SpatialAxes(first, slice(first, end), end - first, len(layout), bool(match[3]))
