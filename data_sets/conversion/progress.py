"""Telling how far a conversion is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class ConvertProgress:
    """How far a conversion is.

    Attributes:
        samples: that were read, those of earlier runs included.
        total: samples to read.
        bytes: of the samples that this run has read.
        shards: that are whole.
        shard_total: to write.
    """

    samples: int
    total: int
    bytes: int
    shards: int
    shard_total: int


OnProgress = Callable[[ConvertProgress], None]
