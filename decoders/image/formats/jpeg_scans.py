"""Detect that a progressive JPEG lacks scans.

Its scans code each coefficient of each component step by step, down to the lowest bit. A file that
was cut off, and then closed by an end marker, lacks the last scans. libjpeg decodes a blurred
picture from it without a warning.

Source: ITU-T T.81, annexes B and G.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from .jpeg import PROGRESSIVE_FRAME, START_OF_SCAN, lead_bytes, segments

_END_OF_IMAGE = 0xD9
_COEFFICIENTS = 64
_SHORTEST_HEADER = 6  # bytes: one component, and the coefficients of the scan
_NOT_CODED = 255  # more low bits than any scan can leave to later scans
_STARTS_SEGMENT = np.ones(256, bool)
_STARTS_SEGMENT[[0, 1, 0xFF, *range(0xD0, 0xD9)]] = False  # stuffed bytes, fill bytes, restarts


def lacks_scans(data: NDArray[np.uint8]) -> bool:
    """Return whether a progressive file ends before all coefficients have their lowest bit."""
    frame, scan = b"", 0
    for marker, start, end in segments(data.data):
        if marker == PROGRESSIVE_FRAME:
            frame = bytes(data.data[start:end])
        scan = start - 4
    if not frame:
        return False
    names = frame[6 : 6 + 3 * frame[5] : 3]
    low_bits = {name: bytearray([_NOT_CODED]) * _COEFFICIENTS for name in names}
    for header in _scan_headers(data, scan):
        first, last, bits = header[-3:]
        coded = range(_COEFFICIENTS)[first : last + 1]
        for name in header[1:-3:2]:
            if name in low_bits:
                low_bits[name][first : last + 1] = bytes([bits & 15]) * len(coded)
    return len(low_bits) < len(names) or any(map(any, low_bits.values()))


def _scan_headers(data: NDArray[np.uint8], offset: int) -> Iterator[bytes]:
    """Yield the content of each scan header from `offset` on."""
    leads = lead_bytes(data, offset)
    leads = leads[_STARTS_SEGMENT[data[leads + 1]]]
    view = data.data
    for lead, marker in zip(leads.tolist(), data[leads + 1].tolist(), strict=True):
        if lead < offset:
            continue  # inside a segment
        if marker == _END_OF_IMAGE:
            return
        offset = lead + 2 + int.from_bytes(view[lead + 2 : lead + 4], "big")
        header = bytes(view[lead + 4 : offset])
        if marker == START_OF_SCAN and len(header) >= _SHORTEST_HEADER:
            yield header
