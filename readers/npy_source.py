"""The arrays of a data set, or what lies at the indices of one of their axes, as samples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engine.errors import DecodeError, SourceError
from ..engine.npy import NpyHeader, as_numbers, parse_header, stored_elements
from .npy_alike import MOST_BYTES, Likeness
from .npy_arrays import Arrays
from .npy_open import Stored, StoredArrays
from .npy_plan import Grid, Layout, first_elements, plan_part
from .npy_reads import Direct, Work, carry_out, cost_of, planned
from .npy_roi import Parts, Roi, Values
from .read_plan import Int64s
from .source import Allocate, Column, checked_indices
from .storage import LocalFile

_HEADERS_AT_ONCE = 256


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
            options: `Reader.storage_options`, for URLs.
        """
        self._arrays = arrays
        self._roi = roi or Roi()
        self._axis = sample_axis
        self._fill = fill_value
        self._o_direct = o_direct
        self._stored = StoredArrays(arrays, options or {}, keep_headers or sample_axis is not None)
        self._likeness: Likeness | None = None
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
        whole = self._roi.is_whole and not values and self._firsts is None
        if whole and (alike := self._read_alike(indices, allocate)) is not None:
            return (alike,)
        numbers, places = self._located(indices)
        unique, owners = np.unique(numbers, return_inverse=True)
        stored = self._stored.open(unique, whole=whole)
        groups = [
            self._group(header, rows, indices, places, values or {})
            for header, rows in _alike([stored[i] for i in owners.tolist()])
        ]
        result = _Result(groups, len(indices), allocate)
        work: list[Work] = []
        for group in groups:
            work += group.work([stored[i] for i in owners[group.rows].tolist()], result, self._fill)
        carry_out(work, allocate, o_direct=self._o_direct)
        if whole and result.dense is not None and isinstance(stored[0].storage, LocalFile):
            self._expect(self._stored.beginning)
        return (result.numbers(),)

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
        return _numbers(result)

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
    ) -> _Group:
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
        return _Group(header, rows, parts)

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

    def close(self) -> None:
        """Release the files; a later `read` opens them again."""
        self._stored.close()


def _alike(stored: Sequence[Stored]) -> Iterator[tuple[NpyHeader, Int64s]]:
    """Yield the different forms of arrays, and the rows that have them."""
    forms: dict[Any, list[int]] = {}
    for row, each in enumerate(stored):
        header = each.header
        forms.setdefault((header.shape, header.dtype, header.fortran_order), []).append(row)
    for rows in forms.values():
        yield stored[rows[0]].header, np.array(rows, np.int64)


