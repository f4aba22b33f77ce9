"""The frames of records in a TFRecord file, and their offsets.

A record is framed so, little-endian (source: TensorFlow's `record_writer.h`):

    uint64 length
    uint32 masked CRC-32C of length
    byte   data[length]
    uint32 masked CRC-32C of data
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Bytes, Int64s
from ...engine.errors import DecodeError
from ..storage.claims import check_claim
from ..storage.damage import DamagedFileError
from ..storage.records import Records, windows
from ..storage.rescue import rescued, searched
from ..storage.storage import Storage
from .crc32c import checksum, masked, masked_of_lengths

HEADER = 12
FOOTER = 4
FRAME = HEADER + FOOTER

_HEADER = struct.Struct("<QI")

CHUNK_BYTES = 1 << 20
"""Bytes that are read together."""

LARGE_RECORD_BYTES = 1 << 16
"""Bytes of a record from which on the headers alone are read."""

HEADERS_TOGETHER = 1024
"""Headers that are read before their checksums are verified."""


class RecordIndexer:
    """Walks from header to header.

    Every length is compared with its checksum, so a damaged file, or a file of another format,
    gives a `DamagedFileError` at once, which has the offsets before the damage.
    """

    def __init__(self, storage: Storage, *, verify_data: bool, start: int = 0) -> None:
        """Take the file; with `verify_data`, read all of it and verify all checksums.

        `start` is the offset of the first record.
        """
        self._start = start
        self._storage = storage.sequential()
        self._verify = verify_data
        # Below `gap` bytes, one more read would cost more than reading the record.
        self._large = max(LARGE_RECORD_BYTES, storage.gap)
        self._offsets: list[NDArray[np.int64]] = []
        self._count = 0
        self._memory = np.empty(0, np.uint8)

    def offsets(self) -> Int64s:
        """Return the offset of each record's frame and, last, the file's size."""
        position = self._start
        large = False
        while position < self._storage.size:
            if self._storage.size - position < HEADER:
                raise self._cut_off(position)
            walk = self._walk_apart if large and not self._verify else self._walk_chunk
            lengths, checksums = walk(position)
            starts = self._check(position, np.array(lengths, np.uint64), checksums)
            position = int(starts[-1])
            if self._verify:
                self._verify_data(starts)
            large = lengths[-1] >= self._large
        self._offsets.append(np.array([position], np.int64))
        return np.concatenate(self._offsets)

    def _walk_chunk(self, position: int) -> tuple[list[int], list[int]]:
        """Return lengths and checksums of the headers in the next stretch of the file."""
        chunk = self._read(position, min(CHUNK_BYTES, self._storage.size - position))
        lengths, checksums = [], []
        unpack, data = _HEADER.unpack_from, chunk.data
        at, last = 0, len(chunk) - HEADER
        while at <= last:
            length, crc = unpack(data, at)
            lengths.append(length)
            checksums.append(crc)
            at += length + FRAME
        return lengths, checksums

    def _walk_apart(self, position: int) -> tuple[list[int], list[int]]:
        """Return the same for the next large records; read their headers alone."""
        lengths: list[int] = []
        checksums: list[int] = []
        last = self._storage.size - HEADER
        while position <= last and len(lengths) < HEADERS_TOGETHER:
            length, crc = _HEADER.unpack(self._read(position, HEADER).data)
            lengths.append(length)
            checksums.append(crc)
            position += length + FRAME
            if length < self._large:
                break
        return lengths, checksums

    def _read(self, offset: int, size: int) -> Bytes:
        if self._memory.size < size:
            self._memory = np.empty(size, np.uint8)
        content = self._memory[:size]
        self._storage.fill([offset], [content])
        return content

    def _check(self, position: int, lengths: NDArray[np.uint64], checksums: list[int]) -> Int64s:
        """Return the records' starts and the end of the last one; raise unless all are sound."""
        wrong = masked_of_lengths(lengths) != np.array(checksums, np.uint32)
        sound = int(np.flatnonzero(wrong)[0]) if wrong.any() else len(lengths)
        # All lengths before the first wrong one but the last stay inside the chunk, so only the
        # last one may be too large for int64.
        sizes = [int(length) + FRAME for length in lengths[max(0, sound - 1) : sound]]
        starts = np.empty(sound + 1, np.int64)
        starts[0] = position
        if sound:
            np.cumsum(lengths[: sound - 1].astype(np.int64) + FRAME, out=starts[1:sound])
            starts[1:sound] += position
            end = int(starts[sound - 1]) + sizes[0]
            if end > self._storage.size:
                self._offsets.append(starts[: sound - 1])
                self._count += sound - 1
                raise self._cut_off(int(starts[sound - 1]), sizes[0])
            starts[sound] = end
        self._offsets.append(starts[:-1])
        self._count += sound
        if sound < len(lengths):
            raise self._damaged(
                int(starts[sound]),
                f"the length of record {self._count} at offset {starts[sound]} does not agree with "
                "its checksum; the file is damaged from here on, or it is no TFRecord file",
            )
        return starts

    def _cut_off(self, offset: int, needed: int = HEADER) -> DamagedFileError:
        return self._damaged(
            offset,
            f"record {self._count} at offset {offset} needs {needed} bytes, but the file ends "
            f"after {self._storage.size - offset}; it was cut off, or its writer was never closed",
        )

    def _damaged(self, offset: int, problem: str) -> DamagedFileError:
        """Return the error for a file that is sound up to an offset."""
        known = np.concatenate([*self._offsets, np.array([offset])])
        bounds = known[: int(np.searchsorted(known, offset)) + 1]
        text = f"{self._storage.name}: {problem}"
        return DamagedFileError(text, offset, [bounds], samples=len(bounds) - 1)

    def _verify_data(self, starts: Int64s) -> None:
        check_claim(self._storage.name, int(starts[-1] - starts[0]))
        block = self._read(int(starts[0]), int(starts[-1] - starts[0]))
        frames = Records(block, starts[:-1] - starts[0], np.diff(starts))
        checksums = Checksums(len(frames))
        checksums.compute(frames, range(len(frames)))
        wrong = checksums.wrong(frames)
        if wrong.size:
            first = self._count - (len(starts) - 1)
            raise self._damaged(
                int(starts[wrong[0]]),
                f"record {first + wrong[0]} at offset {starts[wrong[0]]} does not agree with its "
                "checksum; it is damaged",
            )


