"""The forms of TIFF that are supported; all others are named in an error.

Source: the tags' registries of TIFF 6.0 (Adobe, 1992), libtiff and GDAL.
"""

from __future__ import annotations

from ...errors import decode_error
from . import tiff, tiff_color
from .base import CONVERT

NONE, FAX_GROUP_4, OLD_JPEG, JPEG, PACKBITS, LERC = 1, 4, 6, 7, 32773, 34887
_PIXAR_LOG, _THUNDER_SCAN, _NEXT, _SGI_LOG, _SGI_LOG_24 = 32909, 32809, 32766, 34676, 34677
BY_LIBTIFF = (OLD_JPEG, LERC, _PIXAR_LOG, _THUNDER_SCAN, _NEXT, _SGI_LOG, _SGI_LOG_24)
"""Compressions that tifffile does not decode, or not within bounds."""

JPEGS = (JPEG, 33007)
IMAGE_FILES = (*JPEGS, 33003, 33004, 33005, 34712, 34933, 50001, 50002, 52546)
"""Compressions whose strips are image files of their own."""

_JPEG_XRS = (22610, 34934)
"""JPEG XR, which is left out: damaged data make its library, jxrlib, end the program."""

LOSSLESS = (5, 8, PACKBITS, 32946, 34925, 50000)
"""Compressions of bytes: LZW, Deflate, PackBits, LZMA and Zstandard."""

_COMPRESSIONS = frozenset({NONE, 2, 3, FAX_GROUP_4, *LOSSLESS, *IMAGE_FILES, *BY_LIBTIFF})
_COMPRESSION_NAMES = (
    "none (1), CCITT (2, 3, 4), LZW (5), JPEG (6, 7), Deflate (8, 32946), PackBits (32773), "
    "LERC (34887), LZMA (34925), Zstandard (50000), WebP (50001), JPEG 2000 (34712) or JPEG XL "
    "(50002, 52546)"
)
_UNSIGNED, _SIGNED, _FLOAT, _UNDEFINED = 1, 2, 3, 4  # sample formats
_FLOAT_BITS = (16, 24, 32, 64)


def refuse_unsupported(directory: tiff.TiffDirectory, compression: int) -> None:
    """Raise DecodeError for a form that the libraries do not decode, or decode wrongly."""

    def refuse(problem: str, expected: str) -> None:
        raise decode_error(
            tiff.NAME, f"{problem} is not supported", expected=expected, remedy=CONVERT
        )

    if compression in _JPEG_XRS:
        refuse(f"JPEG XR (compression {compression})", _COMPRESSION_NAMES)
    if compression not in _COMPRESSIONS:
        refuse(f"compression {compression}", _COMPRESSION_NAMES)
    bits = directory.values(tiff.BITS) or (1,)
    samples = directory.value(tiff.SAMPLES)
    if samples < 1:
        refuse("a picture without samples", "1 sample of a pixel or more")
    photometric = directory.value(tiff.PHOTOMETRIC)
    if photometric == tiff.YCBCR and compression in IMAGE_FILES and compression not in JPEGS:
        refuse(f"YCbCr with compression {compression}", "JPEG (6, 7) or a lossless compression")
    if len(set(bits[:samples])) > 1:
        refuse(f"a mixture of {sorted(set(bits[:samples]))} bits per sample", "one depth")
    kind = directory.value(tiff.SAMPLE_FORMAT)
    if len(set(directory.values(tiff.SAMPLE_FORMAT)[:samples])) > 1:
        refuse("a mixture of sample formats", "one format")
    if kind not in (_UNSIGNED, _SIGNED, _FLOAT, _UNDEFINED):
        refuse(f"sample format {kind}", "integers (1, 2) or floats (3)")
    if kind == _FLOAT and bits[0] not in _FLOAT_BITS:
        refuse(f"a float of {bits[0]} bits", "16, 24, 32 or 64")
    if not 1 <= bits[0] <= 32 and bits[0] != 64:
        refuse(f"a depth of {bits[0]} bits", "1 to 32, or 64")
    if directory.value(tiff.PLANAR) not in (1, 2):
        refuse(f"planar configuration {directory.value(tiff.PLANAR)}", "1 or 2")
    if directory.value(tiff.PREDICTOR) not in (1, 2, 3):
        refuse(f"predictor {directory.value(tiff.PREDICTOR)}", "1, 2 or 3")
    if max(directory.value(tiff.DEPTH), directory.value(tiff.TILE_DEPTH)) > 1:
        refuse("a volume (tag 32997)", "flat images")
    tiff_color.refuse_unsupported(directory)
