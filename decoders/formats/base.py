"""What the header parsers of all image formats share: the result, bounded reads, the errors."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ...engine.errors import DecodeError
from ..orientation import exchanged

FETCH_AGAIN = "The file is damaged or incomplete: fetch it again or leave it out."
CONVERT = "Convert the file to a supported kind first, for instance to PNG."


@dataclass(frozen=True, slots=True)
class Header:
    """What an encoded image says about itself.

    ``height`` and ``width`` are in pixels as stored, that is, before ``orientation`` (EXIF, 1
    to 8, 1 = upright) is applied. ``channels`` counts the channels as ``ANY_DATA`` gives them:
    a colour palette counts as 3, grey with alpha as 2. ``bits`` is the width of one sample.
    """

    format: str
    height: int
    width: int
    channels: int
    bits: int
    orientation: int = 1

    def size(self, *, use_exif: bool = True) -> tuple[int, int]:
        """(height, width) in pixels, upright if ``use_exif``."""
        return exchanged((self.height, self.width), self.orientation if use_exif else 1)


Parse = Callable[[memoryview], Header]


def decode_error(
    format_name: str,
    problem: str,
    *,
    at: int | None = None,
    expected: str = "",
    remedy: str = FETCH_AGAIN,
) -> DecodeError:
    """What every complaint about encoded bytes is: says what, where, and what to do."""
    place = "" if at is None else f" at byte {at}"
    wanted = f"; expected {expected}" if expected else ""
    return DecodeError(f"{format_name}: {problem}{place}{wanted}. {remedy}")


def need(view: memoryview, end: int, format_name: str, what: str) -> None:
    """Make sure that ``what``, which ends before byte ``end``, lies inside ``view``."""
    if end > len(view):
        raise decode_error(
            format_name,
            f"the data ends at byte {len(view)} inside {what}",
            expected=f"at least {end} bytes",
        )


def read(layout: str, view: memoryview, offset: int, format_name: str, what: str) -> Any:
    """Unpack ``struct`` fields at ``offset``; a field beyond the end is a `DecodeError`."""
    need(view, offset + struct.calcsize(layout), format_name, what)
    return struct.unpack_from(layout, view, offset)


def checked_size(format_name: str, height: int, width: int, at: int) -> tuple[int, int]:
    """Refuse an empty image."""
    if height <= 0 or width <= 0:
        raise decode_error(
            format_name,
            f"the header says {width} x {height} pixels",
            at=at,
            expected="both to be positive",
        )
    return height, width
