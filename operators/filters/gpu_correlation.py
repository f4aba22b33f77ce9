"""Correlation with windows on the GPU, in one launch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import DType, Int64s
from ...engine.gpu.kernels import c_type
from ...engine.graph.context import BatchContext
from ...engine.graph.operator import Array
from ...engine.tensors import TensorList, TensorListGPU, address_of
from ...engine.tensors.dtypes import to_numpy_type
from ..elementwise.promotion import type_of_work
from ..kernels import Pointers, kernel, launch_elements
from .gpu_windows import window_table


class DeviceWindows(NamedTuple):
    """The windows of a batch, on the device.

    Attributes:
        addresses: of each window: (batch,).
        extents: of each window: (batch, axes).
        dtype: of the weights.
        memory: has the weights. Who keeps the windows keeps the memory.
    """

    addresses: NDArray[np.uint64]
    extents: Int64s
    dtype: DType
    memory: Any


def upload_windows(batch: BatchContext, windows: TensorList | Sequence[Array]) -> DeviceWindows:
    """Return windows on the device; those in host memory take one transfer.

    Args:
        windows: one of each sample. Samples may share an array.
    """
    if isinstance(windows, TensorListGPU):
        dtype = to_numpy_type(windows.dtype)
        return DeviceWindows(windows.pointers(), windows.extents(), dtype, windows)
    rows = list(windows.rows() if isinstance(windows, TensorList) else windows)
    distinct = {id(row): np.ravel(row).astype(np.float32) for row in rows}
    memory = batch.device.upload(np.concatenate([np.zeros(1, np.float32), *distinct.values()]))
    ends = np.cumsum([row.nbytes for row in distinct.values()])
    starts = {
        key: address_of(memory) + 4 + int(end) - row.nbytes
        for (key, row), end in zip(distinct.items(), ends, strict=True)
    }
    extents = np.array([row.shape for row in rows], np.int64)
    axes = windows.ndim if isinstance(windows, TensorList) else np.ndim(rows[0]) if rows else 0
    addresses = np.array([starts[id(row)] for row in rows], np.uint64)
    shapes = extents.reshape(len(rows), axes)
    return DeviceWindows(addresses, shapes, np.dtype(np.float32), memory)


def correlate_batch(
    batch: BatchContext,
    data: TensorListGPU,
    out: TensorListGPU,
    axes: Sequence[int],
    windows: DeviceWindows,
    anchors: Int64s,
    possible: NDArray[np.bool_],
    border: str,
    fills: TensorListGPU | None = None,
) -> None:
    """Write the sums of windows' weights times the elements around each element.

    Args:
        data, out: the samples and their results.
        axes: of the windows, from the outermost on.
        windows: the weights of each sample.
        anchors: index in each window of the element that becomes the sum: (batch, axes).
        possible: which samples can be computed; of the others nothing is written.
        border: one of `BORDERS`.
        fills: the constant of each sample.
    """
    source, target = to_numpy_type(data.dtype), to_numpy_type(out.dtype)
    if fills is None:
        zero = batch.device.upload(np.zeros(1, np.float32))
        fill = Pointers(np.full(batch.size, address_of(zero), np.uint64), "const float*")
    else:
        fill = Pointers(fills.pointers(), f"const {c_type(to_numpy_type(fills.dtype))}*")
    table, elements = window_table(
        data,
        out,
        axes,
        windows.extents,
        anchors,
        possible,
        weights=Pointers(windows.addresses, f"const {c_type(windows.dtype)}*"),
        fill=fill,
    )
    function = kernel(
        "filters/correlate",
        "correlate",
        In=c_type(source),
        Out=c_type(target),
        Exact=c_type(type_of_work(source, target)),
        BORDER=border.upper(),
    )
    launch_elements(batch.device, function, table, elements)
