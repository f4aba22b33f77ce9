"""How large a resized image becomes, and which region of the input it shows.

Pure arithmetic, no pixels. It is DALI's, and so is its precision: extents are float32, and scales
are float64 quotients of extents. The precision decides how sizes that end in a half are rounded.

Each rule exists twice with the same results: the CPU plans one sample (`plan_resize`), and the GPU
plans a batch (`plan_resizes`). A batch of one would cost several times as much as the form for one
sample.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from math import ceil, copysign, floor, isfinite, prod
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Array, Float32s, Float64s
from ...engine.errors import ArgumentError

DEFAULT, STRETCH, NOT_LARGER, NOT_SMALLER = MODES = (
    "default",
    "stretch",
    "not_larger",
    "not_smaller",
)

MAX_EXTENT = 1 << 24
"""Maximum extent of a result, because float32 holds no larger positions exactly."""

MAX_PIXELS = 1 << 36
"""Maximum number of pixels of a result, because no machine has memory for more."""

MAX_EDGE = 1 << 30
"""Maximum distance of a region's edge from the image's, as given, because positions are int32."""

MIN_REGION = 1e-3
"""Minimum extent of a region in pixels; a thinner region is widened by as much."""

MOST_GROWTH = 10.0
"""Maximum factor of a region whose result was asked for with less than a pixel; as in DALI."""

ROUND = "round"
ROUNDINGS: Mapping[str, Callable[[float], int]] = {
    ROUND: lambda extent: floor(extent + 0.5),
    "truncate": floor,
    "ceil": ceil,
}
"""How extents become whole numbers."""

_ROUNDINGS_OF_ARRAYS: Mapping[str, Callable[[Float64s], Float64s]] = {
    ROUND: lambda extents: np.floor(extents + 0.5),
    "truncate": np.floor,
    "ceil": np.ceil,
}

_PLANS_KEPT = 4096


class Sizing(NamedTuple):
    """The arguments that say the wanted size and the region, of a sample or of a batch."""

    size: Any
    resize_x: Any
    resize_y: Any
    resize_z: Any
    resize_shorter: Any
    resize_longer: Any
    roi_start: Any
    roi_end: Any

    @classmethod
    def of(cls, arguments: Mapping[str, object]) -> Sizing:
        """Return the values of these arguments among those of an operator."""
        return cls(*_SIZING(arguments))


_SIZING = itemgetter(*Sizing._fields)


class Region(NamedTuple):
    """A region as the user gives it; `start > end` mirrors an axis."""

    start: tuple[float, ...]
    end: tuple[float, ...]
    relative: bool
    """Whether 1 stands for the extent of the image, not for a pixel."""


class ResizePlan(NamedTuple):
    """The work on one sample.

    Attributes:
        size: extents of the result, each at least 1.
        start, end: edges of the region to show, in pixels of the input. Edges may be fractional and
            outside of the input, and start > end mirrors an axis.
    """

    size: tuple[int, ...]
    start: tuple[float, ...]
    end: tuple[float, ...]


class ResizePlans(NamedTuple):
    """The work on a batch: `ResizePlan` with an array for each of its fields.

    Attributes:
        size: (batch, axes) int64.
        start, end: (batch, axes) float64.
        possible: (batch,); False where `plan_resize` raises: there size and region are one pixel.
        constant: the size, if all samples have the same and show their whole extents.
    """

    size: NDArray[np.int64]
    start: Float64s
    end: Float64s
    possible: NDArray[np.bool_]
    constant: tuple[int, ...] | None = None


@lru_cache(_PLANS_KEPT)
def plan_resize(
    extents: tuple[int, ...],
    requested: tuple[float, ...],
    *,
    mode: str = DEFAULT,
    max_size: tuple[float, ...] | None = None,
    region: Region | None = None,
    subpixel_scale: bool = True,
    alignment: tuple[float, ...] | None = None,
    rounding: str = ROUND,
) -> ResizePlan:
    """Return the size of the result and the region that fills it.

    All sequences have one value an axis.

    Args:
        extents: extents of the input in pixels, at least 1.
        requested: wanted extents; may be fractional; 0 leaves an axis to `mode`, a negative
            one mirrors it.
        mode: one of `MODES`, with the meaning of the argument `mode` of `fn.resize`.
        max_size: upper limits of the result; 0 or less is none.
        region: the region of the input that counts as the image; None is the whole.
        subpixel_scale: where rounding changes an extent, change the region in proportion.
        alignment: the point of the region that stays in its place then: 0 is the start, 1 the end.
            None is the middle.
        rounding: one of `ROUNDINGS`.

    Raises:
        ArgumentError: a value is not finite, the region is empty, or the result would be beyond
            any memory.

    >>> plan_resize((720, 1280), (480.0, 640.0), mode="not_larger").size
    (360, 640)
    """
    _check_numbers(requested, region)
    start, end = _edges(extents, region)
    shown = [abs(b - a) for a, b in zip(start, end, strict=True)]
    if region is not None and not all(shown):
        raise ArgumentError(
            f"the region {region.start} to {region.end} has no extent in float32, the type of "
            "positions; make it larger"
        )
    wanted = _extents(shown, requested, mode, max_size)
    size = _rounded(wanted, rounding)
    for axis, extent in enumerate(wanted):
        if extent < 0:
            start[axis], end[axis] = end[axis], start[axis]
        if subpixel_scale:
            growth = min(size[axis] / abs(float(extent)), MOST_GROWTH)
            point = 0.5 if alignment is None else alignment[axis]
            start[axis], end[axis] = _keep_scale(start[axis], end[axis], growth, point)
    return ResizePlan(size, tuple(map(float, start)), tuple(map(float, end)))


def plan_resizes(
    extents: NDArray[np.int64],
    requested: Float64s,
    *,
    mode: str,
    max_size: tuple[float, ...] | None,
    start: Float64s | None,
    end: Float64s | None,
    relative: bool,
    subpixel_scale: bool,
    alignment: Float64s | None = None,
    rounding: str = ROUND,
) -> ResizePlans:
    """Return `plan_resize` of each sample; arrays are of shape (batch, axes).

    `start` and `end` are the regions, None for whole images.
    """
    with np.errstate(all="ignore"):  # of samples that are not possible
        first, last = _all_edges(extents, start, end, relative)
        shown = np.abs(last - first)
        wanted = _all_extents(shown, requested.astype(np.float32), mode, max_size)
        exact = np.abs(wanted.astype(np.float64))
        size = np.fmax(_ROUNDINGS_OF_ARRAYS[rounding](exact), 1)
        possible = np.isfinite(requested).all(1) & (np.isfinite(shown) & (shown > 0)).all(1)
        for edges in (start, end):
            possible &= edges is None or (np.abs(edges) <= MAX_EDGE).all(1)
        possible &= sizes_fit(size)
        mirrored = wanted < 0
        first, last = np.where(mirrored, last, first), np.where(mirrored, first, last)
        if subpixel_scale:
            point = 0.5 if alignment is None else alignment
            first, last = _keep_all_scales(first, last, np.fmin(size / exact, MOST_GROWTH), point)
    size[~possible], first[~possible], last[~possible] = 1, 0, 1
    return ResizePlans(
        size.astype(np.int64), first.astype(np.float64), last.astype(np.float64), possible
    )


def _check_numbers(requested: tuple[float, ...], region: Region | None) -> None:
    edges = (*region.start, *region.end) if region else ()
    if not all(map(isfinite, requested)) or not all(abs(edge) <= MAX_EDGE for edge in edges):
        where = f" of the region {region.start} to {region.end}" if region else ""
        raise ArgumentError(
            f"sizes must be finite, and edges from {-MAX_EDGE} to {MAX_EDGE}, but they are "
            f"{requested}{where}"
        )


def _edges(
    extents: tuple[int, ...], region: Region | None
) -> tuple[list[np.float32], list[np.float32]]:
    """Return the region's edges in pixels, `MIN_REGION` apart at least."""
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


