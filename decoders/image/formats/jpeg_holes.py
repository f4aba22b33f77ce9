"""Detect holes in the entropy-coded data of a JPEG: runs of zeros that no encoder writes.

A broken download leaves such runs. Huffman decoders read zeros as ordinary codes, and often meet
the true data again at a block's start, so that libjpeg reports no damage.

The zeros stand for the first symbol of each Huffman table. That symbol may be the end of a block:
then a long run of zeros is a flat part of the picture. Any other symbol of the AC coefficients
makes dozens of neighboring coefficients equal, or divides a long run of empty blocks into many
short runs. No encoder writes either of the two.

Two sorts of progressive scans are exempt. Zeros in a scan of DC coefficients may be a smooth ramp,
and zeros in a refinement scan may be correction bits that change nothing.

Source: ITU-T T.81, annexes B, C and F.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from .jpeg import PROGRESSIVE_FRAME, SEQUENTIAL_FRAMES, START_OF_SCAN, segments

_HOLE = bytes(16)
"""The shortest hole: 128 bits hold at least 20 equal AC coefficients, whatever the tables."""

_WORD = 8  # bytes; a run of 15 zeros contains an aligned word of zeros
_TABLES, _END_OF_IMAGE = 0xC4, 0xD9
_HUFFMAN_FRAMES = SEQUENTIAL_FRAMES | {PROGRESSIVE_FRAME}
_OTHER_FRAMES = frozenset(range(0xC3, 0xD0)) - {_TABLES, 0xC8, 0xCC}
_AC_CLASS = 0x10
_END_OF_BLOCK = 0

_next_marker = re.compile(rb"\xff([^\x00\x01\xd0-\xd8\xff])", re.DOTALL).search


def find_hole(data: NDArray[np.uint8]) -> int | None:
    """Return the offset of the first hole in a file; None if the file has none."""
    if not _has_zeros(data):
        return None
    scan_data = max(end for _, _, end in segments(data.data))
    if not _has_zeros(data[scan_data:]):
        return None  # the zeros are in the header, for instance in an Exif segment
    return _hole_in_scans(data.tobytes())


def _has_zeros(data: NDArray[np.uint8]) -> bool:
    """Return whether 8 zeros follow each other, at a multiple of 8 bytes."""
    words = data[: len(data) // _WORD * _WORD].view(np.uint64)
    return len(words) > 0 and not words.min()


def _hole_in_scans(file: bytes) -> int | None:
    first_symbols: dict[int, int] = {}
    offset, is_progressive = 2, False
    while (match := _next_marker(file, offset)) is not None:
        marker, start = match[1][0], match.end() + 2
        offset = match.end() + int.from_bytes(file[match.end() : start], "big")
        content = file[start:offset]
        if marker == _END_OF_IMAGE or marker in _OTHER_FRAMES:
            break
        if marker in _HUFFMAN_FRAMES:
            is_progressive = marker == PROGRESSIVE_FRAME
        elif marker == _TABLES:
            first_symbols |= _first_symbols(content)
        elif marker == START_OF_SCAN and not _zeros_are_flat(
            content, first_symbols, is_progressive
        ):
            end = _next_marker(file, offset)
            hole = file.find(_HOLE, offset, end.start() if end else len(file))
            if hole >= 0:
                return hole
    return None


def _first_symbols(content: bytes) -> dict[int, int]:
    """Return the symbol whose code is all zeros, by the class and number of each table."""
    symbols = {}
    while len(content) > 17:
        symbols[content[0]] = content[17]
        content = content[17 + sum(content[1:17]) :]
    return symbols


def _zeros_are_flat(scan: bytes, first_symbols: dict[int, int], is_progressive: bool) -> bool:
    """Return whether an encoder may write long runs of zeros in a scan."""
    first_coefficient, refinement = scan[-3:-2], scan[-1:]
    if is_progressive and (first_coefficient == b"\0" or refinement > b"\x0f"):
        return True
    tables = [number & 15 | _AC_CLASS for number in scan[2:-3:2]]
    return all(first_symbols.get(table, _END_OF_BLOCK) == _END_OF_BLOCK for table in tables)
