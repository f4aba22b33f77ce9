"""Compute `multiplier * pixel + offset` for each channel on the GPU, like `cpu_scale`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...engine.arrays import DType
from ...engine.gpu.kernels import Kernel, c_type
from ...engine.graph.context import BatchContext
from ...engine.graph.operator import Array
from ...engine.tensors import TensorListGPU
from ..elementwise.gpu_expression import strides
from ..indexing.strided_views import StridedViews
from ..kernels import Pointers, StructTable, kernel, launch_elements, struct_table

_MOST_CHANNELS = 4  # channels that one thread computes together
_PIXELS = 4  # pixels that a thread computes together
_ROUNDS = 4  # groups of pixels that a thread computes in sequence


class Scalings(NamedTuple):
    """The arithmetic of each sample's channels.

    Attributes:
        multiplier, offset: (batch, channels) float32.
        fill: values of pixels outside of the sample: (batch, channels) in the results' dtype.
    """

    multiplier: Array
    offset: Array
    fill: Array


class ScaledWindows(NamedTuple):
    """Windows of samples to scale, without addresses of samples and without mirroring.

    Attributes:
        shapes: of the results: (batch, ndim).
        dtype, layout: of the results.
        function: the kernel.
        table: the kernel's structs; `first` is a window's offset in its sample, in bytes.
        steps: steps of the kernel's loop: (batch,).
    """

    shapes: Array
    dtype: DType
    layout: str
    function: Kernel
    table: StructTable
    steps: Array

    def write(self, batch: BatchContext, pointers: Array, mirrored: Array) -> TensorListGPU:
        """Return the scaled pixels.

        Args:
            pointers: addresses of the samples: (batch,) uint64.
            mirrored: whether to mirror each sample: (batch,).
        """
        out = batch.device.empty(self.shapes, self.dtype, self.layout)
        first = self.table.array["first"] + pointers
        table = self.table.with_columns(out=out.pointers(), first=first, mirrored=mirrored)
        launch_elements(batch.device, self.function, table, self.steps)
        return out


def scaled_windows(
    view: StridedViews, layout: str, channels: Array, target_layout: str, scalings: Scalings
) -> ScaledWindows:
    """Plan the scaling of windows.

    Args:
        view: the windows; addresses are offsets in the sample.
        layout: of the view, with a W and a C.
        channels: number of channels of each result, at least the view's: (batch,).
        target_layout: a permutation of `layout`.
        scalings: the arithmetic of the largest number of channels in the batch.
    """
    shapes = view.shapes.copy()
    shapes[:, layout.index("C")] = channels
    shapes = shapes[:, [layout.index(letter) for letter in target_layout]]
    dtype = scalings.fill.dtype
    steps = dict(zip(target_layout, strides(shapes).T, strict=True))
    extents = dict(zip(target_layout, shapes.T, strict=True))
    axis = {letter: layout.index(letter) for letter in target_layout}
    read, written = view.shapes[:, axis["C"]], scalings.fill.shape[1]
    together = bool((read == read[0]).all()) and 0 < read[0] <= written <= _MOST_CHANNELS
    outer = [c for c in target_layout if c != "W" and not (c == "C" and together)]
    order = [axis[letter] for letter in outer]
    rows = np.stack([extents[letter] for letter in outer], 1)
    width = extents["W"]
    table = struct_table(
        "Sample",
        len(shapes),
        out=Pointers(np.zeros(len(shapes)), "Out*"),
        first=view.first.astype(np.uint64),
        rows=rows.prod(axis=1),
        width=width,
        stride_w=view.strides[:, axis["W"]],
        stride_c=view.strides[:, axis["C"]],
        out_w=steps["W"],
        out_c=steps["C"],
        low_w=view.low[:, axis["W"]],
        high_w=view.high[:, axis["W"]],
        extent=rows,
        stride=view.strides[:, order],
        out_stride=np.stack([steps[letter] for letter in outer], 1),
        low=view.low[:, order],
        high=view.high[:, order],
        mirrored=np.zeros(len(shapes), np.int32),
        **scalings._asdict(),
    )
    function = kernel(
        "normalizing/crop_mirror_normalize",
        "crop_mirror_normalize",
        In=c_type(view.dtype),
        Out=c_type(dtype),
        IN_C=int(read[0]) if together else 1,
        OUT_C=written if together else 1,
        CHANNEL_AXIS=-1 if together else outer.index("C"),
        OUTER=len(outer),
        INTERLEAVED=together and target_layout.endswith("WC"),
        PIXELS=_PIXELS,
    )
    groups = rows.prod(axis=1) * -(-width // _PIXELS)
    return ScaledWindows(shapes, dtype, target_layout, function, table, -(-groups // _ROUNDS))
