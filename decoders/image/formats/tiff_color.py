"""The meaning of a TIFF's samples: brightness, palette, inks, or colors of CIE L*a*b*.

Source: TIFF 6.0 (Adobe, 1992), sections 5, 6, 16, 20 and 23; for ICC L*a*b* the TIFF Technical
Notes of Adobe Photoshop (2002).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ....engine.arrays import Array, DType
from ...errors import decode_error
from .. import color
from . import tiff
from .base import CONVERT, ImageHeader, StoredImage

_COLOR_FILTER_ARRAY, _LINEAR_RAW, _DEPTH_MAP = 32803, 34892, 51177
_AS_STORED = (
    tiff.MIN_IS_WHITE,
    tiff.MIN_IS_BLACK,
    tiff.RGB,
    tiff.MASK,
    tiff.SEPARATED,
    _COLOR_FILTER_ARRAY,
    _LINEAR_RAW,
    _DEPTH_MAP,
)
_BY_LIBTIFF = (tiff.YCBCR, tiff.LOG_L, tiff.LOG_LUV)
_LAB = (tiff.CIE_LAB, tiff.ICC_LAB)
_SUPPORTED = frozenset({tiff.PALETTE, *_AS_STORED, *_BY_LIBTIFF, *_LAB})
_FLOAT = 3  # sample format
_DEEPEST_BRIGHTNESS = 16  # bits; deeper integers are numbers
_SHALLOW_MAP = 255  # a color map of no larger values holds 8-bit colors, against the rule

_D50 = np.array([[0.9642], [1.0], [0.8249]])
# Linear sRGB of X, Y and Z relative to the white D50, adapted to D65 with the Bradford matrix.
_SRGB_OF_D50 = _D50 * np.array(
    [
        [3.1338561, -0.9787684, 0.0719453],
        [-1.6168667, 1.9161415, -0.2289914],
        [-0.4906146, 0.0334540, 1.4052427],
    ]
)


def is_left_to_libtiff(directory: tiff.TiffDirectory) -> bool:
    """Return whether libtiff converts the colors."""
    return directory.value(tiff.PHOTOMETRIC) in _BY_LIBTIFF


def refuse_unsupported(directory: tiff.TiffDirectory) -> None:
    """Raise DecodeError for colors that nothing here converts."""
    photometric = directory.value(tiff.PHOTOMETRIC)
    bits, samples = directory.value(tiff.BITS), directory.value(tiff.SAMPLES)
    is_float = directory.value(tiff.SAMPLE_FORMAT) == _FLOAT
    problem = ""
    if photometric not in _SUPPORTED:
        problem = f"photometric interpretation {photometric}"
    elif tiff.holds_cmyk(directory) and not is_float and bits > _DEEPEST_BRIGHTNESS:
        problem = f"inks of {bits} bits"
    elif photometric in _LAB and (bits not in (8, 16) or samples < 3):
        problem = f"CIE L*a*b* in {samples} samples of {bits} bits"
    elif photometric == tiff.PALETTE and not (
        bits <= 16 and len(directory.values(tiff.COLOR_MAP)) >= 3 << bits
    ):
        problem = f"a palette of {bits} bits without its colors"
    if problem:
        raise decode_error(tiff.NAME, f"{problem} is not supported", remedy=CONVERT)


def interpreted(samples: Array, directory: tiff.TiffDirectory, header: ImageHeader) -> StoredImage:
    """Return the image of the stored samples.

    Args:
        samples: as stored: lines, columns and samples of a pixel.
        directory: directory of the image.
        header: header of the image.
    """
    photometric = directory.value(tiff.PHOTOMETRIC)
    if photometric == tiff.PALETTE:
        return StoredImage(_palette(directory)[samples[..., 0]], "RGB")
    if photometric in _LAB:
        return StoredImage(_rgb_of_lab(samples, photometric == tiff.ICC_LAB), "RGB")
    white = _white(samples.dtype, directory.value(tiff.BITS))
    if samples.dtype == np.float16:
        samples = samples.astype(np.float32)
    if tiff.holds_cmyk(directory):
        return StoredImage(color.cmyk_to_rgb(samples, white), "RGB", white=white)
    if photometric == tiff.MIN_IS_WHITE and samples.dtype.kind == "u" and white != color.NUMBERS:
        samples = samples.dtype.type(white) - samples
    return StoredImage(samples, color.space_of_channels(samples.shape[2]), white=white)


def _white(dtype: DType, bits: int) -> float:
    if dtype.kind == "f":
        return 1.0
    if bits > _DEEPEST_BRIGHTNESS:
        return color.NUMBERS
    return float((1 << (bits - 1 if dtype.kind == "i" else bits)) - 1)


def _palette(directory: tiff.TiffDirectory) -> NDArray[np.uint8]:
    """Return the colors of the palette, 8-bit RGB."""
    entries = 1 << directory.value(tiff.BITS)
    colors = np.array(directory.values(tiff.COLOR_MAP)[: 3 * entries], np.uint16)
    if colors.max() > _SHALLOW_MAP:
        colors >>= 8
    return np.ascontiguousarray(colors.reshape(3, entries).T.astype(np.uint8))


def _rgb_of_lab(samples: Array, is_icc: bool) -> NDArray[np.float32]:
    """Return sRGB, from 0 to 1, of CIE L*a*b* under D50.

    L* spans the unsigned range. a* and b* are signed; the ICC's form adds half of the range.
    """
    unit = 1 << (8 * samples.itemsize - 8)
    half, whole = np.float32(128 * unit), np.float32(256 * unit)
    signed = samples[..., 1:3].astype(np.float32)
    signed = signed - half if is_icc else np.where(signed >= half, signed - whole, signed)
    y = (samples[..., 0] * np.float32(100 / (whole - 1)) + 16) / 116
    ratios = np.dstack([y + signed[..., 0] / (500 * unit), y, y - signed[..., 1] / (200 * unit)])
    cubes = np.where(ratios > 6 / 29, ratios**3, (ratios - 4 / 29) * (108 / 841))
    return color.srgb_of_linear(np.clip(cubes @ _SRGB_OF_D50, 0, 1))
