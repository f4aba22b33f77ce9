"""RecordIO, the container format of dmlc and MXNet: records in frames.

The format (dmlc-core's `recordio.h`), little-endian, every frame at a multiple of four:

    4 bytes    0xced7230a
    4 bytes    bits 31..29: flag; bits 28..0: length
    length     content, and zeros up to the next multiple of four

A frame holds a whole record (flag 0) or the first (1), a middle (2) or the last piece (3) of one. A
record is cut wherever its content has the four magic bytes. These are not stored, so joining the
pieces puts them back. An index (`.idx`) is text: on each line a key, a tab, and a record's offset.
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Bytes, Int64s
from ...engine.errors import SourceError
from ..storage.damage import DamagedFileError
from ..storage.lookahead import Lookahead
from ..storage.records import Records, windows
from ..storage.rescue import rescued, searched
from ..storage.storage import Storage

MAGIC = 0xCED7230A
FRAME = 8
HEAD = np.dtype([("magic", "<u4"), ("coded", "<u4")])
_WORD = np.dtype("<i8")  # magic, length and flag of a frame
_HEAD_MASK = ~(((1 << 29) - 1) << 32)  # of magic and flag
_MAGIC_BYTES = np.array([MAGIC], "<u4").view(np.uint8)
_LENGTH_MASK = (1 << 29) - 1
_WHOLE, _FIRST, _MIDDLE, _LAST = range(4)
_REBUILD = "The file is damaged, or is no RecordIO file: make it anew with im2rec."


class FrameError(Exception):
    """A fault of a record, with its place: the offset, or the record's row in a batch."""

    def __init__(self, number: int, reason: str) -> None:
        super().__init__(reason)
        self.number = number
        self.reason = reason


def scan(storage: Storage, position: int = 0) -> Int64s:
    """Return the offset of each record of a file; records lie end to end from `position` on.

    Raises:
        DamagedFileError: a frame is damaged or cut off; it has the offsets before, and the damaged
            record's as the last one. OSError: the file cannot be read.
    """
    ahead = Lookahead(storage.sequential())
    offsets = array("q")
    try:
        while position < storage.size:
            offsets.append(position)
            position = _record_end(ahead, position, storage.size)
    except FrameError as error:
        raise DamagedFileError(
            f"{storage.name}, record {len(offsets) - 1}, offset {error.number}: {error.reason}. "
            f"{_REBUILD}",
            offsets[-1],
            [np.array(offsets, np.int64)],
            samples=len(offsets) - 1,
        ) from None
    return np.array(offsets, np.int64)


