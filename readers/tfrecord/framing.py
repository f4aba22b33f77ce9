"""How records stand in a TFRecord file, and where each of them begins.

A record is framed so, little-endian (source: TensorFlow's `record_writer.h`):

    uint64 length
    uint32 masked CRC-32C of length
    byte   data[length]
    uint32 masked CRC-32C of data
"""

from __future__ import annotations

import struct

import numpy as np
from numpy.typing import NDArray

from ...engine.errors import DecodeError, SourceError
from ..storage.read_plan import Int64s
from ..storage.records import Records, windows
from ..storage.storage import Bytes, Storage, cut
from .crc32c import checksum, masked, masked_of_lengths

HEADER = 12
FOOTER = 4
FRAME = HEADER + FOOTER

_CHUNK = 1 << 20
_LARGE = 1 << 16  # of records larger than this only the headers are read
_TOGETHER = 1024  # headers read before their checksums are verified
_HEADER = struct.Struct("<QI")


class RecordIndexer:
    """Walks from header to header.

    Every length is held against its checksum, so that a file that is damaged or no TFRecord
    file at all is told at once, by `SourceError`.
    """

    def __init__(self, storage: Storage, *, verify_data: bool) -> None:
        """Take the file; with `verify_data` it is read whole and all checksums verified."""
        self._storage = storage.sequential()
        self._verify = verify_data
        # Where one more read costs more than these bytes, everything is read.
        self._large = max(_LARGE, storage.gap)
        self._offsets: list[NDArray[np.int64]] = []
        self._count = 0
        self._memory = np.empty(0, np.uint8)

    def offsets(self) -> Int64s:
        """Return the offset of each record's frame and, last, the file's size."""
        position = 0
        large = False
        while position < self._storage.size:
            if self._storage.size - position < HEADER:
                raise self._cut_off(self._count, position)
            walk = self._walk_apart if large and not self._verify else self._walk_chunk
            lengths, checksums = walk(position)
            begins = self._check(position, np.array(lengths, np.uint64), checksums)
            position = int(begins[-1])
            if self._verify:
                self._verify_data(begins)
            large = lengths[-1] >= self._large
        self._offsets.append(np.array([position], np.int64))
        return np.concatenate(self._offsets)

    def _walk_chunk(self, position: int) -> tuple[list[int], list[int]]:
        """Return lengths and checksums of the headers in the next stretch of the file."""
        chunk = self._read(position, min(_CHUNK, self._storage.size - position))
        lengths, checksums = [], []
        unpack, data = _HEADER.unpack_from, chunk.data
        place, last = 0, len(chunk) - HEADER
        while place <= last:
            length, crc = unpack(data, place)
            lengths.append(length)
            checksums.append(crc)
            place += length + FRAME
        return lengths, checksums

    def _walk_apart(self, position: int) -> tuple[list[int], list[int]]:
        """Return the same of the next large records, reading nothing but headers."""
        lengths: list[int] = []
        checksums: list[int] = []
        last = self._storage.size - HEADER
        while position <= last and len(lengths) < _TOGETHER:
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
        """Return where the records begin and the last one ends; raise unless all are sound."""
        wrong = masked_of_lengths(lengths) != np.array(checksums, np.uint32)
        sound = int(np.flatnonzero(wrong)[0]) if wrong.any() else len(lengths)
        # The lengths before the first wrong one were stepped over inside the chunk, so only
        # the last of all can be so large that it does not fit.
        sizes = [int(length) + FRAME for length in lengths[max(0, sound - 1) : sound]]
        begins = np.empty(sound + 1, np.int64)
        begins[0] = position
        if sound:
            np.cumsum(lengths[: sound - 1].astype(np.int64) + FRAME, out=begins[1:sound])
            begins[1:sound] += position
            end = int(begins[sound - 1]) + sizes[0]
            if end > self._storage.size:
                raise self._cut_off(self._count + sound - 1, int(begins[sound - 1]), sizes[0])
            begins[sound] = end
        if sound < len(lengths):
            raise SourceError(
                f"{self._storage.name}: the length of record {self._count + sound} at offset "
                f"{begins[sound]} does not agree with its checksum; the file is damaged from "
                "here on, or it is no TFRecord file"
            )
        self._offsets.append(begins[:-1])
        self._count += sound
        return begins

    def _cut_off(self, number: int, offset: int, needed: int = HEADER) -> SourceError:
        return SourceError(
            f"{self._storage.name}: record {number} at offset {offset} needs {needed} bytes, but "
            f"the file ends after {self._storage.size - offset}; it was cut off, or its writer "
            "was never closed"
        )

    def _verify_data(self, begins: Int64s) -> None:
        block = self._read(int(begins[0]), int(begins[-1] - begins[0]))
        frames = Records(block, begins[:-1] - begins[0], np.diff(begins))
        checksums = Checksums(len(frames))
        checksums.compute(frames, np.arange(len(frames)))
        wrong = checksums.wrong(frames)
        if wrong.size:
            first = self._count - (len(begins) - 1)
            raise SourceError(
                f"{self._storage.name}: record {first + wrong[0]} at offset {begins[wrong[0]]} "
                "does not agree with its checksum; it is damaged"
            )


def inner(frames: Records) -> Records:
    """Return the data of framed records."""
    return Records(frames.block, frames.begins + HEADER, frames.lengths - FRAME)


def check_lengths(frames: Records) -> None:
    """Raise DecodeError unless each frame's header tells the length that its index told."""
    if not len(frames):
        return
    words = windows(frames.block, "<u8")[frames.begins]
    expected = frames.lengths - FRAME
    wrong = (words != expected.astype(np.uint64)).nonzero()[0]
    if wrong.size:
        row = wrong[0]
        raise DecodeError(
            f"the record's header tells a length of {words[row]} bytes, its index "
            f"{expected[row]}: the index belongs to another file, or the file was changed"
        )


class Checksums:
    """The checksums of framed records' data, computed in any order and held against the stored."""

    def __init__(self, count: int) -> None:
        """Take the number of records."""
        self._value = checksum()
        self._found = np.zeros(count, np.uint32)

    def compute(self, frames: Records, rows: NDArray[np.intp]) -> None:
        """Compute those of the records `rows`; threads may do that for others meanwhile."""
        views = cut(frames.block, frames.begins[rows] + HEADER, frames.lengths[rows] - FRAME)
        self._found[rows] = [self._value(view) for view in views]

    def wrong(self, frames: Records) -> NDArray[np.intp]:
        """Return the rows of those records whose data does not agree with its checksum."""
        stored = windows(frames.block, "<u4")[frames.ends - FOOTER]
        rows: NDArray[np.intp] = (masked(self._found) != stored).nonzero()[0]
        return rows
