"""The windows of Gaussian filters: sigma and size on each axis, and their weights."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import ceil, isfinite
from typing import NamedTuple

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


def windows_of(
    sigma: Sequence[float], window_size: Sequence[int], axes: int
) -> list[GaussianWindow]:
    """Return the windows of the axes.

    Args:
        sigma, window_size: one value, or one for each axis.
        axes: number of axes.
    """
    sizes = per_axis("window_size", np.ravel(window_size).tolist(), axes)
    columns = per_axis("sigma", np.ravel(sigma).tolist(), axes), sizes
    return [window_of(float(sigma), int(size)) for sigma, size in zip(*columns, strict=True)]


class WindowsOfBatch(NamedTuple):
    """The Gaussian windows of a batch, as in `GaussianWindow`: (batch, axes) each."""

    sigma: NDArray[np.float64]
    size: NDArray[np.int64]


def windows_together(
    sigma: NDArray[np.float64], sizes: NDArray[np.float64]
) -> tuple[WindowsOfBatch, NDArray[np.bool_]]:
    """Return the windows of a batch, and for which samples `window_of` raises: (batch,).

    Args:
        sigma, sizes: (batch, axes), both of them.
    """
    good = np.isfinite(sigma) & (sigma >= 0) & (sizes >= 0) & ((sigma > 0) | (sizes > 0))
    sigma, sizes = np.where(good, sigma, 1.0), np.where(good, sizes, 1)
    derived = 2 * np.ceil(np.minimum(3 * sigma, _LARGEST_WINDOW)) + 1
    size = np.where(sizes == 0, derived, sizes).astype(np.int64)
    spread = np.where(sigma == 0, ((size - 1) / 2 - 1) * 0.3 + 0.8, sigma)
    good &= (size % 2 == 1) & (size <= _LARGEST_WINDOW)
    wrong: NDArray[np.bool_] = ~np.all(good, axis=1)
    return WindowsOfBatch(spread, size), wrong


def weights_together(windows: WindowsOfBatch) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Return the weights of windows, and where those of each window start: (batch, axes).

    Windows that are the same for all samples, or for all axes, have the same weights.
    """
    sigma, size = windows
    for axis in (0, 1):
        first = sigma.take([0], axis), size.take([0], axis)
        if (first[0] == sigma).all() and (first[1] == size).all():
            sigma, size = first
    sizes = size.reshape(-1)
    starts = np.cumsum(sizes) - sizes
    distance = np.arange(sizes.sum()) - np.repeat(starts + sizes // 2, sizes)
    curve = np.exp(-(distance**2) / np.repeat(2 * sigma.reshape(-1) ** 2, sizes))
    curve /= np.repeat(np.add.reduceat(curve, starts), sizes)
    return curve.astype(np.float32), np.broadcast_to(starts.reshape(size.shape), windows.size.shape)


@lru_cache(256)
def weights(window: GaussianWindow) -> NDArray[np.float32]:
    """Return the weights of a window, whose sum is 1: (size,)."""
    one = WindowsOfBatch(np.array([[window.sigma]]), np.array([[window.size]]))
    result = weights_together(one)[0]
    result.flags.writeable = False
    return result
