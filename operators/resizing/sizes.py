"""`_resize_size.plan` for all samples of a batch at once, with the same results to the last bit."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .size import MAX_EXTENT, MIN_REGION, NOT_LARGER, NOT_SMALLER, STRETCH

Float32s = NDArray[np.float32]
Float64s = NDArray[np.float64]


class Plans(NamedTuple):
    """A `Plan` for each sample of a batch.

    Attributes:
        size: (batch, axes) int64.
        start, end: (batch, axes) float64.
        possible: (batch,); False where `plan` raises: there size and region are one pixel.
        constant: the size, if it is that of all samples, and their whole extents are shown.
    """

    size: NDArray[np.int64]
    start: Float64s
    end: Float64s
    possible: NDArray[np.bool_]
    constant: tuple[int, ...] | None = None


def plan_all(
    extents: NDArray[np.int64],
    requested: Float64s,
    *,
    mode: str,
    max_size: tuple[float, ...] | None,
    start: Float64s | None,
    end: Float64s | None,
    relative: bool,
    subpixel_scale: bool,
) -> Plans:
    """Plan a batch; see `plan`. Arrays are of shape (batch, axes).

    `start` and `end` are the regions, None for whole images.
    """
    with np.errstate(all="ignore"):  # rows that are not possible
        first, last = _edges(extents, start, end, relative)
        shown = np.abs(last - first)
        wanted = _extents(shown, requested.astype(np.float32), mode, max_size)
        exact = np.abs(wanted.astype(np.float64))
        size = np.fmax(np.floor(exact + 0.5), 1)
        possible = np.isfinite(requested).all(1) & (np.isfinite(shown) & (shown > 0)).all(1)
        possible &= (size <= MAX_EXTENT).all(1)
        mirrored = wanted < 0
        first, last = np.where(mirrored, last, first), np.where(mirrored, first, last)
        if subpixel_scale:
            first, last = _keep_scale(first, last, size / exact)
    size[~possible], first[~possible], last[~possible] = 1, 0, 1
    return Plans(size.astype(np.int64), first.astype(np.float64), last.astype(np.float64), possible)


def _edges(
    extents: NDArray[np.int64], start: Float64s | None, end: Float64s | None, relative: bool
) -> tuple[Float32s, Float32s]:
    """The regions' edges in pixels, with room between them."""
    whole = extents.astype(np.float32)
    if start is None or end is None:
        return np.zeros_like(whole), whole
    units = whole if relative else np.float32(1)
    first, last = start.astype(np.float32) * units, end.astype(np.float32) * units
    extent = last - first
    margin = np.copysign(np.float32(MIN_REGION / 2), extent) * (np.abs(extent) < MIN_REGION)
    return first - margin, last + margin


def _extents(
    shown: Float32s, wanted: Float32s, mode: str, max_size: tuple[float, ...] | None
) -> Float32s:
    """The wanted extents before rounding; negative where mirrored."""
    wanted = wanted + np.float32(0)  # -0.0 asks for no mirroring
    scales = (wanted / shown).astype(np.float64)
    given = scales != 0
    limits = np.array([m if m > 0 else np.inf for m in max_size or (0,)], np.float32)
    if mode in (NOT_LARGER, NOT_SMALLER):
        scale = _common_scale(np.abs(scales), given, mode)
        scale = np.fmin(scale, (limits.astype(np.float64) / shown).min(1))[:, None]
        scaled = (shown * np.copysign(scale, scales)).astype(np.float32)
        # The quotient and the product need not give back what was asked for.
        full = np.where(np.abs(scales) == scale, wanted, scaled)
    else:
        missing = 1.0 if mode == STRETCH else _average_scale(np.abs(scales), given)
        full = np.where(wanted != 0, wanted, (shown * missing).astype(np.float32))
        full = np.copysign(np.minimum(np.abs(full), limits), full)
    return np.where(given.any(1)[:, None], full, shown)


def _common_scale(scales: Float64s, given: NDArray[np.bool_], mode: str) -> Float64s:
    largest = mode == NOT_SMALLER
    known = np.where(given, scales, 0.0 if largest else np.inf)
    scale: Float64s = known.max(1) if largest else known.min(1)
    return scale


def _average_scale(scales: Float64s, given: NDArray[np.bool_]) -> Float64s:
    """The geometric mean of the scales that are given: (batch, 1)."""
    product = np.where(given, scales, 1.0).prod(1, keepdims=True)
    average: Float64s = product ** (1 / np.maximum(given.sum(1, keepdims=True), 1))
    return average


def _keep_scale(start: Float32s, end: Float32s, grown: Float64s) -> tuple[Float32s, Float32s]:
    """Scale the regions about their middle by what rounding did to the result."""
    middle = (start.astype(np.float64) + end) / 2
    exact = grown == 1
    return (
        np.where(exact, start, (middle + (start - middle) * grown).astype(np.float32)),
        np.where(exact, end, (middle + (end - middle) * grown).astype(np.float32)),
    )
