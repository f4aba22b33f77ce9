"""`fn.crop_mirror_normalize`: from decoded images to the input of a network, in one step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ...engine.arrays import DType
from ...engine.errors import ArgumentError, LayoutError
from ...engine.graph.context import BatchContext, Workspace
from ...engine.graph.operator import Array, register
from ...engine.graph.params import BOOL, DTYPE, FLOAT, FLOATS, INT, LAYOUT, param
from ...engine.graph.row_arguments import arguments_of_row, array_of, try_rows
from ...engine.graph.rules import GpuRules
from ...engine.tensors import TensorListGPU
from ...engine.tensors.dtypes import DALIDataType, to_numpy_type
from ...geometry.layouts import VOLUME_LAYOUTS, layout_of
from ...geometry.windows import CropArguments, Window, WindowBatch, bounded
from ..indexing.extract import fill, fill_channels, fills, within
from ..indexing.strided_views import StridedViews
from ..indexing.window_operator import WindowOperator
from .cpu_scale import Scaling, affine, make_scaling, write_scaled
from .gpu_scale import ScaledWindows, Scalings, scaled_windows
from .unit_range import UnitRange

_TYPES = ("float32", "float16", "uint8", "int8")


class _Plan(NamedTuple):
    """A plan for batches whose samples have the same shapes.

    Attributes:
        shapes, dtype: of the samples: (batch, ndim).
        windows: the windows of the samples, and their scaling.
    """

    shapes: Array
    dtype: DType
    windows: ScaledWindows


@register
class CropMirrorNormalize(CropArguments, WindowOperator):
    """Crops, mirrors, normalizes and reorders the dimensions of each sample.

    The result is `scale * (input - mean) / std + shift`, computed in float32. Without a size, the
    window is the whole sample. Pixels outside of the sample are `fill_values`, which are not
    normalized. `pad_output` adds channels. If `out_of_bounds_policy` is "pad", the added channels
    get the further `fill_values`; otherwise they are 0.

    Inputs:
        data: HWC, CHW, DHWC, CDHW, FHWC, FCHW, CFHW or with F before a volume; any numeric
            dtype. Samples without a layout count as HWC, DHWC or FDHWC.

    Outputs:
        the results: of dtype `dtype` and the layout `output_layout`. float32 results of GPU and
            CPU may differ by 1e-6 of the largest term; results of other dtypes are the same.
    """

    name = "crop_mirror_normalize"
    devices = ("cpu", "gpu")
    on_gpu = GpuRules(rehearses=True)
    inputs = ("data",)

    dtype = param(
        DTYPE,
        DALIDataType.FLOAT,
        "Dtype of the result: FLOAT, FLOAT16, UINT8 or INT8. Integers are rounded, halves away "
        "from zero, and clamped to the range of the dtype.",
        aliases=("output_dtype",),
    )
    output_layout = param(
        LAYOUT,
        "CHW",
        'Layout of the result: the letters of the input\'s layout in any order; "" for that of '
        "the input.",
    )
    pad_output = param(BOOL, False, "Add channels until the number of channels is a power of two.")
    mirror = param(INT, 0, "Mirror left to right unless 0.", per_sample=True)
    mean = param(FLOATS, (0.0,), "Mean to subtract: one value, or one a channel.", per_sample=True)
    std = param(FLOATS, (1.0,), "Standard deviation: one value, or one a channel.", per_sample=True)
    scale = param(FLOAT, 1.0, "Factor of the normalized value.")
    shift = param(FLOAT, 0.0, "Number to add last.")

    def prepare(self) -> None:
        super().prepare()
        if self.target is None or self.target.name not in _TYPES:
            self.refuse(f"dtype is {self.target}; use one of {', '.join(_TYPES)}")
        self.result_type = self.target
        self.output_layout = self.output_layout or self.layouts[0]
        if self.output_layout:
            self._check_output_layout(self.layouts[0] or self.output_layout)
        else:
            self.assumed_layouts = VOLUME_LAYOUTS
        self._by_layout: dict[str, CropMirrorNormalize] = {}
        self._last: _Plan | None = None
        self._scaling = None
        if not {"mean", "std"} & set(self.per_sample):
            self._scaling = self._make_scaling(self.mean, self.std)
        self._unit_range = UnitRange(self, "mean", "std")

    def output_layouts(self) -> tuple[str, ...]:
        return (self.output_layout,)

    def sample(
        self,
        workspace: Workspace,
        image: Array,
        *,
        mirror: int,
        mean: Sequence[float],
        std: Sequence[float],
        **crop: Any,
    ) -> Array:
        layout = self.layouts[0]
        if len(layout) != image.ndim:
            layout = layout_of(layout, image.ndim, VOLUME_LAYOUTS)
        if not self.output_layout:
            return self._for_layout(layout).sample(
                workspace, image, mirror=mirror, mean=mean, std=std, **crop
            )
        window = self.window(layout, image.shape, **crop)
        window = bounded(window, image.shape, self.out_of_bounds_policy)
        if not self.layouts[0]:
            self._check_output_layout(layout)
        scaling = self._scaling or self._make_scaling(mean, std)
        self._check_channels(scaling, image.shape[layout.index("C")])
        self._unit_range.look_at(image.dtype)
        out, target = self._result(workspace, window, layout)
        if self.out_of_bounds_policy == "pad" and not window.fits(image.shape):
            window, target = self._seen(window, image.shape, layout, target, mirror)
        source = image[window.slices()]
        write_scaled(workspace, source, layout, target, self.output_layout, scaling, mirror != 0)
        return out

    def batch_gpu(
        self,
        batch: BatchContext,
        images: TensorListGPU,
        *,
        mirror: object,
        mean: object,
        std: object,
        **crop: object,
    ) -> TensorListGPU:
        layout = layout_of(self.layouts[0], images.ndim, VOLUME_LAYOUTS)
        if not self.output_layout:
            return self._for_layout(layout).batch_gpu(
                batch, images, mirror=mirror, mean=mean, std=std, **crop
            )
        if not self.layouts[0]:
            self._check_output_layout(layout)
        windows = self._planned(batch, layout, images, mean, std, crop)
        mirrored = array_of(self, "mirror", mirror, batch.size)[:, 0] != 0
        return windows.write(batch, images.pointers(), mirrored)

    def _for_layout(self, layout: str) -> CropMirrorNormalize:
        """Return an operator for data of this layout, which is also that of the result."""
        if layout not in self._by_layout:
            self._by_layout[layout] = CropMirrorNormalize(
                self.device, self.per_sample, (layout,), **self._constants
            )
        return self._by_layout[layout]

    def _planned(
        self,
        batch: BatchContext,
        layout: str,
        images: TensorListGPU,
        mean: object,
        std: object,
        crop: Any,
    ) -> ScaledWindows:
        """Return the windows without addresses and mirroring, from the last batch if it fits."""
        last, shapes, dtype = self._last, images.extents(), to_numpy_type(images.dtype)
        if last is not None and last.dtype == dtype and np.array_equal(last.shapes, shapes):
            return last.windows
        self._unit_range.look_at(dtype)
        windows = self.windows(batch, layout, shapes, **crop)
        if self.out_of_bounds_policy == "trim_to_shape":
            windows = windows.trimmed(shapes)
        channels = shapes[:, layout.index("C")]
        written = np.empty_like(channels)
        for count in set(channels.tolist()):
            written[channels == count] = self._written(count)
        scalings = self._batch_scalings(batch, channels, mean, std)
        self._batch_fill(batch, scalings.fill, layout, shapes, windows)
        failed = list(batch.errors)
        windows.drop(failed)
        view = StridedViews.at(0, shapes, dtype).window(windows.start, windows.shape)
        scaled = scaled_windows(view, layout, written, self.output_layout, scalings)
        if not failed and set(self.per_sample) <= {"mirror"}:
            self._last = _Plan(shapes, dtype, scaled)
        return scaled

    def _batch_scalings(
        self, batch: BatchContext, channels: Array, mean: Any, std: Any
    ) -> Scalings:
        """Return the scaling of each sample's channels; record errors in the batch."""
        size = len(channels)
        written = max(map(self._written, set(channels.tolist())))
        fill = np.zeros((size, written), self.result_type)
        multiplier, offset = np.zeros((2, size, written), np.float32)

        def alone(i: int) -> None:
            own = arguments_of_row(self, {"mean": mean, "std": std}, i)
            scaling = self._scaling or self._make_scaling(own["mean"], own["std"])
            self._check_channels(scaling, int(channels[i]))
            multiplier[i], offset[i] = scaling.multiplier, scaling.offset

        left = np.ones(size, bool)
        try:
            means, stds = (
                array_of(self, name, value, size).astype(np.float64)
                for name, value in (("mean", mean), ("std", std))
            )
            count = np.broadcast_shapes(means.shape, stds.shape)[1]
            left = (stds == 0).any(axis=1) | ((count != 1) & (channels != count))
        except ValueError:  # the samples differ in their number of means or deviations
            pass
        kept = ~left
        if kept.any():
            scaled = slice(None) if count == 1 else slice(count)
            factor = self.scale / stds[kept]
            multiplier[kept, scaled], offset[kept, scaled] = affine(means[kept], factor, self.shift)
        try_rows(batch, np.flatnonzero(left), alone)
        return Scalings(multiplier, offset, fill)

    def _batch_fill(
        self, batch: BatchContext, table: Array, layout: str, extents: Array, windows: WindowBatch
    ) -> None:
        """Set the fill values of each sample's channels; record errors, also of windows."""
        channels = extents[:, layout.index("C")]
        beyond, added = ~windows.fit(extents), np.zeros(len(extents), bool)
        for count in set(channels.tolist()):
            rows, written = channels == count, self._written(count)
            added[rows] = written > count
            for values, first, last in (
                (self._fill_outside(count), 0, count),
                (self._fill_added(count), count, written),
            ):
                if len(values) in (1, last - first):
                    table[rows, first:last] = fills(values, self.result_type)

        def check(i: int) -> None:
            window, count = windows.window_at(i), int(channels[i])
            bounded(window, tuple(extents[i].tolist()), self.out_of_bounds_policy)
            target = dict(zip(layout, window.shape, strict=True))
            for values, extent, matters in (
                (self._fill_added(count), self._written(count) - count, added[i]),
                (self._fill_outside(count), count, beyond[i]),
            ):
                if matters and len(values) > 1:
                    shape = tuple((target | {"C": extent})[c] for c in self.output_layout)
                    fill_channels(values, shape, self.output_layout)

        several = len(self.fill_values) > 1
        doubtful = (beyond & (several or self.out_of_bounds_policy == "error")) | (added & several)
        doubtful |= windows.too_large()
        try_rows(batch, np.flatnonzero(doubtful), check)

    def _result(self, workspace: Workspace, window: Window, layout: str) -> tuple[Array, Array]:
        """Return memory for the result, and a view of the channels that the window fills."""
        extents = dict(zip(layout, window.shape, strict=True))
        channels = extents["C"]
        extents["C"] = self._written(channels)
        out = workspace.empty(
            tuple(extents[letter] for letter in self.output_layout), self.result_type
        )
        if extents["C"] == channels:
            return out, out
        added = self._fill_added(channels)
        fill(self._channels(out, slice(channels, None)), added, self.output_layout)
        return out, self._channels(out, slice(channels))

    def _written(self, channels: int) -> int:
        """Return the number of channels of the result for a sample's number of channels."""
        return 1 << (channels - 1).bit_length() if self.pad_output else channels

    def _fill_added(self, channels: int) -> tuple[float, ...]:
        if self.out_of_bounds_policy != "pad":  # as in DALI
            return (0.0,)
        values: tuple[float, ...] = self.fill_values
        return values if len(values) == 1 else values[channels : self._written(channels)] or (0.0,)

    def _fill_outside(self, channels: int) -> tuple[float, ...]:
        values: tuple[float, ...] = self.fill_values
        return values[:channels] if self.pad_output else values

    def _channels(self, out: Array, chosen: slice) -> Array:
        return out[tuple(chosen if c == "C" else slice(None) for c in self.output_layout)]

    def _seen(
        self, window: Window, extents: tuple[int, ...], layout: str, target: Array, mirror: int
    ) -> tuple[Window, Array]:
        """Fill the target; return the window's part in the sample, and its view of the target."""
        channels = target.shape[self.output_layout.index("C")]
        fill(target, self._fill_outside(channels), self.output_layout)
        seen = window.trimmed(extents)
        slices = dict(zip(layout, within(window, seen).slices(), strict=True))
        if mirror:
            width, there = window.shape[layout.index("W")], slices["W"]
            slices["W"] = slice(width - there.stop, width - there.start)
        return seen, target[tuple(slices[letter] for letter in self.output_layout)]

    def _make_scaling(self, mean: Sequence[float], std: Sequence[float]) -> Scaling:
        return make_scaling(mean, std, self.scale, self.shift, self.result_type)

    def _check_channels(self, scaling: Scaling, channels: int) -> None:
        if scaling.offset.size not in (1, channels):
            raise ArgumentError(
                f"mean and std have {scaling.offset.size} values, but the sample has {channels} "
                "channels; give one value for each channel, or a single value"
            )

    def _check_output_layout(self, layout: str) -> None:
        if sorted(layout) != sorted(self.output_layout) or not set("HWC") <= set(layout):
            raise LayoutError(
                f"{self.called}: output_layout is {self.output_layout!r}, but the "
                f"input is {layout!r}: output_layout must have the same letters in any order, "
                "with H, W and C"
            )
