"""Locating the features of many Examples at once.

The records of a data set are alike: each feature's entry starts with the same bytes except for a
few lengths. An `EntryPattern` is the beginning of one entry, learned from the first record that has
it. All records of a batch advance in step, one entry at a time. At each step, the patterns known
for this step are matched against the records; then a new pattern is learned from the first record
that none fits. Some records fit no pattern: their features are packed in another way, hold several
byte strings, or are damaged. The parser in `example` reads these records, and words the errors. A
pattern accepts only valid Examples, and locates what the parser would locate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Bytes, Int64s
from ...engine.errors import DecodeError
from ..protobuf.wire import read_varint
from ..storage.records import Records
from .example import FeatureType
from .patterns import SLACK, WIDEST_LENGTH, BytePattern

MAX_STEPS = 256
"""Features of a record."""

MAX_PATTERNS = 64
"""Known at one step: features in any order, times widths of their lengths."""

MIN_RECORDS = 4
"""Fewer records are parsed one by one as fast."""

MAX_MISFITS = 3
"""Records without a pattern, at one step of one batch."""


_LONGEST_ENTRY = SLACK - 8

_TAG, _VALUE_TAG = b"\x0a", b"\x12"  # length-delimited fields 1 and 2


class EntryPattern(NamedTuple):
    """The beginning of a feature's entry in the map.

    Attributes:
        feature: number of the wanted feature, or -1.
        start: the bytes before the values; of a feature that is not wanted, before its content.
        empty: the list has no values, so nothing may follow the start.
        unset: the feature has no list, so it counts as missing.
    """

    feature: int
    start: BytePattern
    empty: bool = False
    unset: bool = False


@dataclass
class Located:
    """The extents of the values of each wanted feature, in the records' block.

    Attributes:
        starts, lengths: positions and sizes of the values' bytes: (features, records). The
            bytes are one byte string, floats end to end, or varints end to end.
        present: whether the record has the feature: (features, records).
        left: rows of the records that no pattern fits; the other arrays do not apply to them.
    """

    starts: Int64s
    lengths: Int64s
    present: NDArray[np.bool_]
    left: Int64s


class Locator:
    """Locates features; remembers what the entries of a data set look like.

    Thread-safe: the tuples of patterns are replaced, never changed. Picklable.
    """

    def __init__(self, wanted: Mapping[bytes, FeatureType]) -> None:
        self._features = {
            key: (i, feature_type) for i, (key, feature_type) in enumerate(wanted.items())
        }
        self._outer = [BytePattern([_TAG, width]) for width in range(1, WIDEST_LENGTH + 1)]
        self._steps: dict[int, tuple[EntryPattern, ...]] = {}

    def locate(self, records: Records, *, not_at_all: bool = False) -> Located:
        """Locate the wanted features of all records; `SLACK` bytes must follow the records.

        With `not_at_all`, leave all records to the parser.
        """
        count = len(records)
        shape = (len(self._features), count)
        located = Located(
            np.zeros(shape, np.int64),
            np.zeros(shape, np.int64),
            np.zeros(shape, bool),
            np.arange(count),
        )
        if not_at_all or count < MIN_RECORDS:
            return located
        ends = records.ends
        rows, positions = self._enter(records.block, records.starts, ends)
        walk = _EntryWalk(records.block, ends, positions, located)
        finished = [rows[positions[rows] == ends[rows]]]
        for step in range(MAX_STEPS):
            rows = rows[positions[rows] < ends[rows]]
            if len(rows) < MIN_RECORDS:
                break
            rows = self._step(step, walk, rows)
            finished.append(rows[positions[rows] == ends[rows]])
        left = np.ones(count, bool)
        left[np.concatenate(finished)] = False
        located.left = left.nonzero()[0]
        return located

    def _enter(self, block: Bytes, starts: Int64s, ends: Int64s) -> tuple[Int64s, Int64s]:
        """Return the rows that are one `Features`, and the start of each row's content."""
        positions = starts.copy()
        entered = np.empty(0, np.int64)
        sizes = ends - starts
        smallest, largest = int(sizes.min()), int(sizes.max())
        for width in range(1, WIDEST_LENGTH + 1):
            # Such a length is below 128 ** width; lengths with needless bytes are for the parser.
            least = 1 + width + (1 << 7 * (width - 1) if width > 1 else 0)
            most = width + (1 << 7 * width)
            if least <= largest and most >= smallest:
                rows = ((sizes >= least) & (sizes <= most)).nonzero()[0]
                header = self._outer[width - 1]
                stands, rest = header.match(block, starts[rows])
                rows = rows[stands & (rest == sizes[rows] - header.size)]
                positions[rows] += header.size
                entered = np.concatenate((entered, rows)) if entered.size else rows
        return entered, positions

    def _step(self, step: int, walk: _EntryWalk, rows: Int64s) -> Int64s:
        """Match one entry of each of the records `rows`; return those that some pattern fits."""
        known = self._steps.get(step, ())
        matched: list[Int64s] = []
        for pattern in known:
            if not rows.size:
                break
            fits = walk.match(pattern, rows)
            matched.append(rows[fits])
            rows = rows[~fits]
        misfits = 0
        while len(rows) >= MIN_RECORDS and len(known) < MAX_PATTERNS and misfits < MAX_MISFITS:
            new = self._learn(walk, int(rows[0]))
            fits = np.zeros(len(rows), bool) if new is None else walk.match(new, rows)
            if new is None or not fits[0]:
                misfits += 1
                rows = rows[1:]
                continue
            known = (*known, new)
            self._steps[step] = known
            matched.append(rows[fits])
            rows = rows[~fits]
        return matched[0] if len(matched) == 1 else np.concatenate([*matched, rows[:0]])

    def _learn(self, walk: _EntryWalk, row: int) -> EntryPattern | None:
        start, end = int(walk.positions[row]), int(walk.ends[row])
        beginning = walk.block[start : min(end, start + _LONGEST_ENTRY)].tobytes()
        try:
            return learn(beginning, self._features)
        except DecodeError:
            return None


