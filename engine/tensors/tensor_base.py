"""Batches: what those in host memory and in device memory share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..errors import ArgumentError
from .alignment import empty_aligned, exported
from .array_rows import DenseRows, as_rows
from .dtypes import DALIDataType, to_dali_type
from .edits import fitting_layout
from .one_tensor import NumberOfDimensions, Tensor, given
from .rows import Rows
from .source_info import NameAt, Names

OneTensor = TypeVar("OneTensor", bound=Tensor)


class TensorList:
    """One operator's output for a whole batch.

    Args:
        rows: an array whose axis 0 runs over the samples, a sequence of arrays, or `Rows`.
        layout: meaning of a sample's dimensions, one letter each, or "".
        source_info: name of each sample's origin, by row.
        valid: False for padding at the end of a shard, and for replacement samples. All True by
            default.
    """

    # Type checkers see from the decorators what a class must define. The metaclass `ABCMeta` would
    # make `isinstance`, which operators call for each argument, several times as slow.
    _tensor: type[Tensor] = Tensor

    def __init__(
        self,
        rows: Any,
        layout: str = "",
        source_info: Sequence[str] | None = None,
        valid: NDArray[np.bool_] | None = None,
    ) -> None:
        self._rows: Rows = as_rows(rows)
        self._layout = layout
        self._source_info = source_info
        self._valid = valid

    @property
    def stored(self) -> Rows:
        """The rows in the form in which they lie in memory."""
        return self._rows

    def __len__(self) -> int:
        return len(self._rows)

    def row(self, i: int) -> Any:
        """Return row `i` as an array, which may have no dimensions, without a copy."""
        return self._rows.row(i)

    def rows(self) -> list[Any]:
        """Return all rows as arrays, without a copy."""
        return list(self._rows)

    def window(self, rows: range) -> Any:
        """Return consecutive rows without a copy: one array of a dense batch, or a list."""
        part = self._rows.part(slice(rows.start, rows.stop))
        return list(part) if part.array is None else part.array

    def part(self, rows: range) -> Self:
        """Return a batch of consecutive rows without a copy."""
        part = self._rows.part(slice(rows.start, rows.stop))
        return type(self)(part, self._layout, *self._about(rows))

    def _about(self, rows: range) -> tuple[Sequence[str] | None, NDArray[np.bool_] | None]:
        """Return the locations of some samples, and whether they are valid."""
        start, stop = rows.start, rows.stop
        info, valid = self._source_info, self._valid
        return (
            None if info is None else info[start:stop],
            None if valid is None else valid[start:stop],
        )

    def at(self, i: int) -> Any:
        """Return row `i`: a NumPy array on the CPU, a `TensorGPU` on the GPU."""
        return self.row(self._checked(i))

    def __getitem__(self, i: int) -> Tensor:
        i = self._checked(i)
        return self._named(self._tensor(self.row(i), self.layout()), i)

    def _named(self, sample: OneTensor, i: int) -> OneTensor:
        if self._source_info is not None:
            sample._source_info = NameAt(self._source_info, i)
        return sample

    def _checked(self, i: int) -> int:
        """Return the number of a sample; negative ones count from the end."""
        if not -len(self) <= i < len(self):
            raise IndexError(f"sample {i} is out of range: the batch has {len(self)} samples")
        return i % len(self)

    def __iter__(self) -> Iterator[Tensor]:
        return (self[i] for i in range(len(self)))

    @property
    def metadata(self) -> Mapping[str, NDArray[Any]]:
        """Properties of the rows that are known already: arrays of (batch, ...), by name.

        See `metadata_functions` of operators.
        """
        return self._rows.metadata

    def pointers(self) -> NDArray[np.uint64]:
        """Return the address of each row: (batch,)."""
        return self._rows.pointers(self._address_of)

    @staticmethod
    @abstractmethod
    def _address_of(array: Any) -> int:
        raise NotImplementedError

    def extents(self) -> NDArray[np.int64]:
        """Return the shapes as an array: (batch, ndim)."""
        return self._rows.extents()

    def shape(self) -> list[tuple[int, ...]]:
        """Return the shapes of the samples, in order."""
        return self._rows.shape()

    @property
    def dtype(self) -> DALIDataType:
        """Element type of all samples."""
        dtype = self._rows.dtype
        return DALIDataType.NO_TYPE if dtype is None else to_dali_type(dtype)

    @property
    def ndim(self) -> NumberOfDimensions:
        """Number of dimensions of a sample."""
        return NumberOfDimensions(self._rows.ndim)

    def layout(self) -> str:
        """Return the meaning of a sample's dimensions, one letter each, or "".

        An asterisk stands for each dimension without a name.
        """
        open_end = self._layout.endswith("*")
        return self._layout.rstrip("*").ljust(self.ndim, "*") if open_end else self._layout

    def source_info(self) -> list[str]:
        """Return the location of each sample, or "" where the location is unknown."""
        return [""] * len(self) if self._source_info is None else list(self._source_info)

    @property
    def valid(self) -> NDArray[np.bool_]:
        """Whether each row is a sample of its own, and not padding or a replacement sample."""
        return np.ones(len(self), bool) if self._valid is None else self._valid

    def with_assumed_layout(self, layouts: Mapping[int, str]) -> Self:
        """Return a batch whose layout does not fit with that for its number of dimensions."""
        if not len(self):
            return self
        ndim = self._rows.ndim
        fits = len(self._layout) == ndim or self._layout.endswith("*")
        return self if fits else self.with_layout(layouts.get(ndim, ""))

    def with_layout(self, layout: str) -> Self:
        """Return this batch with another layout."""
        if layout == self._layout:
            return self
        return type(self)(self._rows, layout, self._source_info, self._valid)

    def set_layout(self, layout: str | None, /) -> None:
        """Name the dimensions of the samples anew, one letter each; None removes their names."""
        self._layout = fitting_layout(layout, self._rows.ndim) if len(self) else layout or ""

    def reinterpret(self, new_type: Any) -> None:
        """Take the elements' bytes for elements of another type of the same size."""
        self._rows = self._rows.retyped(new_type)

    def reset(self) -> None:
        """Drop all samples."""
        self._rows, self._layout = as_rows([]), ""
        self._source_info = self._valid = None

    def is_dense_tensor(self) -> bool:
        """Return whether all samples have one shape and dtype, so that `as_tensor` works."""
        return self._rows.is_uniform()

    def is_dense(self) -> bool:
        """Return whether the rows are one array already."""
        return self._rows.array is not None

    def dense(self) -> Any:
        """Return one array of shape (batch, *sample); copy only rows that are not adjacent."""
        if self._rows.array is None:
            self._check_dense()
            self._rows = DenseRows(self._stack())
        return self._rows.array

    def _check_dense(self) -> None:
        if not len(self):
            raise ArgumentError("a batch without samples has no shape, so there is no array of it")
        types = {str(row.dtype) for row in self._rows}
        if len(types) > 1:
            raise ArgumentError(
                f"the samples of this batch differ in dtype ({', '.join(sorted(types))}), so no "
                "single array can hold them; cast them to one dtype in the pipeline"
            )
        if not self.is_dense_tensor():
            raise ArgumentError(
                f"the samples of this batch differ in shape ({_some(self.shape())}), so no single "
                "array can hold them; read samples one by one with at(i), or resize, crop or pad "
                "them to one shape in the pipeline"
            )

    @abstractmethod
    def as_cpu(self) -> TensorList:
        """Return this batch in host memory."""
        raise NotImplementedError

    @abstractmethod
    def _stack(self) -> Any:
        raise NotImplementedError

    def replaced(self, i: int, row: Any) -> TensorList:
        """Return a new list with another row `i`; all other rows share memory with this list."""
        rows = self.rows()
        rows[i] = row
        return type(self)(rows, self._layout, self._source_info)

    @property
    def names(self) -> Names | None:
        """The `source_info` of the samples, computed on demand; None if they have none."""
        return self._source_info

    def with_source_info(self, names: Names | None) -> Self:
        """Return this batch, whose samples get names unless they have some already."""
        if self._source_info is not None or names is None:
            return self
        named = object.__new__(type(self))  # with the memory and the addresses of this batch
        named.__dict__.update(self.__dict__, _source_info=names)
        return named

    @abstractmethod
    def delivered(
        self, valid: NDArray[np.bool_] | None, empty: Callable[..., Any] = empty_aligned
    ) -> Self:
        """Return this batch as an output, with the samples that are valid.

        A dense batch in host memory is aligned (see `alignment`), C-contiguous and writable.

        Args:
            valid: see `TensorList`.
            empty: `empty(shape, dtype)` returns memory for a copy, if the batch is not like that.
        """
        raise NotImplementedError

    def as_tensor(self) -> Tensor:
        """Return the batch as one tensor of shape (batch, *sample)."""
        return self._tensor(self.dense(), "N" + self.layout() if self._layout else "")

    def as_reshaped_tensor(self, shape: Sequence[int]) -> Tensor:
        """Return the batch as one tensor of `shape`, which has the same number of elements."""
        return self._tensor(self.dense().reshape(tuple(shape)))

    def data_ptr(self) -> int:
        """Return the address of the first element of a dense batch."""
        tensor: Any = self.as_tensor()  # of a class that has the method
        return int(tensor.data_ptr())

    def __dlpack__(
        self,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        return exported(self.dense(), **given(stream, max_version, dl_device, copy))

    def __dlpack_device__(self) -> tuple[int, int]:
        device: tuple[int, int] = self.dense().__dlpack_device__()
        return device

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({len(self)} samples, {_some(self.shape())}, "
            f"dtype={self.dtype.name}, layout={self.layout()!r})"
        )


def _some(shapes: list[tuple[int, ...]]) -> str:
    distinct = list(dict.fromkeys(shapes))
    return ", ".join(map(str, distinct[:3])) + (", ..." if len(distinct) > 3 else "")
