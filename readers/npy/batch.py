"""The samples of a batch, by the form of their arrays, and the memory that they are read into."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import mul
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...engine.npy import NpyHeader, as_numbers, stored_elements
from ..source import Allocate, Column
from ..storage.read_plan import Int64s
from .opening import Stored
from .parts import Part, cost_of
from .plan import Layout, first_elements, plan_part
from .roi import Parts


def alike(stored: Sequence[Stored], owners: Int64s) -> Iterator[tuple[NpyHeader, Int64s]]:
    """Yield the different forms of arrays, and the samples of arrays that have them.

    Args:
        stored: the arrays.
        owners: which of them each sample belongs to.
    """
    forms: dict[Any, list[int]] = {}
    for number, each in enumerate(stored):
        header = each.header
        forms.setdefault((header.shape, header.dtype, header.fortran_order), []).append(number)
    for numbers in forms.values():
        own = np.zeros(len(stored), bool)
        own[numbers] = True
        yield stored[numbers[0]].header, np.flatnonzero(own[owners])


@dataclass(frozen=True)
class Group:
    """Samples of a batch whose arrays have the same form.

    Attributes:
        header: of one of the arrays.
        rows: of the samples.
        parts: of the arrays that are read.
    """

    header: NpyHeader
    rows: Int64s
    parts: Parts

    def work(
        self, stored: Sequence[Stored], owners: Int64s, result: Result, fill: float
    ) -> Iterator[Part]:
        """Yield what to read; what is in memory already is copied.

        Args:
            stored: the arrays of the batch.
            owners: which of them each sample of the group belongs to.
            result: where the samples go.
            fill: what lies outside of the arrays.
        """
        header, parts = self.header, self.parts
        layout = Layout(header.shape, header.dtype.itemsize, header.fortran_order)
        begins = np.array([each.begin for each in stored], np.int64)[owners]
        begins += first_elements(layout, parts.start)
        steps = tuple(parts.step.tolist())
        strides = tuple(map(mul, layout.strides(), steps))
        filled = (parts.shape != parts.count).any(axis=1).tolist()
        if result.dense is not None and self.in_runs(stored):
            yield from self._runs(stored, owners, begins, result)
            return
        for i, (row, owner) in enumerate(zip(self.rows.tolist(), owners.tolist(), strict=True)):
            counts = tuple(parts.count[i].tolist())
            target = result.row(row).reshape(parts.shape[i])
            if filled[i]:
                target[...] = _as_fill(fill, target.dtype)
                target = target[tuple(map(_span, parts.lead[i].tolist(), counts))]
            if 0 in counts:
                continue
            each = stored[owner]
            if each.content is not None:
                found = stored_elements(each.content, each.header)
                key = tuple(map(_stepped, parts.start[i].tolist(), counts, steps))
                np.copyto(target, found[key])
                continue
            direct = not filled[i] and header.dtype.isnative
            grids = plan_part(layout, counts, steps, cost_of(each.storage), direct)
            yield Part(each.storage, int(begins[i]), target, header.dtype, strides, grids)

    def in_runs(self, stored: Sequence[Stored]) -> bool:
        """Return whether the samples are of one shape, and each is one run of bytes in its file."""
        header, counts = self.header, self.parts.count
        if (self.parts.shape != counts[0]).any() or (counts != counts[0]).any():
            return False
        if not header.dtype.isnative or not counts.all():
            return False
        if any(each.content is not None for each in stored):
            return False
        layout = Layout(header.shape, header.dtype.itemsize, header.fortran_order)
        first, steps = tuple(counts[0].tolist()), tuple(self.parts.step.tolist())
        (grid, *more) = plan_part(layout, first, steps, cost_of(stored[0].storage), True)
        return not more and grid.direct and len(grid.offsets) == 1

    def _runs(
        self, stored: Sequence[Stored], owners: Int64s, begins: Int64s, result: Result
    ) -> Iterator[Part]:
        """Yield one read for samples that follow one another in a file as they do in the batch."""
        assert result.dense is not None
        flat = result.dense.reshape(-1).view(np.uint8)
        length = flat.size // len(result.dense)
        files = np.array([id(each.storage) for each in stored], np.int64)[owners]
        heads = np.ones(len(begins), bool)
        heads[1:] = (files[1:] != files[:-1]) | (begins[1:] != begins[:-1] + length)
        heads[1:] |= self.rows[1:] != self.rows[:-1] + 1
        firsts = np.flatnonzero(heads)
        ends = self.rows[np.append(firsts[1:], len(begins)) - 1] + 1
        columns = (owners[firsts], begins[firsts], self.rows[firsts], ends)
        for owner, begin, row, end in zip(*(c.tolist() for c in columns), strict=True):
            storage, target = stored[owner].storage, flat[row * length : end * length]
            extents = (target.size,)
            layout = Layout(extents, 1, fortran_order=False)
            grids = plan_part(layout, extents, (1,), cost_of(storage), True)
            yield Part(storage, begin, target, target.dtype, (1,), grids)


class Result:
    """Memory for the samples of a batch: one array, if they agree in shape and type."""

    def __init__(self, groups: Sequence[Group], size: int, allocate: Allocate) -> None:
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
            return numbers_in(self.dense)
        return [numbers_in(row) for row in self._rows]


def numbers_in(elements: NDArray[Any]) -> NDArray[Any]:
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
