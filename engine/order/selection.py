"""The samples of one batch: what a sampler says, and a reader reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False, slots=True)
class Selection:
    """The samples of one batch; every array has shape `(batch_size,)`."""

    index: NDArray[np.int64]
    """The samples' numbers in the data set."""

    epoch: NDArray[np.int64]
    """The epoch in which each sample is read; a batch may straddle epochs."""

    position: NDArray[np.int64]
    """The samples' numbers in their epoch's order; epoch and position key the random numbers."""

    valid: NDArray[np.bool_]
    """False where padding repeats a sample."""

    arguments: dict[str, NDArray[Any]] = field(default_factory=dict)
    """The reader's arguments that differ by sample, by name: `(batch_size, ...)`.

    They come as soon as the operators that compute them have run.
    """

    source: NDArray[np.int64] | None = None
    """The number of the source or class of each sample, if the order has several."""

    @classmethod
    def joined(cls, parts: Sequence[Selection]) -> Selection:
        """Return selections end to end; all of them have sources, or none."""
        if len(parts) == 1:
            return parts[0]
        sources = [part.source for part in parts if part.source is not None]
        return cls(
            np.concatenate([part.index for part in parts]),
            np.concatenate([part.epoch for part in parts]),
            np.concatenate([part.position for part in parts]),
            np.concatenate([part.valid for part in parts]),
            source=np.concatenate(sources) if sources else None,
        )

    @property
    def has_repeats(self) -> bool:
        """Whether a sample comes twice."""
        numbers = self.index.tolist()
        return len(set(numbers)) < len(numbers)  # np.unique takes longer, and gives up the GIL

    def cut(self, rows: slice) -> Selection:
        """Return a copy of some samples."""
        return Selection(
            self.index[rows].copy(),
            self.epoch[rows].copy(),
            self.position[rows].copy(),
            self.valid[rows].copy(),
            {name: values[rows] for name, values in self.arguments.items()}
            if self.arguments
            else {},
            None if self.source is None else self.source[rows].copy(),
        )
