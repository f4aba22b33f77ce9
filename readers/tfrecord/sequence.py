"""Feature lists of `tf.train.SequenceExample`: steps of a sequence, each with its feature."""

from __future__ import annotations

from math import prod

import numpy as np

from ...engine.arrays import Array
from ...engine.errors import DecodeError
from ..source import Column
from .columns import LENGTHS, Wanted, join_strings
from .example import FeatureType, StoredFeature, find_feature_lists, stored_names
from .features import Feature, FixedLenFeature


class WantedList(Wanted):
    """A feature list to read.

    A `FixedLenFeature` of numbers gives (steps, *shape); the default applies to steps without
    the feature. All other features give all values end to end, and in a second output the number of
    values (or, for strings, of bytes) of each step: int64 (steps,).
    """

    def __init__(self, name: str, feature: Feature) -> None:
        super().__init__(name, feature)
        self.one_tensor = (
            isinstance(feature, FixedLenFeature) and self.feature_type is not FeatureType.BYTES
        )

    def names(self) -> list[str]:
        return [self.name] if self.one_tensor else [self.name, self.name + LENGTHS]

    def placeholder(self) -> list[Array]:
        return self._empty() if self.one_tensor else [*self._empty(), np.empty(0, np.int64)]

    def _empty(self) -> list[Array]:
        shape = tuple(self.feature.shape) if isinstance(self.feature, FixedLenFeature) else ()
        return [np.empty((0, *shape) if self.one_tensor else 0, self.dtype)]

    def read(self, data: bytes, steps: list[StoredFeature | None], where: str) -> list[Array]:
        """Return the outputs for one record."""
        values = [
            self._step(data, feature, f"{where}, step {number}")
            for number, feature in enumerate(steps)
        ]
        joined = np.concatenate([*self._empty(), *values])
        if self.one_tensor:
            return [joined]
        return [joined, np.array([len(step) for step in values], np.int64)]

    def _step(self, data: bytes, feature: StoredFeature | None, where: str) -> Array:
        if feature is None:
            if self.default is None:
                raise self.missing(where)
            return self.default[np.newaxis] if self.one_tensor else self.default
        if self.feature_type is FeatureType.BYTES:
            spans = self.strings(data, feature, where)
            if len(spans) != 1:
                raise self.wrong(where, f"has {len(spans)} strings, a step has one")
            return join_strings(data, spans)[0]
        values = self.numbers(data, feature, where)
        if not isinstance(self.feature, FixedLenFeature):
            return values
        if len(values) != prod(self.feature.shape):
            problem = (
                f"has {len(values)} values, the shape {list(self.feature.shape)} another number"
            )
            raise self.wrong(where, problem)
        return values.reshape(1, *self.feature.shape)


def sequence_columns(
    wanted: list[WantedList], records: list[tuple[str, bytes]]
) -> tuple[Column, ...]:
    """Return the columns of the wanted lists; `records` are pairs of location and bytes."""
    rows = []
    for where, data in records:
        try:
            lists = find_feature_lists(data, [output.key for output in wanted])
        except DecodeError as error:
            raise DecodeError(f"{where}: no valid tf.train.SequenceExample: {error}") from None
        rows.append([out for output in wanted for out in _read(output, data, lists, where)])
    return tuple(list(column) for column in zip(*rows, strict=True))


def _read(
    output: WantedList, data: bytes, lists: dict[bytes, list[StoredFeature | None]], where: str
) -> list[Array]:
    if output.key not in lists and output.default is None:
        raise output.missing(where, stored_names(data, 2))
    return output.read(data, lists.get(output.key, []), where)
