"""Taking a window out of a sample, on the CPU."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...engine.errors import ArgumentError
from ...engine.operator import Array, Row
from ...engine.windows import Window
from ..numeric.convert import cut_off
from .window import WindowOperator


def extract(
    row: Row,
    sample: Array,
    window: Window,
    operator: WindowOperator,
    layout: str,
) -> Array:
    """Return what the window shows: a view where nothing is converted or added.

    Args:
        row: the sample's memory.
        sample: array of any shape and type.
        window: where to look.
        operator: whose arguments tell the element type and what is seen outside.
        layout: of the sample; tells where the channels are. May be "".
    """
    dtype, policy = operator.target or sample.dtype, operator.out_of_bounds_policy
    if window.fits(sample.shape):
        return _converted(row, sample[window.slices()], dtype)
    if policy in ("pad", "constant"):
        out = row.empty(window.shape, dtype)
        fill(out, operator.fill_values, layout)
        seen = window.trimmed(sample.shape)
        part = out[place_in(window, seen).slices()]
        cut_off(sample[seen.slices()], part)
        return out
    return _converted(row, _repeated(sample, window, policy), dtype)


def _converted(row: Row, view: Array, dtype: np.dtype[Any]) -> Array:
    if view.dtype == dtype:
        return view
    out = row.empty(view.shape, dtype)
    cut_off(view, out)
    return out


def place_in(window: Window, seen: Window) -> Window:
    """Return where `seen`, a part of `window` in the sample's coordinates, lies in the window."""
    offset = zip(seen.start, window.start, seen.shape, strict=True)
    return Window(tuple(a - b if n else 0 for a, b, n in offset), seen.shape)


def fill(out: Array, values: Sequence[float], layout: str) -> None:
    """Set every element to `values[0]`, or to its channel's value if there are several."""
    fill_with = fills(values, out.dtype)
    if len(values) == 1:
        out[...] = fill_with[0]
        return
    shape = [1] * out.ndim
    shape[fill_channels(values, out.shape, layout)] = -1
    out[...] = fill_with.reshape(shape)


def fills(values: Sequence[float], dtype: np.dtype[Any]) -> Array:
    """Return `fill_values` in the type of the result."""
    result = np.empty(len(values), dtype)
    cut_off(np.array(values), result)
    return result


def fill_channels(values: Sequence[float], shape: tuple[int, ...], layout: str) -> int:
    """Return the axis for each of whose places `values` has one."""
    channels = layout.find("C")
    if channels < 0 or shape[channels] != len(values):
        raise ArgumentError(
            f"fill_values has {len(values)} values, but the result has the shape {shape} and "
            f"the layout {layout!r}; give one value, or one for each channel"
        )
    return channels


def _repeated(sample: Array, window: Window, policy: str) -> Array:
    check_repeatable(window.shape, sample.shape, policy)
    for axis, (start, count) in enumerate(zip(*window, strict=True)):
        where = source_index(np.arange(start, start + count), sample.shape[axis], policy)
        sample = sample.take(where, axis)
    return sample


def check_repeatable(wanted: Sequence[int], extents: tuple[int, ...], policy: str) -> None:
    """Raise where elements are wanted along an axis that has none."""
    if any(count and not size for count, size in zip(wanted, extents, strict=True)):
        raise ArgumentError(
            f'the policy "{policy}" repeats the sample, but its shape is {extents}: '
            'there is nothing to repeat; use the policy "pad"'
        )


def source_index(where: Array, size: int, policy: str) -> Array:
    """Return for coordinates on an axis of `size` elements which element is seen there."""
    if policy in ("edge", "clamp"):
        return where.clip(0, size - 1)
    if policy == "wrap":
        return np.remainder(where, size)
    if policy in ("reflect", "reflect_1001"):
        folded = np.remainder(where, 2 * size)
        mirrored = 2 * size - 1 - folded
    else:  # reflect_101: the edge element is not repeated
        period = max(2 * size - 2, 1)
        folded = np.remainder(where, period)
        mirrored = period - folded
    return np.where(folded < mirrored, folded, mirrored)