def _all_edges(
    extents: NDArray[np.int64], start: Float64s | None, end: Float64s | None, relative: bool
) -> tuple[Float32s, Float32s]:
    """Return `_edges` of each sample."""
    whole = extents.astype(np.float32)
    if start is None or end is None:
        return np.zeros_like(whole), whole
    units = whole if relative else np.float32(1)
    first, last = start.astype(np.float32) * units, end.astype(np.float32) * units
    extent = last - first
    margin = np.copysign(np.float32(MIN_REGION / 2), extent) * (np.abs(extent) < MIN_REGION)
    return first - margin, last + margin


def _extents(
    shown: Sequence[np.float32],
    requested: tuple[float, ...],
    mode: str,
    max_size: tuple[float, ...] | None,
) -> list[np.float32]:
    """Return the wanted extents before rounding; negative where mirrored."""
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


def _all_extents(
    shown: Float32s, wanted: Float32s, mode: str, max_size: tuple[float, ...] | None
) -> Float32s:
    """Return `_extents` of each sample."""
    wanted = wanted + np.float32(0)  # -0.0 asks for no mirroring
    scales = (wanted / shown).astype(np.float64)
    given = scales != 0
    limits = np.array([m if m > 0 else np.inf for m in max_size or (0,)], np.float32)
    if mode in (NOT_LARGER, NOT_SMALLER):
        scale = _all_common_scales(np.abs(scales), given, mode)
        scale = np.fmin(scale, (limits.astype(np.float64) / shown).min(1))[:, None]
        scaled = (shown * np.copysign(scale, scales)).astype(np.float32)
        # The quotient and the product need not give back what was asked for.
        full = np.where(np.abs(scales) == scale, wanted, scaled)
    else:
        missing = 1.0 if mode == STRETCH else _all_average_scales(np.abs(scales), given)
        full = np.where(wanted != 0, wanted, (shown * missing).astype(np.float32))
        full = np.copysign(np.minimum(np.abs(full), limits), full)
    return np.where(given.any(1)[:, None], full, shown)


