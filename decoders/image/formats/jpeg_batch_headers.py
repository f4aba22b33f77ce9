"""JPEG headers of a whole batch at once, in NumPy instead of a loop in Python.

The code knows the plain case: baseline coding with 8 bits, one or three components in one scan. All
other files, damaged ones included, are left to the parser of single files (`jpeg.parse_header`).

Source: ITU-T T.81, annex B.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....engine.arrays import Array
from ....engine.tensors import TensorListCPU
from ....engine.tensors.memory_span import memory_of
from . import exif

_MAX_SEGMENTS = 64  # before the first scan
_MIN_BYTES = 128  # of a whole file
_MARGIN = 32  # bytes of a segment that are read
_START, _HEAD, _BODY, _END = np.arange(2), np.arange(4)[::-1], np.arange(4, 19), np.array([-2, -1])
_SKIP, _FRAME, _ADOBE, _EXIF, _RESTARTS, _SCAN, _STOP = range(7)  # the walk ends at the last two
_MARKERS = np.full(1 << 16, _STOP, np.uint8)  # by the two bytes of a marker
_MARKERS[[0xFFC4, 0xFFDB, 0xFFFE, *range(0xFFE0, 0xFFF0)]] = _SKIP
_MARKERS[[0xFFC0, 0xFFEE, 0xFFE1, 0xFFDD, 0xFFDA]] = _FRAME, _ADOBE, _EXIF, _RESTARTS, _SCAN
_FRAME_LENGTH, _SCAN_LENGTH = 8, 6  # of the segments, without 3 and 2 bytes for each component
_COMPONENTS = 3
_UNIT = 0x11  # the sampling of factors of 1
_PLAIN_COLOR = (1, 2, 3, _UNIT, _UNIT)
_IS_PLAIN_SAMPLING = np.zeros(256, bool)  # of luma, while that of the others is 0x11
_IS_PLAIN_SAMPLING[[_UNIT, 0x21, 0x12, 0x22]] = True


GRAY = 0x111
"""The sampling of files with one component, whose factors in the frame header are 1."""

SCALED_GRAY = 0x311
"""The sampling of other files with one component. Their factors mean nothing, but the hardware
engine takes them for those of luma beside chroma, and writes the colors of other files."""

METADATA = "jpeg"
"""Key of `headers` in the metadata of encoded samples (`TensorList.metadata`)."""


class JpegBatchHeaders(NamedTuple):
    """The headers of a batch, one entry a file.

    Attributes:
        is_plain: whether the file is whole and of the plain case: (batch,) bool. Where it is
            False, the other columns mean nothing.
        sizes: height and width as stored: (batch, 2) int64.
        orientation: by EXIF: (batch,) int64.
        sampling: of luma, as in the frame header: 16 times that along lines, and that across;
            `GRAY` or `SCALED_GRAY` for one component; 0 if the file has restart intervals:
            (batch,) int64.
        addresses: addresses of the files in memory: (batch,).
        lengths: lengths of the files in bytes: (batch,).
    """

    is_plain: NDArray[np.bool_]
    sizes: NDArray[np.int64]
    orientation: NDArray[np.int64]
    sampling: NDArray[np.int64]
    addresses: NDArray[np.uint64]
    lengths: NDArray[np.int64]


def read_headers(encoded: TensorListCPU) -> JpegBatchHeaders:
    """Read the headers of encoded files, which are one-dimensional arrays of uint8."""
    addresses, lengths = encoded.pointers(), _lengths(encoded)
    known = encoded.metadata.get(METADATA)
    table = headers(addresses, lengths) if known is None else known.copy()
    plain, sizes, orientation, sampling = table[:, 0] != 0, table[:, 1:3], table[:, 3], table[:, 4]
    return JpegBatchHeaders(plain, sizes, orientation, sampling, addresses, lengths)


def headers(addresses: NDArray[np.uint64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Read the headers of files in memory.

    Returns:
        (batch, 5) int64: whether the file is a plain JPEG (0 or 1), and the columns of
        `JpegBatchHeaders`: height, width, orientation, sampling.
    """
    table = np.ones((len(lengths), 5), np.int64)
    table[:, 0] = 0
    files = np.flatnonzero(lengths > _MIN_BYTES)
    if len(files):
        memory, starts = memory_of(addresses[files], lengths[files])
        ends = starts + lengths[files]
        whole = (memory[ends[:, np.newaxis] + _END] == (0xFF, 0xD9)).all(axis=1)
        whole &= (memory[starts[:, np.newaxis] + _START] == (0xFF, 0xD8)).all(axis=1)
        _fill_table(memory, files[whole], starts[whole], ends[whole], table)
    return table


def _lengths(encoded: TensorListCPU) -> NDArray[np.int64]:
    """Return the files' lengths in bytes; 0 for an array that is not one run of bytes."""
    block = encoded.stored.in_block()
    if block is not None and block.dtype == np.uint8 and block.ndim == 1:
        return block.shapes[:, 0]
    rows = encoded.rows()
    return np.array(
        [
            row.size if row.ndim == 1 and row.dtype == np.uint8 and row.flags.c_contiguous else 0
            for row in rows
        ],
        np.int64,
    )


