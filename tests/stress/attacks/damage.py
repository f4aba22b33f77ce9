"""Random damage to bytes, of the sorts that disks, networks and programs cause."""

from __future__ import annotations

from random import Random


def damaged(data: bytes, random: Random) -> bytes:
    """Return `data` after one random accident; the result may equal `data`."""
    accident = random.choice(
        (changed_bytes, changed_bytes, flipped_bits, cut_off, zeroed, inserted, removed, repeated)
    )
    return accident(data, random)


def changed_bytes(data: bytes, random: Random) -> bytes:
    """Replace 1 to 40 bytes."""
    result = bytearray(data)
    for _ in range(random.choice((1, 2, 5, 40))):
        result[random.randrange(len(result))] = random.randrange(256)
    return bytes(result)


def flipped_bits(data: bytes, random: Random) -> bytes:
    """Flip one bit in the first 512 bytes, where headers are."""
    result = bytearray(data)
    result[random.randrange(min(512, len(result)))] ^= 1 << random.randrange(8)
    return bytes(result)


def cut_off(data: bytes, random: Random) -> bytes:
    """Cut the end off."""
    return data[: random.randrange(len(data) + 1)]


def zeroed(data: bytes, random: Random) -> bytes:
    """Fill a range with zeros, as a hole of a broken download does."""
    start = random.randrange(len(data))
    length = min(random.choice((16, 512, 4096)), len(data) - start)
    return data[:start] + bytes(length) + data[start + length :]


def inserted(data: bytes, random: Random) -> bytes:
    """Insert up to 8 bytes."""
    start = random.randrange(len(data))
    return data[:start] + random.randbytes(random.randint(1, 8)) + data[start:]


def removed(data: bytes, random: Random) -> bytes:
    """Remove up to 64 bytes."""
    start = random.randrange(len(data))
    return data[:start] + data[start + random.randint(1, 64) :]


def repeated(data: bytes, random: Random) -> bytes:
    """Write a range twice."""
    start = random.randrange(len(data))
    end = min(len(data), start + random.randint(1, 512))
    return data[:end] + data[start:end] + data[end:]
