"""Errors for encoded bytes, of all media, and the check that an array is such bytes."""

from __future__ import annotations

import numpy as np

from ..engine.arrays import Array
from ..engine.errors import DecodeError

FETCH_AGAIN = "The file is damaged or incomplete: fetch it again or leave it out."
EMPTY = (
    "The sample has no component of this name, as where `ext` names another ending, or its file is "
    "empty: `penstock inspect` lists the components, and on_error='skip' leaves such samples out."
)


def decode_error(
    format_name: str,
    problem: str,
    *,
    at: int | None = None,
    expected: str = "",
    remedy: str = FETCH_AGAIN,
) -> DecodeError:
    """Return the error for encoded bytes: the problem, its offset, and the remedy."""
    offset = "" if at is None else f" at byte {at}"
    wanted = f"; expected {expected}" if expected else ""
    return DecodeError(f"{format_name}: {problem}{offset}{wanted}. {remedy}")


def check_encoded(data: Array, content: str = "encoded data") -> None:
    """Raise DecodeError unless an array is a file's bytes: uint8, one dimension.

    Args:
        data: the array.
        content: the name of the bytes in the message.
    """
    if data.ndim != 1 or data.dtype != np.uint8:
        raise DecodeError(
            f"{content} must have one dimension and type uint8, but has {data.ndim} and "
            f"type {data.dtype}"
        )
