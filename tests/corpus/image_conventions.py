"""Differences by convention, each decided by a property of the file and given with its reason."""

from __future__ import annotations

import io

import tifffile

from ...decoders.image.formats.base import ImageHeader

_MOST_COLORS = 256
_SIGNED = 2
_ASSOCIATED_ALPHA = 1
_LAB = frozenset({8, 9, 10})


def convention(content: bytes, header: ImageHeader, words: str) -> str:
    """Return the reason why Penstock's picture may differ from the readers'; "" for none.

    Args:
        content: the file.
        header: as Penstock reads it.
        words: the difference, as the judge tells it.
    """
    if words.startswith("orientation"):
        return _of_orientation(content, header)
    if header.format == "PNG" and "alpha is dropped" in words and b"tRNS" in content:
        return "transparency of a palette or of a color key is dropped, as DALI does"
    if header.format == "BMP" and int.from_bytes(content[46:50], "little") > _MOST_COLORS:
        return "a palette has more colors than an index can name; the first ones are used"
    return _of_tiff(content) if header.format == "TIFF" else ""


def _of_orientation(content: bytes, header: ImageHeader) -> str:
    if header.orientation == 1 and b"tiff:Orientation" in content:
        return "orientation in XMP metadata alone is ignored, as DALI does"
    if header.orientation == 1 and b"Raw profile type" in content:
        return "orientation in a text chunk of ImageMagick is ignored, as DALI does"
    return ""


def _of_tiff(content: bytes) -> str:
    page = tifffile.TiffFile(io.BytesIO(content)).pages[0]
    assert isinstance(page, tifffile.TiffPage)
    if page.sampleformat == _SIGNED:
        return "negative samples are dark, and the largest signed sample is full brightness"
    if _ASSOCIATED_ALPHA in page.extrasamples:
        return "colors are weighted by an associated alpha, as stored"
    if int(page.photometric) in _LAB:
        return "CIE Lab becomes RGB by each library's own white point"
    return ""
