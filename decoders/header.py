"""Read what an encoded image says about itself, without decoding it.

The parsers are bounded by the data and trust none of it: every offset and length is checked, so
any bytes at all give a :class:`Header` or a ``DecodeError``.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ..engine.errors import DecodeError
from .formats import bmp, jpeg, jpeg2000, png, pnm, tiff, webp
from .formats.base import CONVERT, Header, Parse, decode_error

__all__ = ["Header", "peek"]

_Recognise = Callable[[bytes], bool]
_HEAD = 16  # the longest signature below fits

_SUPPORTED: tuple[tuple[_Recognise, Parse], ...] = (
    (lambda head: head[:2] == b"\xff\xd8", jpeg.parse),
    (lambda head: head[:8] == png.SIGNATURE, png.parse),
    (lambda head: head[:4] == b"RIFF" and head[8:12] == b"WEBP", webp.parse),
    (lambda head: head[:4] in (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+"), tiff.parse),
    (lambda head: head[:12] == jpeg2000.BOX_SIGNATURE, jpeg2000.parse),
    (lambda head: head[:4] == jpeg2000.CODESTREAM_START, jpeg2000.parse),
    (lambda head: head[:2] in pnm.SIGNATURES and head[2:3] in pnm.SEPARATORS, pnm.parse),
    (lambda head: head[:2] == b"BM", bmp.parse),
)

# Named in the error, so that its reader knows that the file is whole but of the wrong kind.
_UNSUPPORTED: tuple[tuple[str, _Recognise], ...] = (
    ("GIF", lambda head: head[:4] == b"GIF8"),
    ("AVIF", lambda head: head[4:12] in (b"ftypavif", b"ftypavis")),
    ("HEIF", lambda head: head[4:12] in (b"ftypheic", b"ftypheix", b"ftypmif1", b"ftypmsf1")),
    ("JPEG XL", lambda head: head[:2] == b"\xff\x0a" or head[4:8] == b"JXL "),
    ("JPEG XR", lambda head: head[:3] == b"II\xbc"),
    ("OpenEXR", lambda head: head[:4] == b"v/1\x01"),
    ("Radiance HDR", lambda head: head[:2] == b"#?"),
    ("PAM", lambda head: head[:3] == b"P7\n"),
    ("PFM", lambda head: head[:3] in (b"PF\n", b"Pf\n")),
)
_NAMES = "JPEG, PNG, TIFF, BMP, WebP, JPEG 2000 or PNM"


def peek(data: NDArray[np.uint8]) -> Header:
    """Format, stored size, channels, bits per sample and orientation of an encoded image.

    Args:
        data: the whole encoded file, uint8, one dimension, C-contiguous.

    Raises:
        DecodeError: the bytes are no image of a supported format, or its header is damaged.

    >>> pixels = b"P5 4 2 255 " + bytes(8)
    >>> peek(np.frombuffer(pixels, np.uint8))
    Header(format='PNM', height=2, width=4, channels=1, bits=8, orientation=1)
    """
    view = data.data
    if view.format != "B" or view.ndim != 1 or not view.contiguous:
        raise TypeError(
            "encoded data must be a contiguous one-dimensional array of uint8, not "
            f"{view.ndim} dimensions of type {view.format!r}; pass the reader's output that "
            "holds the encoded files"
        )
    head = bytes(view[:_HEAD])
    for recognise, parse in _SUPPORTED:
        if recognise(head):
            return parse(view)
    raise _refusal(head, len(view))


def _refusal(head: bytes, size: int) -> DecodeError:
    if size == 0:
        return decode_error("image", "no data (0 bytes)", expected=_NAMES)
    for name, recognise in _UNSUPPORTED:
        if recognise(head):
            return decode_error(
                name, "this format is not supported", at=0, expected=_NAMES, remedy=CONVERT
            )
    return decode_error(
        "image",
        f"unknown format, the {size} bytes begin with {head!r}",
        at=0,
        expected=_NAMES,
        remedy="Check that the sample is an image and is read from the right place.",
    )
