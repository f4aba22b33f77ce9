"""Which sample each row of a batch is: what keys the random numbers of `deterministic=True`."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .....engine.order.selection import Selection
from .placeholders import Run

# A position in the counter of the random numbers, from the lowest bit on.
_INDEX_BITS = 40
_VIEW_BITS = 12  # the batches of the pipeline for one batch of the loader
_REPEAT_BITS = 11  # how often a sampler has drawn the sample in the epoch


class Drawn(NamedTuple):
    """A sample that a sampler has drawn: its index, and how often that came before."""

    sample: int
    repeat: int


class Epoch:
    """The samples of one epoch, in the order in which the loader asks for them.

    Args:
        number: of the epoch.
    """

    def __init__(self, number: int) -> None:
        self._number = number
        self._times: Counter[int] = Counter()
        self._asked = 0

    def ask(self, indices: Sequence[object]) -> list[Drawn]:
        """Return the samples of the next batch.

        Args:
            indices: what the sampler gave. The place in the epoch stands for an index that is no
                integer.
        """
        return [self._drawn(index) for index in indices]

    def _drawn(self, given: Any) -> Drawn:
        try:
            index = operator.index(given)
        except TypeError:
            index = self._asked
        self._asked += 1
        self._times[index] += 1
        return Drawn(index, self._times[index] - 1)

    def tag(self, runs: Sequence[Run], drawn: Sequence[Drawn]) -> None:
        """Say of each run which samples it computes.

        Args:
            runs: all runs of one batch of the loader, in their order in the batch.
            drawn: the samples of that batch.
        """
        view = 0
        for run in runs:
            run.samples = self._selection(drawn, run.size, view)
            view += -(-run.size // len(drawn))

    def _selection(self, drawn: Sequence[Drawn], size: int, first_view: int) -> Selection:
        """Return the samples of a run, whose rows are the samples of the batch, in their order.

        If there are more rows than samples, further rows are further views of the samples.
        """
        rows = np.arange(size)
        samples = np.array(drawn, np.int64)[rows % len(drawn)]
        index, repeat = samples.T
        view = first_view + rows // len(drawn)
        position = _low(index, _INDEX_BITS)
        position |= _low(view, _VIEW_BITS) << _INDEX_BITS
        position |= _low(repeat, _REPEAT_BITS) << (_INDEX_BITS + _VIEW_BITS)
        return Selection(index, np.full(size, self._number), position, np.ones(size, bool))


def _low(values: Any, bits: int) -> Any:
    return values & ((1 << bits) - 1)