class _EntryWalk:
    """The position that the walk has reached in each record, and the features located so far."""

    def __init__(self, block: Bytes, ends: Int64s, positions: Int64s, located: Located) -> None:
        self.block = block
        self.ends = ends
        self.positions = positions
        self._located = located

    def match(self, pattern: EntryPattern, rows: Int64s) -> NDArray[np.bool_]:
        """Match the next entry of the records `rows`; pass the entry where the pattern fits."""
        positions = self.positions[rows]
        stands, lengths = pattern.start.match(self.block, positions)
        starts = positions + pattern.start.size
        stands &= (lengths == 0) if pattern.empty else (lengths >= 0)
        stands &= lengths <= self.ends[rows] - starts
        if not stands.all():
            rows, starts, lengths = rows[stands], starts[stands], lengths[stands]
        self.positions[rows] = starts + lengths
        if pattern.feature >= 0:
            self._located.starts[pattern.feature, rows] = starts
            self._located.lengths[pattern.feature, rows] = lengths
            self._located.present[pattern.feature, rows] = not pattern.unset
        return stands


def learn(entry: bytes, features: Mapping[bytes, tuple[int, FeatureType]]) -> EntryPattern | None:
    """Return the pattern of the entry at the start of `entry`; None if there is none.

    Raises:
        DecodeError: a length is cut off.
    """
    size = len(entry)
    if entry[:1] != _TAG:
        return None
    _, key_tag = read_varint(entry, 1, size)
    if entry[key_tag : key_tag + 1] != _TAG:
        return None
    key_size, key = read_varint(entry, key_tag + 1, size)
    value_tag = key + key_size
    if value_tag > size or key_tag - 1 > WIDEST_LENGTH:
        return None
    if entry[value_tag : value_tag + 1] != _VALUE_TAG:
        return None
    _, type_tag = read_varint(entry, value_tag + 1, size)
    if type_tag - value_tag - 1 > WIDEST_LENGTH:
        return None
    pattern: list[bytes | int] = [_TAG, key_tag - 1]
    pattern += [entry[key_tag : value_tag + 1], type_tag - value_tag - 1]
    number, feature_type = features.get(entry[key:value_tag], (-1, None))
    if feature_type is None:
        return EntryPattern(-1, BytePattern(pattern))
    if entry[value_tag + 1 : type_tag] == b"\0":
        return EntryPattern(number, BytePattern(pattern), empty=True, unset=True)
    return _learn_list(entry, type_tag, pattern, number, feature_type)


def _learn_list(
    entry: bytes,
    type_tag: int,
    pattern: Sequence[bytes | int],
    number: int,
    feature_type: FeatureType,
) -> EntryPattern | None:
    size, tag = len(entry), _field(feature_type)
    if entry[type_tag : type_tag + 1] != tag:
        return None
    length, values_tag = read_varint(entry, type_tag + 1, size)
    if length == 0 and feature_type is not FeatureType.BYTES and values_tag == type_tag + 2:
        return EntryPattern(number, BytePattern([*pattern, tag + b"\0"]), empty=True)
    if entry[values_tag : values_tag + 1] != _TAG:
        return None
    _, values = read_varint(entry, values_tag + 1, size)
    widths = values_tag - type_tag - 1, values - values_tag - 1
    if max(widths) > WIDEST_LENGTH:
        return None
    return EntryPattern(number, BytePattern([*pattern, tag, widths[0], _TAG, widths[1]]))


def _field(feature_type: FeatureType) -> bytes:
    return bytes([feature_type << 3 | 2])
