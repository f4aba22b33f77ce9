"""One tensor: what those on the host and on a device share."""

from __future__ import annotations

from typing import Any

from ..errors import ArgumentError
from .alignment import exported
from .dtypes import DALIDataType, to_dali_type
from .edits import fitting_layout, reinterpreted
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


class Tensor:
    """One array with a layout and the location of its sample."""

    def __init__(self, array: Any, layout: str = "", source_info: str = "") -> None:
        self._array = array
        self._layout = layout
        self._source_info: str | NameAt = source_info

    @property
    def dtype(self) -> DALIDataType:
        """Element type."""
        return to_dali_type(self._array.dtype)

    def shape(self) -> list[int]:
        """Return the extent of each dimension."""
        return list(self._array.shape)

    @property
    def ndim(self) -> NumberOfDimensions:
        """Number of dimensions."""
        return NumberOfDimensions(self._array.ndim)

    def layout(self) -> str:
        """Return the meaning of the dimensions, one letter each, or ""."""
        return self._layout

    def source_info(self) -> str:
        """Return the location of the sample, such as a path and an offset, or ""."""
        return str(self._source_info)

    def get_property(self, key: str, /) -> str | None:
        """Return the "layout" or the "source_info"; None if it is unknown, or `key` is another."""
        values = {"layout": self._layout, "source_info": self.source_info()}
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

    def __dlpack__(
        self,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        return exported(self._array, **given(stream, max_version, dl_device, copy))

    def __dlpack_device__(self) -> tuple[int, int]:
        device: tuple[int, int] = self._array.__dlpack_device__()
        return device

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(shape={self.shape()}, dtype={self.dtype.name}, "
            f"layout={self._layout!r})"
        )


def given(
    stream: Any,
    max_version: tuple[int, int] | None,
    dl_device: tuple[int, int] | None,
    copy: bool | None,
) -> dict[str, Any]:
    """Return the options of `__dlpack__` that are not None: older arrays do not know all."""
    options = {
        "stream": stream,
        "max_version": max_version,
        "dl_device": dl_device,
        "copy": copy,
    }
    return {name: value for name, value in options.items() if value is not None}
