"""Captured loops: `ndd.capture`.

    for encoded, labels in reader.next_epoch(batch_size=64, capture=True):
        images = ndd.resize(ndd.decoders.image(encoded), size=[224, 224])

The first round of the loop runs as usual. For the others, a pipeline of the reader and the
operators works ahead of the loop. Calls that differ from those of the first round run at once.
"""

from __future__ import annotations

from typing import TypeVar

from .values import Value

__all__ = ["invariant"]

T = TypeVar("T")


def invariant(value: T) -> T:
    """Promise that a tensor has the same elements in each round of a captured loop; return it.

    A call that takes a tensor from outside of the loop runs at once, unless the tensor is
    invariant: then the pipeline makes the call. Numbers and other values need no promise, because
    they are compared in each round.
    """
    if isinstance(value, Value) and not value.is_batch:
        value.is_invariant = True
    return value
