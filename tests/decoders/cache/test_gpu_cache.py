"""The cache in the memory of a GPU: what is published may be read, and nothing is given up."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from penstock import ArgumentError
from penstock.decoders.cache import places
from penstock.decoders.cache.cache import ALIGNMENT
from penstock.decoders.cache.gpu import GpuCache
from penstock.decoders.cache.places import Place, close_cache, open_cache
from penstock.testing.emulator import DeviceArray

SHAPE = [10, 10, 3]
UINT8 = np.dtype(np.uint8)


def keys(*numbers):
    return [number.to_bytes(16, "little") for number in numbers]


def memory_of(nbytes):
    return np.zeros(nbytes, np.uint8).view(DeviceArray)


def shapes(count):
    return np.array([SHAPE] * count)


def found(cache, *numbers):
    return cache.find_rows(keys(*numbers), UINT8, None, None)


def claim(cache, shapes, *numbers):
    """Claim memory for arrays of these shapes; return what is kept, and a function that adds it."""
    hits = found(cache, *numbers)
    kept = cache.claim(hits, np.arange(len(numbers)), shapes, UINT8)
    return kept, cache.add(None, kept, None, None)


def test_images_are_found_once_they_are_published():
    memory = memory_of(1 << 16)
    cache = GpuCache(memory)
    assert found(cache, 1, 2).is_new.tolist() == [True, True]
    kept, add = claim(cache, shapes(3), 1, 2, 1)
    assert kept.rows.tolist() == [0, 1]  # the third one is the first one
    assert found(cache, 1, 2, 3).is_new.tolist() == [False, False, True]
    assert not len(found(cache, 1, 2, 3).rows)
    assert not len(claim(cache, shapes(1), 2)[0].rows)
    assert add(np.array([1])) == 1
    hits = found(cache, 1, 2)
    assert hits.rows.tolist() == [1]
    assert hits.shapes.tolist() == [SHAPE]
    addresses, _ = cache.place(None, kept, UINT8)
    assert addresses.tolist() == [memory.ctypes.data, memory.ctypes.data + 2 * ALIGNMENT]
    assert cache.locate(None, hits)[0].tolist() == addresses[1:].tolist()
    assert found(cache).is_new.shape == (0,)


def test_a_full_cache_keeps_what_it_has():
    cache = GpuCache(memory_of(5 * ALIGNMENT))
    kept, add = claim(cache, shapes(3), 1, 2, 3)  # two of 512 bytes
    assert kept.rows.tolist() == [0, 1]
    assert add(np.arange(2)) == 2
    kept, _ = claim(cache, np.array([SHAPE, [5, 5, 3]]), 4, 5)
    assert kept.rows.tolist() == [1]  # a gap is left
    assert cache.used == cache.nbytes
    hits = found(cache, 1, 2, 3, 4, 5)
    assert hits.rows.tolist() == [0, 1]
    assert hits.is_new.tolist() == [False, False, True, True, False]


def test_threads_fill_one_cache():
    count = 5000
    cache = GpuCache(memory_of(count * ALIGNMENT))
    one = np.array([[1, 1, 3]])

    def fill(number):
        kept, add = claim(cache, one, number)
        return add(np.arange(len(kept.rows)))

    with ThreadPoolExecutor(4) as threads:
        stored = sum(threads.map(fill, [*range(count)] * 2))
    assert stored == count
    hits = found(cache, *range(count))
    assert len(hits.rows) == len(np.unique(hits.starts)) == count


def test_the_memory_goes_with_the_last_user(gpu_device, monkeypatch):
    small, large = (Place("gpu", mebibytes, device_id=gpu_device.id) for mebibytes in (1, 2))
    first = open_cache(small, gpu_device)
    assert open_cache(small, gpu_device) is first
    assert open_cache(large, gpu_device) is not first
    close_cache(large)
    close_cache(small)
    assert [place for _, place in places._opened] == [small]
    close_cache(small)
    assert not places._opened

    def none(nbytes):
        raise MemoryError

    monkeypatch.setattr(gpu_device.pool, "lasting", none, raising=True)
    with pytest.raises(ArgumentError, match="cache_size is 3 MiB, which the GPU does not have"):
        open_cache(Place("gpu", 3), gpu_device)
    assert not places._opened
