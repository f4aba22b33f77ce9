"""Random damage to valid inputs, for runs of the fuzz targets without a fuzzer."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random


def damaged(content: bytes, chance: Random, telling: Sequence[int]) -> bytes:
    """Return the content with one or a few changes; some set a byte to one that tells something."""
    data = bytearray(content)
    for _ in range(chance.choice((1, 1, 2, 5))):
        place = chance.randrange(len(data) + 1)
        way = chance.randrange(5)
        if way == 0 and data:
            data[place % len(data)] ^= 1 << chance.randrange(8)
        elif way == 1:
            data[place:place] = chance.randbytes(chance.randrange(1, 12))
        elif way == 2:
            del data[place : place + chance.randrange(1, 12)]
        elif way == 3:
            data[place : place + 10] = b"\xff" * 9 + b"\x01"
        elif data:
            data[place % len(data)] = chance.choice(telling)
    return bytes(data)
