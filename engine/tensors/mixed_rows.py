"""Rows of two batches as one batch, without a copy; arrays are made only when asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray


class HasRows(Protocol):
    """A `TensorList`."""

    def row(self, i: int) -> Any:
        """Return row `i`."""


class MixedRows(Sequence[Any]):
    """Rows of two batches in any order.

    Args:
        from_first: whether each row is one of the first batch: (rows,) bool.
        numbers: number of each row in its batch: (rows,) int64.
        batches: the batches.
        pointers: address of each row: (rows,) uint64.
        extents: shape of each row: (rows, ndim) int64.
    """

    def __init__(
        self,
        from_first: NDArray[np.bool_],
        numbers: NDArray[np.int64],
        batches: tuple[HasRows, HasRows],
        pointers: NDArray[np.uint64],
        extents: NDArray[np.int64],
    ) -> None:
        self._from_first = from_first
        self._numbers = numbers
        self._batches = batches
        self.pointers = pointers
        self.extents = extents

    def selected(self, rows: NDArray[np.int64]) -> MixedRows:
        """Return some of the rows, in any order; a row may come several times."""
        return MixedRows(
            self._from_first[rows],
            self._numbers[rows],
            self._batches,
            self.pointers[rows],
            self.extents[rows],
        )

    def __len__(self) -> int:
        return len(self._numbers)

    def __getitem__(self, i: Any) -> Any:
        if isinstance(i, slice):
            return self.selected(np.arange(*i.indices(len(self))))
        return self._batches[0 if self._from_first[i] else 1].row(int(self._numbers[i]))
