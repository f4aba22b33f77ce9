"""A batch of images to other sizes, with the pixels of Pillow or of PyTorch, on the GPU."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import DType
from ...engine.gpu.kernels import c_type
from ...engine.graph.context import BatchContext
from ...engine.tensors import TensorListGPU
from ..kernels import THREADS, Pointers, addresses_in, kernel, launch_elements, struct_table
from .axes import NEAREST, NEAREST_EXACT, PILLOW, SUPPORTS, Axis, nearest_indices, taps_of

Ints = NDArray[np.int64]

_CURVE_NUMBERS = {name: number for number, name in enumerate(SUPPORTS)}
_BITS = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}
_REAL_BYTES = 8


def resize_batch(
    batch: BatchContext,
    images: TensorListGPU,
    dtype: DType,
    windows: Ints,
    sizes: Ints,
    axis: Axis,
) -> TensorListGPU:
    """Resample images of layout HW or HWC.

    Args:
        images: the images.
        dtype: of their elements.
        windows: (top, left, height, width) of the pixels to show: (batch, 4).
        sizes: height and width of the results; those without pixels are left: (batch, 2).
        axis: filter, antialiasing and rule.
    """
    shapes = images.extents().copy()
    channels = shapes[:, 2:].prod(axis=1)
    strides = np.stack([shapes[:, 1] * channels, channels], axis=1)  # of rows and columns
    shapes[:, :2] = sizes
    out = batch.device.empty(shapes, dtype)
    offsets = (windows[:, :2] * strides).sum(axis=1) * dtype.itemsize
    source = images.pointers() + offsets.astype(np.uint64)
    if axis.interpolation in (NEAREST, NEAREST_EXACT):
        _copy_nearest(batch, source, out, dtype, windows, sizes, strides, axis)
    else:
        _weigh(batch, source, out, dtype, windows, sizes, strides, axis)
    return out


def _copy_nearest(
    batch: BatchContext,
    source: Any,
    out: TensorListGPU,
    dtype: DType,
    windows: Ints,
    sizes: Ints,
    strides: Ints,
    axis: Axis,
) -> None:
    tables = [
        nearest_indices(axis._replace(in_size=before, out_size=after)).astype(np.int32)
        for pair in zip(windows[:, 2:].tolist(), sizes.tolist(), strict=True)
        for before, after in zip(*pair, strict=True)
        if after
    ]
    uploaded = batch.device.upload(np.concatenate([*tables, np.zeros(1, np.int32)]))
    indices = addresses_in(uploaded, sizes.reshape(-1), 4).reshape(sizes.shape)
    elements = sizes.prod(axis=1) * strides[:, 1]
    bits = c_type(np.dtype(_BITS[dtype.itemsize]))
    table = struct_table(
        "Copy",
        batch.size,
        source=Pointers(source, f"const {bits}*"),
        out=Pointers(out.pointers(), f"{bits}*"),
        rows=Pointers(indices[:, 0], "const int*"),
        columns=Pointers(indices[:, 1], "const int*"),
        elements=elements,
        width=sizes[:, 1],
        row_stride=strides[:, 0],
        channels=strides[:, 1],
    )
    launch_elements(batch.device, kernel("vision/nearest", "copy_nearest"), table, elements)


def _weigh(
    batch: BatchContext,
    source: Any,
    out: TensorListGPU,
    dtype: DType,
    windows: Ints,
    sizes: Ints,
    strides: Ints,
    axis: Axis,
) -> None:
    extents, whole = windows[:, 2:], dtype == np.uint8
    first = _first_axes(extents, sizes, axis)
    rows = np.arange(batch.size)
    tables, held = _weights(batch, extents, sizes, axis, whole)
    # Between the passes, one axis has its new extent. The other one keeps the old extent.
    between = extents.copy()
    between[rows, first] = sizes[rows, first]
    between[(sizes == 0).any(axis=1)] = 0
    middle_type = dtype if whole else np.dtype(np.float64 if dtype == np.float64 else np.float32)
    elements = between.prod(axis=1) * strides[:, 1]
    memory = batch.device.temporary(max(1, int(elements.sum()) * middle_type.itemsize))
    middle = addresses_in(memory, elements, middle_type.itemsize)
    middle_strides = np.stack([between[:, 1] * strides[:, 1], strides[:, 1]], axis=1)
    passes = (
        (first, source, strides, middle, between, dtype, middle_type),
        (1 - first, middle, middle_strides, out.pointers(), sizes, middle_type, dtype),
    )
    for axes, given, steps, made, results, read, written in passes:
        elements = results.prod(axis=1) * strides[:, 1]
        table = struct_table(
            "Pass",
            batch.size,
            source=Pointers(given, "const In*"),
            out=Pointers(made, "Out*"),
            axis=rows * 2 + axes,
            elements=elements,
            width=results[:, 1],
            channels=strides[:, 1],
            steps=steps,
            along=axes,
        )
        macros = {"In": c_type(read), "Out": c_type(written), "WHOLE": whole}
        function = kernel("vision/resize", "resize_pass", **macros)
        launch_elements(batch.device, function, table, elements, tables)
    del memory, held  # until the launches, other work must not get the memory


def _first_axes(extents: Ints, sizes: Ints, axis: Axis) -> Ints:
    """Return which axis is resampled first: 1, the columns, but 0 where Pillow begins with rows.

    Since Pillow 13 rows go first if the height loses more than twice as many pixels as the width.
    """
    if axis.rule != PILLOW:
        return np.ones(len(extents), np.int64)
    lost = extents - sizes
    rows = (lost[:, 0] > 0) & (lost[:, 1] != 0) & (lost[:, 0] > 2 * lost[:, 1])
    return np.where(rows, 0, 1)


def _weights(
    batch: BatchContext, extents: Ints, sizes: Ints, axis: Axis, whole: bool
) -> tuple[object, object]:
    """Have the weights of all axes computed; return their tables, and the memory to hold."""
    before, after = extents.reshape(-1), sizes.reshape(-1)
    taps = np.array(
        [
            taps_of(a, max(b, 1), axis.interpolation, axis.antialias)
            for a, b in zip(before.tolist(), after.tolist(), strict=True)
        ]
    )
    counts = taps * after
    memory = batch.device.temporary(max(1, int(counts.sum()) * _REAL_BYTES))
    wholes = batch.device.temporary(max(1, int(counts.sum()) * 4))
    numbers = np.concatenate([after, np.ones_like(after)])  # of first samples, and of bits
    indices = batch.device.temporary(max(1, int(numbers.sum()) * 4))
    first, bits = addresses_in(indices, numbers, 4).reshape(2, -1)
    table = struct_table(
        "Axis",
        len(before),
        reals=Pointers(addresses_in(memory, counts, _REAL_BYTES), "double*"),
        wholes=Pointers(addresses_in(wholes, counts, 4), "int*"),
        first=Pointers(first, "int*"),
        bits=Pointers(bits, "int*"),
        in_size=before.astype(np.int32),
        out_size=after.astype(np.int32),
        taps=taps.astype(np.int32),
    )
    macros = {
        "CURVE": _CURVE_NUMBERS[axis.interpolation],
        "SUPPORT": str(SUPPORTS[axis.interpolation]),
        "WIDENS": axis.antialias,
        "PILLOW": axis.rule == PILLOW,
        "WHOLE": whole,
    }
    table = batch.device.upload_table(table)
    function = kernel("vision/resize", "resize_weights", In="float", Out="float", **macros)
    shared = THREADS * _REAL_BYTES
    batch.device.launch(function, (len(before),), (THREADS,), table, shared_bytes=shared)
    return table, (memory, wholes, indices)
