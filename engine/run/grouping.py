"""Small batches of a GPU pipeline, computed together because each launch has its fixed costs.

The executor computes a group as one large batch, and delivers its parts. Batches have the same
samples and random numbers as without groups. But some kernels choose how to sum by the whole batch,
so results may differ by rounding. Therefore only pipelines are grouped whose results may differ so
anyway, those that share out JPEG files between the GPU's engine and the CPU.

If a sample of a group fails, the group's batches are computed again one by one: errors name the
batch and the row in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .config import PipelineConfig

if TYPE_CHECKING:
    from ..order.selection import Selection
    from ..work.batch import Batch
    from ..work.plan import Plan
    from .budget import Budget


class GroupSize(NamedTuple):
    """When groups may have so many samples.

    Attributes:
        samples: of a group at most.
        waits: part of the time that the consumer has to wait for batches, until groups grow.
        patience: seconds for which it has to wait so. The consumer of a pipeline that starts waits
            for a moment.
        seconds: that a group may take. Of batches that take longer, the fixed costs are a small
            part.
        still_waits: part of the time that the consumer has to wait, or groups shrink.
    """

    samples: int
    waits: float
    patience: float
    seconds: float
    still_waits: float


GROUP_SIZES = (
    GroupSize(256, waits=0.2, patience=0.0, seconds=0.1, still_waits=0.02),
    GroupSize(512, waits=0.2, patience=2.0, seconds=0.1, still_waits=0.02),
    GroupSize(2048, waits=0.8, patience=2.0, seconds=0.025, still_waits=0.5),
)
"""Sizes of groups. The larger ones take much of the device's memory, which a network may need. On an
H200 with 16 cores, decoded images of 256x341 pixels come out of a cache at 43,000 to 68,000 a
second in groups of 512, and at 95,000 to 127,000 in groups of 2048."""

MAX_PART_OF_MEMORY = 1 / 4
"""Part of the pipeline's limits of bytes that a group may take."""

PAUSE_BATCHES = 16
"""Batches that are computed one by one after a group failed; twice as many after each group that
fails in succession."""


