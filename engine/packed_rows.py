"""Rows of several shapes in one block of memory, of the host or of a device."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray


class PackedRows(Sequence[Any]):
    """Rows of several shapes in one block of memory; arrays are made only when asked for.

    Args:
        memory: (nbytes,) uint8.
        offsets: of each row in bytes: (batch,) int64.
        shapes: of the rows: (batch, ndim) int64.
        dtype: of the elements.
        notes: what is known of the rows already, by whoever asks: arrays of (batch, ...).

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
        notes: Mapping[str, NDArray[Any]] = MappingProxyType({}),
    ) -> None:
        self.memory = memory
        self.offsets = offsets
        self.shapes = shapes
        self.dtype = np.dtype(dtype)
        self.notes = notes

    @property
    def places(self) -> tuple[NDArray[np.int64], NDArray[np.int64], np.dtype[Any]]:
        """Offsets, shapes and type: what says where rows lie in memory of this kind."""
        return self.offsets, self.shapes, self.dtype

    @property
    def nbytes(self) -> int:
        """Bytes of all rows."""
        elements = int(self.shapes.prod(axis=1).sum())
        return elements * int(self.dtype.itemsize)

    def __len__(self) -> int:
        return len(self.shapes)

    def __getitem__(self, i: Any) -> Any:
        if isinstance(i, slice):
            notes = {name: note[i] for name, note in self.notes.items()}
            return PackedRows(self.memory, self.offsets[i], self.shapes[i], self.dtype, notes)
        shape = self.shapes[i].tolist()
        start = int(self.offsets[i])
        row = self.memory[start : start + prod(shape) * self.dtype.itemsize]
        return row.view(self.dtype).reshape(shape)
