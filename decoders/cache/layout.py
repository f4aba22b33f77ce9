"""The form of the file of a cache: see `shared_cache`."""

from __future__ import annotations

import struct
import zlib
from typing import NamedTuple

import numpy as np

VERSION = 2
KEY_BYTES = 16

MAGIC = b"PENSTOCK"
HEADER = struct.Struct("<8sQQQ")
_SLOT = struct.Struct("<16sQQIIII")  # key, offset, bytes, shape, checksum of the array
CHECKED_BYTES = _SLOT.size
"""Bytes of a slot before its own checksum."""

SLOTS = np.dtype(
    [
        ("key", "<u8", 2),
        ("offset", "<u8"),
        ("nbytes", "<u8"),
        ("shape", "<u4", 3),
        ("checksum", "<u4"),
        ("check", "<u4"),
        ("rest", "V12"),
    ]
)
"""The same slots in NumPy, with the slot's own checksum."""

USED_AT, USED_BYTES = 64, 8
SLOTS_AT = 4096
STEP = 64
WORDS, NBYTES = STEP // 8, 3  # 64-bit words of a slot, and which of them is `nbytes`


class Slot(NamedTuple):
    """One slot, claimed or published."""

    key: bytes
    offset: int
    nbytes: int
    height: int
    width: int
    channels: int
    checksum: int

    @property
    def shape(self) -> tuple[int, int, int]:
        """Of the array."""
        return self.height, self.width, self.channels

    @property
    def is_published(self) -> bool:
        """Whether the array may be read."""
        return self.nbytes > 0

    @property
    def claimant(self) -> int:
        """The process that claimed the slot, while it is not published."""
        return self.offset


def packed(slot: Slot) -> bytes:
    """Return the bytes of a slot."""
    data = _SLOT.pack(*slot)
    return (data + zlib.crc32(data).to_bytes(4, "little")).ljust(STEP, b"\0")


def unpacked(block: bytes, number: int) -> Slot | None:
    """Return the content of a slot; None if it is free."""
    data = block[number * STEP : (number + 1) * STEP]
    content = data[:CHECKED_BYTES]
    check = data[CHECKED_BYTES : CHECKED_BYTES + 4]
    if zlib.crc32(content) != int.from_bytes(check, "little") or not any(check):
        return None
    return Slot._make(_SLOT.unpack(content))


def searched(block: bytes, key: bytes) -> tuple[int, Slot | None]:
    """Return the number and the content of the slot that holds `key`: -1, None if none does."""
    offset = block.find(key)
    while offset >= 0:
        number, rest = divmod(offset, STEP)
        slot = None if rest else unpacked(block, number)
        if slot is not None:
            return number, slot
        offset = block.find(key, offset + 1)
    return -1, None


def rounded(nbytes: int) -> int:
    """Round up to a multiple of `STEP`."""
    return -(-nbytes // STEP) * STEP


def difference(header: bytes) -> str:
    """Return what a file is whose header is not the expected one."""
    if len(header) == HEADER.size:
        magic, version, nbytes, _ = HEADER.unpack(header)
        if magic == MAGIC and version == VERSION:
            return (
                f"was made with cache_size={nbytes >> 20}; pass that, name another folder, or "
                "remove the file"
            )
    return "is damaged, or no cache of decoded samples; remove the file, or name another folder"
