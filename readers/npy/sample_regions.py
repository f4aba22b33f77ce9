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
from ...engine.errors import DecodeError, SourceError
from ...formats.npy import NpyHeader
from ..source import checked_indices
from .array_list import ArrayList
from .form_groups import FormGroup
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

    Attributes:
        region: see the argument.

    Raises:
        SourceError: no array has an element along the axis.
        DecodeError: an array has no such axis.
    """

    def __init__(
        self, arrays: ArrayList, opener: ArrayOpener, region: RegionOfInterest, axis: int | None
    ) -> None:
        self.region = region
        self._arrays = arrays
        self._axis = axis
        self._region_of_shape: dict[tuple[int, ...], Regions] = {}
        self._firsts: Int64s | None = None
        if axis is not None:
            self._firsts = np.cumsum([0, *self._extents(opener, axis)], dtype=np.int64)
            if not self._firsts[-1]:
                raise SourceError(
                    f"{arrays.where(0)}{' ...' * (len(arrays) > 1)}: no array has an element along "
                    f"the axis {axis}"
                )

    def _extents(self, opener: ArrayOpener, axis: int) -> Iterator[int]:
        for begin in range(0, len(self._arrays), HEADERS_AT_ONCE):
            numbers = np.arange(begin, min(begin + HEADERS_AT_ONCE, len(self._arrays)))
            for number, header in zip(numbers.tolist(), opener.headers(numbers), strict=True):
                if not -len(header.shape) <= axis < len(header.shape):
                    raise DecodeError(
                        f"{self._arrays.where(number)}: there is no axis {axis} in an array of "
                        f"shape {header.shape}; see sample_axis"
                    )
                yield header.shape[axis]

    def __len__(self) -> int:
        return len(self._arrays) if self._firsts is None else int(self._firsts[-1])

    @property
    def are_arrays(self) -> bool:
        """Whether each sample is an array of its own."""
        return self._firsts is None

    def are_whole(self, values: Values | None) -> bool:
        """Return whether samples with these arguments of their own are all of their arrays."""
        return self.are_arrays and self.region.is_whole and not values

    def located(self, indices: Int64s) -> tuple[Int64s, Int64s | None]:
        """Return the arrays of samples, and the samples' places along the axis."""
        if self._firsts is None:
            return indices, None
        numbers: Int64s = np.searchsorted(self._firsts, indices, "right") - 1
        return numbers, indices - self._firsts[numbers]

    def group(
        self,
        header: NpyHeader,
        rows: Int64s,
        indices: Int64s,
        places: Int64s | None,
        values: Values,
    ) -> FormGroup:
        """Return samples of arrays with the same header, and which parts of them are read."""
        shape = np.array(header.shape, np.int64)
        axis = None if places is None or self._axis is None else self._axis % len(shape)
        if axis is not None:
            assert self._firsts is not None
            self._check_extents(shape[axis], indices[rows])
            shape = np.delete(shape, axis)
        regions = self._regions(shape, rows, indices, values)
        if axis is not None and places is not None:
            regions = regions.at(axis, places[rows])
        return FormGroup(header, rows, regions)

    def _regions(self, shape: Int64s, rows: Int64s, indices: Int64s, values: Values) -> Regions:
        """Return the region of each of these samples, which have the same shape."""

        def where(row: int) -> str:
            return self.where(int(indices[rows[row]]))

        if values:
            own = {name: np.asarray(value)[rows] for name, value in values.items()}
            return self.region.of_samples(np.tile(shape, (len(rows), 1)), own, where)
        key = tuple(shape.tolist())
        one = self._region_of_shape.get(key)
        if one is None:
            one = self.region.of_samples(shape[np.newaxis], {}, where)
            if len(self._region_of_shape) == MAX_KNOWN_SHAPES:
                self._region_of_shape.clear()
            self._region_of_shape[key] = one
        return one.repeated(len(rows))

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
        return self._described(self._arrays.where, index)

    def source_info(self, index: int) -> str:
        """Return the same, with the file as it is named: relative to `file_root`."""
        return self._described(self._arrays.name, index)

    def _described(self, describe: Callable[[int], str], index: int) -> str:
        numbers, places = self.located(checked_indices(np.array([index]), len(self)))
        place = "" if places is None else f", sample {places[0]}"
        return describe(int(numbers[0])) + place
