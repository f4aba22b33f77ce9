"""Keys that index a `DataNode`, separated into constants and data."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..errors import ArgumentError


class NewAxis:
    """Inserts a dimension of extent 1 where it stands in a key, and may name it.

    `node[newaxis]` does what `node[None]` does; `node[newaxis("F")]` also gives the new
    dimension a letter in the layout.
    """

    def __init__(self, name: str | None = None) -> None:
        if name is not None and (not isinstance(name, str) or len(name) != 1):
            raise ArgumentError(f"an axis is named by a single letter, not by {name!r}")
        self.name = name

    def __call__(self, name: str | None = None) -> NewAxis:
        return NewAxis(name)

    def __repr__(self) -> str:
        return "newaxis" if self.name is None else f"newaxis({self.name!r})"


newaxis = NewAxis()


@dataclass(frozen=True)
class IndexFromData:
    """An index of a key that the data of each sample gives.

    Attributes:
        number: position in the list of all such indices of the key.
    """

    number: int


Key = tuple[Any, ...]
"""Ints, `IndexFromData`, slices of these, `NewAxis`, and at most one Ellipsis."""


def split_key(key: object, is_data: Callable[[Any], bool]) -> tuple[Key, list[object]]:
    """Return the key with an `IndexFromData` for each node in it, and these nodes in order."""
    data: list[Any] = []

    def number(value: Any) -> int | IndexFromData:
        if is_data(value):
            data.append(value)
            return IndexFromData(len(data) - 1)
        try:
            return operator.index(value)
        except TypeError:
            raise TypeError(
                f"data is indexed with whole numbers, slices, None, newaxis, ... and DataNodes, "
                f"not with {value!r}"
            ) from None

    def item(value: object) -> Any:
        if value is None:
            return newaxis
        if value is Ellipsis or isinstance(value, NewAxis):
            return value
        if isinstance(value, slice):
            ends = (value.start, value.stop, value.step)
            return slice(*(None if end is None else number(end) for end in ends))
        return number(value)

    items = tuple(map(item, key if isinstance(key, tuple) else (key,)))
    if sum(item is Ellipsis for item in items) > 1:
        raise IndexError("an index can hold only one ellipsis ('...')")
    return items, data
