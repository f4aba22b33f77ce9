"""JPEG headers of a whole batch at once, in NumPy instead of a loop in Python.

It knows the plain case: baseline coding with 8 bits, three components in one scan. What else
there is, and all that is wrong, is left to the parser of single files (`jpeg.parse`).

Source: ITU-T T.81, annex B.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...engine.tensors import TensorListCPU
from . import exif

_MOST_SEGMENTS = 64
_LEAST_BYTES = 128  # of a whole file
_MARGIN = 32  # bytes of a segment that are looked at
_BEGIN, _HEAD, _BODY, _END = np.arange(2), np.arange(4)[::-1], np.arange(4, 19), np.array([-2, -1])
_SKIP, _FRAME, _ADOBE, _EXIF, _SCAN, _STOP = range(6)  # after the last two nothing is looked at
_KINDS = np.full(1 << 16, _STOP, np.uint8)  # by the two bytes of a marker
_KINDS[[0xFFC4, 0xFFDB, 0xFFDD, 0xFFFE, *range(0xFFE0, 0xFFF0)]] = _SKIP
_KINDS[[0xFFC0, 0xFFEE, 0xFFE1, 0xFFDA]] = _FRAME, _ADOBE, _EXIF, _SCAN
_FRAME_LENGTH, _SCAN_LENGTH = 17, 12  # of segments that tell of three components
_PLAIN_FRAME = (8, 3, 1, 2, 3, 0x11, 0x11)
_IS_PLAIN_SAMPLING = np.zeros(256, bool)  # of luma, while that of the others is 0x11
_IS_PLAIN_SAMPLING[[0x11, 0x21, 0x12, 0x22]] = True


FACT = "jpeg"
"""Name by which rows have their `headers`, where these are known (`PackedRows.facts`)."""


@dataclass(frozen=True)
class Scan:
    """What was found, one entry a file; where `is_plain` is False the others mean nothing.

    Attributes:
        is_plain: (batch,) bool: a whole file of the plain case; its last bytes end a JPEG.
        sizes: height and width as stored: (batch, 2) int64.
        orientation: by EXIF: (batch,) int64.
        addresses: where the files lie: (batch,).
        lengths: of the files in bytes: (batch,).
    """

    is_plain: NDArray[np.bool_]
    sizes: NDArray[np.int64]
    orientation: NDArray[np.int64]
    addresses: NDArray[np.uint64]
    lengths: NDArray[np.int64]


def scan(encoded: TensorListCPU) -> Scan:
    """Look at the headers of encoded files: one-dimensional arrays of uint8."""
    addresses, lengths, packed = encoded.pointers(), _lengths(encoded), encoded.packed
    if packed is not None and FACT in packed.facts:
        found = packed.facts[FACT].copy()
    else:
        found = headers(addresses, lengths)
    return Scan(found[:, 0] != 0, found[:, 1:3], found[:, 3], addresses, lengths)


def headers(addresses: NDArray[np.uint64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return what the headers of files in memory say: (batch, 4) int64.

    Columns: whether it is a plain JPEG, 0 or 1, and its height, width and orientation.
    """
    found = np.ones((len(lengths), 4), np.int64)
    found[:, 0] = 0
    files = np.flatnonzero(lengths > _LEAST_BYTES)
    if len(files):
        memory, begins = _memory(addresses[files], lengths[files])
        ends = begins + lengths[files]
        whole = (memory[ends[:, np.newaxis] + _END] == (0xFF, 0xD9)).all(axis=1)
        whole &= (memory[begins[:, np.newaxis] + _BEGIN] == (0xFF, 0xD8)).all(axis=1)
        _look(memory, files[whole], begins[whole], ends[whole], found)
    return found


def _lengths(encoded: TensorListCPU) -> NDArray[np.int64]:
    """Return the files' lengths in bytes; 0 for what does not lie side by side."""
    packed = encoded.packed
    if packed is not None and packed.dtype == np.uint8 and packed.shapes.shape[1] == 1:
        return packed.shapes[:, 0]
    rows = encoded.rows()
    return np.array(
        [
            row.size if row.ndim == 1 and row.dtype == np.uint8 and row.flags.c_contiguous else 0
            for row in rows
        ],
        np.int64,
    )


class _Span:
    """Some of the process's memory for NumPy, whatever lies there."""

    def __init__(self, begin: int, size: int) -> None:
        self.__array_interface__ = {
            "data": (begin, True),
            "shape": (size,),
            "typestr": "|u1",
            "version": 3,
        }


