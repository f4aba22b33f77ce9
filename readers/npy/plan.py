"""The plan of byte ranges that hold a region of a stored array, and of their place in the result.

Pure functions: nothing is read here.

A region has elements at equal distances along each axis. Bytes of a region that lie side by side in
the file are a *run*. Short runs that are close to one another are read together, and the elements
are picked out of the bytes that were read (*staged*). Long runs are read straight into the result
(*direct*). Because a region is regular, so are its reads: they have one length and lie on a grid.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Array, DType, Int64s


class ReadCost(NamedTuple):
    """Costs that decide whether runs are read together.

    Attributes:
        gap: number of bytes that cost as much as one more read.
        most: bytes that are staged at once, unless a single run is longer.
    """

    gap: int
    most: int


@dataclass(frozen=True)
class RangeGrid:
    """Reads of one length at regular offsets.

    Attributes:
        offsets: offsets of the reads, in bytes from the region's first element: int64 (reads,).
        length: length of each read in bytes.
        inner, strides: the elements in a read: extents, and the bytes from one to the next.
        direct: whether a read is nothing but elements, in the result's order.
    """

    offsets: Int64s
    length: int
    inner: tuple[int, ...]
    strides: tuple[int, ...]
    direct: bool
    _outer: tuple[int, ...]
    _split: tuple[int, slice, tuple[int, ...]] | None
    _fortran_order: bool
    _at_once: int

    def arranged(self, result: Array) -> Array:
        """Return the elements that the reads fill, as the file has them.

        Args:
            result: memory for the region, of its shape; its strides do not matter.

        Returns:
            a view: an axis for each axis of the grid, then those of `inner`.
        """
        stored = result.T if self._fortran_order else result
        if self._split is None:
            return stored
        axis, rows, extents = self._split
        stored = stored[(slice(None),) * axis + (rows,)]
        # To split an axis never copies.
        return stored.reshape(stored.shape[:axis] + extents + stored.shape[axis + 1 :])

    def tiles(self) -> Iterator[tuple[slice, tuple[Any, ...]]]:
        """Yield the reads in groups that fit into the staged bytes, `ReadCost.most`.

        A group is a slice of the reads, and an index: it selects the elements that they fill, of
        what `arranged` returns.
        """
        *outer, last = self._outer or (1,)
        for number, index in enumerate(np.ndindex(*outer)):
            for begin in range(0, last, self._at_once):
                end = min(begin + self._at_once, last)
                reads = slice(number * last + begin, number * last + end)
                filled = (*index, slice(begin, end)) if self._outer else (np.newaxis,)
                yield reads, (*filled, ...)

    def elements(self, block: NDArray[np.uint8], dtype: DType, reads: int) -> Array:
        """Return the elements in a block that holds `reads` reads end to end: (reads, *inner)."""
        shape, strides = (reads, *self.inner), (self.length, *self.strides)
        return np.ndarray(shape, dtype, block.data, strides=strides)


@lru_cache(maxsize=256)
def plan_region(
    counts: tuple[int, ...],
    strides: tuple[int, ...],
    itemsize: int,
    fortran_order: bool,
    cost: ReadCost,
    direct: bool,
) -> tuple[RangeGrid, ...]:
    """Plan to read a region of an array; the plan is the same wherever the region begins.

    Args:
        counts: elements along each axis; all at least 1.
        strides: bytes in the file from one of these elements to the next along each axis.
        itemsize: bytes of an element.
        fortran_order: whether the first index runs fastest in the file, rather than the last one.
        cost: costs of reads.
        direct: whether the result's memory is C-contiguous.

    Returns:
        one grid, or two that together fill the region.

    >>> (grid,) = plan_region((2, 50), (800, 8), 8, False, ReadCost(64, 1024), True)
    >>> grid.offsets.tolist(), grid.length, grid.direct
    ([0, 800], 400, True)
    """
    # From the fastest axis outwards: a read takes in one more axis as long as that pays.
    #
    #     gap == 0    ####|####|####            the runs touch: one run, read in place
    #     small gap   ####..####..####          one read of all, and the elements picked out of it
    #     large gap   ####        ####          one read for each run: the grid's outer axes
    order = slice(None, None, -1 if fortran_order else 1)
    pitches, extents = strides[order], counts[order]
    staged = not direct or (fortran_order and sum(n > 1 for n in counts) > 1)
    length = itemsize
    for axis in range(len(extents) - 1, -1, -1):
        count, pitch = extents[axis], pitches[axis]
        gap = pitch - length
        if count == 1 or (gap == 0 and not staged):
            length += (count - 1) * pitch
            continue
        # To stage a run costs about as much as to read it in vain once more.
        if (gap if staged else pitch) > cost.gap:
            return (_grid(extents, pitches, axis + 1, None, length, staged, fortran_order, cost),)
        staged = True
        if length + (count - 1) * pitch > cost.most:
            together = max(1, (cost.most - length) // pitch + 1)
            return tuple(_split(extents, pitches, axis, together, length, fortran_order, cost))
        length += (count - 1) * pitch
    return (_grid(extents, pitches, 0, None, length, staged, fortran_order, cost),)


def _split(
    extents: tuple[int, ...],
    pitches: tuple[int, ...],
    axis: int,
    together: int,
    length: int,
    fortran_order: bool,
    cost: ReadCost,
) -> Iterator[RangeGrid]:
    """Yield grids that read `together` steps of an axis at once, and what is left at its end."""
    groups, rest = divmod(extents[axis], together)
    before, behind = extents[:axis], extents[axis + 1 :]
    for rows, count, size in (
        (slice(0, groups * together), groups, together),
        (slice(groups * together, None), 1, rest),
    ):
        if count and size:
            pitch = pitches[axis]
            outer = (*pitches[:axis], pitch * together, pitch, *pitches[axis + 1 :])
            whole = (*before, count, size, *behind)
            reach, begin = length + (size - 1) * pitch, rows.start * pitch
            split = (axis, rows, (count, size))
            yield _grid(whole, outer, axis + 1, split, reach, True, fortran_order, cost, begin)


def _grid(
    extents: tuple[int, ...],
    pitches: tuple[int, ...],
    outer: int,
    split: tuple[int, slice, tuple[int, ...]] | None,
    length: int,
    staged: bool,
    fortran_order: bool,
    cost: ReadCost,
    begin: int = 0,
) -> RangeGrid:
    """Return the grid whose first `outer` axes are over reads."""
    offsets: Int64s = np.array(begin, np.int64)
    for count, pitch in zip(extents[:outer], pitches[:outer], strict=True):
        offsets = offsets[..., np.newaxis] + pitch * np.arange(count, dtype=np.int64)
    return RangeGrid(
        offsets.reshape(-1),
        length,
        extents[outer:],
        pitches[outer:],
        not staged,
        extents[:outer],
        split,
        fortran_order,
        max(1, cost.most // max(1, length)),
    )
