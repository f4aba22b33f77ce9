"""Farbfeld, RGBA in 16 bits, as an image format: https://tools.suckless.org/farbfeld/."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from penstock.decoders.image.formats.base import (
    DecodeRequest,
    ImageFormat,
    ImageHeader,
    StoredImage,
    checked_size,
    need,
    read_fields,
)
from penstock.decoders.image.table import register_format

NAME = "farbfeld"


def recognize(head: bytes) -> bool:
    return head[:8] == b"farbfeld"


def parse_header(view: memoryview) -> ImageHeader:
    width, height = read_fields(">II", view, 8, NAME, "the header")
    checked_size(NAME, height, width, at=8)
    need(view, 16 + 8 * width * height, NAME, "the pixels")
    return ImageHeader(NAME, height, width, channels=4, bits=16)


def decode(data: NDArray[np.uint8], header: ImageHeader, _: DecodeRequest) -> StoredImage:
    count = 4 * header.height * header.width
    samples = np.frombuffer(data, ">u2", count, offset=16).astype(np.uint16)
    return StoredImage(samples.reshape(header.height, header.width, 4), "RGBA")


FARBFELD = register_format(ImageFormat(NAME, recognize, parse_header, decode))
