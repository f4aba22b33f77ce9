"""Memory that is kept from call to call."""

import numpy as np

from penstock.engine.tensors.memory import Scratch


def test_it_is_reused_and_grows():
    scratch = Scratch()
    first = scratch.array("a", (4, 5), np.float32)
    assert np.shares_memory(first, scratch.array("a", (2, 3), np.uint8))
    assert not np.shares_memory(first, scratch.array("b", (4, 5), np.float32))
    grown = scratch.array("a", (40, 50), np.float32)
    assert grown.shape == (40, 50)
    assert np.shares_memory(grown, scratch.array("a", (4, 5), np.float32))


def test_arrays_without_elements():
    scratch = Scratch()
    assert scratch.array("a", (0, 3), np.int16).shape == (0, 3)
    assert scratch.array("a", (0, 300), np.int16).shape == (0, 300)
    assert scratch.array("a", (), np.float64).shape == ()


def test_large_blocks_are_not_kept():
    scratch = Scratch(100)
    small, large = (scratch.array(n, (n,), np.uint8) for n in (100, 101))
    assert np.shares_memory(small, scratch.array(100, (100,), np.uint8))
    assert not np.shares_memory(large, scratch.array(101, (101,), np.uint8))
