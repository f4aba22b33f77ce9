"""Windows of the samples of a batch on the GPU."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ...engine.graph.context import BatchContext
from ...engine.graph.operator import Array, Operator
from ...engine.graph.row_arguments import arguments_of_row
from ...engine.tensors import TensorList, TensorListGPU
from ...geometry.slices import SliceArguments, as_tables, from_arguments_of_batch, slice_windows
from ...geometry.windows import CropArguments, Window, WindowBatch, bounded, crop_windows
from ..common.batch_arguments import array_of, try_rows
from .extract import check_repeatable, fill_channels, fills
from .gpu_copies import convert_views, copy_views
from .strided_views import StridedViews
from .window_operator import WindowOperator

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
    batch: BatchContext,
    layout: str,
    extents: Array,
    arguments: Mapping[str, Any],
) -> WindowBatch:
    """Return the windows of a batch's crops; errors of rows go to the batch.

    Args:
        operator: the operator, whose arguments say the windows.
        batch: the batch.
        layout: layout of the samples.
        extents: shapes of the samples: (batch, ndim).
        arguments: the arguments that may vary by sample.
    """

    def alone(i: int) -> Window:
        return operator.window(
            layout, _shape(extents, i), **arguments_of_row(operator, arguments, i)
        )

    def values(name: str) -> Array:
        return array_of(operator, name, arguments[name], len(extents))

    def together() -> tuple[WindowBatch, Array]:
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
    batch: BatchContext,
    layout: str,
    extents: Array,
    arguments: Mapping[str, Any],
    *ends: TensorList,
) -> WindowBatch:
    """Return the windows of a batch's slices, as `crops` does; `ends` are the further inputs."""

    def alone(i: int) -> Window:
        values = arguments_of_row(operator, arguments, i)
        return operator.window(layout, _shape(extents, i), *(end.row(i) for end in ends), **values)

    def together() -> tuple[WindowBatch, Array]:
        named = dict(arguments)
        axes = named.pop("axes")
        if isinstance(axes, TensorList):
            raise ValueError("samples differ in their axes")
        chosen = operator.chosen(layout, extents.shape[1], axes)
        sizes = extents[:, chosen]
        if ends:
            return slice_windows(extents, chosen, *_between(operator, ends, sizes))
        values = {name: _along(operator, name, value, sizes) for name, value in named.items()}
        return slice_windows(extents, chosen, *from_arguments_of_batch(sizes, **values))

    return _windows(batch, extents, together, alone)


def extract_batch(
    batch: BatchContext,
    data: TensorListGPU,
    windows: WindowBatch,
    operator: WindowOperator,
    layout: str,
) -> TensorListGPU:
    """Return the windows of a batch; see `extract`."""
    view, policy = StridedViews.of(data), operator.out_of_bounds_policy
    extents, dtype = view.shapes, operator.target or view.dtype
    if policy == "trim_to_shape":
        windows = windows.trimmed(extents)
    beyond = ~windows.fit(extents)
    any_beyond = bool(beyond.any())
    repeats = any_beyond and policy in _KERNEL_POLICIES
    _check_beyond(batch, windows, extents, beyond, operator, layout)
    several = any_beyond and not repeats and len(operator.fill_values) > 1
    shown = view.window(*windows)
    added = fills(operator.fill_values, dtype) if any_beyond else np.zeros(1, dtype)
    if repeats or several or dtype != view.dtype:
        channels = layout.find("C") if several else -1
        bounds = _KERNEL_POLICIES[policy] if repeats else "PAD"
        return convert_views(batch, shown, dtype, added, channels, bounds)
    return copy_views(batch, shown, fills=np.broadcast_to(added[0], len(extents)))


def _check_beyond(
    batch: BatchContext,
    windows: WindowBatch,
    extents: Array,
    beyond: Array,
    operator: WindowOperator,
    layout: str,
) -> None:
    """Check the windows that reach beyond their samples; windows with errors become empty."""
    policy = operator.out_of_bounds_policy
    repeats = policy in _KERNEL_POLICIES
    doubtful = beyond
    if repeats:
        doubtful = beyond & ((windows.shape > 0) & (extents == 0)).any(axis=1)
    elif policy != "error" and len(operator.fill_values) == 1:
        return

    def check(i: int) -> None:
        window, shape = windows.window_at(i), _shape(extents, i)
        bounded(window, shape, policy)
        if repeats:
            check_repeatable(window.shape, shape, policy)
        else:
            fill_channels(operator.fill_values, window.shape, layout)

    for i in try_rows(batch, np.flatnonzero(doubtful), check):
        windows.start[i] = windows.shape[i] = 0


def _windows(
    batch: BatchContext,
    extents: Array,
    together: Callable[[], tuple[WindowBatch, Array]],
    alone: Callable[[int], Window],
) -> WindowBatch:
    """Compute windows together, and one by one those that cannot be computed together."""
    try:
        windows, left = together()
    except (TypeError, ValueError):
        windows = WindowBatch(np.zeros_like(extents), np.zeros_like(extents))
        left = np.ones(len(extents), bool)

    def settle(i: int) -> None:
        windows.start[i], windows.shape[i] = alone(i)

    for i in try_rows(batch, np.flatnonzero(left), settle):
        windows.start[i] = windows.shape[i] = 0
    return windows


def _shape(extents: Array, i: int) -> tuple[int, ...]:
    return tuple(extents[i].tolist())


def _along(operator: Operator, name: str, value: Any, sizes: Array) -> Array | None:
    if value is None:
        return None
    values = array_of(operator, name, value, len(sizes))
    return np.broadcast_to(values, sizes.shape) if values.shape[1] else None


def _between(
    operator: SliceArguments, ends: tuple[TensorList, ...], sizes: Array
) -> tuple[Array, Array]:
    """Return the starts and ends of slices whose anchors and shapes are inputs."""
    anchor, shape = (np.asarray(end.dense()).reshape(len(sizes), -1) for end in ends)
    floats = anchor.dtype.kind == "f"
    if floats != (shape.dtype.kind == "f") or {anchor.shape, shape.shape} != {sizes.shape}:
        raise ValueError("the inputs do not fit")
    columns = (list(each.astype(np.float64).T) for each in (anchor, shape, sizes))
    return as_tables(operator.from_inputs(*columns, floats=floats), sizes.shape)
