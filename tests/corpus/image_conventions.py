"""Differences by convention, each decided by a property of the file and given with its reason."""

from __future__ import annotations

import io

import tifffile
from PIL import Image

from ...decoders.image.formats.base import ImageHeader

_MOST_COLORS = 256
_SIGNED, _FLOAT = 2, 3
_SEPARATED = 5
_ASSOCIATED_ALPHA = 1
_LAB = frozenset({8, 9, 10})


def convention(content: bytes, header: ImageHeader, words: str) -> str:
    """Return the reason why Penstock's picture may differ from the readers'; "" for none.

    Args:
        content: the file.
        header: as Penstock reads it.
        words: the difference, as the judge tells it.
    """
    if words.startswith("orientation") or header.format == "AVIF":  # which Pillow has turned
        return _of_orientation(content, header)
    if header.format == "GIF" or (header.format == "PNG" and b"tRNS" in content):
        if header.format == "GIF" and _is_partial_gif(content):
            return "parts of the screen that the first picture does not cover are black"
        return _of_palette(words)
    if header.format == "BMP" and int.from_bytes(content[46:50], "little") > _MOST_COLORS:
        return "a palette has more colors than an index can name; the first ones are used"
    return _of_tiff(content) if header.format == "TIFF" else ""


def holds_numbers(content: bytes, header: ImageHeader) -> bool:
    """Return whether samples are integers of more than 16 bits, which keep their values."""
    page = _page(content) if header.format == "TIFF" and header.bits > 16 else None
    return page is not None and page.sampleformat != _FLOAT


def mixes_inks(content: bytes, header: ImageHeader) -> bool:
    """Return whether colors are computed from inks."""
    if header.format == "TIFF":
        page = _page(content)
        return page is not None and int(page.photometric) == _SEPARATED
    return header.space == "CMYK"


def _is_partial_gif(content: bytes) -> bool:
    with Image.open(io.BytesIO(content)) as image:
        return image.dispose_extent != (0, 0, *image.size)


def _of_palette(words: str) -> str:
    if "alpha is dropped" in words:
        return "transparency of a palette or of a color key is dropped, as DALI does"
    return ""


def _of_orientation(content: bytes, header: ImageHeader) -> str:
    if header.orientation == 1 and b"tiff:Orientation" in content:
        return "orientation in XMP metadata alone is ignored, as DALI does"
    if header.orientation == 1 and b"Raw profile type" in content:
        return "orientation in a text chunk of ImageMagick is ignored, as DALI does"
    return ""


def _of_tiff(content: bytes) -> str:
    page = _page(content)
    if page is None:
        return ""
    if page.sampleformat == _SIGNED:
        return "negative samples are dark, and the largest signed sample is full brightness"
    if _ASSOCIATED_ALPHA in page.extrasamples:
        return "colors are weighted by an associated alpha, as stored"
    if int(page.photometric) in _LAB:
        return "CIE Lab becomes RGB by each library's own white point"
    return ""


def _page(content: bytes) -> tifffile.TiffPage | None:
    """Return the first page; None if tifffile cannot read its tags."""
    try:
        page = tifffile.TiffFile(io.BytesIO(content)).pages[0]
    except Exception:
        return None
    return page if isinstance(page, tifffile.TiffPage) else None
