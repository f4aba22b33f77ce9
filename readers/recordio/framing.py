"""RecordIO, the container format of dmlc and MXNet: records in frames.

The format (dmlc-core's `recordio.h`), little-endian, every frame at a multiple of four:

    4 bytes    0xced7230a
    4 bytes    bits 31..29: which part of a record this is; bits 28..0: length
    length     content, and zeros up to the next multiple of four

A record is whole (0), or has a first part (1), middle parts (2) and a last one (3). It was cut
wherever its content had the four magic bytes, which are not stored: joining puts them back. An
index (`.idx`) is text: on each line a key, a tab, and the offset of a record.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from ...engine.errors import SourceError
from ..storage.lookahead import Lookahead
from ..storage.read_plan import Int64s
from ..storage.records import Records, windows
from ..storage.storage import Bytes, Storage

MAGIC = 0xCED7230A
FRAME = 8
HEAD = np.dtype([("magic", "<u4"), ("coded", "<u4")])
_MAGIC_BYTES = np.array([MAGIC], "<u4").view(np.uint8)
_LENGTH_MASK = (1 << 29) - 1
_WHOLE, _FIRST, _MIDDLE, _LAST = range(4)
_REBUILD = "The file is damaged, or is no RecordIO file: make it anew with im2rec."


class FrameError(Exception):
    """What is wrong with a record, and its place: an offset, or its number in a batch."""

    def __init__(self, place: int, reason: str) -> None:
        super().__init__(reason)
        self.place = place
        self.reason = reason


def scan(storage: Storage) -> Int64s:
    """Return the offset of each record of a file: they lie end to end from 0 on.

    Raises:
        SourceError: a frame is damaged or cut off. OSError: the file cannot be read.
    """
    ahead = Lookahead(storage.sequential())
    offsets = array("q")
    position = 0
    try:
        while position < storage.size:
            offsets.append(position)
            position = _record_end(ahead, position, storage.size)
    except FrameError as error:
        raise SourceError(
            f"{storage.name}, record {len(offsets) - 1}, offset {error.place}: {error.reason}. "
            f"{_REBUILD}"
        ) from None
    return np.array(offsets, np.int64)


def record_length(storage: Storage, offset: int) -> int:
    """Return the length of the record at `offset`, frames and padding included.

    Raises:
        FrameError: no record begins there, or it is cut off.
    """
    return _record_end(Lookahead(storage), offset, storage.size) - offset


def _record_end(ahead: Lookahead, position: int, size: int) -> int:
    wanted = (_WHOLE, _FIRST)
    while True:
        if size - position < FRAME:
            raise FrameError(position, f"the file ends after {size - position} bytes of a frame")
        part, length = _frame(ahead.take(position, FRAME), position, wanted)
        position += FRAME + _padded(length)
        if position > size:
            raise FrameError(
                position - FRAME - _padded(length),
                f"{length} bytes should follow, but the file ends at {size}",
            )
        if part in (_WHOLE, _LAST):
            return position
        wanted = (_MIDDLE, _LAST)


def _frame(frame: bytes, position: int, wanted: Sequence[int]) -> tuple[int, int]:
    """Return part and length that a frame tells, if it is one of the parts `wanted`."""
    magic, coded = int.from_bytes(frame[:4], "little"), int.from_bytes(frame[4:], "little")
    part = coded >> 29
    if magic != MAGIC:
        raise FrameError(position, f"{frame[:4].hex()} is not the magic 0a23d7ce of a record")
    if part not in wanted:
        raise FrameError(position, f"a frame of kind {part} cannot stand here")
    return part, coded & _LENGTH_MASK


def _padded(length: int) -> int:
    return (length + 3) & ~3


def unframe(records: Records) -> Records:
    """Return the contents of records as they were read, frames included.

    Records in several parts are joined in place, so their memory changes.

    Raises:
        FrameError: a record's frame is damaged; `place` is its number among them.
    """
    block, begins, sizes = records.block, records.begins, records.lengths
    require(sizes >= FRAME, lambda i: f"{sizes[i]} bytes are no frame")
    heads = windows(block, HEAD)[begins]
    require(
        heads["magic"] == MAGIC,
        lambda i: f"{heads[i]['magic'].tobytes().hex()} is not the magic 0a23d7ce of a record",
    )
    parts = heads["coded"] >> 29
    require(parts <= _FIRST, lambda i: f"a frame of kind {parts[i]} cannot begin a record")
    lengths = (heads["coded"] & _LENGTH_MASK).astype(np.int64)
    require(
        lengths <= sizes - FRAME,
        lambda i: f"{lengths[i]} bytes should follow, but only {sizes[i] - FRAME} do",
    )
    _join_parts(records, np.flatnonzero(parts == _FIRST), lengths)
    return Records(block, begins + FRAME, lengths)


def require(good: NDArray[np.bool_], reason: Callable[[int], str]) -> None:
    """Raise FrameError with the number of the first record of a batch that is not good."""
    if not good.all():
        first = int(np.flatnonzero(~good)[0])
        raise FrameError(first, reason(first))


def _join_parts(records: Records, rows: NDArray[np.intp], lengths: Int64s) -> None:
    joined: dict[int, int] = {}  # a record that is asked for twice lies there once
    for row in rows.tolist():
        begin = int(records.begins[row])
        if begin not in joined:
            joined[begin] = _join(records.block, begin, int(records.lengths[row]), row)
        lengths[row] = joined[begin]


def _join(block: Bytes, begin: int, size: int, row: int) -> int:
    """Move the parts of a record together behind its first frame; return the whole length."""
    content = block[begin : begin + size]
    reached, position = FRAME, 0
    wanted: tuple[int, ...] = (_FIRST,)
    while True:
        if size - position < FRAME:
            raise FrameError(row, "its last part is missing")
        try:
            part, length = _frame(content[position : position + FRAME].tobytes(), row, wanted)
        except FrameError as error:
            raise FrameError(row, f"{error.reason} ({position} bytes into the record)") from None
        if length > size - position - FRAME:
            raise FrameError(row, f"its part {position} bytes into the record is cut off")
        if position:
            content[reached : reached + 4] = _MAGIC_BYTES  # no further than the frame's magic
            reached += 4
        content[reached : reached + length] = content[position + FRAME :][:length]
        reached += length
        if part == _LAST:
            return reached - FRAME
        position += FRAME + _padded(length)
        wanted = (_MIDDLE, _LAST)


def read_index(content: bytes, name: str) -> Int64s:
    """Return the offsets that an `.idx` file lists, ascending, each once.

    Raises:
        SourceError: a line is not a key, a tab and a number, or there is none.
    """
    offsets = array("q")
    for number, line in enumerate(content.splitlines(), 1):
        fields = line.split()
        if not fields:
            continue
        if len(fields) != 2 or not fields[1].isdigit() or len(fields[1]) > 18:
            raise SourceError(
                f"{name}, line {number}: a key, a tab and an offset are expected, but it reads "
                f"{line[:80]!r}"
            )
        offsets.append(int(fields[1]))
    if not offsets:
        raise SourceError(f"{name} lists no record; leave index_path out to have one made")
    return np.unique(np.array(offsets, np.int64))
