"""Rows of several shapes in one block of memory, of the host or of a device."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

Find = Callable[[NDArray[np.uint64], NDArray[np.int64]], NDArray[Any]]
"""From the addresses and lengths of rows of bytes to something about each: (batch, ...).

It is a function of a module, for other processes to find."""


class PackedRows(Sequence[Any]):
    """Rows of several shapes in one block of memory; arrays are made only when asked for.

    Args:
        memory: (nbytes,) uint8.
        offsets: of each row in bytes: (batch,) int64.
        shapes: of the rows: (batch, ndim) int64.
        dtype: of the elements.
        facts: what is known of the rows already: arrays of (batch, ...), by name.

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
        facts: Mapping[str, NDArray[Any]] = MappingProxyType({}),
    ) -> None:
        self.memory = memory
        self.offsets = offsets
        self.shapes = shapes
        self.dtype = np.dtype(dtype)
        self.facts = facts

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
            facts = {name: fact[i] for name, fact in self.facts.items()}
            return PackedRows(self.memory, self.offsets[i], self.shapes[i], self.dtype, facts)
        shape = self.shapes[i].tolist()
        start = int(self.offsets[i])
        row = self.memory[start : start + prod(shape) * self.dtype.itemsize]
        return row.view(self.dtype).reshape(shape)
