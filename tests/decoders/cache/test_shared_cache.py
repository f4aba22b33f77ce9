"""The shared cache: what is stored comes back, or nothing does, whatever happens to the file."""

from __future__ import annotations

import os
import resource
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from penstock import ArgumentError
from penstock.decoders.cache import layout, shared_cache
from penstock.decoders.cache.disk import FILE_NAME
from penstock.decoders.cache.places import Place, close_cache, open_cache

from .conftest import found, key, pixels
from .programs import running

WRITES_AND_WAITS = """
really = os.pwrite
def pwrite(descriptor, data, offset):
    if len(data) > 4096:
        really(descriptor, bytes(data)[:100], offset)
        told("writing")
        sys.stdin.readline()
    return really(descriptor, data, offset)
shared_cache.os.pwrite = pwrite
cache = open_cache({place!r})
cache.store(key(80), np.full((50, 60, 3), 7, np.uint8))
told("stored")
sys.stdin.readline()
close_cache({place!r})
"""


def test_arrays_come_back_in_memory_of_the_caller(opened, place):
    cache = opened(place)
    assert found(cache, 1) is None
    floats = np.linspace(0, 1, 60, dtype=np.float32).reshape(4, 5, 3)
    assert cache.store(key(1), pixels(1))
    assert cache.store(key(2), floats)
    one = found(cache, 1)
    np.testing.assert_array_equal(one, pixels(1))
    np.testing.assert_array_equal(found(cache, 2, np.float32), floats)
    one[:] = 0  # the caller's copy
    np.testing.assert_array_equal(found(cache, 1), pixels(1))
    assert not cache.store(key(1), pixels(3))  # the first one stays
    assert not cache.store(key(4), np.empty((0, 3, 3), np.uint8))
    assert found(cache, 3) is None


def test_keys_of_the_same_slot_take_those_beside_it(opened, place):
    cache = opened(place)
    keys = [bytes(8) + key(i)[:8] for i in range(shared_cache.NEIGHBORS + 1)]
    stored = [cache.store(one, pixels(i)) for i, one in enumerate(keys)]
    assert stored == [True] * shared_cache.NEIGHBORS + [False]
    order = np.random.default_rng(1).permutation(len(keys))
    slots = cache.find_all([keys[i] for i in order])
    for i, slot in zip(order.tolist(), slots, strict=True):
        assert slot["nbytes"] == (pixels(i).nbytes if stored[i] else 0)
        assert not stored[i] or slot["key"].tobytes() == keys[i]
    if place.kind == "ram":
        cache.map_for(SimpleNamespace())  # nothing is read there by a kernel, nor registered
        assert (cache.find_all([keys[i] for i in order]) == slots).all()


def test_a_full_cache_keeps_what_it_has(opened, disk):
    cache = opened(disk)
    stored = [cache.store(key(i), np.full((100, 100, 3), i, np.uint8)) for i in range(40)]
    assert stored == [True] * sum(stored) + [False] * (40 - sum(stored))
    assert 30 <= sum(stored) < 35  # of 30,000 bytes each
    assert cache.used <= cache.nbytes == os.path.getsize(Path(disk.folder, FILE_NAME)) == 1 << 20
    assert cache.store(key(99), np.full((10, 10, 3), 9, np.uint8))  # a gap is left
    for i, is_there in enumerate(stored):
        image = found(cache, i)
        assert (image is not None) == is_there
        assert image is None or (image == i).all()


def test_slots_run_out_without_harm(opened, disk):
    cache = opened(disk)
    stored = [i for i in range(400) if cache.store(key(i), np.full((1, 2, 3), i % 256, np.uint8))]
    assert 100 < len(stored) < 200  # a slot for 8 KiB
    for i in stored:
        assert (found(cache, i) == i % 256).all()


