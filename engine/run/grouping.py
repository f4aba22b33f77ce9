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
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from . import large_groups
from .config import PipelineConfig
from .large_groups import LargeGroups

if TYPE_CHECKING:
    from ..order.selection import Selection
    from ..work.batch import Batch
    from ..work.plan import Plan
    from .budget import Budget

MAX_GROUP_SAMPLES = 512
"""Samples of a group at most, unless `LargeGroups` allows more."""

SMALL_GROUP_SAMPLES = 256
"""Samples of a small group at most. Small groups do not ask whether the consumer waits: the fixed
costs of each batch take the GIL from a network that trains. ResNet-18 with batches of 32, launched
step by step on an H200, trains at 0.57 of its rate without a pipeline if batches are computed one
by one, at 0.68 in groups of 128 samples, and at 0.75 in groups of 256. Larger groups take much of
the device's memory."""

PATIENT_SECONDS = 2.0
"""Seconds for which the consumer has to wait for batches until groups become larger than small. The
consumer of a pipeline that starts waits for a moment."""

CALM_SECONDS = 0.1
"""Seconds of little waiting that end the patience. A consumer that writes a line to a log takes
some milliseconds for it, and waits for batches all the same."""

MAX_GROUP_SECONDS = 0.1
"""Seconds that a group may take. Of larger batches the fixed costs are a small part."""

CONSUMER_WAITS: tuple[float, float] = (0.02, 0.2)
"""Parts of the time that the consumer waits for batches. Below the first, groups shrink until they
are small, and fewer are under way; above the second, they become larger."""

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
        is_calm: whether the consumer hardly waits for batches.
    """

    def __init__(self, plan: Plan, config: PipelineConfig, budgets: Sequence[Budget]) -> None:
        self.count = 1
        self._plan, self._config = plan, config
        self.most = _most_together(plan, config)
        self.is_calm = False
        self._large = LargeGroups(MAX_GROUP_SAMPLES // config.batch_size, self.most)
        self._small = SMALL_GROUP_SAMPLES // config.batch_size  # batches of a small group at most
        self._budgets = budgets
        self._fitting = self.most
        self._pause = PAUSE_BATCHES
        self._calm_at = 0  # nanoseconds at which the consumer had waited little
        self._looked = 0, 0  # nanoseconds, and those of waiting, at the last look at the consumer
        self._since = 0, 0, 0  # batches, nanoseconds and nanoseconds of waiting at the last choice

    def restart(self) -> None:
        """Look again how many batches may be computed together: an input may have changed."""
        self.most = _most_together(self._plan, self._config)
        self.count, self._fitting = 1, self.most

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
        self._large.review(self.count, delivered, now_ns, waited_ns)
        few, many = CONSUMER_WAITS
        self.is_calm = waited < few * elapsed
        most = min(self.most, self._fitting, self._large.allowed)
        self._look(now_ns, waited_ns)
        if now_ns - self._calm_at < PATIENT_SECONDS * 1e9:
            most = min(most, max(self.count, self._small))
        longest = int(MAX_GROUP_SECONDS * 1e9 * batches / max(1, elapsed))  # in batches
        if self.is_calm and self.count > min(self._small, longest):
            self.count = max(1, self.count // 2)
        elif 2 * self.count <= longest and (
            waited > many * elapsed or 2 * self.count <= self._small
        ):
            self.count *= 2
        self.count = min(self.count, most)

    def _look(self, now_ns: int, waited_ns: int) -> None:
        """Look whether the consumer waited little, if enough time has passed."""
        elapsed = now_ns - self._looked[0]
        if elapsed < CALM_SECONDS * 1e9:
            return
        if waited_ns - self._looked[1] <= CONSUMER_WAITS[1] * elapsed:
            self._calm_at = now_ns
        self._looked = now_ns, waited_ns

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
    if not all(operator.batches.sample_independent for operator in operators):
        return 1
    if not any(operator.batches.nondeterministic for operator in operators):
        return 1
    most = [reader.operator.most_together(config.batch_size) for reader in plan.readers]
    return max(1, min([*most, large_groups.MAX_SAMPLES // config.batch_size]))
