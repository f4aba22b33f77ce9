"""PNM headers (PBM, PGM, PPM; P1 to P6).

Source: the Netpbm manual pages pbm(5), pgm(5) and ppm(5).
"""

from __future__ import annotations

import re

from .base import Header, checked_size, decode_error, need

NAME = "PNM"
SIGNATURES = (b"P1", b"P2", b"P3", b"P4", b"P5", b"P6")
SEPARATORS = (b" ", b"\t", b"\r", b"\n", b"#")
_LONGEST_HEADER = 1 << 16  # comments may be long, but a header is never a whole file
_GAP = rb"(?:\s|#[^\n]*\n)+"
_FIELDS = {
    count: re.compile(rb"P[1-6]" + rb"".join(_GAP + rb"(\d{1,9})" for _ in range(count)) + rb"\s")
    for count in (2, 3)
}


def parse(view: memoryview) -> Header:
    """Size, channels and bits; binary pixels must all be there.

    Bits are 1 in bitmaps, 8 up to a maximum value of 255 and 16 above: samples are taken as
    they are stored, not rescaled to the maximum value, as DALI and OpenCV do.
    """
    kind = view[1] - ord("0")
    is_bitmap = kind in (1, 4)
    found = _FIELDS[2 if is_bitmap else 3].match(bytes(view[:_LONGEST_HEADER]))
    if found is None:
        raise decode_error(
            NAME, "unreadable header", at=2, expected="width, height and maximum value in digits"
        )
    width, height, *rest = map(int, found.groups())
    checked_size(NAME, height, width, 2)
    maximum = rest[0] if rest else 1
    if not 1 <= maximum <= 65535:
        raise decode_error(
            NAME, f"maximum value {maximum}", at=found.start(3), expected="1 to 65535"
        )
    depth = 1 if is_bitmap else 8 if maximum < 256 else 16
    channels = 3 if kind in (3, 6) else 1
    row = (width * channels * depth + 7) // 8
    # In the text kinds each pixel takes a character at least.
    length = height * row if kind >= 4 else height * width * channels
    need(view, found.end() + length, NAME, "pixels")
    return Header(NAME, height, width, channels, depth)
