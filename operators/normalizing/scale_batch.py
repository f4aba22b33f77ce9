"""`multiplier * pixel + offset` for each channel, on the GPU: what `_scale` does on the CPU."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...engine.batch import Batch
from ...engine.kernels import Kernel, c_type
from ...engine.operator import Array
from ...engine.tensors import TensorListGPU
from ..kernels import descriptors, kernel, launch_elements
from ..moving.strided import Views
from ..numeric.expression import strides

_MOST_CHANNELS = 4  # that one thread computes
_PIXELS = 4  # that a thread computes at once
_ROUNDS = 4  # groups of pixels that a thread computes one after the other


class Scalings(NamedTuple):
    """What becomes of each sample's channels.

    Attributes:
        multiplier, offset: of the pixels: (batch, channels) float32.
        fill: what stands where the sample has no pixel, of the result's type: (batch, channels).
    """

    multiplier: Array
    offset: Array
    fill: Array


class ScaledWindows(NamedTuple):
    """Windows of samples to be scaled, wherever these lie and whether or not they are mirrored.

    Attributes:
        shapes: of the results: (batch, ndim).
        dtype: of the results.
        function: the kernel.
        table: its descriptors; `first` is where a window begins, in bytes behind its sample.
        steps: of the kernel's loop: (batch,).
    """

    shapes: Array
    dtype: np.dtype[Any]
    function: Kernel
    table: Array
    steps: Array

    def write(self, batch: Batch, pointers: Array, mirrored: Array) -> TensorListGPU:
        """Return the scaled pixels.

        Args:
            batch: whose device to use.
            pointers: where the samples lie: (batch,) uint64.
            mirrored: whether each is mirrored: (batch,).
        """
        out = batch.device.empty(self.shapes, self.dtype)
        table = self.table.copy()
        table["out"] = out.pointers()
        table["first"] += pointers
        table["mirrored"] = mirrored
        launch_elements(batch, self.function, table, self.steps)
        return out


def scaled_windows(
    view: Views, layout: str, channels: Array, target_layout: str, scalings: Scalings
) -> ScaledWindows:
    """Plan the scaling of windows.

    Args:
        view: the windows; addresses count from the begin of the sample.
        layout: of the view; it has a W and a C.
        channels: of the result, at least as many as the view's: (batch,).
        target_layout: a permutation of `layout`.
        scalings: for as many channels as the sample with the most has.
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
    table = descriptors(
        len(shapes),
        out=np.zeros(len(shapes), np.uint64),
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
        "crop_mirror_normalize",
        "crop_mirror_normalize",
        In=c_type(view.dtype),
        Out=c_type(dtype),
        IN_C=str(read[0] if together else 1),
        OUT_C=str(written if together else 1),
        CHANNELS=str(written),
        CHANNEL_AXIS=str(-1 if together else outer.index("C")),
        OUTER=str(len(outer)),
        INTERLEAVED=str(int(together and target_layout.endswith("WC"))),
    )
    groups = rows.prod(axis=1) * -(-width // _PIXELS)
    return ScaledWindows(shapes, dtype, function, table, -(-groups // _ROUNDS))
