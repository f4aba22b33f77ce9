"""How many small batches are read at once, because each read has its fixed costs.

Reads grow twofold while that pays. So slow storage is read batch by batch, while other threads
decode the batch before.
"""

from __future__ import annotations

from typing import NamedTuple


class ReadLimits(NamedTuple):
    """The numbers of the rule.

    Attributes:
        samples: of a read, at most: with so many, the fixed costs of a read vanish.
        seconds: that a read may take. Workers decode for longer than that.
        nbytes: of a read, at most: a second thread helps to read so many bytes
            (`local_file.TWO_THREADS_BYTES`).
        ahead_bytes: the same of reads ahead of their turn, two of which fill caches at a time. Of
            files of 110 KB, two processes read 1.3 to 1.5 times as many for a second of CPU time
            as with 32 MiB.
        part_of_room: part of the pool's free memory that a read may take.
    """

    samples: int = 1024
    seconds: float = 0.02
    nbytes: int = 32 << 20
    ahead_bytes: int = 8 << 20
    part_of_room: float = 1 / 8


class ReadReading(NamedTuple):
    """What a read took.

    Attributes:
        batches: number of its batches.
        seconds: that its reader waited for it.
        nbytes: bytes of its memory.
        room: bytes that the pool has left.
        is_ahead: whether later reads begin before their turn.
    """

    batches: int
    seconds: float
    nbytes: int
    room: int
    is_ahead: bool


def decide(reading: ReadReading, most: int, limits: ReadLimits) -> int:
    """Return how many batches the next read has, `most` at most."""
    nbytes = limits.ahead_bytes if reading.is_ahead else limits.nbytes
    nbytes = max(1, min(nbytes, int(reading.room * limits.part_of_room)))
    cost = max(reading.seconds / limits.seconds, reading.nbytes / nbytes)
    if cost > 1:
        return max(1, reading.batches // 2)
    return min(2 * reading.batches, most) if cost <= 0.5 else reading.batches
