"""The region of an array that is read: the arguments of `fn.readers.numpy`, and their meaning.

Everything is computed for all samples of a batch at once: arrays (samples, axes).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import EllipsisType
from typing import Any

import numpy as np

from ...engine.arrays import Array, Int64s
from ...engine.errors import ArgumentError
from ...geometry.layouts import chosen_axes
from ...geometry.rounding import round_all_away
from ...geometry.slices import from_arguments

Key = tuple[slice | int | EllipsisType, ...]
Values = Mapping[str, Sequence[float] | Array | None]
"""By name without "roi_": one number an axis, or an array (samples, axes)."""

POLICIES = ("error", "pad", "trim_to_shape")
NAMES = ("roi_start", "roi_end", "roi_shape", "rel_roi_start", "rel_roi_end", "rel_roi_shape")

_INDEX = re.compile(r"\s*(-?\d+)\s*")
_SLICE = re.compile(r"\s*(-?\d*)\s*:\s*(-?\d*)\s*(?::\s*(-?\d*)\s*)?")
_LARGEST = 1 << 62


@dataclass(frozen=True)
class Regions:
    """The elements that are read of each sample, and their places: int64 (samples, axes).

    Attributes:
        start: the first element.
        count: number of elements.
        step: from one element to the next: (axes,).
        shape: shape of the result. Where it is larger than `count`, the rest is filled.
        lead: index in the result of the first element.
        kept: the axes that the result has; the others have the extent 1.
    """

    start: Int64s
    count: Int64s
    step: Int64s
    shape: Int64s
    lead: Int64s
    kept: tuple[int, ...]

    def repeated(self, count: int) -> Regions:
        """Return the region of one sample as that of `count` samples."""

        def each(values: Int64s) -> Int64s:
            return np.broadcast_to(values, (count, values.shape[1]))

        return replace(
            self,
            start=each(self.start),
            count=each(self.count),
            shape=each(self.shape),
            lead=each(self.lead),
        )

    def at(self, axis: int, indices: Int64s) -> Regions:
        """Return the regions with an axis more, along which each has one element, at its place."""
        one = np.int64(1)
        return Regions(
            np.insert(self.start, axis, indices, axis=1),
            np.insert(self.count, axis, one, axis=1),
            np.insert(self.step, axis, one),
            np.insert(self.shape, axis, one, axis=1),
            np.insert(self.lead, axis, 0, axis=1),
            tuple(kept + (kept >= axis) for kept in self.kept),
        )


@dataclass(frozen=True)
class RegionOfInterest:
    """A region of interest, as the arguments of `fn.readers.numpy` give it.

    Attributes:
        values: the arguments that are the same for all samples.
        axes: axes that `values` are for, in their order; none means all axes.
        key: the argument `roi`.
        policy: one of `POLICIES`.
    """

    values: Values = field(default_factory=dict)
    axes: tuple[int, ...] = ()
    key: Key | None = None
    policy: str = "error"

    @property
    def is_whole(self) -> bool:
        """Whether all of a sample is read, unless it has arguments of its own."""
        return self.key is None and all(value is None for value in self.values.values())

    def of_samples(self, shapes: Int64s, values: Values, where: Callable[[int], str]) -> Regions:
        """Return the regions of samples with the shapes (samples, axes).

        Args:
            shapes: shapes of the samples, which have the same number of axes.
            values: arguments of each sample, besides `self.values`.
            where: returns the location of the sample in a row.

        Raises:
            ArgumentError: the region does not fit the samples.
        """
        ndim = shapes.shape[1]
        start, step, dropped = np.zeros_like(shapes), np.ones(ndim, np.int64), []
        end = shapes.copy()
        if self.key is not None:
            dropped = self._apply_key(shapes, start, end, step, where)
        else:
            self._apply_values(shapes, start, end, {**self.values, **values}, where)
        if self.policy == "error":
            wrong = ((start < 0) | (end > shapes) | (start > shapes)).any(axis=1)
            if wrong.any():
                raise self._out_of_bounds(int(wrong.argmax()), shapes, start, end, where)
        elif self.policy == "trim_to_shape":
            start, end = start.clip(0, shapes), end.clip(0, shapes)
        total = -((start - end) // step)
        total = np.maximum(total, 0)
        lead = np.minimum(np.maximum(-(start // step), 0), total)
        inside = np.clip(-((start - shapes) // step), lead, total) - lead
        kept = tuple(axis for axis in range(ndim) if axis not in dropped)
        return Regions(start + lead * step, inside, step, total, lead, kept)

    def _apply_values(
        self,
        shapes: Int64s,
        start: Int64s,
        end: Int64s,
        values: Values,
        where: Callable[[int], str],
    ) -> None:
        given = {name: value for name, value in values.items() if value is not None}
        if not given:
            return
        ndim = shapes.shape[1]
        axes = chosen_axes("", ndim, self.axes or range(ndim), None)
        columns = {
            name: list(value.T) if isinstance(value, np.ndarray) else value
            for name, value in given.items()
        }
        first, last = from_arguments([shapes[:, axis] for axis in axes], **columns)
        starts, ends = _table(first, len(shapes)), _table(last, len(shapes))
        wrong = ~(starts <= ends)
        if wrong.any():
            number = int(wrong.any(axis=0).argmax())
            row = int(wrong[:, number].argmax())
            raise ArgumentError(
                f"{where(row)}: the region of interest ends before it starts, along axis "
                f"{axes[number]}; negative ends do not count from the back"
            )
        start[:, axes], end[:, axes] = round_all_away(starts), round_all_away(ends)

    def _apply_key(
        self,
        shapes: Int64s,
        start: Int64s,
        end: Int64s,
        step: Int64s,
        where: Callable[[int], str],
    ) -> list[int]:
        """Set start, end and step; return the axes that indices drop."""
        ndim, dropped = shapes.shape[1], []
        key = self._whole_key(ndim, where)
        for axis, entry in enumerate(key):
            extents = shapes[:, axis]
            if isinstance(entry, int):
                first = np.where(entry < 0, extents + entry, entry)
                wrong = (first < 0) | (first >= extents)
                if wrong.any():
                    row = int(wrong.argmax())
                    raise ArgumentError(
                        f"{where(row)}: the index {entry} in roi is out of bounds for axis {axis} "
                        f"with the extent {extents[row]}"
                    )
                start[:, axis], end[:, axis] = first, first + 1
                dropped.append(axis)
            else:
                start[:, axis] = _bound(entry.start, extents, 0)
                end[:, axis] = np.maximum(_bound(entry.stop, extents, extents), start[:, axis])
                step[axis] = entry.step or 1
        return dropped

    def _whole_key(self, ndim: int, where: Callable[[int], str]) -> list[slice | int]:
        """Return the key with an entry for each axis."""
        assert self.key is not None
        named = [entry for entry in self.key if not isinstance(entry, EllipsisType)]
        if len(named) > ndim:
            raise ArgumentError(
                f"{where(0)}: roi has {len(named)} entries, but the sample has {ndim} axes"
            )
        at = self.key.index(...) if ... in self.key else len(named)
        return [*named[:at], *[slice(None)] * (ndim - len(named)), *named[at:]]

    def _out_of_bounds(
        self, row: int, shapes: Int64s, start: Int64s, end: Int64s, where: Callable[[int], str]
    ) -> ArgumentError:
        return ArgumentError(
            f"{where(row)}: the region of interest from {tuple(start[row].tolist())} to "
            f"{tuple(end[row].tolist())} reaches out of the sample, whose shape is "
            f"{tuple(shapes[row].tolist())}; choose another region, or set out_of_bounds_policy to "
            '"pad" or "trim_to_shape"'
        )


def _table(columns: Sequence[object], count: int) -> Array:
    """Return numbers, or arrays of numbers of `count` samples, as int64 or float64 columns."""
    arrays = [np.asarray(column) for column in columns]
    whole = all(array.dtype == np.int64 for array in arrays)
    table = np.empty((count, len(arrays)), np.int64 if whole else np.float64)
    for number, array in enumerate(arrays):
        table[:, number] = array
    return table


def _bound(bound: int | None, extents: Int64s, default: object) -> Any:
    if bound is None:
        return default
    return extents + bound if bound < 0 else bound


def parse_key(value: object) -> Key:
    """Return the argument `roi` as a tuple of slices, indices and at most one Ellipsis.

    Args:
        value: as in `array[value]`; or a text, which may stand in brackets.

    Raises:
        ValueError: it is something else, or a step is not positive.

    >>> parse_key("[8:24, ..., ::2, -1]")
    (slice(8, 24, None), Ellipsis, slice(None, None, 2), -1)
    """
    if isinstance(value, str):
        inner = value.strip()
        if inner[:1] == "[" and inner[-1:] == "]":
            inner = inner[1:-1]
        entries = [_parse_entry(part) for part in inner.split(",")]
    else:
        entries = [_checked_entry(v) for v in (value if isinstance(value, tuple) else (value,))]
    if sum(entry is ... for entry in entries) > 1:
        raise ValueError("it has more than one Ellipsis")
    return tuple(entries)


def _parse_entry(text: str) -> slice | int | EllipsisType:
    if text.strip() == "...":
        return ...
    if match := _INDEX.fullmatch(text):
        return _checked_entry(int(match[1]))
    match = _SLICE.fullmatch(text)
    if match is None or "-" in match.groups():
        raise ValueError(f"{text.strip()!r} is no index, slice or '...'")
    return _checked_entry(slice(*(int(n) if n else None for n in match.groups())))


def _checked_entry(entry: object) -> slice | int | EllipsisType:
    if entry is ...:
        return ...
    if isinstance(entry, slice):
        start, stop, step = (
            None if n is None else _checked_int(n) for n in (entry.start, entry.stop, entry.step)
        )
        if step is not None and step < 1:
            raise ValueError(f"a step of {step}; only positive steps are read")
        return slice(start, stop, step)
    return _checked_int(entry)


def _checked_int(value: object) -> int:
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer):
        raise ValueError(f"{value!r} is no index, slice or Ellipsis")
    if abs(int(value)) >= _LARGEST:
        raise ValueError(f"{value} is too large")
    return int(value)