@dataclass(frozen=True)
class JpegSegments:
    """The segments of several files that headers depend on.

    Attributes:
        marker: _FRAME, _ADOBE, _EXIF or _SCAN, or _STOP for an unknown or wrong segment.
        file: number of the file.
        offset: offset of the segment in memory.
        length: without the marker.
    """

    marker: NDArray[np.uint8]
    file: NDArray[np.intp]
    offset: NDArray[np.int64]
    length: NDArray[np.int64]

    def of(self, marker: int) -> JpegSegments:
        """Return the segments with one marker."""
        chosen = (self.marker == marker).nonzero()[0]
        return JpegSegments(
            self.marker[chosen], self.file[chosen], self.offset[chosen], self.length[chosen]
        )

    def bodies(self, memory: NDArray[np.uint8]) -> NDArray[np.int64]:
        """Return the first bytes after the length of each segment: (segments, 15)."""
        body: NDArray[np.int64] = memory[self.offset[:, np.newaxis] + _BODY].astype(np.int64)
        return body


def _fill_table(
    memory: NDArray[np.uint8],
    files: NDArray[np.intp],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    table: NDArray[np.int64],
) -> None:
    """Enter the headers of these files: see `headers`."""
    segments = _walk(memory, np.arange(len(files)), starts + 2, ends - _MARGIN)
    frames, scans, adobe = (segments.of(marker) for marker in (_FRAME, _SCAN, _ADOBE))
    components = np.zeros(len(files), np.int64)
    components[scans.file] = _components(scans, memory)
    plain = components > 0
    # With two frame headers, a decoder might use the other one, and write beyond the memory that
    # this one asks for.
    plain &= np.bincount(frames.file, minlength=len(files)) == 1
    extents, sampling, counted = _frames(frames, memory)
    plain[frames.file[counted != components[frames.file]]] = False
    if len(adobe.file):
        plain[adobe.file[~_is_ycbcr(adobe, memory)]] = False
    restarts = segments.of(_RESTARTS)
    restarted = restarts.file[restarts.bodies(memory)[:, :2].any(axis=1)]
    plain[restarted[components[restarted] == 1]] = False
    table[files, 0] = plain
    table[files[frames.file], 1:3] = extents
    table[files[frames.file], 4] = sampling
    table[files[restarted], 4] = 0
    exifs = segments.of(_EXIF)
    for file, offset, length in zip(exifs.file, exifs.offset, exifs.length, strict=True):
        segment = memory[offset + 4 : min(offset + 2 + length, ends[file])].data
        if table[files[file], 3] == 1 and bytes(segment[:4]) == b"Exif":
            table[files[file], 3] = exif.orientation(segment)


def _walk(
    memory: NDArray[np.uint8],
    files: NDArray[np.intp],
    offset: NDArray[np.int64],
    last: NDArray[np.int64],
) -> JpegSegments:
    """Return the segments of all files that headers depend on, up to the first scan of each.

    Args:
        memory: holds the files.
        files: their numbers.
        offset: offset of the first segment of each file.
        last: largest offset of a segment of each file.
    """
    kept: list[tuple[Array, ...]] = [(_MARKERS[:0], files[:0], offset[:0], offset[:0])]
    for _ in range(_MAX_SEGMENTS):
        inside = offset <= last
        if np.count_nonzero(inside) < len(files):
            files, offset, last = files[inside], offset[inside], last[inside]
        if not len(files):
            break
        heads = memory[offset[:, np.newaxis] + _HEAD].view("<u4")[:, 0]
        marker = _MARKERS[heads >> 16]
        length = np.bitwise_and(heads, 0xFFFF, dtype=np.int64)
        marker[length < 2] = _STOP
        chosen = marker.nonzero()[0]
        if len(chosen):
            kept.append((marker[chosen], files[chosen], offset[chosen], length[chosen]))
        offset = offset + length + 2
        going_on = marker < _SCAN
        if np.count_nonzero(going_on) < len(files):
            files, offset, last = files[going_on], offset[going_on], last[going_on]
    return JpegSegments(*map(np.concatenate, zip(*kept, strict=True)))


def _components(scans: JpegSegments, memory: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return the number of components of each scan; 0 for neither one nor three."""
    count = memory[scans.offset + 4].astype(np.int64)
    known = (count == 1) | (count == _COMPONENTS)
    return np.where(known & (scans.length == _SCAN_LENGTH + 2 * count), count, 0)


def _frames(
    frames: JpegSegments, memory: NDArray[np.uint8]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the extents, (frames, 2), the sampling, and the number of components of each frame,
    which is 0 for a frame that is not of the plain case: (frames,)."""
    body = frames.bodies(memory)
    extents = body[:, [1, 3]] << 8 | body[:, [2, 4]]
    count, sampling = body[:, 5], body[:, 7]
    plain = (extents > 0).all(axis=1) & (body[:, 0] == 8)
    plain &= frames.length == _FRAME_LENGTH + 3 * count
    is_gray = count == 1
    # The components' numbers (others may mean RGB), and the sampling of the last two.
    is_color = (body[:, [6, 9, 12, 10, 13]] == _PLAIN_COLOR).all(axis=1)
    is_color &= (count == _COMPONENTS) & _IS_PLAIN_SAMPLING[sampling]
    channels = np.where(plain & (is_gray | is_color), count, 0)
    gray = np.where(sampling == _UNIT, GRAY, SCALED_GRAY)
    return extents, np.where(is_gray, gray, sampling), channels


def _is_ycbcr(adobe: JpegSegments, memory: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Return which Adobe segments name YCbCr; other segments may have the same marker."""
    body = adobe.bodies(memory)
    is_adobe: NDArray[np.bool_] = (body[:, :5] == np.frombuffer(b"Adobe", np.uint8)).all(axis=1)
    is_ycbcr: NDArray[np.bool_] = ~is_adobe | (body[:, 11] == 1)
    return is_ycbcr
