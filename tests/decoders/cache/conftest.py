"""Caches of the tests' own."""

from __future__ import annotations

import hashlib
import os

import numpy as np
import pytest

from penstock.decoders.cache.places import Place, close_cache, open_cache


@pytest.fixture
def mebibytes():
    """A size that no other process gives a cache in memory at the same time."""
    return 8 + os.getpid() % 1000


@pytest.fixture(params=["ram", "disk"])
def place(request, tmp_path, mebibytes):
    """A place for a cache, in memory and on a disk."""
    return Place(request.param, mebibytes, str(tmp_path) if request.param == "disk" else "")


@pytest.fixture
def disk(tmp_path):
    """A place for a small cache on a disk."""
    return Place("disk", 1, str(tmp_path))


@pytest.fixture
def opened():
    """A function that opens a cache, which the test's end closes."""
    places = []

    def open_one(place):
        places.append(place)
        return open_cache(place)

    yield open_one
    for place in places:
        close_cache(place)


def key(i):
    return hashlib.sha256(b"%d" % i).digest()[:16]


def pixels(i):
    return np.random.default_rng(i).integers(0, 256, (20 + i, 30, 3)).astype(np.uint8)


def found(cache, i, dtype=np.uint8):
    """Return an array that is found alone and among others; None if it is not."""
    slots = cache.find_all([key(10**6 + i), key(i)])[1:]
    memory = np.empty(int(slots["nbytes"].sum()) + 1, np.uint8)
    damaged = cache.read_all(slots, memory.data, np.array([1])) if slots["nbytes"].any() else [0]
    image = cache.find(key(i), np.dtype(dtype), np.empty)
    assert (image is None) == bool(damaged)
    if image is not None:
        assert slots["shape"][0].tolist() == list(image.shape)
        assert memory[1:].tobytes() == image.tobytes()
    return image
