"""Images, encoded anew as JPEG."""

from __future__ import annotations

import cv2
import numpy as np
import simplejpeg

from ....decoders.image.decode import decode
from ....decoders.image.table import read_header
from ....engine.arrays import Array
from ...sample import Encoded

DEFAULT_QUALITY = 90
"""Quality of JPEG files where the user asks for another size alone."""


def smaller_jpeg(
    encoded: Encoded, quality: int | None, longest_side: int | None
) -> tuple[Encoded, tuple[float, float]]:
    """Return an image as JPEG file, upright, and the factors of its width and height.

    An image that is small enough keeps its bytes if `quality` is None.

    Args:
        encoded: the image.
        quality: 1 to 100, or None.
        longest_side: in pixels, or None.

    Raises:
        DecodeError: the image is damaged.
    """
    data = np.frombuffer(encoded.data, np.uint8)
    header = read_header(data)
    is_large = longest_side is not None and max(header.height, header.width) > longest_side
    if quality is None and not is_large:
        return encoded, (1.0, 1.0)
    pixels = decode(data, output="GRAY" if header.channels == 1 else "RGB")
    height, width = pixels.shape[:2]
    if is_large:
        factor = (longest_side or 1) / max(height, width)
        size = max(1, round(width * factor)), max(1, round(height * factor))
        pixels = cv2.resize(pixels, size, interpolation=cv2.INTER_AREA).reshape(*size[::-1], -1)
    content = _jpeg(np.ascontiguousarray(pixels), quality or DEFAULT_QUALITY)
    return Encoded(content, "jpg"), (pixels.shape[1] / width, pixels.shape[0] / height)


def _jpeg(pixels: Array, quality: int) -> bytes:
    space = "GRAY" if pixels.shape[2] == 1 else "RGB"
    content: bytes = simplejpeg.encode_jpeg(
        pixels, quality, space, "444" if space == "GRAY" else "420"
    )
    return content
