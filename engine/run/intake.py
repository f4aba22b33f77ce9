"""The intake: batches are made, and inputs say which samples they have."""

from __future__ import annotations

import os
from collections import Counter

from ..tensors.memory import SlabPool
from ..work.batch import Batch
from ..work.plans import Plans
from .feeding import fetch_sources, select_samples, size_batch
from .forks import end_forked_child


class Intake:
    """Makes the batches of one pipeline. One thread calls, but for `restart`.

    Args:
        plans: the plans of the batches.
        batch_size: number of samples of a batch at most.
        pool: memory for batches.
        busy_ns: nanoseconds by the number of a node, to which the sources' times are added.

    Attributes:
        fetched: number of batches whose data the sources were asked for.
        end: the end of the data, once a source has reached it.
    """

    def __init__(
        self, plans: Plans, batch_size: int, pool: SlabPool, busy_ns: Counter[int]
    ) -> None:
        self.fetched = 0
        self.end: StopIteration | None = None
        self._plans = plans
        self._batch_size = batch_size
        self._pool = pool
        self._busy_ns = busy_ns
        self._process = os.getpid()
        self._seed = self._first_sample = 0

    def restart(self, seed: int, first_sample: int, fetched: int) -> None:
        """Begin, or go on, while nothing is under way: see `Executor.restart`."""
        self._seed, self._first_sample = seed, first_sample
        self.fetched, self.end = fetched, None

    def batch(self, numbers: range) -> Batch:
        """Return a batch without data; or several that are computed as one."""
        self._pool.count_batch()
        number, size = numbers.start, self._batch_size
        first = self._first_sample + number * size
        batch = Batch(number, size * len(numbers), self._pool, self._seed, first, len(numbers))
        batch.plan = self._plans.declared
        return batch

    def fill(self, batch: Batch) -> None:
        """Let the inputs say which samples a batch has; end it at the end of the data.

        Raises:
            BaseException: a source has failed.
        """
        plan = self._plans.declared
        if plan.sources and self.end is None:
            self._fetch(batch)
        elif self.end is None:
            size_batch(plan, batch)
        batch.end = self.end
        if batch.end is None:
            select_samples(plan, batch)

    def _fetch(self, batch: Batch) -> None:
        """Have the sources get the data of a batch."""
        try:
            batch.samples.resize(fetch_sources(self._plans.declared, batch, self._busy_ns))
            batch.plan = self._plans.plan_for(batch.number)
        except StopIteration as end:
            self.end = end
        finally:
            if os.getpid() != self._process:
                end_forked_child()
            self.fetched = batch.number + 1
