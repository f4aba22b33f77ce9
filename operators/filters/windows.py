"""The windows of Gaussian filters: sigma and size on each axis, and their weights."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import ceil, isfinite
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...engine.errors import ArgumentError
from ...geometry.layouts import per_axis

_LARGEST_WINDOW = 1 << 15


class GaussianWindow(NamedTuple):
    """The Gaussian window of one axis.

    Attributes:
        sigma: standard deviation, in elements.
        size: number of elements, which is odd.
    """

    sigma: float
    size: int


def window_of(sigma: float, size: int) -> GaussianWindow:
    """Return the window of a sigma and a size, of which one may be 0: it follows from the other.

    >>> window_of(1.5, 0)
    GaussianWindow(sigma=1.5, size=11)
    >>> window_of(0.0, 5)
    GaussianWindow(sigma=1.1, size=5)
    """
    if not isfinite(sigma) or sigma < 0 or size < 0 or sigma == size == 0:
        raise ArgumentError(
            f"sigma is {sigma} and window_size is {size}; neither may be negative, and one must "
            "be above 0"
        )
    if size == 0:
        size = 2 * ceil(min(3 * sigma, _LARGEST_WINDOW)) + 1
    if sigma == 0:
        sigma = ((size - 1) / 2 - 1) * 0.3 + 0.8
    if size % 2 == 0 or size > _LARGEST_WINDOW:
        raise ArgumentError(
            f"the window of sigma {sigma} has {size} elements; the number must be odd and at most "
            f"{_LARGEST_WINDOW}"
        )
    return GaussianWindow(float(sigma), size)


def windows_of(sigma: Sequence[float], sizes: Sequence[int], axes: int) -> list[GaussianWindow]:
    """Return the windows of the axes.

    Args:
        sigma, sizes: one value, or one for each axis.
        axes: number of axes.
    """
    columns = per_axis("sigma", _many(sigma), axes), per_axis("window_size", _many(sizes), axes)
    return [window_of(float(one), int(size)) for one, size in zip(*columns, strict=True)]


def _many(values: Any) -> Sequence[Any]:
    """Return the values of an argument, which may be a single number."""
    return values if isinstance(values, tuple) else (values,)


@lru_cache(256)
def weights(window: GaussianWindow) -> NDArray[np.float32]:
    """Return the weights of a window, whose sum is 1: (size,)."""
    distance = np.arange(window.size) - window.size // 2
    curve = np.exp(-(distance**2) / (2 * window.sigma**2))
    normalized: NDArray[np.float32] = (curve / curve.sum()).astype(np.float32)
    normalized.flags.writeable = False
    return normalized
