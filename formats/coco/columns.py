"""Members of many parsed JSON objects as arrays."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Array
from ...engine.errors import DecodeError

Elements = list[dict[str, Any]]

_LARGEST = 1 << 53  # whole numbers up to this one are exact as float64
_FIRST_NAME = 1 << 62


class ElementError(DecodeError):
    """A JSON object is not as its format demands.

    Attributes:
        number: number of the object in its list.
    """

    def __init__(self, number: int, problem: str) -> None:
        super().__init__(problem)
        self.number = number


class Ids:
    """Ids as int64; texts, and whole numbers that are too large, get numbers of their own.

    An annotation and its image may come in any order, so one object serves a whole file.

    >>> ids = Ids()
    >>> ids.column([{"id": 3}, {"id": "x1"}], "id") - (1 << 62)
    array([-4611686018427387901,                    0])
    >>> ids.shown(3), ids.shown(1 << 62)
    ('3', "'x1'")
    """

    def __init__(self) -> None:
        self._numbers: dict[str | int, int] = {}
        self._names: list[str | int] = []

    def column(
        self, elements: Elements, member: str, default: int | None = None
    ) -> NDArray[np.int64]:
        """Return a member of ids: int64, (elements,); see `integers`."""
        values = _values(elements, member, default)
        column = _numbers(values, "bi")
        if column is not None and (not len(column) or column.max() < _FIRST_NAME):
            return column.astype(np.int64)
        result = np.empty(len(values), np.int64)
        for number, value in enumerate(values):
            result[number] = self._number(default if value is None else value, number, member)
        return result

    def _number(self, value: Any, number: int, member: str) -> int:
        is_name = (isinstance(value, str) and value != "") or (
            isinstance(value, int) and not -(1 << 63) <= value < _FIRST_NAME
        )
        if not is_name:
            return _integer(value, number, member)
        if value not in self._numbers:
            self._numbers[value] = _FIRST_NAME + len(self._names)
            self._names.append(value)
        return self._numbers[value]

    def shown(self, number: int) -> str:
        """Return an id as the file has it."""
        is_name = number >= _FIRST_NAME
        return short(self._names[number - _FIRST_NAME]) if is_name else str(number)

    def sorted_rows(self, ids: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the order of ids: numbers ascending, then names as they stand in the file."""
        places = np.arange(len(ids))
        return np.lexsort((places, np.where(ids < _FIRST_NAME, ids, _FIRST_NAME)))


def integers(elements: Elements, member: str, default: int | None = None) -> NDArray[np.int64]:
    """Return a member of whole numbers: int64, (elements,).

    Args:
        elements: the objects.
        member: name of the member.
        default: value for objects without the member, or with null; by default they are an error.

    Raises:
        ElementError: a value is missing or no whole number of 64 bits.

    >>> integers([{"id": 3}, {"id": 4.0}], "id")
    array([3, 4])
    """
    values = _values(elements, member, default)
    column = _numbers(values, "bi")
    if column is not None:
        return column.astype(np.int64)
    result = np.empty(len(values), np.int64)
    for number, value in enumerate(values):
        result[number] = _integer(default if value is None else value, number, member)
    return result


def floats(elements: Elements, member: str, default: float) -> NDArray[np.float64]:
    """Return a member of numbers: float64, (elements,); raise ElementError for other values."""
    values = _values(elements, member, default)
    column = _numbers(values, "bif")
    if column is not None:
        return column.astype(np.float64)
    values = [default if value is None else value for value in values]
    return _each(values, member, "a number", _float)


def float_rows(elements: Elements, member: str, width: int) -> NDArray[np.float64]:
    """Return a member of lists of `width` numbers: float64, (elements, width).

    Objects without the member, with null or an empty list, get zeros.

    Raises:
        ElementError: a value is no such list.
    """
    zeros = (0.0,) * width
    rows = _values(elements, member, None)
    if not all(rows):
        rows = [row or zeros for row in rows]
    try:
        lengths_fit = set(map(len, rows)) <= {width}
        flat = _numbers(list(chain.from_iterable(rows)), "bif") if lengths_fit else None
    except TypeError:
        flat = None
    if flat is not None:
        return flat.astype(np.float64).reshape(len(rows), width)

    def row(value: Any) -> list[float]:
        if not isinstance(value, list | tuple) or len(value) != width:
            raise TypeError
        return [_float(number) for number in value]

    return _each(rows, member, f"a list of {width} numbers", row).reshape(len(rows), width)


def strings(elements: Elements, member: str) -> list[str]:
    """Return a member of texts; raise ElementError if one is missing or no text."""
    return checked_strings([element.get(member) for element in elements], member)


def checked_strings(values: list[Any], member: str) -> list[str]:
    """Return values of a member; raise ElementError if one is no text."""
    for number, value in enumerate(values):
        if type(value) is not str or not value or not _is_encodable(value):
            raise _wrong(number, member, "a text", value)
    return values


def _is_encodable(text: str) -> bool:
    return text.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in text)


def _values(elements: Elements, member: str, default: object) -> list[Any]:
    """Return a member of objects, most of which have it."""
    try:
        return list(map(itemgetter(member), elements))
    except KeyError:
        return [element.get(member, default) for element in elements]


def _numbers(values: list[object], dtypes: str) -> Array | None:
    """Return numbers as an array of one of these dtypes; None if one of them has another type."""
    if not values:
        return np.empty(0)
    try:
        column = np.array(values)
    except (ValueError, OverflowError):
        return None
    return column if column.ndim == 1 and column.dtype.kind in dtypes else None


def _integer(value: Any, number: int, member: str) -> int:
    whole = isinstance(value, int) or (
        isinstance(value, float) and value.is_integer() and abs(value) <= _LARGEST
    )
    if not whole or not -(1 << 63) <= value < 1 << 63:
        raise _wrong(number, member, "a whole number", value)
    return int(value)


def _float(value: object) -> float:
    if not isinstance(value, int | float):
        raise TypeError
    return float(value)


def _each(
    values: list[object], member: str, wanted: str, convert: Callable[[Any], object]
) -> NDArray[np.float64]:
    converted = []
    for number, value in enumerate(values):
        try:
            converted.append(convert(value))
        except (TypeError, OverflowError):
            raise _wrong(number, member, wanted, value) from None
    return np.array(converted, np.float64)


def _wrong(number: int, member: str, wanted: str, value: object) -> ElementError:
    if value is None:
        return ElementError(number, f"{member!r} is missing, where {wanted} is needed")
    return ElementError(number, f"{member!r} is {short(value)}, where {wanted} is needed")


def short(value: object) -> str:
    """Return the first characters of a value, for messages."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
