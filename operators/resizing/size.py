"""How large a resized image becomes, and which region of the input it shows.

Pure arithmetic, no pixels. It is DALI's, and so is its precision: extents are float32 and
scales float64 quotients of them, which decides how sizes that end in a half are rounded.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import copysign, floor, isfinite
from typing import NamedTuple

import numpy as np

from ...engine.errors import ArgumentError

DEFAULT, STRETCH, NOT_LARGER, NOT_SMALLER = MODES = (
    "default",
    "stretch",
    "not_larger",
    "not_smaller",
)

MAX_EXTENT = 1 << 24  # float32, in which positions are computed, holds no larger ones exactly
MIN_REGION = 1e-3  # a region thinner than this many pixels is widened by as much
_PLANS_KEPT = 4096


class Region(NamedTuple):
    """A region as the user gives it; `start > end` mirrors an axis."""

    start: tuple[float, ...]
    end: tuple[float, ...]
    relative: bool
    """Whether 1 stands for the extent of the image, not for a pixel."""


class Plan(NamedTuple):
    """What to compute.

    Attributes:
        size: extents of the result, each at least 1.
        start, end: edges of the region to show, in pixels of the input; may be fractional,
            may lie outside of the input, and start > end mirrors an axis.
    """

    size: tuple[int, ...]
    start: tuple[float, ...]
    end: tuple[float, ...]


@lru_cache(_PLANS_KEPT)
def plan(
    extents: tuple[int, ...],
    requested: tuple[float, ...],
    *,
    mode: str = DEFAULT,
    max_size: tuple[float, ...] | None = None,
    region: Region | None = None,
    subpixel_scale: bool = True,
) -> Plan:
    """Return the size of the result and the region that fills it.

    All sequences have one value an axis.

    Args:
        extents: extents of the input in pixels, at least 1.
        requested: wanted extents; may be fractional; 0 leaves an axis to `mode`, a negative
            one mirrors it.
        mode: one of `MODES`, with the meaning of the argument `mode` of `fn.resize`.
        max_size: upper limits of the result; 0 or less is none.
        region: what part of the input counts as the image; None is the whole.
        subpixel_scale: where rounding changes an extent, change the region in proportion.

    Raises:
        ArgumentError: a value is not finite, the region is empty, or the result would be beyond
            any memory.

    >>> plan((720, 1280), (480.0, 640.0), mode="not_larger").size
    (360, 640)
    """
    _check_finite(requested, region)
    start, end = _edges(extents, region)
    shown = [abs(b - a) for a, b in zip(start, end, strict=True)]
    if region is not None and not all(shown):
        raise ArgumentError(
            f"the region {region.start} to {region.end} has no extent in float32, the type of "
            "positions; make it larger"
        )
    wanted = _extents(shown, requested, mode, max_size)
    size = tuple(_rounded(extent) for extent in wanted)
    for axis, extent in enumerate(wanted):
        if extent < 0:
            start[axis], end[axis] = end[axis], start[axis]
        if subpixel_scale:
            start[axis], end[axis] = _keep_scale(
                start[axis], end[axis], size[axis] / abs(float(extent))
            )
    return Plan(size, tuple(map(float, start)), tuple(map(float, end)))


def _check_finite(requested: tuple[float, ...], region: Region | None) -> None:
    edges = (*region.start, *region.end) if region else ()
    if not all(map(isfinite, (*requested, *edges))):
        where = f" of the region {region.start} to {region.end}" if region else ""
        raise ArgumentError(f"sizes and edges must be finite, but are {requested}{where}")


def _edges(
    extents: tuple[int, ...], region: Region | None
) -> tuple[list[np.float32], list[np.float32]]:
    """The region's edges in pixels, with room between them."""
    if region is None:
        return [np.float32(0)] * len(extents), [np.float32(extent) for extent in extents]
    units = extents if region.relative else (1,) * len(extents)
    start = [np.float32(a) * np.float32(unit) for a, unit in zip(region.start, units, strict=True)]
    end = [np.float32(b) * np.float32(unit) for b, unit in zip(region.end, units, strict=True)]
    for axis, (a, b) in enumerate(zip(start, end, strict=True)):
        if abs(b - a) < MIN_REGION:
            margin = np.float32(copysign(MIN_REGION / 2, b - a))
            start[axis], end[axis] = a - margin, b + margin
    return start, end


def _extents(
    shown: Sequence[np.float32],
    requested: tuple[float, ...],
    mode: str,
    max_size: tuple[float, ...] | None,
) -> list[np.float32]:
    """The wanted extents before rounding; negative where mirrored."""
    wanted = [np.float32(extent + 0.0) for extent in requested]  # -0.0 asks for no mirroring
    if not any(wanted):
        return list(shown)
    scales = [float(b / a) for a, b in zip(shown, wanted, strict=True)]
    limits = [np.float32(limit) if limit > 0 else None for limit in max_size or [0] * len(shown)]
    if mode in (NOT_LARGER, NOT_SMALLER):
        scale = _common_scale(scales, mode)
        bounds = (float(m) / float(a) for a, m in zip(shown, limits, strict=True) if m is not None)
        scale = min([scale, *bounds])
        return [
            # The quotient and the product need not give back what was asked for.
            b if abs(s) == scale else np.float32(float(a) * copysign(scale, s))
            for a, b, s in zip(shown, wanted, scales, strict=True)
        ]
    missing = 1.0 if mode == STRETCH else _average_scale(scales)
    full = [b or np.float32(float(a) * missing) for a, b in zip(shown, wanted, strict=True)]
    return [
        b if m is None or abs(b) <= m else np.copysign(m, b)
        for b, m in zip(full, limits, strict=True)
    ]


def _common_scale(scales: Sequence[float], mode: str) -> float:
    choose = max if mode == NOT_SMALLER else min
    return choose(abs(scale) for scale in scales if scale)


def _average_scale(scales: Sequence[float]) -> float:
    """The geometric mean of the scales that are given."""
    given = [abs(scale) for scale in scales if scale]
    product = 1.0
    for scale in given:
        product *= scale
    return float(product ** (1 / len(given)))


def _rounded(extent: np.float32) -> int:
    size = max(1, floor(abs(float(extent)) + 0.5))
    if size > MAX_EXTENT:
        raise ArgumentError(
            f"the result would be {size} pixels long; the longest that can be made has "
            f"{MAX_EXTENT} (check the size that was asked for against the region of interest)"
        )
    return size


def _keep_scale(start: np.float32, end: np.float32, grown: float) -> tuple[np.float32, np.float32]:
    """Scale the region about its middle by what rounding did to the result."""
    if grown == 1:
        return start, end
    middle = (float(start) + float(end)) / 2
    return (
        np.float32(middle + (float(start) - middle) * grown),
        np.float32(middle + (float(end) - middle) * grown),
    )
