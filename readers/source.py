"""The one contract that a new storage format implements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from ..engine.arrays import Array
from ..engine.errors import SourceError
from ..engine.tensors import PackedRows

Column = Array | list[Array] | PackedRows
"""One output of a batch: an array whose axis 0 runs over samples, or one array a sample."""

Columns = tuple[Column, ...]

Allocate = Callable[[tuple[int, ...], Any], Array]
"""`allocate(shape, dtype)` returns uninitialized memory that the caller recycles."""


class UnavailableError(SourceError):
    """A service did not answer in all attempts; the data themselves may be fine."""


class Readable(Protocol):
    """Samples that can be read by their indices."""

    def read(self, indices: NDArray[np.int64], allocate: Allocate) -> Columns:
        """Return the samples `indices`: see `Source.read`."""


class Source(Protocol):
    """Random access to encoded samples.

    A source is deterministic (an index always names the same sample), thread-safe and picklable. It
    knows nothing of shards, order or batches: the sampler decides which indices are read. A class
    that derives from `Source` needs `__len__`, `read` and `where`. A source may also have a method
    `source_info(index)`: the name of a sample, for programs, in place of its location. If its
    reader says `names_all_outputs`, the method gets the number of the output, too: `output=0`.
    Sources that mixtures read in one call are `Joinable`.
    """

    def __len__(self) -> int:
        """Return the number of samples."""

    def read(self, indices: NDArray[np.int64], allocate: Allocate) -> tuple[Column, ...]:
        """Return one column an output, with the samples `indices` in that order.

        Memory for bytes comes from `allocate`, or is a view into storage that stays valid while
        the view lives. If one sample cannot be read, this raises. The reader then reads the
        samples one by one, and so learns which of them are bad.
        """

    def where(self, index: int) -> str:
        """Return the location of sample `index` (file, key or offset), for messages."""

    def close(self) -> None:
        """Release files and mappings; a later `read` opens them again."""


Part = tuple[Any, NDArray[np.int64], NDArray[np.int64]]
"""Samples of one source in a batch of several: the source, rows of the batch, and indices."""


@runtime_checkable
class Joinable(Source, Protocol):
    """A source of which several are read in one call, as fast as one."""

    @classmethod
    def read_joined(cls, parts: Sequence[Part], count: int, allocate: Allocate) -> Columns | None:
        """Return `count` samples of sources of this class, each in its row, as `read` does.

        None says that these sources cannot be read together.
        """


def nbytes_of(column: Column) -> int:
    """Return the bytes of all samples."""
    return sum(row.nbytes for row in column) if isinstance(column, list) else column.nbytes


def checked_indices(indices: NDArray[np.int64], length: int) -> NDArray[np.int64]:
    """Return `indices`; raise IndexError if one is not in [0, length).

    For sources to call first: NumPy would take -1 for the last sample.
    """
    wrong = indices[(indices < 0) | (indices >= length)]
    if wrong.size:
        raise IndexError(f"there is no sample {wrong[0]}: the source holds {length}, from 0 on")
    return indices


def scattered(
    parts: Sequence[tuple[NDArray[np.int64], Column]], count: int, allocate: Allocate
) -> Column:
    """Return one column of `count` samples: each part holds the samples of its rows.

    It is an array if all parts are arrays of one dtype, and of one shape of a sample.
    """
    first = parts[0][1]
    if isinstance(first, np.ndarray) and all(
        isinstance(column, np.ndarray)
        and (column.dtype, column.shape[1:]) == (first.dtype, first.shape[1:])
        for _, column in parts
    ):
        whole = allocate((count, *first.shape[1:]), first.dtype)
        for rows, column in parts:
            whole[rows] = column
        return whole
    samples: list[Any] = [None] * count
    for rows, column in parts:
        for row, sample in zip(rows.tolist(), column, strict=True):
            samples[row] = sample
    return samples
