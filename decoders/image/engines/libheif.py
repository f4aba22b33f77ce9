"""Decode HEIF with libheif, through pillow-heif of the extra `images`."""

from __future__ import annotations

import numpy as np

from ....engine.arrays import Array
from ...errors import FETCH_AGAIN, decode_error
from ..formats.base import CONVERT
from . import libraries


def decode(format_name: str, data: bytes) -> Array:
    """Return the primary picture, turned upright and cropped as its properties say.

    Args:
        format_name: name of the format of the file, for errors.
        data: the whole file.

    Returns:
        HW or HWC: gray, RGB or RGBA; uint8, or uint16 with samples of the file's depth.

    Raises:
        DecodeError: the library refuses the data.
        MissingDependencyError: pillow-heif is not installed.
    """
    pillow_heif = libraries.load("pillow_heif", format_name)
    try:
        file = pillow_heif.open_heif(data, convert_hdr_to_8bit=False, hdr_to_16bit=False)
        # The only picture is the primary one, though the file may name its thumbnail.
        is_there = len(file) == 1 or (len(file) > 1 and bool(file.info["primary"]))
        pixels = np.asarray(file) if is_there else None
    except MemoryError:
        raise
    except Exception as error:  # of many classes; SyntaxError is that of unsupported forms
        words = " ".join(str(error).split()).rstrip(".")
        raise decode_error(
            format_name,
            f"libheif cannot decode the data ({words})",
            remedy=CONVERT if isinstance(error, SyntaxError) else FETCH_AGAIN,
        ) from error
    if pixels is None:
        raise decode_error(
            format_name, "libheif does not offer the primary picture", remedy=CONVERT
        )
    return pixels
