"""Decode BMP with NumPy: every depth and every position of the color bits.

Samples of fewer than 8 bits are scaled to 0 to 255, to the nearest. Pixels whose palette has no
such color, and pixels that a compressed file leaves out, have no color by the format: the first
ones are black, the others have the first color. The lines of compressed files may be padded as the
lines of other files are, because ImageMagick writes such files.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from ....engine.arrays import Array, Bytes
from ..engines import turbojpeg
from . import bmp, bmp_rle, jpeg, png
from .base import DecodeRequest, ImageHeader, StoredImage

_WHOLE_BYTES = {0xFF << shift: shift // 8 for shift in (0, 8, 16, 24)}
_MOST_SAMPLE_BITS = 16  # longer samples lose lower bits, which 8 bits do not show


def decode(data: Bytes, header: ImageHeader, request: DecodeRequest) -> StoredImage:
    """Decode a whole file.

    Raises:
        DecodeError: pixels are damaged or missing.
    """
    layout = bmp.read_layout(data.data)
    content = data[layout.pixels_at :]
    if layout.compression == bmp.JPEG:
        return turbojpeg.decode(content, jpeg.parse_header(content.data), request)
    if layout.compression == bmp.PNG:
        return png.decode(content, png.parse_header(content.data), request)
    if layout.compression in (bmp.RLE4, bmp.RLE8, bmp.RLE24):
        padded = bmp.line_bytes(layout.width, layout.bits) * 8 // layout.bits
        lines = bmp_rle.decode(content.tobytes(), layout.height, padded, layout.bits)
        return _colored(lines[:, : layout.width], layout)
    stride = bmp.line_bytes(layout.width, layout.bits)
    lines = np.lib.stride_tricks.as_strided(
        content, (layout.height, (layout.width * layout.bits + 7) // 8), (stride, 1)
    )
    if layout.bits < 8:
        lines = _indices(lines, layout.bits)[:, : layout.width]
    return _colored(lines, layout)


def _colored(lines: Array, layout: bmp.BmpLayout) -> StoredImage:
    """Return the image of indices or samples, the top line first."""
    if not layout.is_top_down:
        lines = lines[::-1]
    if layout.bits <= 8:
        return _of_palette(np.ascontiguousarray(lines), layout)
    if layout.bits == 24:
        pixels = lines.reshape(layout.height, layout.width, 3)
        return StoredImage(np.ascontiguousarray(pixels), "BGR")
    return _of_masks(lines, layout)


def _indices(lines: NDArray[np.uint8], bits: int) -> NDArray[np.uint8]:
    """Return the indices of 1, 2 or 4 bits; the leftmost is in the highest bits of a byte."""
    if bits == 1:
        return np.unpackbits(lines, axis=1)
    shifts = np.arange(8 - bits, -1, -bits, dtype=np.uint8)
    indices = lines[..., None] >> shifts & np.uint8((1 << bits) - 1)
    return indices.reshape(len(lines), -1)


def _of_palette(indices: NDArray[np.uint8], layout: bmp.BmpLayout) -> StoredImage:
    colors = np.zeros((256, 1, 3), np.uint8)
    colors[: len(layout.palette), 0] = layout.palette
    if layout.is_gray:
        return StoredImage(cv2.LUT(indices, colors[..., 0].copy()), "GRAY")
    return StoredImage(cv2.applyColorMap(indices, colors), "BGR")


def _of_masks(lines: NDArray[np.uint8], layout: bmp.BmpLayout) -> StoredImage:
    masks = layout.masks if layout.masks[3] else layout.masks[:3]
    space = "RGBA" if layout.masks[3] else "RGB"
    size = layout.bits // 8
    out = np.empty((layout.height, layout.width, len(masks)), np.uint8)
    if all(mask in _WHOLE_BYTES for mask in masks):
        pixels = lines.reshape(layout.height, layout.width, size)
        for channel, mask in enumerate(masks):
            out[..., channel] = pixels[..., _WHOLE_BYTES[mask]]
        return StoredImage(out, space)
    numbers = np.ascontiguousarray(lines).view(f"<u{size}").astype(np.uint32)
    for channel, mask in enumerate(masks):
        out[..., channel] = _sample(numbers, mask)
    return StoredImage(out, space)


def _sample(pixels: NDArray[np.uint32], mask: int) -> NDArray[np.uint32] | int:
    """Return one sample of each pixel, scaled to 0 to 255; 0 without bits."""
    if mask == 0:
        return 0
    shift = (mask & -mask).bit_length() - 1
    bits = (mask >> shift).bit_length()
    excess = max(0, bits - _MOST_SAMPLE_BITS)
    largest = (1 << bits - excess) - 1
    samples = (pixels & np.uint32(mask)) >> np.uint32(shift + excess)
    return (samples * np.uint32(255) + np.uint32(largest // 2)) // np.uint32(largest)
