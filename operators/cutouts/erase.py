"""`fn.erase`: regions of samples filled with a value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import DType
from ...engine.graph.context import BatchContext, Workspace
from ...engine.graph.operator import Array, SampleOperator, register
from ...engine.graph.params import BOOL, FLOATS, INTS, LAYOUT, param
from ...engine.tensors import TensorListGPU, address_of
from ...engine.tensors.dtypes import to_numpy_type
from ...geometry.layouts import VIDEO_LAYOUTS, check_exclusive, chosen_axes
from ..common.batch_arguments import enter_errors, padded_numbers
from ..elementwise.pointwise import pointwise
from ..elementwise.target_dtype import cut_off
from ..kernels import Pointers

Boxes = NDArray[np.int64]

_ERASED = """[&]() -> In0 {
    i64 at[NDIM], rest = i;
    for (int d = NDIM - 1; d >= 0; d--) {
        const i64 outer = quotient(rest, extents[d]);
        at[d] = rest - outer * extents[d];
        rest = outer;
    }
    for (const i64* box = boxes; box < boxes + regions * NDIM * 2; box += NDIM * 2) {
        bool inside = true;
        for (int d = 0; d < NDIM; d++)
            inside = inside && box[2 * d] <= at[d] && at[d] < box[2 * d + 1];
        if (inside) return fills[CHANNEL];
    }
    return x_stored;
}()"""


@register
class Erase(SampleOperator):
    """Fills regions of each sample with a value.

    A region reaches from `anchor` to `anchor + shape`; with `centered_anchor` its center is the
    anchor. The ends lose their fractions, and parts outside of the sample have no effect. Axes
    that are not named are filled in their whole extent: with `axis_names="HW"` a video is filled
    in all its frames.

    Inputs:
        data: any samples; of a layout, or with `axes`.

    Outputs:
        the samples: of the input's shape, type and layout.
    """

    name = "erase"
    devices = ("cpu", "gpu")
    inputs = ("data",)

    anchor = param(
        FLOATS,
        (),
        "Start of each region: a number for each axis, region after region. By default 0.",
        per_sample=True,
    )
    axes = param(INTS, (1, 0), "The axes of `anchor` and `shape`, instead of `axis_names`.")
    axis_names = param(
        LAYOUT,
        "HW",
        "The axes of `anchor` and `shape`. By default all axes of the layout but C, in its order.",
    )
    centered_anchor = param(BOOL, False, "Whether anchors are the centers of regions.")
    fill_value = param(
        FLOATS,
        (0.0,),
        "Number to fill with, or one for each channel. Integers lose its fraction.",
        per_sample=True,
    )
    normalized = param(BOOL, False, "Whether anchors and shapes are relative to the extents.")
    normalized_anchor = param(BOOL, False, "Whether anchors are relative to the extents.")
    normalized_shape = param(BOOL, False, "Whether shapes are relative to the extents.")
    shape = param(
        FLOATS,
        (),
        "Extents of each region: a number for each axis, region after region.",
        per_sample=True,
    )

    def prepare(self) -> None:
        check_exclusive(self.called, self.given, "normalized", "normalized_anchor")
        check_exclusive(self.called, self.given, "normalized", "normalized_shape")
        self._relative_anchor = self.normalized or self.normalized_anchor
        self._relative_shape = self.normalized or self.normalized_shape
        if "axes" not in self.given:
            self.assumed_layouts = VIDEO_LAYOUTS

    def _layout(self, ndim: int) -> str:
        return self.layouts[0] or VIDEO_LAYOUTS.get(ndim, "")

    def _axes(self, ndim: int) -> tuple[int, ...]:
        """Return the axes of regions."""
        layout = self._layout(ndim)
        if "axis_names" in self.given:
            return chosen_axes(layout, ndim, None, self.axis_names)
        if "axes" in self.given:
            return chosen_axes("", ndim, self.axes, None)
        if not layout:
            self.refuse(f"a sample of {ndim} dimensions has no layout; give axes")
        return tuple(i for i, letter in enumerate(layout) if letter != "C")

    def _check_regions(
        self, axes: tuple[int, ...], anchor: Sequence[float], shape: Sequence[float]
    ) -> None:
        if len(shape) % max(1, len(axes)) or len(anchor) not in (0, len(shape)):
            self.refuse(
                f"anchor has {len(anchor)} values and shape {len(shape)}; give both {len(axes)} "
                f"for each region, one for each of the axes {axes}"
            )

    def _boxes(self, axes: tuple[int, ...], extents: Array, anchor: Array, shape: Array) -> Boxes:
        """Return start and end of each region on each axis: (batch, regions, ndim, 2).

        Args:
            axes: of the regions.
            extents: of the samples: (batch, ndim).
            anchor, shape: numbers of all regions: (batch, regions * axes); zeros may be missing at
                the end of the anchors.
        """
        sizes, starts = shape.reshape(len(shape), -1, len(axes)), np.zeros_like(shape)
        starts[:, : anchor.shape[1]] = anchor
        starts = starts.reshape(sizes.shape)
        own = extents[:, np.newaxis, axes]
        starts = starts * own if self._relative_anchor else starts
        sizes = sizes * own if self._relative_shape else sizes
        starts = starts - sizes / 2 if self.centered_anchor else starts
        boxes = np.zeros((*sizes.shape[:2], extents.shape[1], 2), np.int64)
        boxes[..., 1] = extents[:, np.newaxis]
        for side, ends in enumerate((starts, starts + sizes)):
            boxes[:, :, axes, side] = np.minimum(np.maximum(ends, 0.0), own)
        return boxes

    def _fills(self, extents: Sequence[int], fill_value: Sequence[float], dtype: DType) -> Array:
        """Return the numbers to fill with: (1,) or (channels,)."""
        channels = self._layout(len(extents)).find("C")
        numbers = np.array(fill_value, np.float64).reshape(-1)
        count = extents[channels] if channels >= 0 else 1
        if len(numbers) not in (1, count):
            self.refuse(
                f"fill_value has {len(numbers)} values; give one, or one for each of the channels "
                f"({count} here)"
            )
        fills = np.empty(numbers.shape, dtype)
        cut_off(numbers, fills)
        return fills

    def sample(
        self,
        workspace: Workspace,
        data: Array,
        *,
        anchor: Sequence[float],
        fill_value: Sequence[float],
        shape: Sequence[float],
    ) -> Array:
        # Each argument is a tuple, or one number of a node.
        anchor, shape = np.ravel(anchor).tolist(), np.ravel(shape).tolist()
        axes = self._axes(data.ndim)
        self._check_regions(axes, anchor, shape)
        tables = (np.array([numbers]) for numbers in (data.shape, anchor, shape))
        (boxes,) = self._boxes(axes, *tables)
        fills = self._fills(data.shape, fill_value, data.dtype)
        if len(fills) > 1:
            channel = self._layout(data.ndim).index("C")
            fills = fills.reshape([-1 if i == channel else 1 for i in range(data.ndim)])
        out = workspace.empty(data.shape, data.dtype)
        np.copyto(out, data)
        for box in boxes:
            out[tuple(slice(low, high) for low, high in box.tolist())] = fills
        return out

    def batch_gpu(self, batch: BatchContext, data: TensorListGPU, **arguments: object) -> Any:
        extents, axes = data.extents(), self._axes(data.ndim)
        channel = self._layout(data.ndim).find("C")
        channels = extents[:, channel] if channel >= 0 else 1
        (anchor, anchors), (shape, numbers), (values, fills) = (
            padded_numbers(arguments[name], batch.size)
            for name in ("anchor", "shape", "fill_value")
        )
        usable = (numbers % max(1, len(axes)) == 0) & ((anchors == 0) | (anchors == numbers))
        usable &= (fills == 1) | (fills == channels)
        enter_errors(self, batch, data, usable, arguments)
        # Samples with errors get no region, nor do others for the zeros after their numbers.
        most = int(numbers[usable].max(initial=0))
        anchor, shape = (
            np.where(usable[:, np.newaxis], table[:, :most], 0.0) for table in (anchor, shape)
        )
        exact = np.where(usable[:, np.newaxis], values, 0.0)
        colors = np.empty(exact.shape, to_numpy_type(data.dtype))
        cut_off(exact, colors)
        boxes = self._boxes(axes, extents, anchor, shape)
        text = " ".join(_ERASED.split()).replace("NDIM", str(data.ndim))
        held, box_pointers = _uploaded(batch, boxes, "const long long*")
        also_held, color_pointers = _uploaded(batch, colors, "const In0*")
        result = pointwise(
            batch,
            text.replace("CHANNEL", f"several ? at[{max(channel, 0)}] : 0"),
            data,
            extents=extents,
            boxes=box_pointers,
            fills=color_pointers,
            regions=boxes.shape[1],
            several=usable & (fills > 1),
        )
        del held, also_held  # until the launch, other work must not get the memory
        return result


def _uploaded(batch: BatchContext, table: Array, c_type: str) -> tuple[object, Pointers]:
    """Copy an array over samples to the device; return the copy and the address of each row."""
    memory = batch.device.upload(table)
    steps = np.arange(len(table)) * table.strides[0]
    return memory, Pointers(np.uint64(address_of(memory)) + steps.astype(np.uint64), c_type)
