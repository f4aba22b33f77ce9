"""Decoded images in the memory of a GPU, which the pipelines of a process share.

The memory is one block, which is taken when the first pipeline needs the cache. Images lie one
after the other, and stay until the last of these pipelines is closed.

An image is *claimed* by the batch that will write it, and *published* once the device has done the
work of that batch. So whoever finds an image may read it on any stream, without an event. A claim
that is never published, such as that of a damaged file, lasts: the file is not claimed again.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...engine.errors import ArgumentError
from ...engine.tensors import address_of

if TYPE_CHECKING:
    from ...engine.gpu.device import Device

MIB = 1 << 20

ALIGNMENT = 256
"""Of images, in bytes."""


class DeviceCache:
    """Decoded images on one device. Threads may use it together.

    Args:
        memory: (nbytes,) uint8 on the device.

    Attributes:
        nbytes: size of the memory.
        used: bytes that images have taken.
    """

    def __init__(self, memory: Any) -> None:
        self.nbytes = int(memory.nbytes)
        self.used = 0
        self._memory = memory
        self._address = address_of(memory)
        self._numbers: dict[bytes, int] = {}
        # By the numbers of images: address, height, width, channels, and whether it is published.
        self._images = np.zeros((1024, 5), np.int64)
        self._lock = threading.Lock()

    def find_all(self, keys: Sequence[bytes]) -> NDArray[np.int64]:
        """Return address, height, width, channels and state of images: (keys, 5).

        The state is 1 for an image that may be read, 0 for one that is claimed, and -1 for others.
        """
        numbers = np.array([self._numbers.get(key, -1) for key in keys], np.int64)
        found: NDArray[np.int64] = self._images[numbers]
        found[numbers < 0, 4] = -1
        return found

    def claim(
        self, keys: Sequence[bytes], shapes: NDArray[np.int64], itemsize: int
    ) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
        """Claim memory for images.

        Args:
            keys: their keys.
            shapes: height, width and channels: (keys, 3).
            itemsize: bytes of an element.

        Returns:
            The numbers of the images, for `publish`; and for which of the keys they are: images
            that another batch has claimed, or that have no room, are left out.
        """
        sizes = -(-shapes.prod(axis=1) * itemsize // ALIGNMENT) * ALIGNMENT
        numbers, claimed = [], []
        with self._lock:
            for i in np.flatnonzero(sizes <= self.nbytes - self.used).tolist():
                size = int(sizes[i])
                if keys[i] in self._numbers or size > self.nbytes - self.used:
                    continue
                number = len(self._numbers)
                if number == len(self._images):
                    self._images = np.concatenate([self._images, np.zeros_like(self._images)])
                self._images[number] = self._address + self.used, *shapes[i], 0
                self._numbers[keys[i]] = number
                self.used += size
                numbers.append(number)
                claimed.append(i)
        return np.array(numbers, np.int64), np.array(claimed, np.intp)

    def addresses(self, numbers: NDArray[np.int64]) -> NDArray[np.uint64]:
        """Return the addresses of claimed images."""
        addresses: NDArray[np.uint64] = self._images[numbers, 0].astype(np.uint64)
        return addresses

    def publish(self, numbers: NDArray[np.int64]) -> None:
        """Let others read images: the device has written them."""
        with self._lock:
            self._images[numbers, 4] = 1


_opened: dict[tuple[int, int], tuple[DeviceCache, int]] = {}
"""The caches of this process, by the number of the device and the size in MiB, and their users."""

_opening = threading.RLock()  # the collector may close a pipeline while its thread opens a cache


def open_device_cache(device: Device, mebibytes: int) -> DeviceCache:
    """Return the cache of a size on a device; each call needs one of `close_device_cache`.

    Raises:
        ArgumentError: the device has less memory.
    """
    with _opening:
        key = device.id, mebibytes
        cache, users = _opened.get(key) or (DeviceCache(_memory(device, mebibytes)), 0)
        _opened[key] = cache, users + 1
        return cache


def close_device_cache(device_id: int, mebibytes: int) -> None:
    """Undo a call of `open_device_cache`. The memory goes with the last user."""
    with _opening:
        cache, users = _opened.pop((device_id, mebibytes))
        if users > 1:
            _opened[device_id, mebibytes] = cache, users - 1


def _memory(device: Device, mebibytes: int) -> Any:
    try:
        return device.pool.lasting(mebibytes * MIB)
    except MemoryError as error:
        raise ArgumentError(
            f"cache_size is {mebibytes} MiB, which the GPU does not have; cache a part of "
            "the data set, or use cache='ram'"
        ) from error
