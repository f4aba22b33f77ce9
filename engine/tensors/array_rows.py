"""The rows of a batch as one array, and as an array each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Array, Int64s
from .edits import reinterpreted
from .rows import AddressOf, PackedRows, Rows, spread_column

SMALL_ROW_BYTES = 256
"""Bytes of a row in host memory up to which a copy takes less time than views of the rows."""


class DenseRows(Rows):
    """Rows in one array, whose axis 0 runs over the samples."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __len__(self) -> int:
        return len(self.array)

    def __iter__(self) -> Iterator[Any]:
        # Of numbers, NumPy's own iteration would make scalars.
        return iter(self.array) if self.array.ndim > 1 else super().__iter__()

    def row(self, i: int) -> Any:
        return self.array[i, ...]

    def part(self, where: slice) -> DenseRows:
        return DenseRows(self.array[where])

    def selected(self, numbers: Int64s) -> Rows:
        block = None if self.is_small() else self.in_block()
        return DenseRows(self.array[numbers]) if block is None else block.selected(numbers)

    def spread(self, numbers: Int64s, size: int) -> Rows:
        block = None if self.is_small() else self.in_block()
        if block is not None:
            return block.spread(numbers, size)
        return DenseRows(spread_column(self.array, numbers, size))

    def _addresses(self, address_of: AddressOf) -> NDArray[np.uint64]:
        step = int(self.array.strides[0])
        offsets = np.arange(len(self.array)) * step
        return offsets.astype(np.uint64) + np.uint64(address_of(self.array))

    def extents(self) -> Int64s:
        extents = np.empty((len(self.array), self.array.ndim - 1), np.int64)
        extents[:] = self.array.shape[1:]
        return extents

    def shape(self) -> list[tuple[int, ...]]:
        return [tuple(self.array.shape[1:])] * len(self.array)

    @property
    def dtype(self) -> np.dtype[Any]:
        dtype: np.dtype[Any] = self.array.dtype
        return dtype

    @property
    def ndim(self) -> int:
        return int(self.array.ndim) - 1

    def is_uniform(self) -> bool:
        return True

    def is_small(self) -> bool:
        in_host_memory = type(self.array) is np.ndarray
        return in_host_memory and self.array[:1].nbytes <= SMALL_ROW_BYTES

    def in_block(self) -> PackedRows | None:
        array = self.array
        if not array.flags.c_contiguous or array.dtype.kind not in "biufc":
            return None
        memory = array.reshape(-1).view(np.uint8)
        offsets = np.arange(len(array)) * (memory.nbytes // max(len(array), 1))
        return PackedRows(memory, offsets, self.extents(), array.dtype)

    def flat(self) -> Any | None:
        return self.array.reshape(-1) if len(self) and self.array.flags.c_contiguous else None

    def contiguous(self) -> DenseRows:
        return self if self.array.flags.c_contiguous else DenseRows(self.array.copy())

    def retyped(self, new_type: Any) -> DenseRows:
        return DenseRows(reinterpreted(self.array, new_type))

    def copied(self, empty: Callable[..., Any], copy: Callable[[Any, Any], object]) -> DenseRows:
        target = empty(self.array.shape, self.array.dtype)
        copy(target, self.array)
        return DenseRows(target)


class ListedRows(Rows):
    """Rows in an array each; None for a row that was not computed, and that nobody reads."""

    def __init__(self, arrays: Sequence[Any]) -> None:
        self._arrays = arrays

    def __len__(self) -> int:
        return len(self._arrays)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._arrays)

    def row(self, i: int) -> Any:
        return self._arrays[i]

    def part(self, where: slice) -> ListedRows:
        return ListedRows(self._arrays[where])

    def selected(self, numbers: Int64s) -> ListedRows:
        return ListedRows([self._arrays[i] for i in numbers.tolist()])

    def spread(self, numbers: Int64s, size: int) -> ListedRows:
        arrays = [hole_like(self._arrays)] * size
        for i, array in zip(numbers.tolist(), self._arrays, strict=True):
            arrays[i] = array
        return ListedRows(arrays)

    def _addresses(self, address_of: AddressOf) -> NDArray[np.uint64]:
        return np.array([address_of(array) for array in self._arrays], np.uint64)

    def extents(self) -> Int64s:
        return np.array(self.shape(), np.int64).reshape(len(self), self.ndim)

    def shape(self) -> list[tuple[int, ...]]:
        return [tuple(array.shape) for array in self._arrays]

    @property
    def dtype(self) -> np.dtype[Any] | None:
        first = first_computed(self._arrays)
        return None if first is None else first.dtype

    @property
    def ndim(self) -> int:
        first = first_computed(self._arrays)
        return 0 if first is None else int(first.ndim)

    def is_uniform(self) -> bool:
        return len({(array.shape, array.dtype) for array in self._arrays}) == 1

    def contiguous(self) -> ListedRows:
        whole = (a if a.flags.c_contiguous else a.copy() for a in self._arrays)
        return ListedRows(list(whole))

    def retyped(self, new_type: Any) -> ListedRows:
        return ListedRows([reinterpreted(array, new_type) for array in self._arrays])

    def copied(self, empty: Callable[..., Any], copy: Callable[[Any, Any], object]) -> Rows:
        """Copy the rows, into one array if they are uniform: see `Rows`."""
        rows = self._arrays
        if self.is_uniform():
            copies: Rows = DenseRows(empty((len(rows), *rows[0].shape), rows[0].dtype))
        else:
            copies = ListedRows([empty(row.shape, row.dtype) for row in rows])
        for target, row in zip(copies, rows, strict=True):
            copy(target, row)
        return copies


def as_rows(rows: Any) -> Rows:
    """Return an array whose axis 0 runs over the samples, a list of arrays, or rows, as rows."""
    if isinstance(rows, Rows):
        return rows
    return DenseRows(rows) if hasattr(rows, "dtype") else ListedRows(rows)


def hole_like(rows: Iterable[Any]) -> Array:
    """Return an empty array for samples that were not computed, of the type of other samples."""
    row = first_computed(rows)
    return np.empty(0, np.uint8) if row is None else np.empty((0,) * row.ndim, row.dtype)


def first_computed(rows: Iterable[Any]) -> Any | None:
    """Return the first row that was computed; None if there is none."""
    return next((row for row in rows if row is not None), None)