def _common_scale(scales: Sequence[float], mode: str) -> float:
    choose = max if mode == NOT_SMALLER else min
    return choose(abs(scale) for scale in scales if scale)


def _all_common_scales(scales: Float64s, given: NDArray[np.bool_], mode: str) -> Float64s:
    largest = mode == NOT_SMALLER
    known = np.where(given, scales, 0.0 if largest else np.inf)
    scale: Float64s = known.max(1) if largest else known.min(1)
    return scale


def _average_scale(scales: Sequence[float]) -> float:
    """Return the geometric mean of the scales that are given."""
    given = [abs(scale) for scale in scales if scale]
    return float(prod(given) ** (1 / len(given)))


def _all_average_scales(scales: Float64s, given: NDArray[np.bool_]) -> Float64s:
    """Return `_average_scale` of each sample: (batch, 1)."""
    product = np.where(given, scales, 1.0).prod(1, keepdims=True)
    average: Float64s = product ** (1 / np.maximum(given.sum(1, keepdims=True), 1))
    return average


def _rounded(extents: Sequence[np.float32], rounding: str) -> tuple[int, ...]:
    size = tuple(max(1, ROUNDINGS[rounding](abs(float(extent)))) for extent in extents)
    check_size(size)
    return size


def check_size(size: Sequence[float]) -> None:
    """Raise ArgumentError if a result of these extents is beyond any memory."""
    if max(size) > MAX_EXTENT or prod(size) > MAX_PIXELS:
        raise ArgumentError(
            f"the result would have the extents {tuple(size)} in pixels; the longest extent that "
            f"can be made is {MAX_EXTENT}, the most pixels are {MAX_PIXELS} (check the size that "
            "was asked for against the region of interest)"
        )


def sizes_fit(size: Array) -> NDArray[np.bool_]:
    """Return for which samples `check_size` does not raise: (batch,), for (batch, axes)."""
    pixels = size.prod(1, dtype=np.float64)
    fit: NDArray[np.bool_] = (size <= MAX_EXTENT).all(1) & (pixels <= MAX_PIXELS)
    return fit


def _keep_scale(
    start: np.float32, end: np.float32, growth: float, point: float
) -> tuple[np.float32, np.float32]:
    """Scale the region about a point in it by the growth of the result in rounding."""
    if growth == 1:
        return start, end
    middle = (1 - point) * float(start) + point * float(end)
    return (
        np.float32(middle + (float(start) - middle) * growth),
        np.float32(middle + (float(end) - middle) * growth),
    )


def _keep_all_scales(
    start: Float32s, end: Float32s, growth: Float64s, point: Float64s | float
) -> tuple[Float32s, Float32s]:
    """Return `_keep_scale` of each sample."""
    middle = (1 - point) * start.astype(np.float64) + point * end.astype(np.float64)
    exact = growth == 1
    return (
        np.where(exact, start, (middle + (start - middle) * growth).astype(np.float32)),
        np.where(exact, end, (middle + (end - middle) * growth).astype(np.float32)),
    )
