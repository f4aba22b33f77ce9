"""The common base of tensors and batches in host memory and in device memory."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..errors import ArgumentError
from .alignment import empty_aligned, exported
from .dtypes import DALIDataType, to_dali_type
from .edits import EditableList, EditableTensor, NumberOfDimensions
from .mixed_rows import MixedRows
from .packed_rows import PackedRows
from .source_info import NameAt, Names


class Tensor(EditableTensor):
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


Sample = TypeVar("Sample", bound=Tensor)


class TensorList(EditableList):
    """One operator's output for a whole batch.

    Args:
        rows: an array whose axis 0 runs over the samples, a sequence of arrays, or `PackedRows`.
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
        is_dense = hasattr(rows, "dtype") and not isinstance(rows, PackedRows)
        self._dense: Any = rows if is_dense else None
        self._rows: Sequence[Any] = rows
        self._layout = layout
        self._source_info = source_info
        self._valid = valid
        self._pointers: NDArray[np.uint64] | None = None

    def __len__(self) -> int:
        return len(self._rows)

    def row(self, i: int) -> Any:
        """Return row `i` as an array, which may have no dimensions, without a copy."""
        return self._rows[i] if self._dense is None else self._dense[i, ...]

    def rows(self) -> list[Any]:
        """Return all rows as arrays, without a copy."""
        return [self.row(i) for i in range(len(self))]

    def window(self, rows: range) -> Any:
        """Return consecutive rows without a copy: one array of a dense batch, or a sequence."""
        return self._rows[rows.start : rows.stop]

    def part(self, rows: range) -> Self:
        """Return a batch of consecutive rows without a copy."""
        return type(self)(self.window(rows), self._layout, *self._about(rows))

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

    def _named(self, sample: Sample, i: int) -> Sample:
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
    def packed(self) -> PackedRows | None:
        """The rows with their offsets in a common block; None for a dense batch or a list."""
        return self._rows if isinstance(self._rows, PackedRows) else None

    @property
    def mixed(self) -> MixedRows | None:
        """The rows, if they are those of two batches."""
        return self._rows if isinstance(self._rows, MixedRows) else None

    def pointers(self) -> NDArray[np.uint64]:
        """Return the address of each row: (batch,)."""
        if self._pointers is None:
            if self._dense is not None:
                steps = np.arange(len(self._dense)) * self._dense.strides[0]
                pointers = steps.astype(np.uint64) + np.uint64(self._address_of(self._dense))
            elif self.packed is not None:
                first = self._address_of(self.packed.memory)
                pointers = self.packed.offsets.astype(np.uint64) + np.uint64(first)
            elif self.mixed is not None:
                pointers = self.mixed.pointers
            else:
                pointers = np.array([self._address_of(row) for row in self._rows], np.uint64)
            pointers.flags.writeable = False
            self._pointers = pointers
        return self._pointers

    @staticmethod
    @abstractmethod
    def _address_of(array: Any) -> int:
        raise NotImplementedError

    def extents(self) -> NDArray[np.int64]:
        """Return the shapes as an array: (batch, ndim)."""
        if self.packed is not None:
            return self.packed.shapes
        if self.mixed is not None:
            return self.mixed.extents
        if self._dense is not None:
            extents = np.empty((len(self._dense), self._dense.ndim - 1), np.int64)
            extents[:] = self._dense.shape[1:]
            return extents
        return np.array(self.shape(), np.int64).reshape(len(self), self.ndim)

    def shape(self) -> list[tuple[int, ...]]:
        """Return the shapes of the samples, in order."""
        if self._dense is not None:
            return [tuple(self._dense.shape[1:])] * len(self._dense)
        if self.packed is not None or self.mixed is not None:
            return list(map(tuple, self.extents().tolist()))
        return [tuple(row.shape) for row in self._rows]

    @property
    def dtype(self) -> DALIDataType:
        """Element type of all samples."""
        if self._dense is not None:
            return to_dali_type(self._dense.dtype)
        if self.packed is not None:
            return to_dali_type(self.packed.dtype)
        return to_dali_type(self._rows[0].dtype) if len(self._rows) else DALIDataType.NO_TYPE

    @property
    def ndim(self) -> NumberOfDimensions:
        """Number of dimensions of a sample."""
        if self._dense is not None:
            return NumberOfDimensions(self._dense.ndim - 1)
        if self.packed is not None:
            return NumberOfDimensions(self.packed.shapes.shape[1])
        return NumberOfDimensions(self._rows[0].ndim if len(self._rows) else 0)

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
        rows = self._rows if self._dense is None and self.packed is None else ()
        ndim = next((row.ndim for row in rows if row is not None), 0) if len(rows) else self.ndim
        fits = len(self._layout) == ndim or self._layout.endswith("*")
        return self if fits else self.with_layout(layouts.get(ndim, ""))

    def with_layout(self, layout: str) -> Self:
        """Return this batch with another layout."""
        if layout == self._layout:
            return self
        return type(self)(self._rows, layout, self._source_info, self._valid)

    def is_dense_tensor(self) -> bool:
        """Return whether all samples have one shape and dtype, so that `as_tensor` works."""
        if self.packed is not None or self.mixed is not None:
            shapes = self.extents()
            return len(shapes) > 0 and bool((shapes == shapes[0]).all())
        return self._dense is not None or len({(row.shape, row.dtype) for row in self._rows}) == 1

    def is_dense(self) -> bool:
        """Return whether the rows are one array already."""
        return self._dense is not None

    def dense(self) -> Any:
        """Return one array of shape (batch, *sample); copy only rows that are not adjacent."""
        if self._dense is None:
            self._check_dense()
            self._dense = self._stack()
            self._rows = self._dense
            self._pointers = None
        return self._dense

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


def _some(shapes: list[tuple[int, ...]]) -> str:
    distinct = list(dict.fromkeys(shapes))
    return ", ".join(map(str, distinct[:3])) + (", ..." if len(distinct) > 3 else "")
