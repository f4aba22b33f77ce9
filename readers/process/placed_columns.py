"""Columns in shared memory, as a reading process describes them to its parent."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from itertools import chain
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Array, Bytes
from ...engine.tensors.arena import PLAIN_DTYPES
from ...engine.tensors.rows import MetadataFunction, PackedRows
from ..source import Column

ALIGNMENT = 64
"""Of arrays in the memory of a read, and of the memory itself, in bytes."""


class PlacedArray(NamedTuple):
    """An array in the memory of a read: its offset, its shape and the text of its dtype."""

    offset: int
    shape: tuple[int, ...]
    dtype: str


class PlacedRows(NamedTuple):
    """One array a sample in the memory of a read; the arrays agree in dtype and dimensions.

    Attributes:
        offsets: (samples,) int64.
        shapes: (samples, ndim) int64.
        dtype: text of the dtype.
        metadata: see `PackedRows`.
    """

    offsets: NDArray[np.int64]
    shapes: NDArray[np.int64]
    dtype: str
    metadata: dict[str, Array]


Placed = PlacedArray | PlacedRows | Column
"""A column; one that cannot be described otherwise stands for itself."""


class ReadMemory:
    """The memory of a read, in the process that reads. Thread-safe.

    Args:
        memory: (room,) uint8. If that is used up, arrays lie elsewhere.

    Attributes:
        used: bytes that are used, or would be.
    """

    def __init__(self, memory: Bytes) -> None:
        self.used = 0
        self._memory = memory
        self._lock = threading.Lock()
        self._address = memory.ctypes.data

    def empty(self, shape: tuple[int, ...], dtype: Any) -> Array:
        """Return an uninitialized C-contiguous array."""
        dtype = np.dtype(dtype)
        with self._lock:
            start = -(-self.used // ALIGNMENT) * ALIGNMENT
            end = self.used = start + prod(shape) * dtype.itemsize
        if end > len(self._memory):
            return np.empty(shape, dtype)
        array: Array = self._memory[start:end].view(dtype).reshape(shape)
        return array

    def place(self, column: Column, functions: Mapping[str, MetadataFunction]) -> Placed:
        """Describe a column; arrays that lie elsewhere are copied into the memory.

        Args:
            column: the column.
            functions: functions that are run on the rows of a column of bytes.
        """
        if isinstance(column, np.ndarray):
            if column.dtype.kind not in PLAIN_DTYPES:
                return column
            return PlacedArray(self._offset(column), column.shape, column.dtype.str)
        rows = list(column)
        forms = {(row.dtype, row.ndim) for row in rows}
        if len(forms) != 1:
            return rows
        ((dtype, ndim),) = forms
        if dtype.kind not in PLAIN_DTYPES:
            return rows
        offsets = np.array([self._offset(row) for row in rows], np.int64)
        shapes = np.array([row.shape for row in rows], np.int64).reshape(len(rows), ndim)
        metadata = {}
        if dtype == np.uint8 and ndim == 1 and self.used <= len(self._memory):
            addresses = (offsets + self._address).astype(np.uint64)
            metadata = {name: of(addresses, shapes[:, 0]) for name, of in functions.items()}
        return PlacedRows(offsets, shapes, dtype.str, metadata)

    def _offset(self, array: Array) -> int:
        offset: int = array.__array_interface__["data"][0] - self._address
        if 0 <= offset <= len(self._memory) - array.nbytes and array.flags.c_contiguous:
            return offset
        copied = self.empty(array.shape, array.dtype)
        np.copyto(copied, array)
        return int(copied.__array_interface__["data"][0]) - self._address


def joined(memory: Bytes, firsts: Sequence[int], parts: Sequence[Placed]) -> Column:
    """Return one column of those of several parts of the samples.

    Args:
        memory: memory of the whole read.
        firsts: where the memory of the process begins that has read the part.
        parts: the column of each part.
    """
    rows = [part for part in parts if isinstance(part, PlacedRows)]
    if len(rows) == len(parts) and len({(r.dtype, r.shapes.shape[1]) for r in rows}) == 1:
        return _joined_rows(memory, firsts, rows)
    columns = [_column(memory, first, part) for first, part in zip(firsts, parts, strict=True)]
    if len(columns) == 1:
        return columns[0]
    arrays = [column for column in columns if isinstance(column, np.ndarray)]
    if len(arrays) == len(columns) and len({(a.dtype, a.shape[1:]) for a in arrays}) == 1:
        return np.concatenate(arrays)
    return list(chain.from_iterable(columns))


def _joined_rows(memory: Bytes, firsts: Sequence[int], parts: Sequence[PlacedRows]) -> PackedRows:
    """Return the rows of parts that agree in dtype and dimensions."""
    offsets = [part.offsets + first for first, part in zip(firsts, parts, strict=True)]
    metadata = {
        name: np.concatenate([part.metadata[name] for part in parts]) for name in parts[0].metadata
    }
    shapes = np.concatenate([part.shapes for part in parts])
    return PackedRows(memory, np.concatenate(offsets), shapes, parts[0].dtype, metadata)


def _column(memory: Bytes, first: int, part: Placed) -> Column:
    if isinstance(part, PlacedRows):
        return _joined_rows(memory, [first], [part])
    if isinstance(part, PlacedArray):
        return np.ndarray(part.shape, part.dtype, memory, first + part.offset)
    return part
