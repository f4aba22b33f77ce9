"""From located features to columns: one array or list a feature for a whole batch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Array, Bytes, DType, Int64s
from ...engine.errors import DecodeError
from ...engine.suggestions import unknown
from ..protobuf.wire import Span, bytes_of, decode_varints
from ..source import Allocate, Column
from ..storage.records import Records, windows
from ..storage.storage import cut
from .example import FeatureType, StoredFeature, byte_strings, find_features, numbers, stored_names
from .example_batch import Located
from .features import DTYPES, Feature, FixedLenFeature, VarLenFeature, default_array
from .patterns import SLACK

LENGTHS = ".lengths"
"""Suffix of the name of the second output, for features of several strings."""

Pieces = list[Array]

T = TypeVar("T")


class Wanted:
    """A feature to read.

    Attributes:
        name: name of the output; `key` is the name in UTF-8, as records hold it.
        feature_type: type of its values.
        feature: the user's declaration.
        default: value for records without the feature; None makes such records an error.
    """

    def __init__(self, name: str, feature: Feature) -> None:
        self.name = name
        self.key = name.encode()
        self.feature_type = FeatureType(feature.dtype)
        self.feature = feature
        self.default = default_array(name, feature)

    @property
    def dtype(self) -> DType:
        """Element type of the output."""
        return DTYPES[self.feature_type]

    @property
    def several_strings(self) -> bool:
        """True if the outputs are the strings' bytes end to end, and the strings' lengths."""
        return self.feature_type is FeatureType.BYTES and isinstance(self.feature, VarLenFeature)

    def names(self) -> list[str]:
        """Return the names of the outputs."""
        return [self.name, self.name + LENGTHS] if self.several_strings else [self.name]

    def placeholder(self) -> list[Array]:
        """Return the outputs for a record that cannot be read."""
        if self.several_strings:
            return [np.empty(0, np.uint8), np.empty(0, np.int64)]
        if isinstance(self.feature, VarLenFeature):
            return [np.empty((0, *self.feature.partial_shape), self.dtype)]
        shape = (0,) if self.feature_type is FeatureType.BYTES else tuple(self.feature.shape)
        return [np.zeros(shape, self.dtype)]

    def wrong(self, where: str, problem: str) -> DecodeError:
        """Return an error that names this feature and a record."""
        return DecodeError(f"{where}: feature {self.name!r} {problem}")

    def missing(self, where: str, stored: Sequence[str] = ()) -> DecodeError:
        """Return the error of a record that lacks the feature and holds those named `stored`."""
        problems = ["is missing"]
        if stored:
            problems.append(f"the record has {', '.join(map(repr, sorted(stored)[:20]))}")
            problems += unknown(self.name, stored).split("; ")[
                1:
            ]  # "did you mean ...?", if it may be
        return self.wrong(where, "; ".join([*problems, "a default_value would take its place"]))

    def numbers(self, data: bytes, feature: StoredFeature, where: str) -> Array:
        """Return the feature's values in one record; raise if it holds no such numbers."""
        return self._parsed(
            numbers, data, self.feature_type, self._lists(feature, where), where=where
        )

    def strings(self, data: bytes, feature: StoredFeature, where: str) -> list[Span]:
        """Return the spans of the feature's strings; raise if it holds other values."""
        return self._parsed(byte_strings, data, self._lists(feature, where), where=where)

    def _lists(self, feature: StoredFeature, where: str) -> list[Span]:
        feature_type, lists = feature
        if feature_type is not self.feature_type:
            raise self.wrong(
                where,
                f"holds values of type {feature_type.name}, "
                f"not {self.feature_type.name} as declared",
            )
        return lists

    def _parsed(self, parse: Callable[..., T], *arguments: object, where: str) -> T:
        try:
            return parse(*arguments)
        except DecodeError as error:
            raise self.wrong(where, f"is broken: {error}") from None


@dataclass(frozen=True)
class Examples:
    """A batch of Examples.

    Attributes:
        records: their bytes.
        located: the extents of the features that patterns fit.
        parsed: bytes and features of the other records, by row.
        where: returns the location of the record of a row.
    """

    records: Records
    located: Located
    parsed: Mapping[int, tuple[bytes, Mapping[bytes, StoredFeature]]]
    where: Callable[[int], str]

    @classmethod
    def parse(
        cls,
        records: Records,
        located: Located,
        wanted: list[Wanted],
        where: Callable[[int], str],
    ) -> Examples:
        """Parse the records that were not located."""
        keys = [output.key for output in wanted]
        parsed = {}
        for row in located.left.tolist():
            data = one(records, row)
            try:
                parsed[row] = data, find_features(data, keys)
            except DecodeError as error:
                raise DecodeError(f"{where(row)}: no valid tf.train.Example: {error}") from None
        return cls(records, located, parsed, where)


