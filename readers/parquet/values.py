"""Values of a column as NumPy finds them in Arrow's memory, and samples made of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Array, Bytes, DType
from ...engine.errors import DecodeError
from ..source import Allocate, Column
from ..webdataset.text_numbers import parsed, parsed_one

_ALIGNMENT = 8

Rows = NDArray[np.int64]
Sound = NDArray[np.bool_] | None
"""The mask of the values that are there; None if all are."""


class BadValueError(Exception):
    """The value of a row is no sample. Attributes: row; reason."""

    def __init__(self, row: int, reason: str) -> None:
        super().__init__(reason)
        self.row = row
        self.reason = reason


class ColumnValues(ABC):
    """The values of a column in a record batch."""

    sound: Sound

    @abstractmethod
    def take(self, rows: Rows, allocate: Allocate) -> Column:
        """Return samples in memory of their own.

        Raises:
            BadValueError: one is missing, or is no sample.
        """

    def at(self, numbers: Array, sound: Sound) -> ColumnValues:
        """Return the values `numbers`, for dictionaries, which hold no lists and nested values."""
        raise NotImplementedError

    @property
    @abstractmethod
    def nbytes(self) -> int:
        """Memory that the values take."""

    @property
    def there(self) -> Sound:
        """The mask of the values that are no nulls themselves; None if all are."""
        return self.sound

    def _check(self, rows: Rows) -> None:
        if self.sound is not None:
            refuse(rows, ~self.sound[rows], "is missing (null)")


def refuse(rows: Rows, wrong: NDArray[np.bool_], reason: str) -> None:
    """Raise BadValueError for the first row that is wrong."""
    if wrong.any():
        raise BadValueError(int(rows[np.argmax(wrong)]), reason)


def _chosen(own: Sound, numbers: Array, sound: Sound) -> Sound:
    chosen: Sound = None if own is None else own[numbers]
    if chosen is None or sound is None:
        return sound if chosen is None else chosen
    return chosen & sound


class NumberValues(ColumnValues):
    """Numbers and truth values: samples of shape ()."""

    def __init__(self, numbers: Array, dtype: DType, sound: Sound) -> None:
        self._numbers = numbers
        self._dtype = dtype
        self.sound = sound

    def take(self, rows: Rows, allocate: Allocate) -> Column:
        """See `ColumnValues.take`."""
        self._check(rows)
        chosen = self._numbers[rows]
        converted, changed = fitted(chosen, self._dtype)
        if changed.any():
            row = int(np.argmax(changed))
            reason = f"is {chosen[row]}, which is no number of type {self._dtype.name}"
            raise BadValueError(int(rows[row]), reason)
        column: Array = allocate(converted.shape, self._dtype)
        column[...] = converted
        return column

    def at(self, numbers: Array, sound: Sound) -> ColumnValues:
        """See `ColumnValues.at`."""
        sound = _chosen(self.sound, numbers, sound)
        return NumberValues(self._numbers[numbers], self._dtype, sound)

    @property
    def nbytes(self) -> int:
        """See `ColumnValues.nbytes`."""
        return self._numbers.nbytes


@dataclass(eq=False)
class ByteValues(ColumnValues):
    """Bytes and texts: samples of shape (size,), or numbers that are written as text."""

    _block: Bytes
    _starts: NDArray[np.int64]
    _sizes: NDArray[np.int64]
    _dtype: DType
    _is_text: bool
    sound: Sound

    def take(self, rows: Rows, allocate: Allocate) -> Column:
        """See `ColumnValues.take`."""
        self._check(rows)
        starts, sizes = self._starts[rows], self._sizes[rows]
        if self._is_text:
            return self._numbers(rows, starts, sizes)
        if self._dtype.itemsize > 1:
            reason = f"has a size that is no multiple of {self._dtype.itemsize} bytes"
            refuse(rows, sizes % self._dtype.itemsize != 0, reason)
        ends = np.cumsum((sizes + _ALIGNMENT - 1) // _ALIGNMENT * _ALIGNMENT)
        block: Bytes = allocate((int(ends[-1]) if len(ends) else 0,), np.uint8)
        samples: list[Array] = []
        places = zip(starts.tolist(), sizes.tolist(), [0, *ends.tolist()[:-1]], strict=True)
        for start, size, place in places if len(rows) else ():
            sample = block[place : place + size]
            sample[...] = self._block[start : start + size]
            samples.append(sample)
        if self._dtype == np.uint8:
            return samples
        return [sample.view(self._dtype) for sample in samples]

    def _numbers(self, rows: Rows, starts: NDArray[np.int64], sizes: NDArray[np.int64]) -> Array:
        numbers = parsed(self._block, starts, sizes, self._dtype) if len(rows) else None
        if numbers is not None:
            return numbers[:, 0]
        samples = np.empty(len(rows), self._dtype)
        for number, row in enumerate(rows.tolist()):
            start = int(starts[number])
            content = self._block[start : start + int(sizes[number])]
            try:
                value = parsed_one(content, self._dtype)
            except DecodeError as error:
                raise BadValueError(row, f"is no number: {error}") from None
            if value is None:
                raise BadValueError(row, f"is {content[:20].tobytes()!r}, no decimal number")
            samples[number] = value[0]
        return samples

    def view(self, number: int) -> Bytes | None:
        """Return the bytes of a value without a copy; None if it is missing."""
        if self.sound is not None and not self.sound[number]:
            return None
        start = int(self._starts[number])
        return self._block[start : start + int(self._sizes[number])]

    def at(self, numbers: Array, sound: Sound) -> ColumnValues:
        """See `ColumnValues.at`."""
        sound = _chosen(self.sound, numbers, sound)
        starts, sizes = self._starts[numbers], self._sizes[numbers]
        return ByteValues(self._block, starts, sizes, self._dtype, self._is_text, sound)

    @property
    def nbytes(self) -> int:
        """See `ColumnValues.nbytes`."""
        return int(self._sizes.sum()) + self._starts.nbytes + self._sizes.nbytes


@dataclass(eq=False)
class ListValues(ColumnValues):
    """Lists of numbers, or lists of such lists: samples with one axis for each level.

    Args:
        elements: elements of all rows.
        bounds: row i has the elements `bounds[i]` to `bounds[i + 1]`.
        shapes: shape of each row: int64 (rows, levels).
        dtype: dtype of the samples.
        sound: rows without a missing list or element.
        ragged: rows whose lists differ in length.
        there: rows that are no nulls themselves; None if all are.
    """

    _elements: Array
    _bounds: NDArray[np.int64]
    _shapes: NDArray[np.int64]
    _dtype: DType
    sound: Sound
    ragged: NDArray[np.bool_]
    _there: Sound

    @property
    def there(self) -> Sound:
        """See `ColumnValues.there`."""
        return self._there

    def take(self, rows: Rows, allocate: Allocate) -> Column:
        """See `ColumnValues.take`."""
        self._check(rows)
        refuse(rows, self.ragged[rows], "holds lists that differ in length, which are no array")
        shapes = self._shapes[rows]
        if len(rows) and (shapes == shapes[0]).all():
            block = allocate((len(rows), *shapes[0].tolist()), self._dtype)
            samples: Sequence[Array] = list(block)
            arrays: Column = block
        else:
            samples = [allocate(tuple(shape), self._dtype) for shape in shapes.tolist()]
            arrays = list(samples)
        starts, ends = self._bounds[rows].tolist(), self._bounds[rows + 1].tolist()
        for number, sample in enumerate(samples):
            elements = self._elements[starts[number] : ends[number]]
            converted, changed = fitted(elements, self._dtype)
            if changed.any():
                reason = f"holds {elements[np.argmax(changed)]}, no number of {self._dtype.name}"
                raise BadValueError(int(rows[number]), reason)
            sample[...] = converted.reshape(sample.shape)
        return arrays

    @property
    def nbytes(self) -> int:
        """See `ColumnValues.nbytes`."""
        elements = int(self._bounds[-1] - self._bounds[0]) * self._elements.itemsize
        return elements + self._bounds.nbytes + self._shapes.nbytes


def fitted(numbers: Array, dtype: DType) -> tuple[Array, NDArray[np.bool_]]:
    """Return numbers in another type, and which of them are others now; reals may be rounded."""
    if numbers.dtype == dtype:
        return numbers, np.zeros(1, np.bool_)
    with np.errstate(invalid="ignore", over="ignore"):
        converted = numbers.astype(dtype)
        if dtype.kind == "f":
            return converted, np.zeros(1, np.bool_)
        changed = (converted.astype(numbers.dtype) != numbers) | ((converted < 0) != (numbers < 0))
    return converted, changed