def _memory(
    addresses: NDArray[np.uint64], lengths: NDArray[np.int64]
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return an array that holds all files, and nobody knows what between them; and where in it
    each begins."""
    lowest = addresses.min()
    begins = (addresses - lowest).astype(np.int64)
    return np.asarray(_Span(int(lowest), int((begins + lengths).max()))), begins


@dataclass(frozen=True)
class _Segments:
    """Segments that matter.

    Attributes:
        kind: _FRAME, _ADOBE, _EXIF or _SCAN, or _STOP for what is unknown or wrong.
        file: whose they are.
        place: where they begin in memory.
        length: without the marker.
    """

    kind: NDArray[np.uint8]
    file: NDArray[np.intp]
    place: NDArray[np.int64]
    length: NDArray[np.int64]

    def of(self, kind: int) -> _Segments:
        """Return those of a kind."""
        found = (self.kind == kind).nonzero()[0]
        return _Segments(self.kind[found], self.file[found], self.place[found], self.length[found])

    def bodies(self, memory: NDArray[np.uint8]) -> NDArray[np.int64]:
        """Return the first bytes after the length of each: (segments, 15)."""
        body: NDArray[np.int64] = memory[self.place[:, np.newaxis] + _BODY].astype(np.int64)
        return body


def _look(
    memory: NDArray[np.uint8],
    files: NDArray[np.intp],
    begins: NDArray[np.int64],
    ends: NDArray[np.int64],
    result: NDArray[np.int64],
) -> None:
    """Note what these files say: see `headers`."""
    found = _walk(memory, np.arange(len(files)), begins + 2, ends - _MARGIN)
    frames, scans, adobe = (found.of(kind) for kind in (_FRAME, _SCAN, _ADOBE))
    plain = np.bincount(scans.file[_is_whole(scans, memory)], minlength=len(files)) == 1
    # Of two frames, a decoder might take the other one, and write beyond memory that this one
    # asks for.
    plain &= np.bincount(frames.file, minlength=len(files)) == 1
    extents, is_plain = _frames(frames, memory)
    plain[frames.file[~is_plain]] = False
    if len(adobe.file):
        plain[adobe.file[~_tells_ycbcr(adobe, memory)]] = False
    result[files, 0] = plain
    result[files[frames.file], 1:3] = extents
    exifs = found.of(_EXIF)
    for file, place, length in zip(exifs.file, exifs.place, exifs.length, strict=True):
        segment = memory[place + 4 : min(place + 2 + length, ends[file])].data
        if result[files[file], 3] == 1 and bytes(segment[:4]) == b"Exif":
            result[files[file], 3] = exif.orientation(segment)


def _walk(
    memory: NDArray[np.uint8],
    files: NDArray[np.intp],
    place: NDArray[np.int64],
    last: NDArray[np.int64],
) -> _Segments:
    """Return the segments of all files that matter, up to the first scan of each.

    Args:
        memory: where the files lie.
        files: their numbers.
        place: where the first segment of each begins.
        last: where its last one may.
    """
    found: list[tuple[NDArray[Any], ...]] = [(_KINDS[:0], files[:0], place[:0], place[:0])]
    for _ in range(_MOST_SEGMENTS):
        inside = place <= last
        if np.count_nonzero(inside) < len(files):
            files, place, last = files[inside], place[inside], last[inside]
        if not len(files):
            break
        heads = memory[place[:, np.newaxis] + _HEAD].view("<u4")[:, 0]
        kind = _KINDS[heads >> 16]
        length = np.bitwise_and(heads, 0xFFFF, dtype=np.int64)
        kind[length < 2] = _STOP
        says = kind.nonzero()[0]
        if len(says):
            found.append((kind[says], files[says], place[says], length[says]))
        place = place + length + 2
        going_on = kind < _SCAN
        if np.count_nonzero(going_on) < len(files):
            files, place, last = files[going_on], place[going_on], last[going_on]
    return _Segments(*map(np.concatenate, zip(*found, strict=True)))


def _is_whole(scans: _Segments, memory: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Say which scans hold all three components."""
    whole: NDArray[np.bool_] = scans.length == _SCAN_LENGTH
    whole &= memory[scans.place + 4] == 3
    return whole


def _frames(
    frames: _Segments, memory: NDArray[np.uint8]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the extents, (frames, 2), and say which frames are of the plain case."""
    body = frames.bodies(memory)
    extents = body[:, [1, 3]] << 8 | body[:, [2, 4]]
    # Bits; components, their numbers (otherwise it may hold RGB), and sampling of the last two.
    plain: NDArray[np.bool_] = (body[:, [0, 5, 6, 9, 12, 10, 13]] == _PLAIN_FRAME).all(axis=1)
    plain &= (extents > 0).all(axis=1) & (frames.length == _FRAME_LENGTH)
    plain &= _IS_PLAIN_SAMPLING[body[:, 7]]
    return extents, plain


def _tells_ycbcr(adobe: _Segments, memory: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Say which of Adobe's segments tell of YCbCr; others may have the same number."""
    body = adobe.bodies(memory)
    is_adobe: NDArray[np.bool_] = (body[:, :5] == np.frombuffer(b"Adobe", np.uint8)).all(axis=1)
    tells: NDArray[np.bool_] = ~is_adobe | (body[:, 11] == 1)
    return tells
