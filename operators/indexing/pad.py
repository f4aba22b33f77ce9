"""`fn.pad`: samples extended to a common, given or aligned shape."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...engine.errors import ArgumentError
from ...engine.graph.context import BatchContext
from ...engine.graph.operator import Array, BatchOperator, register
from ...engine.graph.params import ANY_FLOAT, INTS, STR, param
from ...engine.graph.row_arguments import array_of, values_of
from ...engine.graph.rules import BatchRules
from ...engine.tensors import TensorList, TensorListGPU
from ...geometry.layouts import check_exclusive, chosen_axes, per_axis
from ..common.batch_arguments import empty_rows
from ..elementwise.target_dtype import cut_off
from .gpu_copies import copy_views
from .strided_views import StridedViews


@register
class Pad(BatchOperator):
    """Adds `fill_value` at the end of axes, up to the common extent of the batch or to `shape`.

    The common extent of an axis is the largest extent in the batch, or `shape` if it is given and
    the sample is not larger. `align` rounds the extent up to a multiple. With `shape=1` a sample is
    padded for the alignment alone.

    Inputs:
        data: any samples, of the same number of dimensions.

    The result has the type and layout of the input.
    """

    name = "pad"
    # The largest sample of a batch decides about its shape.
    batches = BatchRules(sample_independent=False)
    devices = ("cpu", "gpu")
    inputs = ("data",)

    fill_value = param(
        ANY_FLOAT,
        0.0,
        "The value that is added; clamped to the range of the element type.",
        per_sample=True,
    )
    axes = param(
        INTS,
        None,
        "The axes that are padded, by default all; from the back if negative.",
        per_sample=True,
    )
    axis_names = param(STR, None, "The axes, as letters of the layout, instead of `axes`.")
    align = param(
        INTS,
        None,
        "The extents become multiples of it; one value, or one an axis.",
        per_sample=True,
    )
    shape = param(
        INTS,
        None,
        "Least extent; one value, or one an axis. 0 and negative values mean the largest extent "
        "in the batch.",
        per_sample=True,
    )

    def prepare(self) -> None:
        check_exclusive(self.called, self.given, "axes", "axis_names")

    def batch(self, batch: BatchContext, data: TensorList, **arguments: Any) -> Any:
        shapes = data.shape()
        if len({len(shape) for shape in shapes}) > 1:
            raise ArgumentError(
                f"the samples of the batch have different numbers of dimensions: {shapes}"
            )
        count = len(shapes)
        fills = values_of(self, "fill_value", arguments.pop("fill_value"), count)
        wanted = self._wanted(shapes, arguments)
        if wanted == shapes:
            return data
        dtype = data.row(0).dtype
        out = empty_rows(batch, wanted, dtype)
        added = np.empty(count, dtype)
        cut_off(np.array(fills), added)
        for i in range(count):
            _write(data.row(i), out[i], added[i])
        return out

    def batch_gpu(
        self, batch: BatchContext, data: TensorListGPU, *, fill_value: object, **arguments: object
    ) -> TensorListGPU:
        view = StridedViews.of(data)
        try:
            wanted = self._all_wanted(view.shapes, **arguments)
        except ValueError:
            wanted = np.array(self._wanted(data.shape(), arguments))
        if (wanted == view.shapes).all():
            return data
        added = np.empty(len(data), view.dtype)
        cut_off(array_of(self, "fill_value", fill_value, len(data))[:, 0], added)
        return copy_views(batch, view.window(np.zeros_like(wanted), wanted), fills=added)

    def _wanted(
        self, shapes: list[tuple[int, ...]], arguments: Mapping[str, object]
    ) -> list[tuple[int, ...]]:
        rows = {k: values_of(self, k, value, len(shapes)) for k, value in arguments.items()}
        largest = tuple(map(max, zip(*shapes, strict=True)))
        return [
            padded_shape(
                shape,
                largest,
                self._axes(len(shape), rows["axes"][i]),
                rows["shape"][i],
                rows["align"][i],
            )
            for i, shape in enumerate(shapes)
        ]

    def _all_wanted(self, extents: Array, *, axes: Any, shape: Any, align: object) -> Array:
        """Return `_wanted` as an array; raise ValueError if samples must be computed one by one."""
        count = len(extents)
        least = -1 if not shape else array_of(self, "shape", shape, count)
        multiples = 1 if not align else array_of(self, "align", align, count)
        if isinstance(axes, TensorList) or np.min(multiples) < 1:
            raise ValueError("to be computed sample by sample")
        chosen = self._axes(extents.shape[1], axes)
        sizes = extents[:, chosen]
        padded = np.where(least > 0, np.maximum(sizes, least), sizes.max(axis=0))
        result = extents.copy()
        result[:, chosen] = -(-padded // multiples) * multiples
        return result

    def _axes(self, ndim: int, axes: Sequence[int] | None) -> tuple[int, ...]:
        return chosen_axes(self.layouts[0], ndim, axes, self.axis_names) or tuple(range(ndim))


def padded_shape(
    extents: tuple[int, ...],
    largest: tuple[int, ...],
    axes: tuple[int, ...],
    shape: Sequence[int] | None,
    align: Sequence[int] | None,
) -> tuple[int, ...]:
    """Return the shape of a sample after padding.

    Args:
        extents: the sample's shape.
        largest: the largest extent in the batch on each axis.
        axes: the axes that are padded.
        shape: least extents on `axes`; 0, negative or None for the largest in the batch.
        align: numbers of which the extents on `axes` must be multiples.
    """
    least = per_axis("shape", shape or (-1,), len(axes))
    multiples = per_axis("align", align or (1,), len(axes))
    result = list(extents)
    for axis, want, multiple in zip(axes, least, multiples, strict=True):
        if multiple < 1:
            raise ArgumentError(f"align is {align}; it must be positive, 1 means no alignment")
        extent = max(extents[axis], int(want)) if want > 0 else largest[axis]
        result[axis] = -(-extent // int(multiple)) * int(multiple)
    return tuple(result)


def _write(sample: Array, out: Array, fill: Array) -> None:
    inside = [slice(extent) for extent in sample.shape]
    out[tuple(inside)] = sample
    for axis, extent in enumerate(sample.shape):  # on later axes, what was filled is left out
        out[(*inside[:axis], slice(extent, None))] = fill
