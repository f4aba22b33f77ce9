"""The map of a cache in memory: each segment is registered once, and as long as it may be read."""

from __future__ import annotations

import ctypes
import os
import resource
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from penstock import ArgumentError
from penstock.decoders.cache import ram
from penstock.decoders.cache.places import Place, close_cache, open_cache
from penstock.engine.closing import finish_closing

from .conftest import key, pixels
from .programs import STORES, running

SEGMENT = 4 << 20


class Registry:
    """Notes what is registered, and refuses some of it."""

    def __init__(self) -> None:
        self.blocks: dict[int, int] = {}
        self.calls = 0
        self.refuses = False

    def register(self, address, size):
        self.calls += 1
        if self.refuses:
            raise MemoryError("out of memory")
        assert all(b + n <= address or address + size <= b for b, n in self.blocks.items())
        self.blocks[address] = size

    def unregister(self, address):
        del self.blocks[address]


@pytest.fixture
def registry(tuned):
    tuned(ram, SEGMENT_BYTES=SEGMENT)
    return Registry()


@pytest.fixture
def place(mebibytes):
    return Place("ram", mebibytes + 8)


def arrays(*pairs):
    """Offsets and sizes."""
    return np.array(pairs, np.int64).reshape(-1, 2).T


def as_mapped(cache, registry):
    cache.map_for(registry)
    return cache


