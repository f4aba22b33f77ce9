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
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..control import groups
from ..control.groups import Groups
from ..control.readings import Decision, Decisions, Readings
from .config import PipelineConfig

if TYPE_CHECKING:
    from ..order.selection import Selection
    from ..work.batch import Batch
    from ..work.plan import Plan
    from .budget import Budget

MAX_PART_OF_MEMORY = 1 / 4
"""Part of the pipeline's limits of bytes that a group may take."""

PAUSE_BATCHES = 16
"""Batches that are computed one by one after a group failed; twice as many after each group that
fails in succession."""


class Grouping:
    """Has the rule choose how many batches are computed together.

    The feeder calls `choose`, and the threads that finish batches call `learn` and `parts_after`.
    If `most` is 1, there is nothing to choose, and nothing to learn.

    Args:
        plan: of the pipeline.
        config: the pipeline's arguments.
        budgets: of memory, of which a group takes a part.
        decisions: gets those of the rule.

    Attributes:
        groups: the setting of the rule.
        most: number of batches that may be computed together.
        limits: the numbers of the rule.
    """

    limits: ClassVar = groups.GroupLimits()

    def __init__(
        self, plan: Plan, config: PipelineConfig, budgets: Sequence[Budget], decisions: Decisions
    ) -> None:
        self.groups = Groups(config.batch_size)
        self._plan, self._config = plan, config
        self.most = self._fitting = _most_together(plan, config)
        self._budgets = budgets
        self._decisions = decisions
        self._pause = PAUSE_BATCHES
        self._taken = 0  # batches, by the consumer

    def restart(self) -> None:
        """Look again how many batches may be computed together: an input may have changed."""
        self.most = self._fitting = _most_together(self._plan, self._config)
        self.groups = self.groups._replace(together=1)

    def learn(self, batch: Batch) -> None:
        """Learn the memory of a batch, or group, that is done."""
        if batch.count > 1:
            self._pause = PAUSE_BATCHES
        for budget in self._budgets:
            if nbytes := budget.bytes_of(batch):
                fitting = int(budget.limit * MAX_PART_OF_MEMORY * batch.count / nbytes)
                self._fitting = max(1, min(self._fitting, fitting))

    def choose(self, readings: Readings) -> None:
        """Choose the size of the next groups."""
        before, self._taken = self.groups, readings.batches
        self.groups = groups.decide(before, readings, self._fitting, self.limits)
        if self.groups.together != before.together:
            waits = f"the consumer waited {readings.since(before.chosen).waiting:.0%} of the time"
            setting = f"{self.groups.together} batches are computed together"
            self._decisions["groups"] = Decision(setting, waits)

    def parts_after(self, group: Batch) -> list[range]:
        """Return the parts in which to compute a group that failed, and learn from its failure.

        Args:
            group: the group, with the error that ended it.
        """
        if isinstance(group.end, SharedSampleError):
            return group.end.parts
        self.groups = self.groups.paused(self._taken + self._pause)
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
    if not all(operator.batches.sample_independent for operator in operators):
        return 1
    if not any(operator.batches.nondeterministic for operator in operators):
        return 1
    most = [reader.operator.most_together(config.batch_size) for reader in plan.readers]
    return max(1, min([*most, Grouping.limits.large.samples // config.batch_size]))