def rescued_frames(storage: Storage, *, verify_data: bool) -> tuple[Int64s, Int64s]:
    """Return the extents of all framed records, also of those behind damage.

    Raises:
        DamagedFileError: see `rescued`.
    """

    def walk(start: int) -> Int64s:
        try:
            return RecordIndexer(storage, verify_data=verify_data, start=start).offsets()
        except DamagedFileError as error:
            bounds: Int64s = error.sound[0]
            if len(bounds) < 2 or is_whole(*bounds[-2:].tolist()):
                raise
            # Bytes are missing in the last record or there are more, so nothing lies behind it.
            raise DamagedFileError(
                f"{storage.name}: the record at offset {bounds[-2]} does not agree with its "
                "checksum, and none lies behind it; it is damaged",
                int(bounds[-2]),
                [bounds[:-1]],
                samples=len(bounds) - 2,
            ) from None

    def end_of(offset: int) -> int | None:
        """Return where the frame at an offset ends; None if no sound header tells it."""
        if offset + HEADER > storage.size:
            return None
        head: Bytes = np.empty(HEADER, np.uint8)
        storage.fill([offset], [head])
        length, crc = _HEADER.unpack(head.data)
        if int(masked_of_lengths(np.array([length], np.uint64))[0]) != crc:
            return None
        end = offset + length + FRAME
        return end if end <= storage.size else None

    def is_whole(start: int, end: int) -> bool:
        frame: Bytes = np.empty(end - start, np.uint8)
        storage.fill([start], [frame])
        found = masked(np.array([checksum()(frame[HEADER:-FOOTER])], np.uint32)).astype("<u4")
        return bool(found.tobytes() == frame[-FOOTER:].tobytes())

    def has_neighbor(end: int) -> bool:
        return end == storage.size or end_of(end) is not None

    def is_record(offset: int) -> bool:
        end = end_of(offset)
        return end is not None and (has_neighbor(end) or is_whole(offset, end))

    def places(start: int, content: memoryview) -> list[int]:
        block = np.frombuffer(content, np.uint8)
        lengths = windows(block, "<u8")[: len(block) - HEADER + 1]
        stored = windows(block, "<u4")[8:]
        return (start + np.flatnonzero(masked_of_lengths(lengths) == stored)).tolist()

    def following(offset: int) -> int | None:
        end = end_of(offset)
        if end is not None and has_neighbor(end):  # the data alone are damaged
            return end
        return searched(storage, offset + 1, HEADER, places, is_record)

    return rescued(walk, following)


