"""The rows of a batch: a class for each form in which they lie, and what all forms answer.

form        the rows lie
DenseRows   side by side in one array, whose axis 0 runs over the samples
ListedRows  in an array each
PackedRows  in several shapes at offsets of one block of memory
MixedRows   in two other batches

Memory is the host's or a device's. Arrays of single rows are made only when asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import prod
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Int64s
from .edits import same_size

AddressOf = Callable[[Any], int]
"""Returns the address of an array's first element."""


MetadataFunction = Callable[[NDArray[np.uint64], NDArray[np.int64]], NDArray[Any]]
"""Computes metadata of (batch, ...) from the addresses and lengths of rows of bytes.

The function stands in a module, so that other processes can import it."""


class Rows:
    """The rows of a batch.

    Attributes:
        array: the array of all rows, (batch, *sample); None unless they are `DenseRows`.
        metadata: known properties of the rows: arrays of (batch, ...), by name.
    """

    # Type checkers see from `NotImplementedError` what a form must define. The metaclass `ABCMeta`
    # would make `isinstance`, by which each new batch asks for its form, several times as slow.

    array: Any = None
    metadata: Mapping[str, NDArray[Any]] = MappingProxyType({})
    _pointers: NDArray[np.uint64] | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the addresses: a copy, such as in another process, has others."""
        return {name: value for name, value in vars(self).items() if name != "_pointers"}

    def __len__(self) -> int:
        raise NotImplementedError

    def __getitem__(self, i: Any) -> Any:
        return self.part(i) if isinstance(i, slice) else self.row(i)

    def __iter__(self) -> Iterator[Any]:
        return map(self.row, range(len(self)))

    def row(self, i: int) -> Any:
        """Return row `i` as an array, which may have no dimensions, without a copy."""
        raise NotImplementedError

    def part(self, where: slice) -> Rows:
        """Return some rows without a copy."""
        raise NotImplementedError

    def selected(self, numbers: Int64s) -> Rows:
        """Return some rows in any order, without a copy of large ones."""
        raise NotImplementedError

    def spread(self, numbers: Int64s, size: int) -> Rows:
        """Return `size` rows, among them these, at `numbers`; the others may hold anything."""
        raise NotImplementedError

    def pointers(self, address_of: AddressOf) -> NDArray[np.uint64]:
        """Return the address of each row: (batch,), not to be written."""
        if self._pointers is None:
            self._pointers = self._addresses(address_of)
            self._pointers.flags.writeable = False
        return self._pointers

    def _addresses(self, address_of: AddressOf) -> NDArray[np.uint64]:
        raise NotImplementedError

    def extents(self) -> Int64s:
        """Return the shapes of rows that agree in their number of dimensions: (batch, ndim)."""
        raise NotImplementedError

    def shape(self) -> list[tuple[int, ...]]:
        """Return the shape of each row."""
        return list(map(tuple, self.extents().tolist()))

    @property
    def dtype(self) -> np.dtype[Any] | None:
        """The dtype of the elements; None if there are no rows to know it from."""
        raise NotImplementedError

    @property
    def ndim(self) -> int:
        """The number of dimensions of a row; 0 if there are no rows to know it from."""
        raise NotImplementedError

    def is_uniform(self) -> bool:
        """Return whether all rows have one shape and dtype, so that one array can hold them."""
        extents = self.extents()
        return len(extents) > 0 and bool((extents == extents[0]).all())

    def is_small(self) -> bool:
        """Return whether a copy of the rows takes less time than a view of each."""
        return False

    def in_block(self) -> PackedRows | None:
        """Return the rows as parts of one block of memory; None if they lie apart."""
        return None

    def flat(self) -> Any | None:
        """Return the elements of all rows, without a copy; None unless the rows lie end to end."""
        return None

    def contiguous(self) -> Rows:
        """Return the rows, each contiguous: as they are, or copied."""
        return self

    def retyped(self, new_type: Any) -> Rows:
        """Return the elements' bytes as elements of another type of the same size."""
        raise NotImplementedError

    def copied(self, empty: Callable[..., Any], copy: Callable[[Any, Any], object]) -> Rows:
        """Return a copy in other memory.

        Args:
            empty: `empty(shape, dtype)` returns memory.
            copy: `copy(target, source)` copies one array to another one of its shape and dtype.
        """
        raise NotImplementedError


class PackedRows(Rows):
    """Rows of one dtype in one block of memory.

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
        offsets: Int64s,
        shapes: Int64s,
        dtype: Any,
        metadata: Mapping[str, NDArray[Any]] | None = None,
    ) -> None:
        self.memory = memory
        self.offsets = offsets
        self.shapes = shapes
        self.metadata = {} if metadata is None else metadata
        self._dtype: np.dtype[Any] = np.dtype(dtype)

    @property
    def nbytes(self) -> int:
        """Bytes of all rows."""
        return int(self.shapes.prod(axis=1).sum() * self._dtype.itemsize)

    def __len__(self) -> int:
        return len(self.shapes)

    def row(self, i: int) -> Any:
        shape = self.shapes[i].tolist()
        start = int(self.offsets[i])
        row = self.memory[start : start + prod(shape) * self._dtype.itemsize]
        return row.view(self._dtype).reshape(shape)

    def _arranged(self, change: Callable[[NDArray[Any]], NDArray[Any]]) -> PackedRows:
        """Return the rows after a change of each column of what is known of them."""
        metadata = {name: change(column) for name, column in self.metadata.items()}
        offsets, shapes = change(self.offsets), change(self.shapes)
        return PackedRows(self.memory, offsets, shapes, self._dtype, metadata)

    def part(self, where: slice) -> PackedRows:
        return self._arranged(lambda column: column[where])

    def selected(self, numbers: Int64s) -> PackedRows:
        return self._arranged(lambda column: column[numbers])

    def spread(self, numbers: Int64s, size: int) -> PackedRows:
        return self._arranged(lambda column: spread_column(column, numbers, size))

    def _addresses(self, address_of: AddressOf) -> NDArray[np.uint64]:
        return self.offsets.astype(np.uint64) + np.uint64(address_of(self.memory))

    def extents(self) -> Int64s:
        return self.shapes

    @property
    def dtype(self) -> np.dtype[Any]:
        return self._dtype

    @property
    def ndim(self) -> int:
        return int(self.shapes.shape[1])

    def in_block(self) -> PackedRows:
        return self

    def flat(self) -> Any | None:
        ends = self.offsets + self.shapes.prod(axis=1) * self._dtype.itemsize
        if not len(ends) or (ends[:-1] != self.offsets[1:]).any():
            return None
        return self.memory[int(self.offsets[0]) : int(ends[-1])].view(self._dtype)

    def retyped(self, new_type: Any) -> PackedRows:
        dtype = same_size(self._dtype, new_type)
        return PackedRows(self.memory, self.offsets, self.shapes, dtype)

    def copied(self, empty: Callable[..., Any], copy: Callable[[Any, Any], object]) -> PackedRows:
        target = empty((self.memory.size,), np.uint8)
        copy(target, self.memory)
        return PackedRows(target, self.offsets, self.shapes, self._dtype)


def packed_between(values: NDArray[Any], bounds: Int64s) -> PackedRows:
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
    return PackedRows(memory, bounds[:-1] * step, shapes, values.dtype)


def spread_column(column: NDArray[Any], numbers: Int64s, size: int) -> NDArray[Any]:
    """Return `size` rows of zeros, but for those at `numbers`."""
    filled = np.zeros((size, *column.shape[1:]), column.dtype)
    filled[numbers] = column
    return filled
