"""Windows of samples on the CPU, and the values outside of a sample."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...engine.arrays import DType
from ...engine.errors import ArgumentError
from ...engine.graph.context import Workspace
from ...engine.graph.operator import Array
from ...geometry.windows import Window
from ..elementwise.target_dtype import cut_off
from .window_operator import WindowOperator


def extract(
    workspace: Workspace,
    sample: Array,
    window: Window,
    operator: WindowOperator,
    layout: str,
) -> Array:
    """Return the window of a sample: a view where nothing is converted or added.

    Args:
        workspace: memory for the result.
        sample: array of any shape and type.
        window: the window.
        operator: the operator, whose arguments say the element type and the values outside.
        layout: layout of the sample, which says which axis has the channels, or "".
    """
    dtype, policy = operator.target or sample.dtype, operator.out_of_bounds_policy
    if window.fits(sample.shape):
        return _converted(workspace, sample[window.slices()], dtype)
    if policy in ("pad", "constant"):
        out = workspace.empty(window.shape, dtype)
        fill(out, operator.fill_values, layout)
        seen = window.trimmed(sample.shape)
        cut_off(sample[seen.slices()], out[within(window, seen).slices()])
        return out
    return _converted(workspace, _repeated(sample, window, policy), dtype)


def _converted(workspace: Workspace, view: Array, dtype: DType) -> Array:
    if view.dtype == dtype:
        return view
    out = workspace.empty(view.shape, dtype)
    cut_off(view, out)
    return out


def within(window: Window, seen: Window) -> Window:
    """Return the position of `seen`, a window inside `window`, relative to `window`."""
    offset = zip(seen.start, window.start, seen.shape, strict=True)
    return Window(tuple(a - b if n else 0 for a, b, n in offset), seen.shape)


def fill(out: Array, values: Sequence[float], layout: str) -> None:
    """Set every element to `values[0]`, or to the value of its channel if there are several."""
    fill_with = fills(values, out.dtype)
    if len(values) == 1:
        out[...] = fill_with[0]
        return
    shape = [1] * out.ndim
    shape[fill_channels(values, out.shape, layout)] = -1
    out[...] = fill_with.reshape(shape)


def fills(values: Sequence[float], dtype: DType) -> Array:
    """Return `fill_values` in the type of the result."""
    result = np.empty(len(values), dtype)
    cut_off(np.array(values), result)
    return result


def fill_channels(values: Sequence[float], shape: tuple[int, ...], layout: str) -> int:
    """Return the axis of channels, for each of which `values` has one."""
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
        indices = source_index(np.arange(start, start + count), sample.shape[axis], policy)
        sample = sample.take(indices, axis)
    return sample


def check_repeatable(wanted: Sequence[int], extents: tuple[int, ...], policy: str) -> None:
    """Raise where elements are wanted along an axis that has none."""
    if any(count and not size for count, size in zip(wanted, extents, strict=True)):
        raise ArgumentError(
            f'the policy "{policy}" repeats the sample, but its shape is {extents}: '
            'there is nothing to repeat; use the policy "pad"'
        )


def source_index(coordinates: Array, size: int, policy: str) -> Array:
    """Return the elements that are repeated at coordinates on an axis of `size` elements."""
    if policy in ("edge", "clamp"):
        return coordinates.clip(0, size - 1)
    if policy == "wrap":
        return np.remainder(coordinates, size)
    if policy in ("reflect", "reflect_1001"):
        folded = np.remainder(coordinates, 2 * size)
        mirrored = 2 * size - 1 - folded
    else:  # reflect_101: the edge element is not repeated
        period = max(2 * size - 2, 1)
        folded = np.remainder(coordinates, period)
        mirrored = period - folded
    return np.where(folded < mirrored, folded, mirrored)