def frames_of(contents: Sequence[bytes]) -> list[bytes]:
    """Return records' headers, data and footers in turn, as a file holds them.

    >>> b"".join(frames_of([b"ab"])).hex(" ", -4)
    '02000000 00000000 78270b34 61621cb0 f0f4'
    """
    value = checksum()
    headers = np.empty(len(contents), [("length", "<u8"), ("crc", "<u4")])
    headers["length"] = [len(content) for content in contents]
    headers["crc"] = masked_of_lengths(headers["length"].astype(np.uint64))
    crcs = masked(np.array([value(content) for content in contents], np.uint32)).astype("<u4")
    starts, ends = headers.tobytes(), crcs.tobytes()
    pieces: list[bytes] = []
    for row, content in enumerate(contents):
        header = starts[HEADER * row : HEADER * (row + 1)]
        pieces += (header, content, ends[FOOTER * row : FOOTER * (row + 1)])
    return pieces


def inner(frames: Records) -> Records:
    """Return the data of framed records."""
    return Records(frames.block, frames.starts + HEADER, frames.lengths - FRAME)


def check_lengths(frames: Records) -> None:
    """Raise DecodeError unless each frame's header has the length that the index gives."""
    if not len(frames):
        return
    words = windows(frames.block, "<u8")[frames.starts]
    expected = frames.lengths - FRAME
    wrong = (words != expected.astype(np.uint64)).nonzero()[0]
    if wrong.size:
        row = wrong[0]
        raise DecodeError(
            f"the record's header gives a length of {words[row]} bytes, the index "
            f"{expected[row]}: the index belongs to another file, or the file was changed"
        )


class Checksums:
    """Checksums of framed records' data, computed in any order, to compare with the stored ones."""

    def __init__(self, count: int) -> None:
        """Take the number of records."""
        self._value = checksum()
        self._found = [0] * count
        self._bounds: tuple[list[int], list[int]] | None = None

    def compute(self, frames: Records, rows: Sequence[int]) -> None:
        """Compute the checksums of the records `rows`; other threads may compute other rows."""
        if self._bounds is None:  # threads that see this at once compute the same
            self._bounds = (frames.starts + HEADER).tolist(), (frames.ends - FOOTER).tolist()
        (starts, ends), block = self._bounds, frames.block
        found, value = self._found, self._value
        for row in rows:
            found[row] = value(block[starts[row] : ends[row]])

    def wrong(self, frames: Records) -> NDArray[np.intp]:
        """Return the rows of the records whose data do not agree with their checksums."""
        stored = windows(frames.block, "<u4")[frames.ends - FOOTER]
        found = masked(np.array(self._found, np.uint32))
        rows: NDArray[np.intp] = (found != stored).nonzero()[0]
        return rows
