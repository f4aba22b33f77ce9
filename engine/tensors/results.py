"""The results of operators: rows while they are computed, and whole batches."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from ..arrays import Array
from ..errors import ArgumentError
from .array_rows import DenseRows, ListedRows, hole_like
from .device_tensors import TensorListGPU
from .host_tensors import TensorListCPU
from .source_info import Names
from .tensor_base import TensorList

RowType = tuple[tuple[int, ...], np.dtype[Any]]
"""Shape and dtype of a sample's array."""

Empty = Callable[[tuple[int, ...], DTypeLike], Array]
"""`empty(shape, dtype)` returns uninitialized memory of the batch."""


class RowStore(ABC):
    """One output of a sample operator: rows in one slab, and separate rows that do not fit.

    Args:
        size: number of rows.
        most_bytes: that a row may take; None for any number.
    """

    def __init__(self, size: int, most_bytes: int | None = None) -> None:
        self._rows: list[Any] = [None] * size
        self._most_bytes = most_bytes

    @abstractmethod
    def slab(self, shape: tuple[int, ...], dtype: DTypeLike) -> Array | None:
        """Return the memory of all rows, or None if a row of this shape does not fit into it."""

    @abstractmethod
    def separate_row(self, shape: tuple[int, ...], dtype: DTypeLike) -> Array:
        """Return memory for a row that does not fit into the slab."""

    def empty(self, i: int, shape: tuple[int, ...], dtype: DTypeLike) -> Array:
        """Return memory for row `i`.

        Raises:
            ArgumentError: the row takes more bytes than it may.
        """
        if self._most_bytes is not None:
            check_row(shape, np.dtype(dtype), self._most_bytes)
        slab = self.slab(shape, dtype)
        return self.separate_row(tuple(shape), dtype) if slab is None else row_of(slab, i)

    def store_row(self, i: int, array: Array, granted: Array | None) -> Array:
        """Store row `i`, and return the row as stored.

        An array outside of the memory that was granted for the row is copied. `array` may be a
        view of the granted memory, so the copy may change `array`.
        """
        if array is not granted:
            row = self.empty(i, array.shape, array.dtype)
            np.copyto(row, array)
            array = row
        self._rows[i] = array
        return array

    def row(self, i: int) -> Array:
        """Return row `i`."""
        array: Array = self._rows[i]
        return array


def check_row(shape: tuple[int, ...], dtype: np.dtype[Any], most_bytes: int) -> None:
    """Raise ArgumentError if a row takes more bytes than it may."""
    nbytes = prod(shape) * dtype.itemsize
    if nbytes > most_bytes:
        raise ArgumentError(
            f"an output of shape {tuple(shape)} and type {dtype} takes {nbytes:,} bytes, but may "
            f"take {most_bytes:,}"
        )


def row_of(slab: Array, i: int) -> Array:
    """Return row `i` of an array as an array, which may have no dimensions."""
    row: Array = slab[i, ...]
    return row


class BatchRows(RowStore):
    """The rows of a batch, filled by several threads.

    The first request for memory decides the shape of the batch's slab. Rows of another shape get
    separate memory, and the batch is ragged.
    """

    def __init__(
        self, size: int, empty: Empty, dense_hint: bool, most_bytes: int | None = None
    ) -> None:
        super().__init__(size, most_bytes)
        self._empty = empty
        self._lock = threading.Lock()
        self._slab: Array | None = None
        self._ragged = not dense_hint

    def slab(self, shape: tuple[int, ...], dtype: DTypeLike) -> Array | None:
        if self._ragged:
            return None
        slab = self._slab
        if slab is None:
            with self._lock:
                if self._slab is None:
                    self._slab = self._empty((len(self._rows), *shape), dtype)
                slab = self._slab
        if slab.shape[1:] == tuple(shape) and slab.dtype == dtype:
            return slab
        self._ragged = True
        return None

    def separate_row(self, shape: tuple[int, ...], dtype: DTypeLike) -> Array:
        return self._empty(shape, dtype)

    @property
    def made(self) -> Array | None:
        """The slab, or None if no row has requested memory of the slab."""
        return self._slab

    @property
    def ragged(self) -> bool:
        """Whether rows have separate memory."""
        return self._ragged

    def adopt(self, i: int, array: Array) -> None:
        """Store row `i`, which has separate memory of the batch, without a copy."""
        self._ragged = True
        self._rows[i] = array

    def adopt_from_slab(self, rows: Iterable[int]) -> None:
        """Store rows that were written into the slab."""
        for i in rows:
            assert self._slab is not None
            self._rows[i] = row_of(self._slab, i)

    @property
    def row_type(self) -> RowType | None:
        """Shape and dtype of the rows; None if they differ, and the next batch needs no slab."""
        types = {(row.shape, row.dtype) for row in self._rows if row is not None}
        return types.pop() if len(types) == 1 else None

    def finish(self, layout: str, *, has_holes: bool = False) -> TensorListCPU:
        """Return the filled rows.

        Args:
            layout: of the rows.
            has_holes: whether rows that were not computed are empty arrays, and not None.
        """
        if self._slab is not None and not self._ragged:
            return TensorListCPU(DenseRows(self._slab), layout)
        rows = self._rows
        if has_holes:
            hole = hole_like(rows)
            rows = [hole if row is None else row for row in rows]
        return TensorListCPU(ListedRows(rows), layout)


def as_results(result: Any, count: int) -> tuple[Any, ...]:
    """Return an operator's result as a tuple of `count` results; `count` may be 0."""
    results = result if isinstance(result, tuple) else (result,)
    if count == 0 and result is None:
        return ()
    if len(results) != count:
        raise ArgumentError(f"returned {len(results)} results, but has {count} outputs")
    return results


def as_tensor_lists(
    result: Any,
    size: int,
    layouts: Sequence[str],
    assumed: Mapping[int, str],
    names: Sequence[Names | None],
) -> tuple[TensorList, ...]:
    """Wrap the results of a batch operator, one a layout: see `as_tensor_list`.

    Args:
        result: the operator's result, or a tuple of results.
        size: number of samples.
        layouts: layouts of the results; "" where unknown.
        assumed: layouts for results whose layout is unknown, by number of dimensions.
        names: the samples' names in each result; None for those that have names already.
    """
    results = as_results(result, len(layouts))
    lists = [
        as_tensor_list(result, size, layout, of_result)
        for result, layout, of_result in zip(results, layouts, names, strict=True)
    ]
    return tuple([rows.with_assumed_layout(assumed) if assumed else rows for rows in lists])


def as_tensor_list(result: Any, size: int, layout: str, names: Names | None = None) -> TensorList:
    """Wrap the result of a batch operator; check that it has `size` rows, one a sample."""
    if len(result) != size:
        raise ArgumentError(f"returned {len(result)} samples for a batch of {size}")
    if not isinstance(result, TensorList):
        return TensorListCPU(result, layout, names)
    is_bare = isinstance(result, TensorListGPU) and layout
    batch: TensorList = result.with_layout(layout) if is_bare else result
    return batch.with_source_info(names)
