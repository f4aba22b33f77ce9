"""Changes of tensors and batches in place; the elements stay where they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import ArgumentError
from .dtypes import to_numpy_type
from .packed_rows import PackedRows
from .source_info import NameAt


class NumberOfDimensions(int):
    """A number that is a method, too: DALI has `tensor.ndim()`, NumPy has `array.ndim`.

    >>> ndim = NumberOfDimensions(3)
    >>> ndim, ndim()
    (3, 3)
    """

    __slots__ = ()

    def __call__(self) -> int:
        return int(self)


class EditableTensor:
    """The methods of a tensor that change the tensor."""

    _array: Any
    _layout: str
    _source_info: str | NameAt

    def get_property(self, key: str, /) -> str | None:
        """Return the "layout" or the "source_info"; None if it is unknown, or `key` is another."""
        values = {"layout": self._layout, "source_info": str(self._source_info)}
        return values.get(key) or None

    def set_layout(self, layout: str | None, /) -> None:
        """Name the dimensions anew, one letter each; None or "" removes their names."""
        self._layout = fitting_layout(layout, int(self._array.ndim))

    def reinterpret(self, new_type: Any) -> None:
        """Take the elements' bytes for elements of another type of the same size."""
        self._array = reinterpreted(self._array, new_type)

    def squeeze(self, dim: int | None = None) -> bool:
        """Remove dimensions of extent 1; return whether there were some.

        Args:
            dim: the only dimension to remove, if its extent is 1. Negative ones count from the end.
        """
        ndim = int(self._array.ndim)
        if dim is not None and not -ndim <= dim < ndim:
            raise ArgumentError(f"there is no dimension {dim} in a tensor of {ndim} dimensions")
        wanted = range(ndim) if dim is None else (dim % ndim,)
        gone = tuple(axis for axis in wanted if self._array.shape[axis] == 1)
        if gone:
            self._array = self._array.squeeze(gone)
            self._layout = "".join(c for axis, c in enumerate(self._layout) if axis not in gone)
        return bool(gone)


class EditableList:
    """The methods of a batch that change the batch."""

    _dense: Any
    _rows: Any
    _layout: str
    _source_info: Sequence[str] | None
    _valid: Any
    _pointers: Any

    def set_layout(self, layout: str | None, /) -> None:
        """Name the dimensions of the samples anew, one letter each; None removes their names."""
        ndim = len(self._rows) and int(self.ndim)  # type: ignore[attr-defined]
        self._layout = fitting_layout(layout, ndim) if len(self._rows) else layout or ""

    def reinterpret(self, new_type: Any) -> None:
        """Take the elements' bytes for elements of another type of the same size."""
        rows = self._rows
        if self._dense is not None:
            self._rows = self._dense = reinterpreted(self._dense, new_type)
        elif isinstance(rows, PackedRows):
            dtype = _same_size(rows.dtype, new_type)
            self._rows = PackedRows(rows.memory, rows.offsets, rows.shapes, dtype)
        else:
            self._rows = [reinterpreted(row, new_type) for row in rows]

    def reset(self) -> None:
        """Drop all samples."""
        self._rows, self._dense, self._layout = [], None, ""
        self._source_info = self._valid = self._pointers = None


def fitting_layout(layout: str | None, ndim: int) -> str:
    """Return a layout that names so many dimensions; "" for None.

    Raises:
        ArgumentError: the number of letters is another.
    """
    if layout and len(layout) != ndim and not layout.endswith("*"):
        raise ArgumentError(
            f"the layout {str(layout)!r} has {len(layout)} letters, but there are {ndim} "
            "dimensions; give one letter for each dimension"
        )
    return str(layout or "")


def reinterpreted(array: Any, new_type: Any) -> Any:
    """Return the bytes of an array as elements of another type of the same size."""
    return array.view(_same_size(array.dtype, new_type))


def _same_size(present: np.dtype[Any], new_type: Any) -> np.dtype[Any]:
    dtype = to_numpy_type(new_type)
    if dtype.itemsize != present.itemsize:
        raise ArgumentError(
            f"elements of {present} cannot be taken for elements of {dtype}, which have a "
            f"different size: {dtype.itemsize} bytes for {present.itemsize}"
        )
    return dtype
