"""Feature lists of `tf.train.SequenceExample`: steps of a sequence, each with its feature."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...engine.errors import DecodeError
from ..source import Column
from .columns import LENGTHS, Wanted, join_strings
from .example import Found, Kind, find_feature_lists
from .features import Feature, FixedLenFeature


class WantedList(Wanted):
    """A feature list to read.

    A `FixedLenFeature` of numbers gives (steps, *shape); the default applies to steps without
    the feature. Everything else gives all values end to end, and as a second output how many
    values (or, of strings, bytes) belong to each step: int64 (steps,).
    """

    def __init__(self, name: str, feature: Feature) -> None:
        super().__init__(name, feature)
        self.one_tensor = isinstance(feature, FixedLenFeature) and self.kind is not Kind.BYTES

    def names(self) -> list[str]:
        return [self.name] if self.one_tensor else [self.name, self.name + LENGTHS]

    def placeholder(self) -> list[NDArray[Any]]:
        return self._empty() if self.one_tensor else [*self._empty(), np.empty(0, np.int64)]

    def _empty(self) -> list[NDArray[Any]]:
        shape = tuple(self.feature.shape) if isinstance(self.feature, FixedLenFeature) else ()
        return [np.empty((0, *shape) if self.one_tensor else 0, self.dtype)]

    def read(self, data: bytes, steps: list[Found | None], where: str) -> list[NDArray[Any]]:
        """Return the outputs for one record."""
        parts = [
            self._step(data, found, f"{where}, step {number}") for number, found in enumerate(steps)
        ]
        joined = np.concatenate([*self._empty(), *parts])
        if self.one_tensor:
            return [joined]
        return [joined, np.array([len(part) for part in parts], np.int64)]

    def _step(self, data: bytes, found: Found | None, where: str) -> NDArray[Any]:
        if found is None:
            if self.default is None:
                raise self.missing(where)
            return self.default[np.newaxis] if self.one_tensor else self.default
        if self.kind is Kind.BYTES:
            spans = self.strings(data, found, where)
            if len(spans) != 1:
                raise self.wrong(where, f"has {len(spans)} strings, a step has one")
            return join_strings(data, spans)[0]
        values = self.numbers(data, found, where)
        if not isinstance(self.feature, FixedLenFeature):
            return values
        if len(values) != prod(self.feature.shape):
            what = f"has {len(values)} values, the shape {list(self.feature.shape)} another number"
            raise self.wrong(where, what)
        return values.reshape(1, *self.feature.shape)


def sequence_columns(
    wanted: list[WantedList], records: list[tuple[str, bytes]]
) -> tuple[Column, ...]:
    """Return the columns of the wanted lists; records are given as their place and bytes."""
    rows = []
    for where, data in records:
        try:
            lists = find_feature_lists(data, [each.key for each in wanted])
        except DecodeError as error:
            raise DecodeError(f"{where}: no valid tf.train.SequenceExample: {error}") from None
        rows.append([out for each in wanted for out in _read(each, data, lists, where)])
    return tuple(list(column) for column in zip(*rows, strict=True))


def _read(
    each: WantedList, data: bytes, lists: dict[bytes, list[Found | None]], where: str
) -> list[NDArray[Any]]:
    if each.key not in lists and each.default is None:
        raise each.missing(where)
    return each.read(data, lists.get(each.key, []), where)
