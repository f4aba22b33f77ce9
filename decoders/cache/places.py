"""Where caches lie, and how a process comes to share them: it opens the cache of a place once.

The locks of a file belong to the process: they go when the process closes any descriptor of the
file.
"""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, NamedTuple

from .cache import Cache
from .disk import DiskCache
from .gpu import GpuCache
from .ram import RamCache

if TYPE_CHECKING:
    from ...engine.gpu.device import Device


class Place(NamedTuple):
    """Where a cache lies.

    Attributes:
        kind: "ram", "disk" or "gpu".
        mebibytes: size of the cache.
        folder: folder of the file, for "disk".
        device_id: number of the device, for "gpu".
    """

    kind: str
    mebibytes: int
    folder: str = ""
    device_id: int = 0


_opened: dict[tuple[int, Place], tuple[Cache, int]] = {}
"""The caches that a process has open, and how often: by process, because a fork has its own."""

_opening = threading.RLock()  # the collector may close a pipeline while its thread opens a cache


def open_cache(place: Place, device: Device | None = None) -> Cache:
    """Return the cache of a place; each call needs one of `close_cache`.

    All processes of a user on a host share the cache of a place that is not "gpu".

    Args:
        place: where the cache lies.
        device: the device of a place "gpu".

    Raises:
        ArgumentError: the host or the device has less memory, or the folder cannot be used.
    """
    with _opening:
        key = os.getpid(), place
        cache, users = _opened.get(key) or (_made(place, device), 0)
        _opened[key] = cache, users + 1
        return cache


def _made(place: Place, device: Device | None) -> Cache:
    if place.kind == "ram":
        return RamCache.open(place.mebibytes)
    if place.kind == "disk":
        return DiskCache.open(place.mebibytes, place.folder)
    assert device is not None
    return GpuCache.open(device, place.mebibytes)


def close_cache(place: Place) -> None:
    """Undo a call of `open_cache`. A cache in memory goes with its last user."""
    with _opening:
        key = os.getpid(), place
        if key not in _opened:  # a fork of the process that opened it
            return
        cache, users = _opened.pop(key)
        if users > 1:
            _opened[key] = cache, users - 1
        else:
            cache.close()


class CacheUser:
    """One user of a cache: opens and leaves it, and counts. Threads may use it together.

    Args:
        place: where the cache lies.

    Attributes:
        cache: the cache; None before `open` and after `close`.
    """

    def __init__(self, place: Place) -> None:
        self.cache: Cache | None = None
        self._place = place
        self._on_gpu = False
        self._lock = threading.Lock()
        self._hits = self._stores = self._damaged = 0
        self._remark = ""

    def check_machine(self) -> None:
        """See `Operator.check_machine`. The device of a GPU is not known yet."""
        if self._place.kind != "gpu":
            self.open()

    def open(self, device: Device | None = None) -> Cache:
        """Open the cache, for a device if one reads it; idempotent."""
        with self._lock:
            if self.cache is None:
                if device is not None and self._place.kind == "gpu":
                    self._place = self._place._replace(device_id=device.id)
                self.cache = open_cache(self._place, device)
            cache = self.cache
        if device is not None:
            self._on_gpu = True
            if isinstance(cache, RamCache):
                cache.map_for(device.registry)
        return cache

    def count(self, *, hits: int = 0, stores: int = 0) -> None:
        """Count arrays that came from the cache, and arrays that were stored."""
        with self._lock:
            self._hits += hits
            self._stores += stores

    def event_counts(self) -> dict[str, int]:
        """See `Operator.event_counts`."""
        if self.cache is not None:
            self._damaged = self.cache.damaged
        counts = {
            "images from the cache": self._hits,
            "images stored in the cache": self._stores,
            "damaged images dropped from the cache": self._damaged,
        }
        return {event: number for event, number in counts.items() if number}

    def remark(self) -> str:
        """See `Operator.remark`."""
        if (cache := self.cache) is not None:
            self._remark = cache.remark(on_gpu=self._on_gpu)
        return self._remark

    def close(self) -> None:
        """Leave the cache, and keep what `event_counts` and `remark` tell; idempotent."""
        self.event_counts()
        self.remark()
        if self.cache is not None:
            self.cache = None
            close_cache(self._place)
