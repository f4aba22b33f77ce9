"""Batches that consist of samples of another batch: their frames, or some of the samples."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ..arrays import Int64s
from ..graph.context import BatchContext, HasPlacement
from ..graph.operator import Array
from ..order import philox

if TYPE_CHECKING:
    from ..order.selection import Selection


class InnerErrors(dict[int, BaseException]):
    """The errors of an inner batch's rows, which are those of the outer batch's samples.

    Args:
        errors: of the outer batch.
        samples: the sample of each row.
    """

    def __init__(self, errors: dict[int, BaseException], samples: Int64s) -> None:
        super().__init__()
        self._errors = errors
        self._samples = samples

    def __setitem__(self, row: int, error: BaseException) -> None:
        super().__setitem__(row, error)
        self._errors.setdefault(int(self._samples[row]), error)

    def setdefault(self, row: int, error: BaseException) -> BaseException:
        if row not in self:
            self[row] = error
        return self[row]

    def update(self, errors: Mapping[int, BaseException]) -> None:  # type: ignore[override]
        for row, error in errors.items():
            self[row] = error

    def __ior__(self, errors: Mapping[int, BaseException]) -> InnerErrors:  # type: ignore[override,misc]
        self.update(errors)
        return self


class InnerBatch(BatchContext):
    """A batch whose rows belong to the samples of another batch.

    Args:
        batch: the other batch.
        samples: the sample of each row.
    """

    selections: dict[int, Selection]

    def __init__(self, batch: BatchContext, samples: Int64s) -> None:
        self._batch = batch
        self._samples = samples
        self.number, self.count, self.seed = batch.number, batch.count, batch.seed
        self.selections, self.pool = batch.selections, batch.pool
        self.begun: Any = None
        self.size = len(samples)
        self.epoch, self.position = batch.epoch[samples], batch.position[samples]
        self.errors = InnerErrors(batch.errors, samples)
        if hasattr(batch, "device"):
            self.device = batch.device

    @property
    def taken_bytes(self) -> int:
        return self._batch.taken_bytes

    @taken_bytes.setter
    def taken_bytes(self, nbytes: int) -> None:
        self._batch.taken_bytes = nbytes

    @property
    def taken_device_bytes(self) -> int:
        return self._batch.taken_device_bytes

    @taken_device_bytes.setter
    def taken_device_bytes(self, nbytes: int) -> None:
        self._batch.taken_device_bytes = nbytes

    def empty(self, shape: tuple[int, ...], dtype: DTypeLike) -> Array:
        return self._batch.empty(shape, dtype)

    def count_bytes(self, *, host: int = 0, device: int = 0) -> None:
        self._batch.count_bytes(host=host, device=device)

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
        failed = [row for row, sample in enumerate(samples.tolist()) if sample in batch.errors]
        for row in failed:  # as operators see them in a whole batch
            dict.__setitem__(self.errors, row, batch.errors[int(samples[row])])

    @property
    def samples(self) -> Int64s:
        """The sample of each row, by its row in the whole batch."""
        return self._samples

    def random(self, operator: HasPlacement, count: int) -> NDArray[np.float64]:
        key = operator.placement.random_key
        return philox.uniform(key, self.epoch, self.position, count)
