"""Products of a matrix with the vectors along one axis of a sample.

The matrix may be banded: only the columns between the first and the last one that is not 0 take
part in a result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...engine.gpu.kernels import c_type
from ...engine.graph.context import BatchContext, Workspace
from ...engine.graph.operator import Array
from ...engine.tensors import TensorListGPU
from ...engine.tensors.device_tensors import address_of
from ...engine.tensors.dtypes import to_numpy_type
from ..kernels import Pointers, kernel, launch_elements, struct_table

RESULTS_TOGETHER = 16
"""Results that one product of matrices computes; fewer multiply fewer zeros."""

MAX_PRODUCT_TERMS = 1 << 17
"""Terms of one product of matrices. BLAS divides larger products among threads of its own, for
which the pipeline's threads would wait in turn."""


class AxisMatrix:
    """A matrix of float32: (results, numbers).

    Attributes:
        matrix: the numbers.
    """

    def __init__(self, matrix: Array) -> None:
        self.matrix = np.ascontiguousarray(matrix, np.float32)

    @cached_property
    def ranges(self) -> NDArray[np.int32]:
        """The first column of each result, and the end of its columns: (results, 2)."""
        used = self.matrix != 0
        count = used.shape[1]
        some = used.any(axis=1)
        first = used.argmax(axis=1) if count else np.zeros(len(used), int)
        end = count - used[:, ::-1].argmax(axis=1) if count else first
        return np.where(some[:, np.newaxis], np.stack([first, end], axis=1), 0).astype(np.int32)

    @cached_property
    def _bands(self) -> list[tuple[slice, slice]]:
        """The results of each band, and the columns of the matrix that they need."""
        bands = []
        for first_of_band in range(0, len(self.matrix), RESULTS_TOGETHER):
            band = slice(first_of_band, first_of_band + RESULTS_TOGETHER)
            used = [(first, end) for first, end in self.ranges[band].tolist() if first < end]
            start = min((first for first, _ in used), default=0)
            bands.append((band, slice(start, max((end for _, end in used), default=start))))
        return bands

    def along(self, workspace: Workspace, data: Array, axis: int) -> Array:
        """Return the products for a sample, in memory of the workspace: float32.

        Args:
            data: the sample, of any numeric dtype.
            axis: has as many elements as the matrix has columns.
        """
        shape = data.shape
        out = workspace.empty((*shape[:axis], len(self.matrix), *shape[axis + 1 :]), np.float32)
        numbers = np.ascontiguousarray(data, np.float32)
        if axis == data.ndim - 1:
            flat = numbers.reshape(int(np.prod(shape[:-1])), shape[-1])
            self._multiply_rows(flat, out.reshape(len(flat), len(self.matrix)))
            return out
        outer, inner = int(np.prod(shape[:axis])), int(np.prod(shape[axis + 1 :]))
        columns = numbers.reshape(outer, shape[axis], inner)
        results = out.reshape(outer, len(self.matrix), inner)
        for band, used in self._bands:
            factors = self.matrix[band, used]
            for count, some in _tiles(inner, factors.size):
                np.matmul(
                    factors,
                    _split(columns[:, used, some], 2, count).swapaxes(1, 2),
                    out=_split(results[:, band, some], 2, count).swapaxes(1, 2),
                )
        return out

    def _multiply_rows(self, numbers: Array, out: Array) -> None:
        for band, used in self._bands:
            factors = self.matrix[band, used].T
            for count, some in _tiles(len(numbers), factors.size):
                np.matmul(
                    _split(numbers[some, used], 0, count),
                    factors,
                    out=_split(out[some, band], 0, count),
                )

    def on_device(self, batch: BatchContext) -> tuple[int, int]:
        """Return the addresses of the matrix and of `ranges` on the device.

        Both stay there as long as the device's stream is used.
        """
        device = batch.device
        matrix, ranges = device.own(
            self, lambda: (device.upload(self.matrix), device.upload(self.ranges))
        )
        return address_of(matrix), address_of(ranges)


def _tiles(extent: int, terms: int) -> Iterator[tuple[int, slice]]:
    """Yield parts of an axis, and the number of equal tiles that each part consists of.

    Args:
        extent: of the axis.
        terms: terms of a product for one element of the axis.
    """
    width = max(MAX_PRODUCT_TERMS // max(terms, 1), 1)
    tiles = extent // width
    yield tiles, slice(tiles * width)
    if extent > tiles * width:
        yield 1, slice(tiles * width, extent)


def _split(array: Array, axis: int, count: int) -> Array:
    """Return a view in which an axis is split into `count` parts of equal extents."""
    shape = array.shape
    extent = shape[axis] // count if count else 0
    return array.reshape(*shape[:axis], count, extent, *shape[axis + 1 :])


def along_on_gpu(
    batch: BatchContext,
    data: TensorListGPU,
    axis: int,
    matrix_of: Callable[[int], AxisMatrix],
    results: ArrayLike,
    layout: str,
) -> TensorListGPU:
    """Return the products of a batch, in one launch.

    Args:
        data: the samples.
        axis: the axis of the vectors.
        matrix_of: returns the matrix for an extent of the axis.
        results: number of results of a vector: (batch,) or one number.
        layout: of the results.
    """
    extents = data.extents()
    shapes = extents.copy()
    shapes[:, axis] = results
    out = batch.device.empty(shapes, np.float32, layout)
    distinct, which = np.unique(extents[:, axis], return_inverse=True)
    pairs = [matrix_of(extent).on_device(batch) for extent in distinct.tolist()]
    addresses = np.array(pairs, np.uint64).reshape(-1, 2)[which]
    elements = shapes.prod(axis=1)
    table = struct_table(
        "Product",
        batch.size,
        source=Pointers(data.pointers(), "const In*"),
        out=Pointers(out.pointers(), "float*"),
        matrix=Pointers(addresses[:, 0], "const float*"),
        ranges=Pointers(addresses[:, 1], "const int*"),
        elements=elements,
        numbers=extents[:, axis],
        results=shapes[:, axis],
        inner=extents[:, axis + 1 :].prod(axis=1),
    )
    function = kernel("audio/axis_matrix", "axis_matrix", In=c_type(to_numpy_type(data.dtype)))
    launch_elements(batch.device, function, table, elements)
    return out
