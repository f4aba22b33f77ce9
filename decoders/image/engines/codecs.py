"""Decode with the library imagecodecs, of the extra `images`: forms that few data sets have."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import FETCH_AGAIN, decode_error
from ..formats.base import CONVERT
from . import libraries

_FUNCTIONS = {
    "AVIF": "avif_decode",
    "JPEG": "jpeg8_decode",
    "JPEG XL": "jpegxl_decode",
}
_UNKNOWN_FORM = ("not implemented", "unsupported", "not supported", "no colormap")


def decode(
    format_name: str, data: bytes | memoryview | NDArray[np.uint8], **options: object
) -> Any:
    """Return the samples as stored, HW or HWC.

    Args:
        format_name: one of the formats that imagecodecs decodes.
        data: the whole file.
        options: options of imagecodecs' function for the format.

    Raises:
        DecodeError: the library refuses the data, or was built without the codec.
        MissingDependencyError: imagecodecs is not installed.
    """
    imagecodecs = libraries.load("imagecodecs", format_name)
    try:
        return getattr(imagecodecs, _FUNCTIONS[format_name])(data, **options)
    except ImportError as error:
        raise decode_error(
            format_name,
            f"this build of imagecodecs does not support the format ({error})",
            remedy="Install another build, for instance that of conda-forge, or convert the file.",
        ) from error
    except MemoryError:
        raise
    except Exception as error:
        is_unknown_form = any(words in str(error).lower() for words in _UNKNOWN_FORM)
        raise decode_error(
            format_name,
            f"imagecodecs cannot decode the data ({error})",
            remedy=CONVERT if is_unknown_form else FETCH_AGAIN,
        ) from error