class Grouping:
    """Chooses how many batches are computed together.

    The feeder calls `choose`, and the threads that finish batches call `learn` and `parts_after`.
    If `most` is 1, there is nothing to choose, and nothing to learn.

    Args:
        plan: of the pipeline.
        config: the pipeline's arguments.
        budgets: of memory, of which a group takes a part.

    Attributes:
        count: number of batches in the next group.
        most: number of batches that may be computed together.
    """

    def __init__(self, plan: Plan, config: PipelineConfig, budgets: Sequence[Budget]) -> None:
        self.count = 1
        self.most = _most_together(plan, config)
        self._batch_size = config.batch_size
        self._budgets = budgets
        self._fitting = self.most
        self._pause = PAUSE_BATCHES
        # Nanoseconds at which the consumer waited less than groups of a size need.
        self._calm_at = dict.fromkeys(GROUP_SIZES, 0)
        self._since = 0, 0, 0  # batches, nanoseconds and nanoseconds of waiting at the last choice

    def learn(self, batch: Batch) -> None:
        """Learn the memory of a batch, or group, that is done."""
        if batch.count > 1:
            self._pause = PAUSE_BATCHES
        for budget in self._budgets:
            if nbytes := budget.bytes_of(batch):
                fitting = int(budget.limit * MAX_PART_OF_MEMORY * batch.count / nbytes)
                self._fitting = max(1, min(self._fitting, fitting))

    def choose(self, delivered: int, now_ns: int, waited_ns: int) -> None:
        """Choose the size of the next groups.

        Args:
            delivered: number of batches that the consumer has taken.
            now_ns: the time.
            waited_ns: time that the consumer has waited for batches.
        """
        batches, elapsed, waited = (
            now - then
            for now, then in zip((delivered, now_ns, waited_ns), self._since, strict=True)
        )
        if batches < 2 * self.count:
            return
        self._since = delivered, now_ns, waited_ns
        waiting = waited / max(1, elapsed)
        for size in self._calm_at:
            if waiting <= size.waits:
                self._calm_at[size] = now_ns
        most = min(self.most, self._fitting)
        grown = min(2 * self.count, most)
        if waiting < self._size_of(self.count).still_waits:
            self.count = max(1, self.count // 2)
        elif self._may_have(grown, now_ns, elapsed / batches):
            self.count = grown
        self.count = min(self.count, most)

    def _size_of(self, count: int) -> GroupSize:
        """Return the size of groups of so many batches."""
        samples = count * self._batch_size
        sizes = list(self._calm_at)
        return next((size for size in sizes if samples <= size.samples), sizes[-1])

    def _may_have(self, count: int, now_ns: int, batch_ns: float) -> bool:
        """Whether groups may have so many batches, each of which takes so long."""
        size = self._size_of(count)
        calm_ns = now_ns - self._calm_at[size]
        return calm_ns > size.patience * 1e9 and count * batch_ns <= size.seconds * 1e9

    def parts_after(self, group: Batch, delivered: int) -> list[range]:
        """Return the parts in which to compute a group that failed, and learn from its failure.

        Args:
            group: the group, with the error that ended it.
            delivered: number of batches that the consumer has taken.
        """
        if isinstance(group.end, SharedSampleError):
            return group.end.parts
        self.count = 1
        self._since = delivered + self._pause, *self._since[1:]
        self._pause *= 2
        return _one_by_one(range(group.number, group.number + group.count))


class SharedSampleError(Exception):
    """A sample comes twice in a group: two of the user's batches would share memory.

    Args:
        parts: of the group, in which no sample comes twice.
    """

    def __init__(self, parts: list[range]) -> None:
        super().__init__(parts)
        self.parts = parts


def check_samples(group: Batch, selection: Selection) -> None:
    """Raise SharedSampleError if a sample comes twice in a group."""
    if selection.has_repeats:
        numbers = range(group.number, group.number + group.count)
        raise SharedSampleError(parts_by_epoch(numbers, selection.epoch))


def _one_by_one(numbers: range) -> list[range]:
    return [range(number, number + 1) for number in numbers]


def parts_by_epoch(numbers: range, epoch: NDArray[np.int64]) -> list[range]:
    """Cut a group where an epoch begins; a batch of two epochs is a part of its own.

        batches   10     11     12     13
        epochs    0 0    0 0    0 1    1 1
        parts     '--------'    '-'    '-'

    Args:
        numbers: of the group's batches.
        epoch: of each sample of the group.

    >>> parts_by_epoch(range(10, 14), np.array([0, 0, 0, 0, 0, 1, 1, 1]))
    [range(10, 12), range(12, 13), range(13, 14)]
    """
    size = len(epoch) // len(numbers)
    begins = np.flatnonzero(np.diff(epoch)) + 1
    cuts = {0, len(numbers), *(begins // size).tolist(), *(-(-begins // size)).tolist()}
    if len(cuts) == 2:
        return _one_by_one(numbers)
    return [numbers[start:stop] for start, stop in pairwise(sorted(cuts))]


def _most_together(plan: Plan, config: PipelineConfig) -> int:
    """Return how many batches may be computed together."""
    if not plan.uses_gpu or plan.sources or not (config.exec_pipelined and config.exec_async):
        return 1
    if any(plan.output_conditions):  # the outputs' rows do not tell to which batch they belong
        return 1
    operators = [node.operator for node in plan.nodes]
    if not all(operator.sample_independent for operator in operators):
        return 1
    if not any(operator.nondeterministic for operator in operators):
        return 1
    most = [reader.operator.most_together(config.batch_size) for reader in plan.readers]
    return max(1, min([*most, GROUP_SIZES[-1].samples // config.batch_size]))
