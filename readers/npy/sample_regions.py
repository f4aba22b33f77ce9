"""The samples of a data set of arrays: which part of which array each one is.

A sample is an array or, with `sample_axis`, its slice at an index of this axis:

    arrays      0        1      2
    extents     3        2      4             along the axis
    samples     0 1 2    3 4    5 6 7 8
    firsts      0        3      5       9     the first sample of each array, and their number
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from ...engine.arrays import Int64s
from ...engine.errors import DecodeError, PenstockError, SourceError
from ..source import checked_indices
from ..storage.damage import STRICT, Damages
from .array_list import ArrayList
from .opening import ArrayOpener
from .region import RegionOfInterest, Regions, Values

HEADERS_AT_ONCE = 256
"""Headers that are read when samples are counted along an axis."""

MAX_KNOWN_SHAPES = 256
"""Shapes of arrays whose region is remembered."""


class SampleRegions:
    """The samples of arrays, and the region that is read of each.

    Args:
        arrays: the arrays.
        opener: reads their headers, all of them if there is an axis.
        region: region of a sample.
        axis: axis of the arrays whose indices are the samples; None takes each array for one.
        damages: takes what is wrong with an array, which then has no samples along the axis.

    Attributes:
        region: see the argument.

    Raises:
        SourceError: no array has an element along the axis.
        DecodeError: an array has no such axis.
    """

    def __init__(
        self,
        arrays: ArrayList,
        opener: ArrayOpener,
        region: RegionOfInterest,
        axis: int | None,
        damages: Damages = STRICT,
    ) -> None:
        self.region = region
        self._arrays = arrays
        self._axis = axis
        self._region_of_shape: dict[tuple[int, ...], Regions] = {}
        self._firsts: Int64s | None = None
        if axis is not None:
            self._firsts = np.cumsum([0, *self._extents(opener, axis, damages)], dtype=np.int64)
            damages.require(len(self))
            if not self._firsts[-1]:
                raise SourceError(
                    f"{arrays.where(0)}{' ...' * (len(arrays) > 1)}: no array has an element along "
                    f"the axis {axis}"
                )

    def _extents(self, opener: ArrayOpener, axis: int, damages: Damages) -> Iterator[int]:
        for begin in range(0, len(self._arrays), HEADERS_AT_ONCE):
            numbers = np.arange(begin, min(begin + HEADERS_AT_ONCE, len(self._arrays)))
            try:
                yield from self._read_extents(opener, axis, numbers)
            except (OSError, PenstockError):  # of one of them
                for number in numbers:
                    try:
                        yield from self._read_extents(opener, axis, number.reshape(1))
                    except (OSError, PenstockError) as error:
                        damages.take(self._arrays.where(int(number)), error)
                        yield 0

    def _read_extents(self, opener: ArrayOpener, axis: int, numbers: Int64s) -> list[int]:
        extents = []
        for number, header in zip(numbers.tolist(), opener.headers(numbers), strict=True):
            if not -len(header.shape) <= axis < len(header.shape):
                raise DecodeError(
                    f"{self._arrays.where(number)}: there is no axis {axis} in an array of "
                    f"shape {header.shape}; see sample_axis"
                )
            extents.append(header.shape[axis])
        return extents

    def __len__(self) -> int:
        return len(self._arrays) if self._firsts is None else int(self._firsts[-1])

    @property
    def are_arrays(self) -> bool:
        """Whether each sample is an array of its own."""
        return self._firsts is None

    def are_whole(self, values: Values | None) -> bool:
        """Return whether samples with these arguments of their own are all of their arrays."""
        return self.are_arrays and self.region.is_whole and not values

    def arrays_of(self, indices: Int64s) -> Int64s:
        """Return the number of the array that each sample belongs to."""
        if self._firsts is None:
            return indices
        numbers: Int64s = np.searchsorted(self._firsts, indices, "right") - 1
        return numbers

    def regions(self, shape: tuple[int, ...], indices: Int64s, values: Values) -> Regions:
        """Return the region of its array that each sample is.

        Args:
            shape: shape of the arrays, which is the same for all.
            indices: the samples.
            values: arguments of their own: see `RegionOfInterest.of_samples`.

        Raises:
            ArgumentError: the region does not fit a sample.
            SourceError: an array has another extent along the axis than it had at first.
        """
        if self._firsts is None or self._axis is None:
            return self._regions_of_samples(shape, indices, values)
        axis, numbers = self._axis % len(shape), self.arrays_of(indices)
        self._check_extents(shape[axis], numbers)
        shape = shape[:axis] + shape[axis + 1 :]
        places = indices - self._firsts[numbers]
        return self._regions_of_samples(shape, indices, values).at(axis, places)

    def _regions_of_samples(
        self, shape: tuple[int, ...], indices: Int64s, values: Values
    ) -> Regions:
        """Return the region of each sample; `shape` is without the axis."""

        def where(row: int) -> str:
            return self.where(int(indices[row]))

        if values:
            return self.region.of_samples(np.tile(_row(shape), (len(indices), 1)), values, where)
        one = self._region_of_shape.get(shape)
        if one is None:
            one = self.region.of_samples(_row(shape), {}, where)
            if len(self._region_of_shape) == MAX_KNOWN_SHAPES:
                self._region_of_shape.clear()
            self._region_of_shape[shape] = one
        return one.repeated(len(indices))

    def _check_extents(self, extent: int, numbers: Int64s) -> None:
        assert self._firsts is not None
        changed = self._firsts[numbers + 1] - self._firsts[numbers] != extent
        if changed.any():
            raise SourceError(
                f"{self._arrays.where(int(numbers[changed.argmax()]))} has changed since its "
                "samples were counted; make the pipeline anew"
            )

    def where(self, index: int) -> str:
        """Return the file, the member in it if it is an archive, and the index along the axis."""
        return self._described(self._arrays.where, index)

    def source_info(self, index: int) -> str:
        """Return the same, with the file as it is named: relative to `file_root`."""
        return self._described(self._arrays.name, index)

    def _described(self, describe: Callable[[int], str], index: int) -> str:
        (number,) = self.arrays_of(checked_indices(np.array([index]), len(self))).tolist()
        place = "" if self._firsts is None else f", sample {index - self._firsts[number]}"
        return describe(number) + place


def _row(shape: tuple[int, ...]) -> Int64s:
    return np.array([shape], np.int64)
