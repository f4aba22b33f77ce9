"""Batches that consist of samples of another batch: their frames, or some of the samples."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ..arrays import Int64s
from ..graph.context import BatchContext, HasPlacement
from ..graph.operator import Array
from ..order import philox


class InnerBatch:
    """A batch whose rows belong to the samples of another batch.

    Args:
        batch: the other batch.
        samples: the sample of each row.
    """

    def __init__(self, batch: BatchContext, samples: Int64s) -> None:
        self._batch = batch
        self._samples = samples
        self.number, self.count, self.seed = batch.number, batch.count, batch.seed
        self.selections, self.memory = batch.selections, batch.memory
        self.begun: Any = None
        self.size = len(samples)
        self.epoch, self.position = batch.epoch[samples], batch.position[samples]
        self._errors: dict[int, BaseException] = {}
        if hasattr(batch, "device"):
            self.device = batch.device

    @property
    def errors(self) -> Mapping[int, BaseException]:
        """The errors of the rows; entries are made by `fail_row` alone."""
        return MappingProxyType(self._errors)

    def fail_row(self, row: int, error: BaseException) -> None:
        """Enter the error of a row, which is the error of its sample, too."""
        self._errors.setdefault(row, error)
        self._batch.fail_row(int(self._samples[row]), error)

    def empty(self, shape: tuple[int, ...], dtype: DTypeLike) -> Array:
        return self.memory.empty(shape, dtype)

    def count_bytes(self, *, host: int = 0, device: int = 0) -> None:
        self.memory.count(host=host, device=device)

    def check_later(self, check: Callable[[], None]) -> None:
        self._batch.check_later(check)

    def random(self, operator: HasPlacement, count: int) -> NDArray[np.float64]:
        """Return the random numbers of each row's sample."""
        return self._batch.random(operator, count)[self._samples]

    def where(self, row: int) -> str:
        """Say where the sample of a row is stored."""
        return self._batch.where(int(self._samples[row]))


class BranchBatch(InnerBatch):
    """The samples of a batch that take a branch.

    Args:
        batch: the whole batch.
        samples: the samples, in order.
    """

    def __init__(self, batch: BatchContext, samples: Int64s) -> None:
        super().__init__(batch, samples)
        outer = batch.errors  # seen here as operators see them in a whole batch
        self._errors |= {i: outer[k] for i, k in enumerate(samples.tolist()) if k in outer}

    @property
    def samples(self) -> Int64s:
        """The sample of each row, by its row in the whole batch."""
        return self._samples

    def random(self, operator: HasPlacement, count: int) -> NDArray[np.float64]:
        key = operator.placement.random_key
        return philox.uniform(key, self.epoch, self.position, count)
