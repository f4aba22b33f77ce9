"""How batches are read: how many at once, how many ahead of their turn, and by how many threads.

Each read has its fixed costs, so small batches are read at once. Reads grow twofold while that
pays. So slow storage is read batch by batch, while other threads decode the batch before.
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


class AheadLimits(NamedTuple):
    """The numbers of `ahead`.

    Attributes:
        nbytes: of a batch. While threads copy so much, one thread can find out where the next
            batch lies.
        under_way: bytes of all batches that are read at a time. A small batch takes the threads
            less time than the messages about it, so several are under way.
        batches: read ahead, at most.
    """

    nbytes: int = 16 << 20
    under_way: int = 128 << 20
    batches: int = 3


def ahead(nbytes: int, limits: AheadLimits) -> int:
    """Return how many batches of arrays are read ahead, if one has so many bytes."""
    if nbytes < limits.nbytes:
        return 0
    return min(limits.batches, max(1, limits.under_way // nbytes - 1))


class SlowLimits(NamedTuple):
    """The numbers of `is_slow`.

    Attributes:
        seconds: for a sample. While samples take less, one thread reads them, because several
            would wait for the GIL of their process. Storage behind a network takes longer to open
            a file.
        waits: times that a thread waits for something, for a sample of slow storage. Threads that
            are slow for lack of cores are taken off them without waiting; more threads would make
            them slower.
        samples_of_thread: samples that are worth one more thread.
    """

    seconds: float = 2e-4
    waits: float = 1.0
    samples_of_thread: int = 8


def is_slow(samples: int, seconds: float, waits: int, limits: SlowLimits) -> bool:
    """Whether several threads of a process should read.

    Args:
        samples: of a read.
        seconds: that the read took, summed over its threads.
        waits: how often these threads gave up their core to wait for something.
        limits: the numbers.
    """
    return seconds > limits.seconds * samples and waits >= limits.waits * samples
