"""The samples of a batch, grouped by the form of their arrays, and the memory for them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import mul
from typing import Any

import numpy as np

from ...engine.arrays import Array, DType, Int64s
from ...formats.npy import NpyHeader, as_numbers, stored_elements
from ..archives.inflated_member import InflatedMember
from ..source import Allocate, Column
from ..storage.storage import Storage
from .opening import OpenArray
from .plan import RangeGrid, plan_region
from .region import Regions
from .region_reads import RegionRead, read_cost_of


def by_form(arrays: Sequence[OpenArray], owners: Int64s) -> Iterator[tuple[NpyHeader, Int64s]]:
    """Yield the different forms of arrays, and the samples of arrays that have them.

    Args:
        arrays: the arrays.
        owners: number of the array that each sample belongs to.
    """
    forms: dict[Any, list[int]] = {}
    for number, array in enumerate(arrays):
        header = array.header
        forms.setdefault((header.shape, header.dtype, header.fortran_order), []).append(number)
    for numbers in forms.values():
        own = np.zeros(len(arrays), bool)
        own[numbers] = True
        yield arrays[numbers[0]].header, np.flatnonzero(own[owners])


@dataclass(frozen=True)
class FormGroup:
    """Samples of a batch whose arrays have the same form.

    Attributes:
        header: header of one of the arrays.
        rows: rows of the samples.
        regions: regions of the arrays, one a sample.
    """

    header: NpyHeader
    rows: Int64s
    regions: Regions

    def region_reads(
        self, arrays: Sequence[OpenArray], owners: Int64s, memory: BatchMemory, fill: float
    ) -> Iterator[RegionRead]:
        """Yield the regions to read; copy the elements that are in memory already.

        Args:
            arrays: the arrays of the batch.
            owners: number of the array that each sample of the group belongs to.
            memory: memory of the samples.
            fill: number for elements outside of the arrays.
        """
        header, regions = self.header, self.regions
        begins = np.array([array.begin for array in arrays], np.int64)[owners]
        begins += regions.start @ np.array(header.strides, np.int64)
        steps, strides = tuple(regions.step.tolist()), self._strides()
        filled = (regions.shape != regions.count).any(axis=1).tolist()
        if memory.dense is not None and self.in_runs(arrays):
            yield from self._runs(arrays, owners, begins, memory.dense)
            return
        for i, (row, owner) in enumerate(zip(self.rows.tolist(), owners.tolist(), strict=True)):
            counts = tuple(regions.count[i].tolist())
            target = memory.row(row).reshape(regions.shape[i])
            if filled[i]:
                target[...] = _as_fill(fill, target.dtype)
                target = target[tuple(map(_span, regions.lead[i].tolist(), counts))]
            if 0 in counts:
                continue
            array = arrays[owner]
            if array.content is not None:
                elements = stored_elements(array.content, array.header)
                key = tuple(map(_stepped, regions.start[i].tolist(), counts, steps))
                np.copyto(target, elements[key])
                continue
            direct = not filled[i] and header.dtype.isnative
            grids = self._plan(counts, strides, array.storage, direct=direct)
            yield RegionRead(array.storage, int(begins[i]), target, header.dtype, strides, grids)

    def in_runs(self, arrays: Sequence[OpenArray]) -> bool:
        """Return whether the samples are of one shape, and each is one run of bytes in its file."""
        header, counts = self.header, self.regions.count
        if (self.regions.shape != counts[0]).any() or (counts != counts[0]).any():
            return False
        if not header.dtype.isnative or not counts.all():
            return False
        if any(array.content is not None for array in arrays):
            return False
        first, storage = tuple(counts[0].tolist()), arrays[0].storage
        grid, *more = self._plan(first, self._strides(), storage, direct=True)
        return not more and grid.direct and len(grid.offsets) == 1

    def _strides(self) -> tuple[int, ...]:
        """Return the bytes from one element of a region to the next in the file, by axis."""
        return tuple(map(mul, self.header.strides, self.regions.step.tolist()))

    def _plan(
        self, counts: tuple[int, ...], strides: tuple[int, ...], storage: Storage, *, direct: bool
    ) -> tuple[RangeGrid, ...]:
        itemsize, fortran_order = self.header.dtype.itemsize, self.header.fortran_order
        cost = read_cost_of(storage)
        return plan_region(counts, strides, itemsize, fortran_order, cost, direct)

    def _runs(
        self, arrays: Sequence[OpenArray], owners: Int64s, begins: Int64s, dense: Array
    ) -> Iterator[RegionRead]:
        """Yield one read for samples that follow one another in a file as they do in the batch."""
        flat = dense.reshape(-1).view(np.uint8)
        length = flat.size // len(dense)
        files = np.array([id(array.storage) for array in arrays], np.int64)[owners]
        heads = np.ones(len(begins), bool)
        heads[1:] = (files[1:] != files[:-1]) | (begins[1:] != begins[:-1] + length)
        heads[1:] |= self.rows[1:] != self.rows[:-1] + 1
        firsts = np.flatnonzero(heads)
        ends = self.rows[np.append(firsts[1:], len(begins)) - 1] + 1
        columns = (owners[firsts], begins[firsts], self.rows[firsts], ends)
        for owner, begin, row, end in zip(*(c.tolist() for c in columns), strict=True):
            storage, target = arrays[owner].storage, flat[row * length : end * length]
            grids = plan_region((target.size,), (1,), 1, False, read_cost_of(storage), True)
            yield RegionRead(storage, begin, target, target.dtype, (1,), grids)


@dataclass(frozen=True)
class LocatedSamples:
    """The places of the samples of a batch, in arrays that are open.

    Attributes:
        groups: the samples, by the form of their arrays.
        arrays: the arrays.
        owners: number of the array that each sample belongs to.
        whole: whether all of each array is read.
    """

    groups: list[FormGroup]
    arrays: list[OpenArray]
    owners: Int64s
    whole: bool

    def region_reads(self, memory: BatchMemory, fill: float) -> list[RegionRead]:
        """Return the regions to read; copy the elements that are in memory already.

        Args:
            memory: memory of the samples.
            fill: number for elements outside of the arrays.
        """
        reads: list[RegionRead] = []
        for group in self.groups:
            reads += group.region_reads(self.arrays, self.owners[group.rows], memory, fill)
        return reads

    def inflated_nbytes(self) -> int:
        """Return the bytes of the samples that are inflated."""
        inflated = np.array([isinstance(array.storage, InflatedMember) for array in self.arrays])
        if not inflated.any():
            return 0
        return sum(
            int(group.regions.shape[inflated[self.owners[group.rows]]].prod(axis=1).sum())
            * group.header.dtype.itemsize
            for group in self.groups
        )


class BatchMemory:
    """Memory for the samples of a batch: one array, if they agree in shape and type."""

    def __init__(self, groups: Sequence[FormGroup], size: int, allocate: Allocate) -> None:
        shapes = [group.regions.shape[:, group.regions.kept] for group in groups]
        first = shapes[0][0] if shapes else np.empty(0)
        agree = all(
            group.header.native == groups[0].header.native
            and shape.shape[1] == len(first)
            and (shape == first).all()
            for group, shape in zip(groups, shapes, strict=True)
        )
        self.dense: Array | None = None
        self._rows: list[Array] = []
        if agree:
            self.dense = allocate((size, *first.tolist()), groups[0].header.native)
            return
        self._rows = [np.empty(0)] * size
        for group, of_group in zip(groups, shapes, strict=True):
            for row, shape in zip(group.rows.tolist(), of_group.tolist(), strict=True):
                self._rows[row] = allocate(tuple(shape), group.header.native)

    def row(self, row: int) -> Array:
        """Return the memory of a sample."""
        return self._rows[row] if self.dense is None else self.dense[row, ...]

    def numbers(self) -> Column:
        """Return the column, once the elements are there."""
        if self.dense is not None:
            return numbers_in(self.dense)
        return [numbers_in(row) for row in self._rows]


def numbers_in(elements: Array) -> Array:
    if elements.dtype == np.bool_:  # any other byte than 0 and 1 would be no bool
        np.not_equal(elements.view(np.uint8), 0, out=elements)
    return as_numbers(elements)


def _as_fill(value: float, dtype: DType) -> object:
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
