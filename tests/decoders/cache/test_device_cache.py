"""The cache in the memory of a GPU: what is published may be read, and nothing is given up."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from penstock import ArgumentError
from penstock.decoders.cache import device_cache
from penstock.decoders.cache.device_cache import (
    ALIGNMENT,
    DeviceCache,
    close_device_cache,
    open_device_cache,
)
from penstock.testing.emulator import DeviceArray

SHAPE = [10, 10, 3]


def keys(*numbers):
    return [number.to_bytes(16, "little") for number in numbers]


def memory_of(nbytes):
    return np.zeros(nbytes, np.uint8).view(DeviceArray)


def shapes(count):
    return np.array([SHAPE] * count)


def test_images_are_found_once_they_are_published():
    memory = memory_of(1 << 16)
    cache = DeviceCache(memory)
    assert cache.find_all(keys(1, 2))[:, 4].tolist() == [-1, -1]
    numbers, claimed = cache.claim(keys(1, 2, 1), shapes(3), 1)
    assert claimed.tolist() == [0, 1]  # the third one is the first one
    assert cache.find_all(keys(1, 2, 3))[:, 4].tolist() == [0, 0, -1]
    assert cache.claim(keys(2), shapes(1), 1)[1].tolist() == []
    cache.publish(numbers[1:])
    found = cache.find_all(keys(1, 2))
    assert found[:, 4].tolist() == [0, 1]
    assert found[1, 1:4].tolist() == SHAPE
    assert found[1, 0] == memory.ctypes.data + 2 * ALIGNMENT  # 300 bytes of the first one
    assert cache.addresses(numbers).tolist() == found[:, 0].tolist()
    assert cache.find_all([]).shape == (0, 5)


def test_a_full_cache_keeps_what_it_has():
    cache = DeviceCache(memory_of(5 * ALIGNMENT))
    numbers, claimed = cache.claim(keys(1, 2, 3), shapes(3), 1)  # two of 512 bytes
    assert claimed.tolist() == [0, 1]
    cache.publish(numbers)
    _, claimed = cache.claim(keys(4, 5), np.array([SHAPE, [5, 5, 3]]), 1)
    assert claimed.tolist() == [1]  # a gap is left
    assert cache.used == cache.nbytes
    assert cache.find_all(keys(1, 2, 3, 4, 5))[:, 4].tolist() == [1, 1, -1, -1, 0]


def test_threads_fill_one_cache():
    count = 5000
    cache = DeviceCache(memory_of(count * ALIGNMENT))
    one = np.array([[1, 1, 3]])

    def fill(number):
        numbers, claimed = cache.claim(keys(number), one, 1)
        if len(claimed):
            cache.publish(numbers)
        return len(claimed)

    with ThreadPoolExecutor(4) as threads:
        stored = sum(threads.map(fill, [*range(count)] * 2))
    assert stored == count
    found = cache.find_all(keys(*range(count)))
    assert (found[:, 4] == 1).all()
    assert len(np.unique(found[:, 0])) == count


def test_the_memory_goes_with_the_last_user(gpu_device, monkeypatch):
    first = open_device_cache(gpu_device, 1)
    assert open_device_cache(gpu_device, 1) is first
    assert open_device_cache(gpu_device, 2) is not first
    close_device_cache(gpu_device.id, 2)
    close_device_cache(gpu_device.id, 1)
    assert list(device_cache._opened) == [(gpu_device.id, 1)]
    close_device_cache(gpu_device.id, 1)
    assert not device_cache._opened

    def none(nbytes):
        raise MemoryError

    monkeypatch.setattr(gpu_device.pool, "lasting", none, raising=True)
    with pytest.raises(ArgumentError, match="cache_size is 3 MiB, which the GPU does not have"):
        open_device_cache(gpu_device, 3)
    assert not device_cache._opened
