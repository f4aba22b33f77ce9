"""Objects whose large arrays lie in an arena."""

import os
import pickle

import numpy as np
import pytest

from penstock.engine.processes.shipment import Shipment
from penstock.engine.tensors.arena import Arena


@pytest.fixture
def arena():
    return Arena(shared=True)


def test_large_arrays_lie_in_the_arena_once(arena):
    large = np.arange(100_000).reshape(100, 1000)
    value = {"large": large, "again": large, "fortran": np.asfortranarray(large), "small": large[0]}
    shipment = pickle.loads(pickle.dumps(Shipment.of(value, arena)))
    assert len(shipment.pickled) < 20_000
    assert len(shipment.slots) == 2
    other = Arena(os.dup(arena.descriptor))  # as another process maps it
    found, second = shipment.open(other), shipment.open(other)
    for name, array in value.items():
        np.testing.assert_array_equal(found[name], array, strict=True)
    assert np.shares_memory(found["large"], second["large"])
    assert found["large"] is found["again"]
    assert found["fortran"].flags.f_contiguous
    assert not np.shares_memory(found["small"], second["small"])


@pytest.mark.parametrize(
    "array",
    [
        np.empty(0),
        np.arange(200_000)[::2],
        np.array([[1, "a"]], object),
        np.zeros(100_000, "u1,f4"),
        np.arange(100_000).astype(">i2"),
    ],
)
def test_other_arrays(arena, array):
    found = Shipment.of([array], arena).open(arena)
    np.testing.assert_array_equal(found[0], array, strict=True)


def test_what_cannot_be_packed(arena):
    with pytest.raises(Exception, match="pickle"):
        Shipment.of(lambda: None, arena)
    small = Arena(shared=True)
    small.reserve(len(small.map) - 4096)
    with pytest.raises(MemoryError, match="used up"):
        Shipment.of(np.zeros(100_000), small)
