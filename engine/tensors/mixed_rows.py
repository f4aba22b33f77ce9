"""Rows of two batches as one batch, without a copy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Int64s
from .array_rows import ListedRows
from .rows import AddressOf, Rows, spread_column


class MixedRows(Rows):
    """Rows of two batches in any order.

    Args:
        from_first: whether each row is one of the first batch: (rows,) bool.
        numbers: number of each row in its batch: (rows,) int64.
        batches: the rows of the batches.
        addresses: address of each row: (rows,) uint64.
        extents: shape of each row: (rows, ndim) int64.
    """

    def __init__(
        self,
        from_first: NDArray[np.bool_],
        numbers: Int64s,
        batches: tuple[Rows, Rows],
        addresses: NDArray[np.uint64],
        extents: Int64s,
    ) -> None:
        self._from_first = from_first
        self._numbers = numbers
        self._batches = batches
        self._known_addresses = addresses
        self._extents = extents

    def __len__(self) -> int:
        return len(self._numbers)

    def row(self, i: int) -> Any:
        return self._batches[0 if self._from_first[i] else 1].row(int(self._numbers[i]))

    def part(self, where: slice) -> MixedRows:
        return self.selected(np.arange(*where.indices(len(self))))

    def selected(self, numbers: Int64s) -> MixedRows:
        return MixedRows(
            self._from_first[numbers],
            self._numbers[numbers],
            self._batches,
            self._known_addresses[numbers],
            self._extents[numbers],
        )

    def spread(self, numbers: Int64s, size: int) -> MixedRows:
        return self.selected(spread_column(np.arange(len(numbers)), numbers, size))

    def _addresses(self, address_of: AddressOf) -> NDArray[np.uint64]:
        return self._known_addresses

    def extents(self) -> Int64s:
        return self._extents

    @property
    def dtype(self) -> np.dtype[Any] | None:
        return self._batches[0 if self._from_first[0] else 1].dtype if len(self) else None

    @property
    def ndim(self) -> int:
        return int(self._extents.shape[1])

    def retyped(self, new_type: Any) -> Rows:
        return ListedRows(list(self)).retyped(new_type)

    def copied(self, empty: Callable[..., Any], copy: Callable[[Any, Any], object]) -> Rows:
        return ListedRows(list(self)).copied(empty, copy)