def test_threads_and_processes_fill_one_cache(opened, place):
    program = f"""
cache = open_cache({place!r})
told("ready")
sys.stdin.readline()
for i in range(60):
    cache.store(key(i), pixels(i))
    image = cache.find(key(i), UINT8, np.empty)
    assert image is None or (image == pixels(i)).all()
told("done")
sys.stdin.readline()
close_cache({place!r})
"""
    cache = opened(place)
    with running(program) as one, running(program) as other, ThreadPoolExecutor(2) as threads:
        for process in (one, other):
            process.wait_for("ready")
        for process in (one, other):
            process.go_on()
        list(threads.map(lambda i: cache.store(key(i), pixels(i)), [*range(60)] * 2))
        for process in (one, other):
            process.wait_for("done")
        for i in range(60):
            np.testing.assert_array_equal(found(cache, i), pixels(i))
        together = sum(-(-pixels(i).nbytes // 64) * 64 for i in range(60))
        assert cache.used == cache._data_at + together  # each is stored once
        for process in (one, other):
            process.end()


def test_a_writer_that_is_killed_leaves_nothing_behind(opened, place):
    cache = opened(place)
    with running(WRITES_AND_WAITS.format(place=place)) as writer:
        writer.wait_for("writing")
        assert found(cache, 80) is None
        assert not cache.store(key(80), np.full((50, 60, 3), 7, np.uint8))  # the writer is at it
        writer.kill()
    assert found(cache, 80) is None
    assert cache.store(key(80), np.full((50, 60, 3), 7, np.uint8))
    assert (found(cache, 80) == 7).all()


def test_an_array_shows_once_it_is_written(opened, place):
    cache = opened(place)
    with running(WRITES_AND_WAITS.format(place=place)) as writer:
        writer.wait_for("writing")
        assert found(cache, 80) is None
        writer.go_on()
        writer.wait_for("stored")
        assert (found(cache, 80) == 7).all()
        writer.end()


def test_no_damage_gives_other_pixels(opened, disk):
    cache = opened(disk)
    for i in range(4):
        cache.store(key(i), pixels(i))
    path = Path(disk.folder, FILE_NAME)
    sound = path.read_bytes()
    slots = [at for at in range(4096, cache._data_at) if sound[at]]
    arrays = range(cache._data_at, cache.used, 97)
    lost = 0
    with path.open("r+b", buffering=0) as file:
        for at in (*slots, *arrays):
            file.seek(at)
            file.write(bytes([sound[at] ^ 0x41]))
            for i in range(4):
                image = found(cache, i)
                lost += image is None
                assert image is None or np.array_equal(image, pixels(i))
            file.seek(0)
            file.write(sound)
    assert lost >= len(slots) - 4 * 12  # the zeros at a slot's end count for nothing
    assert cache.damaged >= len(arrays) - 8


FORGED = {
    "an offset that no file has": {"offset": 1 << 63},
    "an offset in the index": {"offset": 4096},
    "an end beyond the file": {"offset": (1 << 20) - 64},
    "a size that overflows": {
        "nbytes": 3 * 2**31 * (2**31 - 1),
        "height": 2**31,
        "width": 2**31 - 1,
    },
    "a size of 10 GB": {"nbytes": 10**10, "height": 10**5, "width": 10**5, "channels": 1},
    "more bytes than the shape": {"nbytes": 1 << 16},
}


@pytest.mark.parametrize("change", FORGED.values(), ids=FORGED.keys())
def test_a_forged_slot_is_no_array(opened, disk, change):
    cache = opened(disk)
    cache.store(key(1), pixels(1))
    with Path(disk.folder, FILE_NAME).open("r+b") as file:
        content = file.read(cache._data_at)
        at = content.index(key(1))
        slot = layout.unpacked(content[at : at + 64], 0)
        file.seek(at)
        file.write(layout.packed(slot._replace(**change)))
    assert cache.find(key(1), np.dtype(np.uint8), no_memory) is None
    assert cache.damaged == 1
    with Path(disk.folder, FILE_NAME).open("r+b") as file:
        file.seek(at)
        file.write(layout.packed(slot._replace(**change)))
    slots = cache.find_all([key(1)])
    assert slots["nbytes"][0] in {0, 1 << 16}
    assert cache.store(key(2), pixels(2))


def no_memory(shape, dtype):
    raise AssertionError(f"memory was asked for {shape}")


def test_a_damaged_array_is_stored_anew(opened, disk):
    cache = opened(disk)
    cache.store(key(1), pixels(1))
    path = Path(disk.folder, FILE_NAME)
    with path.open("r+b") as file:
        file.seek(cache._data_at + 100)
        file.write(b"damaged")
    assert found(cache, 1) is None
    assert cache.damaged == 1
    assert cache.store(key(1), pixels(1))
    np.testing.assert_array_equal(found(cache, 1), pixels(1))


def test_a_file_cut_short_loses_its_arrays_alone(disk):
    cache = open_cache(disk)
    cache.store(key(1), pixels(1))
    os.truncate(Path(disk.folder, FILE_NAME), cache._data_at + 1000)
    close_cache(disk)
    cache = open_cache(disk)
    assert found(cache, 1) is None
    assert cache.store(key(1), pixels(1))
    np.testing.assert_array_equal(found(cache, 1), pixels(1))
    close_cache(disk)


def test_a_lost_count_of_used_bytes_costs_arrays_and_no_pixels(opened, disk):
    cache = opened(disk)
    cache.store(key(1), pixels(1))
    with Path(disk.folder, FILE_NAME).open("r+b") as file:  # as after a failure of the power
        file.seek(64)
        file.write(bytes(8))
    assert cache.store(key(2), pixels(2))
    np.testing.assert_array_equal(found(cache, 2), pixels(2))
    assert found(cache, 1) is None


@pytest.mark.parametrize("content", [b"notes of a user", bytes(64), b"PENSTOCK" + bytes(56)])
def test_a_file_that_is_no_cache_is_refused_and_left(disk, content):
    path = Path(disk.folder, FILE_NAME)
    path.write_bytes(content)
    with pytest.raises(ArgumentError, match=f"{path} is damaged, or no cache.*remove the file"):
        open_cache(disk)
    assert path.read_bytes() == content


def test_a_cache_of_another_size_is_refused(disk):
    open_cache(disk)
    close_cache(disk)
    with pytest.raises(ArgumentError, match=r"was made with cache_size=1; pass that"):
        open_cache(Place("disk", 2, disk.folder))


def test_a_full_disk_ends_the_storing_alone(disk):
    program = f"""
import resource
cache = open_cache({disk!r})
assert cache.store(key(1), pixels(1))
resource.setrlimit(resource.RLIMIT_FSIZE, (cache.used + 1000, -1))  # as full as this
assert not cache.store(key(2), pixels(2))
assert not cache.has_room(10)
assert (cache.find(key(1), UINT8, np.empty) == pixels(1)).all()
assert cache.find(key(2), UINT8, np.empty) is None
told("right")
"""
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[1] == resource.RLIM_INFINITY
    with running(program) as process:
        process.wait_for("right")


def test_the_checksum_is_that_of_the_pixels(opened, disk, monkeypatch):
    cache = opened(disk)
    monkeypatch.setattr(shared_cache, "_checksum", lambda _: 1)
    cache.store(key(1), pixels(1))
    monkeypatch.undo()
    assert found(cache, 1) is None