def one(records: Records, row: int) -> bytes:
    """Return the bytes of one record."""
    start = int(records.starts[row])
    return records.block[start : start + int(records.lengths[row])].tobytes()


def columns(wanted: list[Wanted], examples: Examples, allocate: Allocate) -> tuple[Column, ...]:
    """Return the columns of the wanted features."""
    result: list[Column] = []
    for number, output in enumerate(wanted):
        reading = _FeatureColumn(output, number, examples)
        if output.several_strings:
            result += reading.strings()
        elif output.feature_type is FeatureType.BYTES:
            result.append(reading.string())
        elif isinstance(output.feature, FixedLenFeature):
            result.append(reading.fixed(allocate, tuple(output.feature.shape)))
        else:
            result.append(reading.varying(output.feature.partial_shape))
    return tuple(result)


class _FeatureColumn:
    """One feature of one batch."""

    def __init__(self, wanted: Wanted, number: int, examples: Examples) -> None:
        self._wanted = wanted
        self._examples = examples
        located = examples.located
        present = located.present[number]
        if located.left.size:
            present = present.copy()
            present[located.left] = False
        self._rows = present.nonzero()[0]
        self._begins = located.starts[number, self._rows]
        self._lengths = located.lengths[number, self._rows]
        self._lacking = self._rows[:0]
        if len(self._rows) < len(present):
            self._lacking = self._lacking_rows(~present)

    def _lacking_rows(self, lacking: NDArray[np.bool_]) -> Int64s:
        """Return the rows that lack the feature, of those that `lacking` marks as not located."""
        for row, (_, feature) in self._examples.parsed.items():
            lacking[row] = self._wanted.key not in feature
        rows: Int64s = lacking.nonzero()[0]
        if rows.size and self._wanted.default is None:
            row = int(rows[0])
            stored = stored_names(one(self._examples.records, row))
            raise self._wanted.missing(self._examples.where(row), stored)
        return rows

    def _parsed(self) -> list[tuple[int, bytes, StoredFeature, str]]:
        """Return row, bytes, feature and location of the records that were parsed one by one."""
        key, where = self._wanted.key, self._examples.where
        return [
            (row, data, feature[key], where(row))
            for row, (data, feature) in self._examples.parsed.items()
            if key in feature
        ]

    def _parsed_numbers(self) -> list[tuple[int, Array]]:
        numbers_of = self._wanted.numbers
        return [(row, numbers_of(data, feature, w)) for row, data, feature, w in self._parsed()]

    def _located_numbers(self) -> tuple[Array, Int64s]:
        """Return the values of the located records end to end, and how many each has."""
        stream = _gather(self._examples.records.block, self._begins, self._lengths)
        if self._wanted.feature_type is FeatureType.FLOAT:
            self._check(self._lengths % 4 == 0, "is broken: it has a fraction of a float")
            return stream.view("<f4"), self._lengths // 4
        ends = np.cumsum(self._lengths)
        # The last byte of each record must end a number, or the number would run on into the next.
        closed = (self._lengths == 0) | (stream[np.maximum(ends, 1) - 1] < 0x80)
        self._check(closed, "is broken: its last number is cut off")
        try:
            values = decode_varints(stream)
        except DecodeError as error:
            if len(self._rows) > 1:  # the reader then reads the records one by one
                raise
            where = self._examples.where(int(self._rows[0]))
            raise self._wanted.wrong(where, f"is broken: {error}") from None
        if len(values) == len(self._rows) and self._lengths.all():
            return values, np.ones(len(values), np.int64)
        done = np.concatenate([[0], np.cumsum(stream < 0x80)])
        return values, done[ends] - done[ends - self._lengths]

    def _check(self, right: NDArray[np.bool_], problem: str) -> None:
        if not right.all():
            row = int(self._rows[np.flatnonzero(~right)[0]])
            raise self._wanted.wrong(self._examples.where(row), problem)

    def fixed(self, allocate: Allocate, shape: tuple[int, ...]) -> Array:
        """Return numbers of one shape: (records, *shape)."""
        count, volume = len(self._examples.records), prod(shape)
        column = allocate((count, *shape), self._wanted.dtype)
        flat = column.reshape(count, volume)
        values, counts = self._located_numbers()
        self._check_counts(self._rows, counts, shape)
        flat[self._rows] = values.reshape(len(self._rows), volume)
        for row, value in self._parsed_numbers():
            self._check_counts(np.array([row]), np.array([len(value)]), shape)
            flat[row] = value
        if self._lacking.size:
            column[self._lacking] = self._wanted.default
        return column

    def _check_counts(self, rows: Int64s, counts: Int64s, shape: tuple[int, ...]) -> None:
        volume = prod(shape)
        wrong = (counts != volume).nonzero()[0]
        if wrong.size:
            problem = f"has {counts[wrong[0]]} values, the shape {list(shape)} wants {volume}"
            raise self._wanted.wrong(self._examples.where(int(rows[wrong[0]])), problem)

    def varying(self, partial_shape: tuple[int, ...]) -> Pieces:
        """Return numbers whose count varies: an array (count, *partial_shape) a record."""
        values, counts = self._located_numbers()
        ends = np.cumsum(counts)
        located = zip(self._rows.tolist(), cut(values, ends - counts, counts), strict=True)
        pieces = self._defaults(self._wanted.default)
        volume = prod(partial_shape)
        for row, piece in [*located, *self._parsed_numbers()]:
            if piece.size % volume:
                problem = f"has {piece.size} values, no multiple of partial_shape {partial_shape}"
                raise self._wanted.wrong(self._examples.where(row), problem)
            pieces[row] = piece.reshape(-1, *partial_shape) if partial_shape else piece
        return pieces

    def string(self) -> Pieces:
        """Return one byte string a record."""
        pieces = self._defaults(self._wanted.default)
        views = cut(self._examples.records.block, self._begins, self._lengths)
        if len(views) == len(pieces):
            return views
        for row, view in zip(self._rows.tolist(), views, strict=True):
            pieces[row] = view
        for row, data, feature, where in self._parsed():
            spans = self._wanted.strings(data, feature, where)
            if len(spans) != 1:
                problem = f"has {len(spans)} strings, FixedLenFeature wants one; "
                raise self._wanted.wrong(where, problem + "use VarLenFeature(string)")
            pieces[row] = bytes_of(data, spans[0]).copy()
        return pieces

    def strings(self) -> tuple[Pieces, Pieces]:
        """Return the byte strings of each record end to end, and their lengths."""
        default = self._wanted.default
        assert default is not None
        joined = self._defaults(default)
        given = self._wanted.feature.default_value is not None
        lengths = self._defaults(np.full(int(given), default.size, np.int64))
        views = cut(self._examples.records.block, self._begins, self._lengths)
        for number, (row, view) in enumerate(zip(self._rows.tolist(), views, strict=True)):
            joined[row] = view
            lengths[row] = self._lengths[number : number + 1]
        for row, data, feature, where in self._parsed():
            spans = self._wanted.strings(data, feature, where)
            joined[row], lengths[row] = join_strings(data, spans)
        return joined, lengths

    def _defaults(self, default: Array | None) -> Pieces:
        pieces: Pieces = [np.empty(0)] * len(self._examples.records)
        for row in self._lacking.tolist():
            assert default is not None
            pieces[row] = default.copy()
        return pieces


def join_strings(data: bytes, spans: list[Span]) -> tuple[Bytes, Int64s]:
    """Return strings of a message end to end, and their lengths."""
    parts = [bytes_of(data, span) for span in spans]
    lengths = np.array([part.size for part in parts], np.int64)
    return np.concatenate([np.empty(0, np.uint8), *parts]), lengths


def _gather(block: Bytes, starts: Int64s, lengths: Int64s) -> Bytes:
    """Copy stretches of a block end to end; `SLACK` bytes must follow them in the block."""
    if not lengths.size:
        return np.empty(0, np.uint8)
    shortest, longest = int(lengths.min()), int(lengths.max())
    if not longest:
        return np.empty(0, np.uint8)
    if longest > SLACK and shortest != longest:
        return np.concatenate(cut(block, starts, lengths))
    copied: Bytes = windows(block, f"V{longest}")[starts].view(np.uint8)
    if shortest == longest:
        return copied
    inside = np.arange(longest) < lengths[:, np.newaxis]
    return copied[inside.reshape(-1)]
