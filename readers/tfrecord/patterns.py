"""Byte patterns matched against many positions of a block of memory at once.

In a protocol-buffer message, nearly all bytes besides the values are the same from record to
record: tags, keys, and the widths of lengths. A `BytePattern` consists of fixed bytes and of
lengths (varints) of known width that all give the same end. Matching a pattern at n positions takes
two dozen NumPy calls, whatever n is.

    0a 8e 01 0a 8b 01 0a 03 "img" 12 83 01 (131 bytes)     a record with one feature, "img"
    .. ----- .. ----- ............. -----                  . fixed bytes, - lengths
       142      139                 131                    from its end, each to the same end

Where the fixed bytes fit, and the lengths say the same end, the value begins behind the pattern.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Bytes, Int64s
from ..storage.records import windows

WIDEST_LENGTH = 4
"""Bytes of the longest length that is matched: messages up to 256 MiB."""

SLACK = 256
"""Bytes that must follow the last record in its block, and the maximum size of a pattern."""


class BytePattern:
    """Fixed bytes and nested lengths.

    Attributes:
        size: size in bytes.
    """

    def __init__(self, parts: Sequence[bytes | int]) -> None:
        """Take the pattern: fixed bytes, and for a length the number of its bytes.

        Each length counts the bytes from its own end to the end of the message, which is the same
        for all lengths.
        """
        pattern, mask = bytearray(), bytearray()
        starts, widths = [], []
        for part in parts:
            if isinstance(part, bytes):
                pattern += part
                mask += b"\xff" * len(part)
            else:
                # Of a length only its width is fixed: the high bit of a byte says that another byte
                # follows. So the mask has the high bits alone, and the pattern 1, 1, ..., 0.
                starts.append(len(pattern))
                widths.append(part)
                pattern += b"\x80" * (part - 1) + b"\0"
                mask += b"\x80" * part
        self.size = len(pattern)
        self.parts = tuple(parts)
        self._words = -(-self.size // 8)
        self._pattern = _column(pattern, self._words)
        self._mask = _column(mask, self._words)
        self._window = np.dtype(f"V{8 * self._words}")
        self._starts = np.array(starts, np.int64)[:, np.newaxis]
        bits = [sum(0x7F << 8 * byte for byte in range(width)) for width in widths]
        self._bits = np.array(bits, np.uint32)[:, np.newaxis]
        # Bytes of the pattern behind each length: the length minus these follow the pattern.
        tails = [self.size - start - width for start, width in zip(starts, widths, strict=True)]
        self._tails = np.array(tails, np.int64)[:, np.newaxis]

    def match(self, block: Bytes, positions: Int64s) -> tuple[NDArray[np.bool_], Int64s]:
        """Return at which positions the pattern matches, and how many bytes of its message follow.

        The number means nothing (it may be negative) where the pattern does not match.
        `SLACK` bytes must follow the highest of `positions` in `block`.
        """
        beginnings = windows(block, self._window)[positions]
        words = beginnings.view(np.uint64).reshape(len(positions), self._words).T.copy()
        # The difference to the pattern, without the bits that may differ, is 0 where it fits. Rows
        # of words of 8 bytes keep the comparison in a few calls.
        words ^= self._pattern
        words &= self._mask
        stands = np.bitwise_or.reduce(words, axis=0) == 0
        rests = self._lengths(block, positions) - self._tails
        for other in rests[:-1]:
            stands &= other == rests[-1]
        return stands, rests[-1]

    def _lengths(self, block: Bytes, positions: Int64s) -> Int64s:
        """Decode all lengths at all positions: (lengths, positions)."""
        words = windows(block, "<u4")[positions + self._starts]
        # A varint has 7 bits a byte, the lowest first, below a bit that says "more follows":
        #
        #     byte      3        2        1        0
        #     word   .ddddddd .ccccccc .bbbbbbb .aaaaaaa    . = no bit of the number: masked
        #     pairs  ..dddddd dccccccc ..bbbbbb baaaaaaa    bytes 1 and 3 move down by one bit
        #     whole  ....dddd dddccccc ccbbbbbb baaaaaaa    the upper pair moves down by two
        words &= self._bits
        pairs = (words & np.uint32(0x007F007F)) | (words >> 1 & np.uint32(0x3F803F80))
        whole = (pairs & np.uint32(0x3FFF)) | (pairs >> 2 & np.uint32(0xFFFC000))
        lengths: Int64s = whole.astype(np.int64)
        return lengths


def _column(content: bytearray, words: int) -> NDArray[np.uint64]:
    return np.frombuffer(bytes(content.ljust(8 * words, b"\0")), np.uint64)[:, np.newaxis]
