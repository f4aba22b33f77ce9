"""Decode GIF, and sequences of AVIF, with Pillow, of the extra `images`."""

from __future__ import annotations

import io

import numpy as np
from numpy.typing import NDArray

from ....engine.arrays import Array
from ...errors import FETCH_AGAIN, decode_error
from ..formats.base import CONVERT
from . import libraries


def gif_indices(
    format_name: str, blocks: bytes, size: tuple[int, int], code_bits: int, is_interlaced: bool
) -> Array:
    """Return the color numbers of a picture: HW, uint8.

    Args:
        format_name: name of the format of the file, for errors.
        blocks: the sub-blocks of the picture's codes. Bytes behind the last pixel do no harm.
        size: height and width of the picture.
        code_bits: the minimum code size.
        is_interlaced: whether lines are stored in the order of four passes.

    Raises:
        DecodeError: codes are wrong, or pixels are missing.
        MissingDependencyError: Pillow is not installed.
    """
    image = libraries.load("PIL.Image", format_name)
    try:
        # The codec alone, because the reader of files heeds settings of the whole process.
        picture = image.frombytes("P", size[::-1], blocks, "gif", code_bits, int(is_interlaced))
    except ValueError as error:
        raise decode_error(format_name, f"Pillow cannot decode the picture ({error})") from error
    return np.asarray(picture)


def avif_frame(format_name: str, data: bytes) -> NDArray[np.uint8]:
    """Return the first frame of a sequence: HWC, uint8, RGB or RGBA.

    Args:
        format_name: name of the format of the file, for errors.
        data: the whole file.

    Raises:
        DecodeError: the data are damaged, or Pillow was built without the codec.
        MissingDependencyError: Pillow is not installed.
    """
    image = libraries.load("PIL.Image", format_name)
    if not libraries.load("PIL.features", format_name).check("avif"):
        raise decode_error(format_name, "this Pillow does not read sequences", remedy=CONVERT)
    try:
        with image.open(io.BytesIO(data), formats=["AVIF"]) as file:
            return np.asarray(file)
    except MemoryError:
        raise
    except Exception as error:  # of many classes
        raise decode_error(
            format_name, f"Pillow cannot decode the sequence ({error})", remedy=FETCH_AGAIN
        ) from error
