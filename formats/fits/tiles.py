"""Images that are compressed tile by tile (Rice, GZIP, PLIO, HCOMPRESS), decoded by Astropy.

Some damaged images make Astropy's compiled code write past its memory, which may end the process.
"""

from __future__ import annotations

import importlib
import io
from functools import cache
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Array
from ...engine.errors import DecodeError, MissingDependencyError, install_hint
from .header import BLOCK
from .image import FitsImage

_PRIMARY = b"".join(
    card.ljust(80)
    for card in (
        b"SIMPLE  =                    T",
        b"BITPIX  =                    8",
        b"NAXIS   =                    0",
        b"EXTEND  =                    T",
        b"END",
    )
).ljust(BLOCK)
_MOST_RATIO = 8192  # PLIO counts runs of up to 4095 numbers in two bytes
_SPARE_BYTES = 1 << 20


@cache
def astropy_fits() -> ModuleType:
    """Return the module `astropy.io.fits`.

    Raises:
        MissingDependencyError: Astropy is not installed.
    """
    try:
        return importlib.import_module("astropy.io.fits")
    except ImportError as error:
        raise missing_library(str(error)) from error


def missing_library(reason: str) -> MissingDependencyError:
    """Return the error of an image that needs Astropy, where that cannot be imported."""
    return MissingDependencyError(
        f"compressed FITS images are decoded by Astropy, which cannot be imported ({reason}): "
        f"{install_hint('fits')}"
    )


def check_ratio(image: FitsImage) -> None:
    """Raise DecodeError if an image is larger than its compressed bytes can make it."""
    if image.nbytes > _MOST_RATIO * image.size + _SPARE_BYTES:
        raise DecodeError(
            f"FITS: {image.size} compressed bytes claim to be an image of the shape {image.shape}, "
            f"which takes {image.nbytes} bytes"
        )


def decode_tiles(image: FitsImage, hdu: NDArray[np.uint8]) -> Array:
    """Return the stored numbers of a compressed image, before BSCALE and BZERO.

    Args:
        image: the image.
        hdu: its bytes, header and data: uint8 (image.size,).

    Raises:
        DecodeError: the image is damaged.
        MissingDependencyError: Astropy is not installed.
    """
    fits = astropy_fits()
    data = b"".join((_PRIMARY, hdu.data, bytes(-hdu.size % BLOCK)))
    try:
        with fits.open(io.BytesIO(data), memmap=False, do_not_scale_image_data=True) as file:
            pixels = np.asarray(file[1].data)
    except MemoryError:
        raise
    except Exception as error:  # the library has many ways to refuse a damaged file
        reason = f"{type(error).__name__}: {str(error)[:300]}"
        raise DecodeError(f"FITS: the compressed image cannot be decoded: {reason}") from None
    if pixels.shape != image.shape or pixels.dtype.newbyteorder("=") != image.stored.newbyteorder(
        "="
    ):
        raise DecodeError(
            f"FITS: the compressed image is of the shape {pixels.shape} and the type "
            f"{pixels.dtype}, but its header says {image.shape} and "
            f"{image.stored.newbyteorder('=')}"
        )
    return pixels