@dataclass(frozen=True)
class _Group:
    """Samples of a batch whose arrays have the same form.

    Attributes:
        header: of one of the arrays.
        rows: of the samples.
        parts: of the arrays that are read.
    """

    header: NpyHeader
    rows: Int64s
    parts: Parts

    def work(self, stored: Sequence[Stored], result: _Result, fill: float) -> Iterator[Work]:
        """Yield what to read; what is in memory already is copied.

        Args:
            stored: the array of each sample.
            result: where the samples go.
            fill: what lies outside of the arrays.
        """
        header, parts = self.header, self.parts
        layout = Layout(header.shape, header.dtype.itemsize, header.fortran_order)
        begins = np.array([each.begin for each in stored], np.int64)
        begins += first_elements(layout, parts.start)
        steps = tuple(parts.step.tolist())
        filled = (parts.shape != parts.count).any(axis=1).tolist()
        if self._in_runs(layout, stored, result, filled):
            yield from self._runs(stored, begins, result)
            return
        for i, row in enumerate(self.rows.tolist()):
            counts = tuple(parts.count[i].tolist())
            target = result.row(row).reshape(parts.shape[i])
            if filled[i]:
                target[...] = _as_fill(fill, target.dtype)
                target = target[tuple(map(_span, parts.lead[i].tolist(), counts))]
            if 0 in counts:
                continue
            each = stored[i]
            if each.content is not None:
                found = stored_elements(each.content, each.header)
                key = tuple(map(_stepped, parts.start[i].tolist(), counts, steps))
                np.copyto(target, found[key])
                continue
            direct = not filled[i] and header.dtype.isnative
            grids = plan_part(layout, counts, steps, cost_of(each.storage), direct)
            yield from planned(each.storage, int(begins[i]), grids, target, header.dtype)

    def _in_runs(
        self, layout: Layout, stored: Sequence[Stored], result: _Result, filled: Sequence[bool]
    ) -> bool:
        """Return whether each sample is one run of bytes, and all of them lie side by side."""
        counts = self.parts.count
        if result.dense is None or any(filled) or not self.header.dtype.isnative:
            return False
        if not counts.all() or any(each.content is not None for each in stored):
            return False
        (grid, *more) = self._grids(layout, stored[0])
        return not more and grid.direct and len(grid.offsets) == 1

    def _grids(self, layout: Layout, stored: Stored) -> tuple[Grid, ...]:
        counts, steps = tuple(self.parts.count[0].tolist()), tuple(self.parts.step.tolist())
        return plan_part(layout, counts, steps, cost_of(stored.storage), True)

    def _runs(self, stored: Sequence[Stored], begins: Int64s, result: _Result) -> Iterator[Work]:
        """Yield one read for samples that follow one another in a file as they do in the batch."""
        assert result.dense is not None
        flat = result.dense.reshape(-1).view(np.uint8)
        length = flat.size // len(result.dense)
        files = np.array([id(each.storage) for each in stored], np.int64)
        heads = np.ones(len(begins), bool)
        heads[1:] = (files[1:] != files[:-1]) | (begins[1:] != begins[:-1] + length)
        heads[1:] |= self.rows[1:] != self.rows[:-1] + 1
        firsts = np.flatnonzero(heads)
        ends = self.rows[np.append(firsts[1:], len(begins)) - 1] + 1
        for i, row, end in zip(
            firsts.tolist(), self.rows[firsts].tolist(), ends.tolist(), strict=True
        ):
            yield Direct(stored[i].storage, int(begins[i]), flat[row * length : end * length])


class _Result:
    """Memory for the samples of a batch: one array, if they agree in shape and type."""

    def __init__(self, groups: Sequence[_Group], size: int, allocate: Allocate) -> None:
        shapes = [group.parts.shape[:, group.parts.kept] for group in groups]
        first = shapes[0][0] if shapes else np.empty(0)
        alike = all(
            group.header.native == groups[0].header.native
            and found.shape[1] == len(first)
            and (found == first).all()
            for group, found in zip(groups, shapes, strict=True)
        )
        self.dense: NDArray[Any] | None = None
        self._rows: list[NDArray[Any]] = []
        if alike:
            self.dense = allocate((size, *first.tolist()), groups[0].header.native)
            return
        self._rows = [np.empty(0)] * size
        for group, found in zip(groups, shapes, strict=True):
            for row, shape in zip(group.rows.tolist(), found.tolist(), strict=True):
                self._rows[row] = allocate(tuple(shape), group.header.native)

    def row(self, row: int) -> NDArray[Any]:
        """Return the memory of a sample."""
        return self._rows[row] if self.dense is None else self.dense[row, ...]

    def numbers(self) -> Column:
        """Return the column, once the elements are there."""
        if self.dense is not None:
            return _numbers(self.dense)
        return [_numbers(row) for row in self._rows]


def _numbers(elements: NDArray[Any]) -> NDArray[Any]:
    if elements.dtype == np.bool_:  # any other byte than 0 and 1 would be no bool
        np.not_equal(elements.view(np.uint8), 0, out=elements)
    return as_numbers(elements)


def _as_fill(value: float, dtype: np.dtype[Any]) -> Any:
    """Return the value in the type of elements: the nearest that it holds, halves away from 0."""
    if dtype.kind not in "iu":
        return np.array(value).astype(dtype if dtype.kind not in "mM" else np.int64).view(dtype)
    limits = np.iinfo(dtype)
    rounded = int(np.trunc(value + np.copysign(0.5, value))) if np.isfinite(value) else 0
    return min(max(rounded, int(limits.min)), int(limits.max))


def _span(begin: int, count: int) -> slice:
    return slice(begin, begin + count)


def _stepped(begin: int, count: int, step: int) -> slice:
    return slice(begin, begin + (count - 1) * step + 1, step)
