"""Taking windows out of the samples of a batch, on the GPU."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ...engine.batch import Batch
from ...engine.operator import Array, Operator
from ...engine.params import from_row
from ...engine.slices import SliceArguments, all_from_arguments, slice_windows
from ...engine.tensors import TensorList, TensorListGPU
from ...engine.windows import CropArguments, Window, Windows, bounded, crop_windows
from .._rows import array_of, try_rows
from .extract import check_repeatable, fill_channels, fills
from .moves import converted, copied
from .strided import Views
from .window import WindowOperator

_KERNEL_POLICIES = {
    "edge": "EDGE",
    "clamp": "EDGE",
    "wrap": "WRAP",
    "reflect": "REFLECT_1001",
    "reflect_1001": "REFLECT_1001",
    "reflect_101": "REFLECT_101",
}


def crops(
    operator: CropArguments,
    batch: Batch,
    layout: str,
    extents: Array,
    arguments: Mapping[str, Any],
) -> Windows:
    """Return the windows of a batch's crops; where there is none, the row's error is noted.

    Args:
        operator: whose arguments tell them.
        batch: the batch.
        layout: of the samples.
        extents: shapes of the samples: (batch, ndim).
        arguments: the arguments that may vary by sample.
    """

    def alone(i: int) -> Window:
        return operator.window(layout, _shape(extents, i), **_of_row(operator, arguments, i))

    def values(name: str) -> Array:
        return array_of(operator, name, arguments[name], len(extents))

    def together() -> tuple[Windows, Array]:
        position = np.hstack([values(f"crop_pos_{axis}") for axis in "zyx"])
        if arguments["crop"] is None:
            sizes = np.hstack([values(f"crop_{axis}") for axis in "dhw"])
        else:
            sizes = values("crop")
            if sizes.shape[1] == 2:
                sizes = np.hstack([np.zeros((len(sizes), 1)), sizes])
        if sizes.shape[1] != 3 or position.shape[1] != 3:
            raise ValueError("not three values a sample")
        return crop_windows(layout, extents, sizes, position, operator.rounding == "truncate")

    return _windows(batch, extents, together, alone)


def slices(
    operator: SliceArguments,
    batch: Batch,
    layout: str,
    extents: Array,
    arguments: Mapping[str, Any],
    *ends: TensorList,
) -> Windows:
    """Return the windows of a batch's slices; as `crops`, with anchor and shape as `ends`."""

    def alone(i: int) -> Window:
        values = _of_row(operator, arguments, i)
        return operator.window(layout, _shape(extents, i), *(end.row(i) for end in ends), **values)

    def together() -> tuple[Windows, Array]:
        named = dict(arguments)
        axes = named.pop("axes")
        if isinstance(axes, TensorList):
            raise ValueError("samples differ in their axes")
        chosen = operator.chosen(layout, extents.shape[1], axes)
        sizes = extents[:, chosen]
        if ends:
            return slice_windows(extents, chosen, *_between(operator, ends, sizes))
        values = {name: _along(operator, name, value, sizes) for name, value in named.items()}
        return slice_windows(extents, chosen, *all_from_arguments(sizes, **values))

    return _windows(batch, extents, together, alone)


def extract_batch(
    batch: Batch, data: TensorListGPU, windows: Windows, operator: WindowOperator, layout: str
) -> TensorListGPU:
    """Return what the windows show; arguments as those of `extract`."""
    view, policy = Views.of(data), operator.out_of_bounds_policy
    extents, dtype = view.shapes, operator.target or view.dtype
    if policy == "trim_to_shape":
        windows = windows.trimmed(extents)
    beyond = ~windows.fit(extents)
    any_beyond = bool(beyond.any())
    repeats = any_beyond and policy in _KERNEL_POLICIES
    several = any_beyond and not repeats and len(operator.fill_values) > 1
    doubtful = beyond
    if repeats:
        doubtful = beyond & ((windows.shape > 0) & (extents == 0)).any(axis=1)
    elif policy != "error" and not several:
        doubtful = np.zeros(len(extents), bool)

    def check(i: int) -> None:
        window, shape = windows.row(i), _shape(extents, i)
        bounded(window, shape, policy)
        if repeats:
            check_repeatable(window.shape, shape, policy)
        else:
            fill_channels(operator.fill_values, window.shape, layout)

    for i in try_rows(batch, np.flatnonzero(doubtful), check):
        windows.start[i] = windows.shape[i] = 0
    shown = view.window(*windows)
    added = fills(operator.fill_values, dtype) if any_beyond else np.zeros(1, dtype)
    if repeats or several or dtype != view.dtype:
        channels = layout.find("C") if several else -1
        way = _KERNEL_POLICIES[policy] if repeats else "PAD"
        return converted(batch, shown, dtype, added, channels, way)
    return copied(batch, shown, fills=np.broadcast_to(added[0], len(extents)))


def _windows(
    batch: Batch,
    extents: Array,
    together: Callable[[], tuple[Windows, Array]],
    alone: Callable[[int], Window],
) -> Windows:
    """Compute windows together, and alone those of which that is not possible."""
    try:
        windows, left = together()
    except ValueError:
        windows = Windows(np.zeros_like(extents), np.zeros_like(extents))
        left = np.ones(len(extents), bool)

    def settle(i: int) -> None:
        windows.start[i], windows.shape[i] = alone(i)

    for i in try_rows(batch, np.flatnonzero(left), settle):
        windows.start[i] = windows.shape[i] = 0
    return windows


def _shape(extents: Array, i: int) -> tuple[int, ...]:
    return tuple(extents[i].tolist())


def _of_row(operator: Operator, arguments: Mapping[str, Any], i: int) -> dict[str, Any]:
    return {
        name: from_row(operator.params[name], value.row(i))
        if isinstance(value, TensorList)
        else value
        for name, value in arguments.items()
    }


def _along(operator: Operator, name: str, value: Any, sizes: Array) -> Array | None:
    if value is None:
        return None
    values = array_of(operator, name, value, len(sizes))
    return np.broadcast_to(values, sizes.shape) if values.shape[1] else None


def _between(
    operator: SliceArguments, ends: tuple[TensorList, ...], sizes: Array
) -> tuple[Array, Array]:
    """Return where slices that inputs tell begin and end, as `SliceArguments` does it."""
    anchor, shape = (np.asarray(end.dense()).reshape(len(sizes), -1) for end in ends)
    floats = anchor.dtype.kind == "f"
    if floats != (shape.dtype.kind == "f") or {anchor.shape, shape.shape} != {sizes.shape}:
        raise ValueError("the inputs do not fit")
    first, size = anchor.astype(np.float64), shape.astype(np.float64)
    if floats and operator.normalized_anchor:
        first = first * sizes
    if floats and operator.normalized_shape:
        size = size * sizes
    return first, first + size
