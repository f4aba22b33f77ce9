"""Finding the features of many Examples at once.

The records of a data set are alike: each feature's entry begins with the same bytes but for
a few lengths. A `Layout` is the beginning of one entry, learned from the first record that
has it. All records of a batch walk in step: at each step the layouts that were seen there
are matched against all records that are not matched yet; for what is left a layout is
learned from the first of them. A record that no layout fits (features packed differently,
several byte strings, or simply broken) is left to the parser in `example`, which also finds
the error's words. Layouts are only ever a short cut: what one of them accepts is a valid
Example and means the same to the parser.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...engine.errors import DecodeError
from ..protobuf.wire import read_varint
from ..storage.read_plan import Int64s
from ..storage.records import Records
from ..storage.storage import Bytes
from .example import Kind
from .headers import SLACK, WIDEST_LENGTH, Header

_MOST_STEPS = 256  # features of a record; records with more of them are parsed one by one
_MOST_LAYOUTS = 64  # at one step: features in any order, times widths of their lengths
_TOO_FEW = 12  # records: as fast to parse one by one
_MOST_MISFITS = 3  # records from which nothing could be learned, at one step of one batch
_LONGEST_ENTRY = SLACK - 8

_TAG, _VALUE_TAG = b"\x0a", b"\x12"  # length-delimited fields 1 and 2


@dataclass(frozen=True)
class Layout:
    """The beginning of a feature's entry in the map.

    Attributes:
        feature: number of the wanted feature, or -1.
        header: up to the values; of a feature that is not wanted, up to what it holds.
        empty: nothing may follow the header: the list has no values.
        unset: the feature has no kind, so it counts as missing.
    """

    feature: int
    header: Header
    empty: bool = False
    unset: bool = False


@dataclass
class Located:
    """Where the values of each wanted feature lie, in the records' block.

    Attributes:
        begins, lengths: of the values' bytes: (features, records). One byte string, floats
            end to end, or varints end to end.
        present: whether the record has the feature.
        left: the records that no layout fits; the other arrays say nothing of them.
    """

    begins: Int64s
    lengths: Int64s
    present: NDArray[np.bool_]
    left: Int64s


class Locator:
    """Locates features; remembers what the entries of a data set look like.

    Thread-safe: the tuples of layouts are replaced, never changed. Picklable.
    """

    def __init__(self, wanted: Mapping[bytes, Kind]) -> None:
        self._features = {key: (i, kind) for i, (key, kind) in enumerate(wanted.items())}
        self._outer = [Header([_TAG, width]) for width in range(1, WIDEST_LENGTH + 1)]
        self._steps: dict[int, tuple[Layout, ...]] = {}

    def locate(self, records: Records, *, not_at_all: bool = False) -> Located:
        """Find the wanted features of all records; `SLACK` bytes must follow the records.

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
        if not_at_all or count < _TOO_FEW:
            return located
        ends = records.ends
        rows, places = self._enter(records.block, records.begins, ends)
        walk = _Walk(records.block, ends, places, located)
        finished = [rows[places[rows] == ends[rows]]]
        for step in range(_MOST_STEPS):
            rows = rows[places[rows] < ends[rows]]
            if len(rows) < _TOO_FEW:
                break
            rows = self._step(step, walk, rows)
            finished.append(rows[places[rows] == ends[rows]])
        left = np.ones(count, bool)
        left[np.concatenate(finished)] = False
        located.left = left.nonzero()[0]
        return located

    def _enter(self, block: Bytes, begins: Int64s, ends: Int64s) -> tuple[Int64s, Int64s]:
        """Return the records that are one `Features`, and where the content of each begins."""
        places = begins.copy()
        entered = np.empty(0, np.int64)
        sizes = ends - begins
        smallest, largest = int(sizes.min()), int(sizes.max())
        for width in range(1, WIDEST_LENGTH + 1):
            # Such a length is below 128 ** width; one with needless bytes is for the parser.
            least = 1 + width + (1 << 7 * (width - 1) if width > 1 else 0)
            most = width + (1 << 7 * width)
            if least <= largest and most >= smallest:
                rows = ((sizes >= least) & (sizes <= most)).nonzero()[0]
                header = self._outer[width - 1]
                stands, rest = header.match(block, begins[rows])
                rows = rows[stands & (rest == sizes[rows] - header.size)]
                places[rows] += header.size
                entered = np.concatenate((entered, rows)) if entered.size else rows
        return entered, places

    def _step(self, step: int, walk: _Walk, rows: Int64s) -> Int64s:
        """Match one entry of each of the records `rows`; return those that some layout fits."""
        known = self._steps.get(step, ())
        matched: list[Int64s] = []
        for layout in known:
            if not rows.size:
                break
            fits = walk.match(layout, rows)
            matched.append(rows[fits])
            rows = rows[~fits]
        misfits = 0
        while len(rows) >= _TOO_FEW and len(known) < _MOST_LAYOUTS and misfits < _MOST_MISFITS:
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

    def _learn(self, walk: _Walk, row: int) -> Layout | None:
        begin, end = int(walk.places[row]), int(walk.ends[row])
        beginning = walk.block[begin : min(end, begin + _LONGEST_ENTRY)].tobytes()
        try:
            return learn(beginning, self._features)
        except DecodeError:
            return None