def rescued_records(storage: Storage) -> tuple[Int64s, Int64s]:
    """Return the extents of all records, also of those behind damage.

    No content has the magic bytes at a multiple of four, so they tell a frame for certain.

    Raises:
        DamagedFileError: see `rescued`.
    """
    ahead = Lookahead(storage.sequential())

    def walk(start: int) -> Int64s:
        try:
            return np.append(scan(storage, start), storage.size)
        except DamagedFileError as error:
            bounds: Int64s = error.sound[0]
            if len(bounds) < 2 or not has_frame_inside(*bounds[-2:].tolist()):
                raise
            raise DamagedFileError(
                f"{storage.name}, record {len(bounds) - 2}, offset {bounds[-2]}: the length "
                f"reaches beyond the next record. {_REBUILD}",
                int(bounds[-2]),
                [bounds[:-1]],
                samples=len(bounds) - 2,
            ) from None

    def has_frame_inside(start: int, end: int) -> bool:
        flag, _ = _frame(ahead.take(start, FRAME), start, (_WHOLE, _FIRST))
        place = searched(storage, start + 4, 1, places, lambda place: True)
        return flag == _WHOLE and place is not None and place < end

    def is_record(offset: int) -> bool:
        with suppress(FrameError):
            return _record_end(ahead, offset, storage.size) > offset
        return False

    def places(start: int, content: memoryview) -> list[int]:
        words = np.frombuffer(content, "<u4", len(content) // 4)
        return (start + 4 * np.flatnonzero(words == MAGIC)).tolist()

    def following(offset: int) -> int | None:
        return searched(storage, offset + 4, 1, places, is_record)

    return rescued(walk, following)


def record_length(storage: Storage, offset: int) -> int:
    """Return the length of the record at `offset`, frames and padding included.

    Raises:
        FrameError: no record starts there, or it is cut off.
    """
    return _record_end(Lookahead(storage), offset, storage.size) - offset


def _record_end(ahead: Lookahead, position: int, size: int) -> int:
    wanted = (_WHOLE, _FIRST)
    while True:
        if size - position < FRAME:
            raise FrameError(position, f"the file ends after {size - position} bytes of a frame")
        flag, length = _frame(ahead.take(position, FRAME), position, wanted)
        position += FRAME + _padded(length)
        if position > size:
            raise FrameError(
                position - FRAME - _padded(length),
                f"{length} bytes should follow, but the file ends at {size}",
            )
        if flag in (_WHOLE, _LAST):
            return position
        wanted = (_MIDDLE, _LAST)


def _frame(frame: bytes, position: int, wanted: Sequence[int]) -> tuple[int, int]:
    """Return flag and length that a frame tells, if the flag is one of `wanted`."""
    magic, coded = int.from_bytes(frame[:4], "little"), int.from_bytes(frame[4:], "little")
    flag = coded >> 29
    if magic != MAGIC:
        raise FrameError(position, f"{frame[:4].hex()} is not the magic 0a23d7ce of a record")
    if flag not in wanted:
        raise FrameError(position, f"a frame with flag {flag} cannot stand here")
    return flag, coded & _LENGTH_MASK


def _padded(length: int) -> int:
    return (length + 3) & ~3


def unframe(records: Records) -> Records:
    """Return the contents of records as they were read, frames included.

    Records in several pieces are joined in place, so their memory changes.

    Raises:
        FrameError: a record's frame is damaged; `number` is its row.
    """
    block, starts, sizes = records.block, records.starts, records.lengths
    require(sizes >= FRAME, lambda i: f"{sizes[i]} bytes are no frame")
    words = windows(block, _WORD)[starts]
    whole_lengths = words >> 32
    is_whole = (words & _HEAD_MASK == MAGIC) & (whole_lengths <= sizes - FRAME)
    if is_whole.all():  # as nearly always, and in fewer steps than the checks below
        return Records(block, starts + FRAME, whole_lengths)
    heads = windows(block, HEAD)[starts]
    require(
        heads["magic"] == MAGIC,
        lambda i: f"{heads[i]['magic'].tobytes().hex()} is not the magic 0a23d7ce of a record",
    )
    flags = heads["coded"] >> 29
    require(flags <= _FIRST, lambda i: f"a frame with flag {flags[i]} cannot start a record")
    lengths = (heads["coded"] & _LENGTH_MASK).astype(np.int64)
    require(
        lengths <= sizes - FRAME,
        lambda i: f"{lengths[i]} bytes should follow, but only {sizes[i] - FRAME} do",
    )
    _join_parts(records, np.flatnonzero(flags == _FIRST), lengths)
    return Records(block, starts + FRAME, lengths)


def require(good: NDArray[np.bool_], reason: Callable[[int], str]) -> None:
    """Raise FrameError with the number of the first record of a batch that is not good."""
    if not good.all():
        first = int(np.flatnonzero(~good)[0])
        raise FrameError(first, reason(first))


def _join_parts(records: Records, rows: NDArray[np.intp], lengths: Int64s) -> None:
    joined: dict[int, int] = {}  # a record that is requested twice is in the block once
    for row in rows.tolist():
        start = int(records.starts[row])
        if start not in joined:
            joined[start] = _join(records.block, start, int(records.lengths[row]), row)
        lengths[row] = joined[start]


def _join(block: Bytes, start: int, size: int, row: int) -> int:
    """Move the pieces of a record together behind its first frame; return the whole length."""
    content = block[start : start + size]
    reached, position = FRAME, 0
    wanted: tuple[int, ...] = (_FIRST,)
    while True:
        if size - position < FRAME:
            raise FrameError(row, "its last part is missing")
        try:
            flag, length = _frame(content[position : position + FRAME].tobytes(), row, wanted)
        except FrameError as error:
            raise FrameError(row, f"{error.reason} ({position} bytes into the record)") from None
        if length > size - position - FRAME:
            raise FrameError(row, f"its part {position} bytes into the record is cut off")
        if position:
            content[reached : reached + 4] = _MAGIC_BYTES  # no further than the frame's magic
            reached += 4
        content[reached : reached + length] = content[position + FRAME :][:length]
        reached += length
        if flag == _LAST:
            return reached - FRAME
        position += FRAME + _padded(length)
        wanted = (_MIDDLE, _LAST)


def frames_of(content: bytes) -> list[bytes]:
    """Return the frames of a record, padded, as a file holds them.

    Raises:
        ValueError: the record is too long for the format, which allows less than 2**29 bytes.

    >>> b"".join(frames_of(b"abcde")).hex(" ", 4)
    '0a23d7ce 05000000 61626364 65000000'
    """
    if len(content) > _LENGTH_MASK:
        raise ValueError(f"a record of {len(content)} bytes; RecordIO allows {_LENGTH_MASK}")
    cuts = _magics(content)
    starts, ends = [0, *(cut + 4 for cut in cuts)], [*cuts, len(content)]
    flags = [_FIRST, *[_MIDDLE] * (len(cuts) - 1), _LAST] if cuts else [_WHOLE]
    pieces: list[bytes] = []
    for start, end, flag in zip(starts, ends, flags, strict=True):
        head = struct.pack("<II", MAGIC, flag << 29 | end - start)
        pieces += (head, content[start:end] if cuts else content, bytes(start - end & 3))
    return pieces


def _magics(content: bytes) -> list[int]:
    """Return the offsets, multiples of four, where a content has the magic bytes."""
    words = np.frombuffer(content, "<u4", len(content) // 4)
    offsets: list[int] = (4 * np.flatnonzero(words == MAGIC)).tolist()
    return offsets


def read_index(content: bytes, name: str) -> Int64s:
    """Return the offsets that an `.idx` file lists, ascending, each once.

    Raises:
        SourceError: a line is not a key, a tab and a number, or there is none.
    """
    offsets = array("q", (offset for offset, _ in read_index_lines(content, name)))
    if not offsets:
        raise SourceError(f"{name} lists no record; leave index_path out to have one made")
    return np.unique(np.array(offsets, np.int64))


def read_index_lines(content: bytes, name: str) -> Iterator[tuple[int, int]]:
    """Yield offset and key of each line of an `.idx` file; a key that is no number counts as -1.

    Raises:
        SourceError: a line is not a key, a tab and a number.
    """
    for number, line in enumerate(content.splitlines(), 1):
        fields = line.split()
        if not fields:
            continue
        if len(fields) != 2 or not fields[1].isdigit() or len(fields[1]) > 18:
            raise SourceError(
                f"{name}, line {number}: a key, a tab and an offset are expected, but it reads "
                f"{line[:80]!r}"
            )
        yield int(fields[1]), int(fields[0]) if fields[0].isdigit() else -1
