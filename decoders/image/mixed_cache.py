"""What the decoders on the GPU ask of a cache of whole decoded images."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..cache.keys import Keys
from ..cache.shared_cache import LARGEST
from .cached import Tally
from .cached_rows import CachedRows

if TYPE_CHECKING:
    from ...engine.gpu.device import Device
    from ...engine.graph.context import BatchContext
    from ..on_cpu import CpuFallback
    from .mixed_batch import MixedBatch


class MixedCache(ABC):
    """The cache of one decoder on the GPU. Threads may use it together.

    Args:
        mebibytes: size of the cache.
        keys: make the keys of the images.
        dtype: of the images.
        threshold: images of fewer bytes are not stored.

    Attributes:
        tally: counts what comes from the cache, and what is stored.
    """

    def __init__(self, mebibytes: int, keys: Keys, dtype: np.dtype[Any], threshold: int) -> None:
        self.tally = Tally()
        self.dtype = dtype
        self._mebibytes = mebibytes
        self._keys = keys
        self._threshold = threshold

    def has_size(self, shapes: NDArray[np.int64], room: int) -> NDArray[np.bool_]:
        """Whether images have a size that is stored, and that `room` bytes suffice for."""
        sizes = shapes.prod(axis=1) * self.dtype.itemsize
        fits: NDArray[np.bool_] = (sizes <= room) & (sizes < LARGEST)
        fits &= sizes >= max(1, self._threshold)
        return fits

    def keys_of(self, work: MixedBatch) -> list[bytes]:
        """Return the keys of a batch's images."""
        return self._keys.of_batch(work.encoded, work.files.lengths)

    @abstractmethod
    def check_machine(self) -> None:
        """See `Operator.check_machine`."""

    @abstractmethod
    def open(self, device: Device) -> None:
        """Open the cache; idempotent, and not called by two threads at a time."""

    @abstractmethod
    def find(self, batch: BatchContext, work: MixedBatch, threads: CpuFallback) -> CachedRows:
        """Return what the cache has of a batch; rows that are no files are no hits.

        Args:
            batch: gives host memory.
            work: the batch, with the files.
            threads: that copy.

        Raises:
            PipelineStopped: the pipeline is closed.
        """

    def event_counts(self) -> dict[str, int]:
        """See `Operator.event_counts`."""
        return self.tally.event_counts()

    @abstractmethod
    def remark(self) -> str:
        """See `Operator.remark`."""

    @abstractmethod
    def close(self) -> None:
        """Leave the cache, and keep what `remark` tells; idempotent."""