class _Walk:
    """Where each record of a batch has been walked to, and what was found on the way."""

    def __init__(self, block: Bytes, ends: Int64s, places: Int64s, located: Located) -> None:
        self.block = block
        self.ends = ends
        self.places = places
        self._located = located

    def match(self, layout: Layout, rows: Int64s) -> NDArray[np.bool_]:
        """Match the next entry of the records `rows`; walk past it where the layout fits."""
        places = self.places[rows]
        stands, lengths = layout.header.match(self.block, places)
        begins = places + layout.header.size
        stands &= (lengths == 0) if layout.empty else (lengths >= 0)
        stands &= lengths <= self.ends[rows] - begins
        if not stands.all():
            rows, begins, lengths = rows[stands], begins[stands], lengths[stands]
        self.places[rows] = begins + lengths
        if layout.feature >= 0:
            self._located.begins[layout.feature, rows] = begins
            self._located.lengths[layout.feature, rows] = lengths
            self._located.present[layout.feature, rows] = not layout.unset
        return stands


def learn(entry: bytes, features: Mapping[bytes, tuple[int, Kind]]) -> Layout | None:
    """Return the layout of the entry that `entry` begins with; None if it has none.

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
    _, kind_tag = read_varint(entry, value_tag + 1, size)
    if kind_tag - value_tag - 1 > WIDEST_LENGTH:
        return None
    parts: list[bytes | int] = [_TAG, key_tag - 1]
    parts += [entry[key_tag : value_tag + 1], kind_tag - value_tag - 1]
    number, kind = features.get(entry[key:value_tag], (-1, None))
    if kind is None:
        return Layout(-1, Header(parts))
    if entry[value_tag + 1 : kind_tag] == b"\0":
        return Layout(number, Header(parts), empty=True, unset=True)
    return _learn_list(entry, kind_tag, parts, number, kind)


def _learn_list(
    entry: bytes, kind_tag: int, parts: Sequence[bytes | int], number: int, kind: Kind
) -> Layout | None:
    size = len(entry)
    if entry[kind_tag : kind_tag + 1] != _field(kind):
        return None
    length, values_tag = read_varint(entry, kind_tag + 1, size)
    if length == 0 and kind is not Kind.BYTES and values_tag == kind_tag + 2:
        return Layout(number, Header([*parts, _field(kind) + b"\0"]), empty=True)
    if entry[values_tag : values_tag + 1] != _TAG:
        return None
    _, values = read_varint(entry, values_tag + 1, size)
    widths = values_tag - kind_tag - 1, values - values_tag - 1
    if max(widths) > WIDEST_LENGTH:
        return None
    return Layout(number, Header([*parts, _field(kind), widths[0], _TAG, widths[1]]))


def _field(kind: Kind) -> bytes:
    return bytes([kind << 3 | 2])
