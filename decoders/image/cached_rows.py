"""What a cache has of a batch."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from ...engine.gpu.device import Device
    from ...engine.graph.context import BatchContext

Rows = NDArray[np.intp]


class CachedRows(ABC):
    """What a cache has of one batch, and what the batch adds to the cache.

    Args:
        lengths: lengths of the files in bytes; 0 for rows that are no files: (batch,).

    Attributes:
        is_file: whether a row is a file: (batch,) bool. Others have no key.
        hits: rows whose images the cache has.
        shapes: height, width and channels of these images: (hits, 3).
        kept: rows whose images the batch adds.
        images: addresses of the whole images of hits and kept rows: (batch,); valid after `place`.
    """

    def __init__(self, lengths: NDArray[np.int64]) -> None:
        self.is_file = lengths > 0
        self.hits = np.empty(0, np.intp)
        self.shapes = np.empty((0, 3), np.int64)
        self.kept = np.empty(0, np.intp)
        self.images = np.zeros(len(lengths), np.uint64)

    @abstractmethod
    def keep(self, rows: Rows, shapes: NDArray[np.int64]) -> None:
        """Choose the rows to add among rows that are no hits; shapes: (rows, 3)."""

    @abstractmethod
    def place(self, device: Device) -> None:
        """Have memory for the images of hits and kept rows, which the device reads or writes."""

    @abstractmethod
    def store(self, batch: BatchContext, sound: Callable[[], Rows]) -> None:
        """Add the kept rows to the cache once the device has written them.

        Args:
            batch: the batch, whose work is launched.
            sound: tells, when the device is done, which of the kept rows to add, by their numbers
                in `kept`.
        """
