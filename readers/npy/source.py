"""The arrays of a data set, or what lies at the indices of one of their axes, as samples."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...engine.errors import DecodeError, PenstockError, SourceError
from ...engine.npy import NpyHeader, parse_header
from ...engine.tensors import TensorListGPU
from ..source import Allocate, Column, checked_indices
from ..storage.read_plan import Int64s
from ..storage.storage import LocalFile
from ..storage.urls import is_url
from .alike import MOST_BYTES, Likeness
from .arrays import Arrays
from .batch import Group, Result, alike, numbers_in
from .gds import DirectReads
from .mapped_copies import MappedCopies, is_worth
from .opening import Stored, StoredArrays
from .parts import Part
from .reads import carry_out
from .roi import Roi, Values

_HEADERS_AT_ONCE = 256

_WORTH_MAPPING = 1 << 20
"""Bytes of a file: smaller ones are better read."""


class NumpySource:
    """Arrays in `.npy` format; a sample is an array, or what lies at an index of an axis."""

    def __init__(
        self,
        arrays: Arrays,
        roi: Roi | None = None,
        *,
        sample_axis: int | None = None,
        fill_value: float = 0.0,
        keep_headers: bool = False,
        o_direct: bool = False,
        threads: int = 2,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        """Take where the arrays are, and what to read of them.

        Args:
            arrays: at least one.
            roi: the part of a sample to read.
            sample_axis: axis of the arrays whose indices are the samples; None takes each array
                for one. Reads all headers.
            fill_value: of what lies outside of the arrays.
            keep_headers: whether to remember headers, for as long as files do not change.
            o_direct: whether to read local files past the page cache.
            threads: that read local files at most.
            options: `Reader.storage_options`, for URLs.
        """
        self._arrays = arrays
        self._roi = roi or Roi()
        self._axis = sample_axis
        self._fill = fill_value
        self._o_direct = o_direct
        self._threads = threads
        self._stored = StoredArrays(arrays, options or {}, keep_headers or sample_axis is not None)
        self._likeness: Likeness | None = None
        self._mapped: MappedCopies | None = None
        self._firsts: Int64s | None = None
        if sample_axis is not None:
            self._firsts = np.cumsum([0, *self._extents(sample_axis)], dtype=np.int64)
            if not self._firsts[-1]:
                raise SourceError(
                    f"{arrays.where(0)}{' ...' * (len(arrays) > 1)}: no array has an element along "
                    f"the axis {sample_axis}"
                )

    def _extents(self, axis: int) -> Iterator[int]:
        for begin in range(0, len(self._arrays), _HEADERS_AT_ONCE):
            numbers = np.arange(begin, min(begin + _HEADERS_AT_ONCE, len(self._arrays)))
            for number, header in zip(numbers.tolist(), self._stored.headers(numbers), strict=True):
                if not -len(header.shape) <= axis < len(header.shape):
                    raise DecodeError(
                        f"{self._arrays.where(number)}: there is no axis {axis} in an array of "
                        f"shape {header.shape}; see sample_axis"
                    )
                yield header.shape[axis]

    def __len__(self) -> int:
        return len(self._arrays) if self._firsts is None else int(self._firsts[-1])

    def plain_file(self) -> str | None:
        """Return the path of a local file; None if the first is none, or members are deflated."""
        members = self._arrays.members
        if members is not None and members.table["deflated"].any():
            return None
        (path,) = self._arrays.paths(self._arrays.files_of(np.zeros(1, np.int64)))
        return None if is_url(path) else path

    def read(
        self, indices: NDArray[np.int64], allocate: Allocate, values: Values | None = None
    ) -> tuple[Column, ...]:
        """Return one column: an array (samples, *shape), or one a sample if they differ.

        Complex numbers and dates come as `engine.npy` says.

        Args:
            indices, allocate: see `Source.read`.
            values: the region's arguments that differ by sample: see `Roi.parts`.

        Raises:
            IndexError: an index is negative or not below `len(self)`.
            OSError: a file cannot be read. SourceError if it is too short, or changed.
            DecodeError: a file is no `.npy` file, or of what is no number.
            ArgumentError: the region does not fit a sample.
        """
        indices = checked_indices(indices, len(self))
        if not len(indices):
            return ([],)
        if self._in_whole(values) and (found := self._read_alike(indices, allocate)) is not None:
            return (found,)
        return (self._to_host(self._located_parts(indices, values), values, allocate),)

    def read_direct(
        self,
        indices: NDArray[np.int64],
        allocate: Allocate,
        values: Values | None,
        direct: DirectReads,
    ) -> Column | TensorListGPU:
        """Do as `read` does, but into GPU memory where `direct` can."""
        indices = checked_indices(indices, len(self))
        if not len(indices):
            return []
        parts = self._located_parts(indices, values)
        found = direct.read(*parts)
        return self._to_host(parts, values, allocate) if found is None else found

    def _in_whole(self, values: Values | None) -> bool:
        return self._roi.is_whole and not values and self._firsts is None

    def _located_parts(
        self, indices: Int64s, values: Values | None
    ) -> tuple[list[Group], list[Stored], Int64s]:
        """Return the samples by the form of their arrays, the arrays, and whose each sample is."""
        numbers, places = self._located(indices)
        unique, owners = np.unique(numbers, return_inverse=True)
        stored = self._stored.open(unique, whole=self._in_whole(values))
        groups = [
            self._group(header, rows, indices, places, values or {})
            for header, rows in alike(stored, owners)
        ]
        return groups, stored, owners

    def _to_host(
        self,
        parts: tuple[list[Group], list[Stored], Int64s],
        values: Values | None,
        allocate: Allocate,
    ) -> Column:
        groups, stored, owners = parts
        result = Result(groups, len(owners), allocate)
        found: list[Part] = []
        for group in groups:
            found += group.work(stored, owners[group.rows], result, self._fill)
        carry_out(
            found,
            allocate,
            threads=self._threads,
            o_direct=self._o_direct,
            mapped=self._mapped,
        )
        local = isinstance(stored[0].storage, LocalFile)
        if local and result.dense is not None and self._in_whole(values):
            self._expect(self._stored.beginning)
        return result.numbers()

    def _read_alike(self, indices: Int64s, allocate: Allocate) -> NDArray[Any] | None:
        """Return the samples if all of them are as expected."""
        likeness, self._likeness = self._likeness, None
        if likeness is None:
            return None
        header = likeness.header
        result = allocate((len(indices), *header.shape), header.native)
        if not likeness.read(self._arrays.paths(indices), result):
            return None
        self._likeness = likeness
        return numbers_in(result)

    def _expect(self, beginning: bytes) -> None:
        """Expect other files to be like one that begins so."""
        if self._arrays.members is not None or self._o_direct or not beginning:
            return
        header = parse_header(beginning)
        as_it_is = header.dtype.isnative and not (header.fortran_order and len(header.shape) > 1)
        if as_it_is and 0 < header.nbytes <= MOST_BYTES:
            self._likeness = Likeness(beginning, header)

    def _located(self, indices: Int64s) -> tuple[Int64s, Int64s | None]:
        """Return the arrays of samples, and the samples' places along the axis."""
        if self._firsts is None:
            return indices, None
        numbers: Int64s = np.searchsorted(self._firsts, indices, "right") - 1
        return numbers, indices - self._firsts[numbers]

    def _group(
        self,
        header: NpyHeader,
        rows: Int64s,
        indices: Int64s,
        places: Int64s | None,
        values: Values,
    ) -> Group:
        """Return samples of arrays with the same header, and which parts of them are read."""
        shape = np.array(header.shape, np.int64)
        axis = None if places is None or self._axis is None else self._axis % len(shape)
        if axis is not None:
            assert self._firsts is not None
            self._check_extents(shape[axis], indices[rows])
            shape = np.delete(shape, axis)
        parts = self._roi.parts(
            np.broadcast_to(shape, (len(rows), len(shape))),
            {name: np.asarray(value)[rows] for name, value in values.items()},
            lambda row: self.where(int(indices[rows[row]])),
        )
        if axis is not None and places is not None:
            parts = parts.at(axis, places[rows])
        return Group(header, rows, parts)

    def _check_extents(self, extent: int, indices: Int64s) -> None:
        assert self._firsts is not None
        numbers = np.searchsorted(self._firsts, indices, "right") - 1
        changed = self._firsts[numbers + 1] - self._firsts[numbers] != extent
        if changed.any():
            raise SourceError(
                f"{self._arrays.where(int(numbers[changed.argmax()]))} has changed since its "
                "samples were counted; make the pipeline anew"
            )

    def where(self, index: int) -> str:
        """Return the file, the member in it if it is an archive, and the index along the axis."""
        numbers, places = self._located(checked_indices(np.array([index]), len(self)))
        place = "" if places is None else f", sample {places[0]}"
        return self._arrays.where(int(numbers[0])) + place

    def worth_mapping(self, *, known: bool) -> bool:
        """Return whether a process that maps files may be worth it: see `mapped_copies`.

        Args:
            known: whether the region is the same for all samples; else the files' size decides.
        """
        try:
            path = self.plain_file()
            if path is None or self._o_direct or os.path.getsize(path) < _WORTH_MAPPING:
                return False
            if not known:
                return True
            groups, stored, owners = self._located_parts(np.zeros(1, np.int64), None)
            parts = groups[0].work(stored, owners, Result(groups, 1, np.empty), self._fill)
            return all(is_worth(part, self._threads) for part in parts)
        except (OSError, PenstockError):  # that is raised when samples are read
            return False

    def use_maps(self, mapped: MappedCopies) -> None:
        """Let a process that maps files copy what it can; it is closed with this source."""
        self._mapped = mapped

    def interrupt(self) -> None:
        """End the process, and so what is waited for; called from another thread."""
        if self._mapped is not None:
            self._mapped.close()

    @property
    def note(self) -> str:
        """What was copied out of mapped files, or ""."""
        return "" if self._mapped is None else self._mapped.note

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_mapped": None}  # a copy has no part in the process

    def close(self) -> None:
        """Release the files; a later `read` opens them again."""
        self._stored.close()
        self.interrupt()
