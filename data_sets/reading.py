"""Reading a data set from its front to its end in batches of bounded size."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeVar

import numpy as np

from ..engine.arrays import Int64s
from .sample import Encoded, Sample

MAX_GROWTH = 8
"""Factor by which a batch may have more samples than the batch before."""


class BatchSize(NamedTuple):
    """Limits of a batch.

    Attributes:
        samples: number of samples at most.
        bytes: about the bytes; the samples before tell how many samples have as many bytes.
    """

    samples: int
    bytes: int


USUAL = BatchSize(samples=256, bytes=8 << 20)

COSTLY = BatchSize(samples=1 << 20, bytes=128 << 20)
"""Where each read costs as much as reading everything: of an array that is deflated."""

Item = TypeVar("Item")


def read_batches(
    read: Callable[[Int64s], Sequence[Item]],
    indices_at: Callable[[int, int], Int64s],
    start: int,
    stop: int,
    size: BatchSize | None = None,
) -> Iterator[tuple[Int64s, Sequence[Item]]]:
    """Yield the indices and the samples at positions `start` to `stop`.

    Args:
        read: returns the samples of indices.
        indices_at: returns the indices at positions from a first one up to an end.
        start: the first position.
        stop: the end.
        size: limits of a batch, `USUAL` by default.
    """
    size = size or USUAL
    count = 1
    while start < stop:
        indices = indices_at(start, min(start + count, stop))
        samples = read(indices)
        yield indices, samples
        start += len(indices)
        mean = sum(map(size_of, samples)) // len(samples) + 1
        count = max(1, min(size.samples, size.bytes // mean, MAX_GROWTH * count))


def size_of(sample: object) -> int:
    """Return about how many bytes a sample takes; another object takes none."""
    if not isinstance(sample, Sample):
        return 0
    return sum(_bytes_of(value) for value in sample.components.values())


def _bytes_of(value: object) -> int:
    if isinstance(value, Encoded):
        return len(value.data)
    if isinstance(value, np.ndarray):
        return value.nbytes
    return len(value) if isinstance(value, str) else 8
