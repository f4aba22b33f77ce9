"""JPEG headers of a whole batch at once, in NumPy instead of a loop in Python.

It knows the plain case: baseline coding with 8 bits, three components in one scan. What else
there is, and all that is wrong, is left to the parser of single files (`jpeg.parse`).

Source: ITU-T T.81, annex B.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from . import exif

_WINDOWS = (1024, 65536)  # bytes looked at; the second for files with a preview or colour profile
_MOST_SEGMENTS = 64
_MARGIN = 32  # bytes of a segment that are looked at
_HEAD, _BODY = np.arange(4), np.arange(4, 19)
_FRAME, _SCAN, _EXIF, _ADOBE = 0xC0, 0xDA, 0xE1, 0xEE
_IS_KNOWN = np.zeros(256, bool)
_IS_KNOWN[[_FRAME, 0xC4, _SCAN, 0xDB, 0xDD, 0xFE, *range(0xE0, 0xF0)]] = True
_LENGTHS = {_FRAME: 17, _SCAN: 12}  # of segments that tell of three components
_IS_PLAIN_SAMPLING = np.zeros(256, bool)  # of luma, while that of the others is 0x11
_IS_PLAIN_SAMPLING[[0x11, 0x21, 0x12, 0x22]] = True


@dataclass(frozen=True)
class Scan:
    """What was found, one entry a file; where `is_plain` is False the others mean nothing.

    Attributes:
        is_plain: (batch,) bool: a whole file of the plain case; its last bytes end a JPEG.
        sizes: height and width as stored: (batch, 2) int64.
        orientation: by EXIF: (batch,) int64.
    """

    is_plain: NDArray[np.bool_]
    sizes: NDArray[np.int64]
    orientation: NDArray[np.int64]


def scan(rows: Sequence[NDArray[np.uint8]]) -> Scan:
    """Look at the headers of encoded files: one-dimensional arrays of uint8."""
    count = len(rows)
    result = Scan(np.zeros(count, bool), np.zeros((count, 2), np.int64), np.ones(count, np.int64))
    left = np.array([i for i, row in enumerate(rows) if row.ndim == 1 and row.size > 128], np.intp)
    if len(left):
        ends = np.concatenate([rows[i][-2:] for i in left]).reshape(-1, 2)
        left = left[(ends == (0xFF, 0xD9)).all(axis=1)]
    for window in _WINDOWS:
        if len(left):
            left = _walk(rows, left, window, result)
    return result


def _walk(
    rows: Sequence[NDArray[np.uint8]], chosen: NDArray[np.intp], window: int, result: Scan
) -> NDArray[np.intp]:
    """Walk the markers in the first bytes of the chosen files; return whose go on after them."""
    heads = [rows[i][:window] for i in chosen]
    sizes = np.array([head.size for head in heads])
    data = np.zeros((len(heads), window + _MARGIN), np.uint8)  # beyond the end there are zeros
    for target, head in zip(data, heads, strict=True):
        target[: head.size] = head
    flat, width = data.reshape(-1), data.shape[1]
    shapes = np.zeros((len(heads), 2), np.int64)
    rows_left = np.flatnonzero((data[:, 0] == 0xFF) & (data[:, 1] == 0xD8))
    at = np.full(len(rows_left), 2)
    beyond: list[NDArray[np.intp]] = []
    metadata: list[tuple[int, int]] = []
    for _ in range(_MOST_SEGMENTS):
        inside = at + _MARGIN <= sizes[rows_left]
        if not inside.all():
            beyond.append(rows_left[~inside])
            rows_left, at = rows_left[inside], at[inside]
        if not len(rows_left):
            break
        segment = _Segments(flat, rows_left * width + at)
        going_on = (segment.lead == 0xFF) & (segment.length >= 2)
        going_on &= _IS_KNOWN[segment.marker]
        for marker, handle in _CHECKED.items():
            found = np.flatnonzero(going_on & (segment.marker == marker))
            if len(found):
                going_on[found] = handle(segment.bodies(found), shapes, rows_left[found])
                if marker in _LENGTHS:
                    going_on[found] &= segment.length[found] == _LENGTHS[marker]
        is_exif = going_on & (segment.marker == _EXIF)
        if is_exif.any():
            metadata += zip(rows_left[is_exif].tolist(), at[is_exif].tolist(), strict=True)
        is_scan = going_on & (segment.marker == _SCAN)
        if is_scan.any():
            result.is_plain[chosen[rows_left[is_scan]]] = True
            going_on &= ~is_scan
        rows_left, at = rows_left[going_on], (at + 2 + segment.length)[going_on]
    result.sizes[chosen] = shapes
    for row, start in metadata:
        _note_orientation(result, chosen[row], rows[chosen[row]], start)
    return chosen[np.concatenate(beyond)] if beyond else chosen[:0]


class _Segments:
    """The segments that begin at these places of the data, one of each file."""

    def __init__(self, data: NDArray[np.uint8], place: NDArray[np.int64]) -> None:
        self._data = data
        self._place = place
        head = data[place[:, np.newaxis] + _HEAD]
        self.lead, self.marker = head[:, 0], head[:, 1]
        self.length = head[:, 2].astype(np.int64) << 8 | head[:, 3]

    def bodies(self, which: NDArray[np.intp]) -> NDArray[np.int64]:
        """Return the first bytes after the length of some of them: (some, 15)."""
        place = self._place[which, np.newaxis]
        body: NDArray[np.int64] = self._data[place + _BODY].astype(np.int64)
        return body


def _frame(
    body: NDArray[np.int64], shapes: NDArray[np.int64], rows: NDArray[np.intp]
) -> NDArray[np.bool_]:
    """Note the extents; say which frames are of the plain case, and their file's first.

    Of two, a decoder might take the other one, and write beyond memory that this one asks for.
    """
    first = shapes[rows, 0] == 0
    extents = np.stack([body[:, 1] << 8 | body[:, 2], body[:, 3] << 8 | body[:, 4]], axis=1)
    shapes[rows] = extents
    plain: NDArray[np.bool_] = (body[:, 0] == 8) & (body[:, 5] == 3) & (extents > 0).all(axis=1)
    plain &= (body[:, [6, 9, 12]] == (1, 2, 3)).all(axis=1)  # otherwise it may hold RGB
    plain &= first
    plain &= _IS_PLAIN_SAMPLING[body[:, 7]] & (body[:, [10, 13]] == 0x11).all(axis=1)
    return plain


def _adobe(body: NDArray[np.int64], _: object, __: object) -> NDArray[np.bool_]:
    """Say of Adobe's segments which tell of YCbCr; others may have the same number."""
    is_adobe: NDArray[np.bool_] = (body[:, :5] == np.frombuffer(b"Adobe", np.uint8)).all(axis=1)
    tells: NDArray[np.bool_] = ~is_adobe | (body[:, 11] == 1)
    return tells


def _start_of_scan(
    body: NDArray[np.int64], shapes: NDArray[np.int64], rows: NDArray[np.intp]
) -> NDArray[np.bool_]:
    """Say which scans come after a frame and hold all three components."""
    whole: NDArray[np.bool_] = (body[:, 0] == 3) & (shapes[rows, 0] > 0)
    return whole


_CHECKED = {_FRAME: _frame, _ADOBE: _adobe, _SCAN: _start_of_scan}


def _note_orientation(result: Scan, i: int, row: NDArray[np.uint8], start: int) -> None:
    end = start + 2 + (int(row[start + 2]) << 8 | int(row[start + 3]))
    found = row[start + 4 : end].data
    if result.orientation[i] == 1 and bytes(found[:4]) == b"Exif":
        result.orientation[i] = exif.orientation(found)
