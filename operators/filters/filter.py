"""`fn.filter`: samples under windows of the user's."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...engine.errors import ArgumentError
from ...engine.graph.context import BatchContext, Workspace
from ...engine.graph.operator import Array, SampleOperator, register
from ...engine.graph.params import DTYPE, INTS, STR, param
from ...engine.graph.row_arguments import values_of
from ...engine.graph.rules import Input, SequenceRules
from ...engine.tensors import TensorList, TensorListGPU
from ...engine.tensors.dtypes import to_numpy_type
from ..common.batch_arguments import enter_errors
from ..common.opencv_images import FILTER_BORDERS
from ..elementwise.target_dtype import target_type
from .cpu_correlation import Surroundings, correlate
from .filtered_axes import filter_axes, parts_of
from .gpu_correlation import correlate_batch, upload_windows


@register
class FilterByWindow(SampleOperator):
    """Replaces each element by the sum of a window's weights times the elements around it.

    The window moves along all axes but C and F. It is not mirrored, so the operator computes a
    correlation. Sums are float32, in integers of 32 and 64 bits and in float64 they are float64.
    CPU and GPU agree within 1 in integers, and 1e-5 of the largest number in floats.

    Inputs:
        data: one to three axes of any letters, with F before and C before or after them, such as
            HWC, CHW, HW, FHWC, DHWC; without a layout all axes are filtered. Numbers of any type.
        filter: the window of each sample: numbers, of as many axes as are filtered. With
            `fn.per_frame` each frame has its own.
        fill_value: the number around each sample, if `border` is "constant"; by default 0.

    Outputs:
        the filtered samples: of the input's layout and, if `dtype` is not given, type. The shape is
        the input's. In the mode "valid" each axis is shorter, by the window's extent less 1.

    Raises:
        ArgumentError: the window has another number of axes, no elements, or in the mode "valid"
            more elements than the sample; or the anchor is outside of the window.
    """

    name = "filter"
    aliases = ("experimental.filter",)
    devices = ("cpu", "gpu")
    inputs = (
        "data",
        Input("filter", device="any"),
        Input("fill_value", optional=True, device="any"),
    )
    sequences = SequenceRules(frame_by_frame=True)

    anchor = param(
        INTS,
        (-1,),
        "Index in the window of the element that is replaced: one for each axis, or one for all. "
        "-1 is the middle. The mode 'valid' does not use it.",
        per_sample=True,
        minimum=-1,
    )
    border = param(
        STR,
        "reflect_101",
        "What lies around the sample. 'reflect_101': the mirrored sample, without the border "
        "element twice. 'reflect_1001': the mirrored sample. 'wrap': the sample again. 'clamp': "
        "the border element. 'constant': the input `fill_value`.",
        choices=FILTER_BORDERS,
    )
    dtype = param(DTYPE, None, "Element type of the result, by default the input's.")
    mode = param(
        STR,
        "same",
        "'same', or 'valid' for the results alone whose window is within the sample.",
        choices=("same", "valid"),
    )

    def prepare(self) -> None:
        self._target = target_type(self)
        self._border = FILTER_BORDERS[self.border]
        self._valid = self.mode == "valid"

    def sample(
        self,
        workspace: Workspace,
        data: Array,
        window: Array,
        fill: Array | None = None,
        *,
        anchor: Sequence[int],
    ) -> Array:
        axes = filter_axes(self.called, self.layouts[0], data.ndim)
        at = self._anchor(anchor, window.shape, len(axes))
        shape = list(data.shape)
        for axis, extent in zip(axes, window.shape, strict=True):
            shape[axis] -= (extent - 1) * self._valid
        if min(shape) < 0 or (self._valid and 0 in shape and data.size):
            raise ArgumentError(
                f"in the mode 'valid' a window of the shape {window.shape} does not fit into a "
                f"sample of the shape {data.shape}"
            )
        out = workspace.empty(tuple(shape), self._target or data.dtype)
        if not data.size:
            return out
        weights = np.ascontiguousarray(window, np.float32)
        around = Surroundings(self._border, 0.0 if fill is None else _one(fill))
        for part, result in zip(parts_of(data, axes), parts_of(out, axes), strict=True):
            correlate(part, weights, at, around, result)
        return out

    def _anchor(self, anchor: Sequence[int], window: Sequence[int], axes: int) -> tuple[int, ...]:
        """Return the anchor in a window of this shape."""
        if len(window) != axes or 0 in window:
            raise ArgumentError(
                f"the window has the shape {tuple(window)}; it must have elements, and {axes} axes "
                "as the sample has without C and F"
            )
        if self._valid:
            return (0,) * axes
        if len(anchor) not in (1, axes):
            raise ArgumentError(
                f"anchor is {tuple(anchor)}; give one number for each of the {axes} axes"
            )
        pairs = zip(anchor if len(anchor) == axes else [*anchor] * axes, window, strict=True)
        chosen = tuple(extent // 2 if at == -1 else int(at) for at, extent in pairs)
        if not all(0 <= at < extent for at, extent in zip(chosen, window, strict=True)):
            raise ArgumentError(
                f"anchor is {tuple(anchor)}, which is outside of a window of the shape "
                f"{tuple(window)}"
            )
        return chosen

    def batch_gpu(
        self,
        batch: BatchContext,
        data: TensorListGPU,
        windows: TensorList,
        *fills: TensorList,
        anchor: object,
    ) -> TensorListGPU:
        axes = filter_axes(self.called, self.layouts[0], data.ndim)
        shapes, extents = data.extents(), windows.extents()
        anchors = np.zeros((batch.size, len(axes)), np.int64)
        possible = np.ones(batch.size, bool)
        for i, value in enumerate(values_of(self, "anchor", anchor, batch.size)):
            try:
                anchors[i] = self._anchor(value, extents[i].tolist(), len(axes))
            except ArgumentError:
                possible[i] = False
        resized = shapes.copy()
        if self._valid and extents.shape[1] == len(axes):
            resized[:, axes] -= np.where(possible[:, np.newaxis], extents - 1, 0)
            possible &= (resized[:, axes] > 0).all(axis=1) | (shapes == 0).any(axis=1)
        possible &= np.all([values.extents().prod(axis=1) == 1 for values in fills], axis=0)
        enter_errors(self, batch, data, possible, {"anchor": anchor}, windows, *fills)
        resized = np.where(possible[:, np.newaxis], resized, shapes)
        target = self._target or to_numpy_type(data.dtype)
        out = batch.device.empty(np.maximum(resized, 0), target, self.output_layouts()[0])
        uploaded = upload_windows(batch, windows)
        fill = batch.device.to_device(fills[0]) if fills else None
        correlate_batch(batch, data, out, axes, uploaded, anchors, possible, self._border, fill)
        return out


def _one(fill: Array) -> float:
    if fill.size != 1:
        raise ArgumentError(f"fill_value has {fill.size} numbers; give one for each sample")
    return float(fill.reshape(-1)[0])
