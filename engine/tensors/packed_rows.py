"""Rows of several shapes in one block of memory, of the host or of a device."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

MetadataFunction = Callable[[NDArray[np.uint64], NDArray[np.int64]], NDArray[Any]]
"""Computes metadata of (batch, ...) from the addresses and lengths of rows of bytes.

The function stands in a module, so that other processes can import it."""


class PackedRows(Sequence[Any]):
    """Rows of several shapes in one block of memory; arrays are made only when asked for.

    Args:
        memory: (nbytes,) uint8.
        offsets: offset of each row in bytes: (batch,) int64.
        shapes: shapes of the rows: (batch, ndim) int64.
        dtype: dtype of the elements.
        metadata: known properties of the rows: arrays of (batch, ...), by name.

    >>> memory = np.arange(5, dtype=np.uint8)
    >>> rows = PackedRows(memory, np.array([0, 2]), np.array([[2], [3]]), np.uint8)
    >>> rows[1], len(rows[1:])
    (array([2, 3, 4], dtype=uint8), 1)
    """

    def __init__(
        self,
        memory: Any,
        offsets: NDArray[np.int64],
        shapes: NDArray[np.int64],
        dtype: Any,
        metadata: Mapping[str, NDArray[Any]] = MappingProxyType({}),
    ) -> None:
        self.memory = memory
        self.offsets = offsets
        self.shapes = shapes
        self.dtype = np.dtype(dtype)
        self.metadata = metadata

    @property
    def row_geometry(self) -> tuple[NDArray[np.int64], NDArray[np.int64], np.dtype[Any]]:
        """Offsets, shapes and dtype, which describe the rows in a copy of the memory, too."""
        return self.offsets, self.shapes, self.dtype

    @property
    def nbytes(self) -> int:
        """Bytes of all rows."""
        elements = int(self.shapes.prod(axis=1).sum())
        return elements * int(self.dtype.itemsize)

    def flat(self) -> Any | None:
        """Return the elements of all rows, without a copy; None unless the rows lie end to end."""
        ends = self.offsets + self.shapes.prod(axis=1) * self.dtype.itemsize
        if not len(ends) or (ends[:-1] != self.offsets[1:]).any():
            return None
        return self.memory[int(self.offsets[0]) : int(ends[-1])].view(self.dtype)

    def selected(self, rows: NDArray[np.int64]) -> PackedRows:
        """Return some of the rows."""
        metadata = {name: column[rows] for name, column in self.metadata.items()}
        shapes = self.shapes[rows]
        return PackedRows(self.memory, self.offsets[rows], shapes, self.dtype, metadata)

    def spread(self, rows: NDArray[np.int64], size: int) -> PackedRows:
        """Return `size` rows, some of which are these; the others are empty, or the first row."""

        def fill(column: NDArray[Any]) -> NDArray[Any]:
            filled = np.zeros((size, *column.shape[1:]), column.dtype)
            filled[rows] = column
            return filled

        metadata = {name: fill(column) for name, column in self.metadata.items()}
        offsets, shapes = fill(self.offsets), fill(self.shapes)
        return PackedRows(self.memory, offsets, shapes, self.dtype, metadata)

    def __len__(self) -> int:
        return len(self.shapes)

    def __getitem__(self, i: Any) -> Any:
        if isinstance(i, slice):
            metadata = {name: column[i] for name, column in self.metadata.items()}
            return PackedRows(self.memory, self.offsets[i], self.shapes[i], self.dtype, metadata)
        shape = self.shapes[i].tolist()
        start = int(self.offsets[i])
        row = self.memory[start : start + prod(shape) * self.dtype.itemsize]
        return row.view(self.dtype).reshape(shape)


def packed_between(values: NDArray[Any], bounds: NDArray[np.int64]) -> PackedRows:
    """Return the values of each sample, given the bounds of the samples among all values.

    >>> rows = packed_between(np.arange(6).reshape(3, 2), np.array([0, 1, 1, 3]))
    >>> [row.tolist() for row in rows]
    [[[0, 1]], [], [[2, 3], [4, 5]]]
    """
    values = np.ascontiguousarray(values)
    inner = np.array(values.shape[1:], np.int64)
    shapes = np.empty((len(bounds) - 1, values.ndim), np.int64)
    shapes[:, 0], shapes[:, 1:] = np.diff(bounds), inner
    step = values.itemsize * int(inner.prod())
    memory = values.reshape(-1).view(np.uint8)
    return PackedRows(memory, bounds[:-1] * step, shapes, values.dtype, {})
