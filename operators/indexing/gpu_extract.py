"""Windows of the samples of a batch on the GPU."""

from __future__ import annotations

import numpy as np

from ...engine.graph.context import BatchContext
from ...engine.graph.operator import Array
from ...engine.graph.row_arguments import try_rows
from ...engine.tensors import TensorListGPU
from ...geometry.windows import WindowBatch, bounded
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
    doubtful = windows.too_large()
    if repeats:
        doubtful |= beyond & ((windows.shape > 0) & (extents == 0)).any(axis=1)
    elif policy == "error" or len(operator.fill_values) > 1:
        doubtful |= beyond

    def check(i: int) -> None:
        window, shape = windows.window_at(i), tuple(extents[i].tolist())
        bounded(window, shape, policy)
        if repeats:
            check_repeatable(window.shape, shape, policy)
        else:
            fill_channels(operator.fill_values, window.shape, layout)

    windows.drop(try_rows(batch, np.flatnonzero(doubtful), check))