def starts(mapped, registry):
    """Numbers of the registered segments."""
    return sorted((address - mapped.address) // SEGMENT for address in registry.blocks)


def test_a_map_has_what_is_stored_before_and_after(opened, place, registry):
    cache = opened(place)
    cache.store(key(1), pixels(1))
    mapped = as_mapped(cache, registry)
    cache.store(key(2), pixels(2))
    slots = cache.find_all([key(1), key(2)])
    offsets, sizes = slots["offset"].astype(np.int64), slots["nbytes"].astype(np.int64)
    assert mapped.readable(offsets, sizes).all()
    for i, offset, size in zip((1, 2), offsets.tolist(), sizes.tolist(), strict=True):
        assert ctypes.string_at(mapped.address + offset, size) == pixels(i).tobytes()
    address = mapped.address
    cache.map_for(registry)
    assert mapped.address == address


def test_a_map_has_what_another_process_stores(opened, place, registry):
    cache = opened(place)
    mapped = as_mapped(cache, registry)
    assert mapped.readable(*arrays((0, cache.nbytes))).all()
    with running(STORES.format(place=place, number=5)) as process:
        process.wait_for("stored")
        (slot,) = cache.find_all([key(5)])
        offset, size = int(slot["offset"]), int(slot["nbytes"])
        assert ctypes.string_at(mapped.address + offset, size) == pixels(5).tobytes()
        process.end()


def test_nobody_cuts_a_file_that_is_mapped(opened, place, registry):
    cache = opened(place)
    cache.map_for(registry)
    with pytest.raises(PermissionError):
        os.ftruncate(cache.descriptor, cache.nbytes - 1)
    cache.store(key(3), pixels(3))
    assert cache.find_all([key(3)])["nbytes"] == pixels(3).nbytes


def test_a_slot_that_is_half_written_is_free_in_a_map_too(opened, place, registry):
    cache = opened(place)
    cache.store(key(4), pixels(4))
    cache.map_for(registry)
    at = cache._home(key(4))
    whole = os.pread(cache.descriptor, 64, at)
    os.pwrite(cache.descriptor, whole[:24] + b"\1" + whole[25:], at)  # another size
    assert not cache.find_all([key(4)])["nbytes"]
    os.pwrite(cache.descriptor, whole, at)
    for _ in range(2):
        assert cache.find_all([key(4)])["nbytes"] == pixels(4).nbytes


def test_each_segment_is_registered_once_and_when_it_is_wanted(opened, place, registry):
    mapped = as_mapped(opened(place), registry)
    assert not registry.blocks
    assert mapped.readable(*arrays((5, 10), (SEGMENT, SEGMENT))).tolist() == [True, True]
    assert starts(mapped, registry) == [0, 1]
    assert mapped.readable(*arrays((SEGMENT - 64, 64), (100, 1))).all()
    assert registry.calls == 2
    assert not mapped.readable(*arrays()).size


def test_an_array_may_lie_in_several_segments(opened, place, registry):
    mapped = as_mapped(opened(place), registry)
    assert mapped.readable(*arrays((SEGMENT - 1, SEGMENT + 2))).all()
    assert starts(mapped, registry) == [0, 1, 2]


def test_the_last_segment_ends_with_the_file(opened, mebibytes, registry):
    place = Place("ram", mebibytes // 4 * 4 + 9)
    cache = opened(place)
    mapped = as_mapped(cache, registry)
    assert mapped.readable(*arrays((cache.nbytes - 1, 1))).all()
    assert registry.blocks == {mapped.address + cache.nbytes - (1 << 20): 1 << 20}


def test_slots_that_point_beyond_the_file_are_not_read(opened, place, registry):
    cache = opened(place)
    mapped = as_mapped(cache, registry)
    beyond = arrays((cache.nbytes - 1, 2), (1 << 62, 1), (-1, 1), (0, 1))
    assert mapped.readable(*beyond).tolist() == [False, False, False, True]
    assert starts(mapped, registry) == [0]


def test_a_segment_that_is_refused_is_not_read(opened, place, registry):
    mapped = as_mapped(opened(place), registry)
    assert mapped.readable(*arrays((0, 1))).all()
    registry.refuses = True
    wanted = arrays((0, 1), (SEGMENT - 1, 2), (SEGMENT, 1), (0, SEGMENT))
    assert mapped.readable(*wanted).tolist() == [True, False, False, True]
    assert (mapped.refused_bytes, mapped.problem) == (SEGMENT, "out of memory")
    registry.refuses = False
    assert mapped.readable(*wanted).tolist() == [True, False, False, True]
    assert mapped.readable(*arrays((SEGMENT, 1), (2 * SEGMENT, 1))).tolist() == [False, True]
    assert registry.calls == 3


def test_threads_register_a_segment_once(opened, place, registry):
    mapped = as_mapped(opened(place), registry)
    together = threading.Barrier(4)

    def read(_):
        together.wait()
        return mapped.readable(*arrays((0, 2 * SEGMENT))).all()

    with ThreadPoolExecutor(4) as threads:
        assert all(threads.map(read, range(4)))
    assert registry.calls == 2


def test_the_map_stays_while_somebody_holds_it(place, registry):
    first, second = open_cache(place), open_cache(place)
    assert first is second
    first.store(key(1), pixels(1))
    (slot,) = first.find_all([key(1)])
    mapped = as_mapped(first, registry)
    assert mapped.readable(*arrays((0, 1 << 20))).all()
    close_cache(place)
    assert registry.blocks
    close_cache(place)
    assert registry.blocks  # a batch may read
    stored = ctypes.string_at(mapped.address + int(slot["offset"]), int(slot["nbytes"]))
    assert stored == pixels(1).tobytes()
    del mapped, first, second
    finish_closing()
    assert not registry.blocks
    as_mapped(open_cache(place), registry)
    close_cache(place)
    assert not registry.blocks


def test_a_fork_unregisters_nothing(opened, place, registry):
    mapped = as_mapped(opened(place), registry)
    assert mapped.readable(*arrays((0, 1))).all()
    child = os.fork()
    if not child:
        close_cache(place)
        ram._release(os.getppid(), registry, mapped._registered, mapped.memory)
        os._exit(len(registry.blocks))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1
    assert mapped.readable(*arrays((0, 1))).all()


def test_a_process_without_addresses_is_told(opened, place, registry):
    cache = opened(place)
    limits = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (1 << 20, limits[1]))
    try:
        with pytest.raises(ArgumentError, match="as many more addresses") as caught:
            cache.map_for(registry)
    finally:
        resource.setrlimit(resource.RLIMIT_AS, limits)
    assert f"cache_size is {place.mebibytes} MiB" in str(caught.value)
    assert as_mapped(cache, registry).readable(*arrays((0, 1))).all()
