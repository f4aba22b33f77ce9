"""The samples of batches, asked of the sampler for many batches at once."""

from __future__ import annotations

from typing import Protocol

from ..engine.order.sampler import Sampler, Selection

SAMPLES_AT_ONCE = 2048
"""Samples of all batches. To ask for a batch of 8 samples takes longer than to cut it out."""


class Selects(Protocol):
    """A `Sampler`, or what stands for one."""

    def select(self, batch: int, batches: int = 1) -> Selection:
        """Return the samples of consecutive batches, end to end: see `Sampler.select`."""


class Selections:
    """Hands out the samples of batches, cut out of those of many batches. One thread uses it.

    Args:
        sampler: says which samples a batch has.
        batch_size: number of samples of a batch.
    """

    def __init__(self, sampler: Sampler, batch_size: int) -> None:
        self._batch_size = batch_size
        self.restart(sampler, 0)

    def restart(self, sampler: Sampler, number: int) -> None:
        """Take the samples of batch `number` and of later batches from the start of a sampler."""
        self._sampler = sampler
        self._first = number
        self._known = range(0)  # batches whose samples are known: `_all`
        self._all: Selection

    def select(self, batch: int, batches: int = 1) -> Selection:
        """Return copies of the samples of consecutive batches, end to end."""
        if batch not in self._known or batch + batches > self._known.stop:
            at_once = max(batches, SAMPLES_AT_ONCE // self._batch_size, 1)
            self._all = self._sampler.select(batch - self._first, at_once)
            self._known = range(batch, batch + at_once)
        start = (batch - self._known.start) * self._batch_size
        return self._all.cut(slice(start, start + batches * self._batch_size))
