"""The samples that an order is made of, if these are not all samples of the data set."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..arrays import Int64s
from ..errors import ArgumentError


class Subset:
    """Indices of samples: each stands for one sample of an epoch, in an order of the user's own.

    Args:
        given: indices, an array of whole numbers `(n,)`; or a function that returns such an array
            for the number of an epoch. An index may come several times.
        samples: number of samples in the data set.

    Raises:
        ArgumentError: the indices are none, or are not samples of the data set.
    """

    def __init__(self, given: Any, samples: int) -> None:
        self._samples = samples
        self._function: Callable[[int], Any] | None = given if callable(given) else None
        self._epoch = 0
        self._indices = self._checked(given(0) if self._function else given)
        self.size = len(self._indices)

    def at(self, epoch: int, numbers: Int64s) -> Int64s:
        """Return the indices that have these numbers in the array of an epoch."""
        if self._function is not None and epoch != self._epoch:
            indices = self._checked(self._function(epoch))
            if len(indices) != self.size:
                raise ArgumentError(
                    f"indices: the function returned {len(indices)} for epoch {epoch}, but "
                    f"{self.size} for epoch 0; each epoch needs as many"
                )
            self._indices, self._epoch = indices, epoch
        return self._indices[numbers]

    @property
    def digest(self) -> str:
        """Eight characters that stand for the indices, or "function"."""
        if self._function is not None:
            return "function"
        import hashlib  # few runs need it

        return hashlib.sha256(self._indices.tobytes()).hexdigest()[:8]

    def _checked(self, given: Any) -> Int64s:
        indices = np.asarray(given)
        if indices.ndim != 1 or indices.dtype.kind not in "iu" or not indices.size:
            raise ArgumentError(
                f"indices: expected an array of whole numbers of shape (n,), got one of "
                f"{indices.dtype} and shape {indices.shape}"
            )
        low, high = int(indices.min()), int(indices.max())
        if low < 0 or high >= self._samples:
            wrong = low if low < 0 else high
            raise ArgumentError(
                f"indices: there is no sample {wrong}; the data set has {self._samples}, from 0 on"
            )
        return indices.astype(np.int64)  # a copy, which nobody changes
