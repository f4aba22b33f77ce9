"""The masked CRC-32C that guards TFRecord files.

`mask(c) = rotate_right(c, 15) + 0xa282ead8`, modulo 2 ** 32. The checksum is Castagnoli's,
the reflected polynomial 0x82f63b78. Source: TensorFlow's `lib/hash/crc32c.h` and `lib/io/
record_writer.h`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...engine.errors import MissingDependencyError, install_hint

_POLYNOMIAL = 0x82F63B78
_MASK_DELTA = np.uint32(0xA282EAD8)


def checksum() -> Callable[[Any], int]:
    """Return the function that computes the CRC-32C of a buffer, at memory speed.

    For buffers of 32 KiB and more, the function releases the GIL.

    Raises:
        MissingDependencyError: the package crc32c is not installed.
    """
    try:
        from crc32c import crc32c
    except ImportError:
        raise MissingDependencyError(
            "the checksums of TFRecord files need the package crc32c: "
            f"{install_hint('tfrecord')}. Readers without it: verify_crc='never'"
        ) from None
    function: Callable[[Any], int] = crc32c
    return function


def masked(checksums: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Mask checksums, as they are stored."""
    rotated = (checksums >> np.uint32(15)) | (checksums << np.uint32(17))
    result: NDArray[np.uint32] = rotated + _MASK_DELTA
    return result


def masked_of_lengths(lengths: NDArray[np.uint64]) -> NDArray[np.uint32]:
    """Return the masked checksums of numbers as eight little-endian bytes each, all at once.

    >>> hex(masked_of_lengths(np.array([0], np.uint64))[0])
    '0x7980329'
    """
    octets = np.ascontiguousarray(lengths, "<u8").view(np.uint8).reshape(-1, 8).copy()
    octets[:, :4] ^= 0xFF  # the checksum starts as 0xffffffff
    result = np.zeros(len(octets), np.uint32)
    for number, table in enumerate(_tables()):
        result ^= table[octets[:, number]]
    return masked(~result)


@cache
def _tables() -> list[NDArray[np.uint32]]:
    """Return, for each of eight bytes, a table of what its value adds to the checksum of all eight.

    The method is Kounavis and Berry's "slicing by 8".
    """
    table = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        table = (table >> np.uint32(1)) ^ (table & np.uint32(1)) * np.uint32(_POLYNOMIAL)
    tables = [table]
    while len(tables) < 8:
        previous = tables[0]
        tables.insert(0, (previous >> np.uint32(8)) ^ table[previous & np.uint32(0xFF)])
    return tables
