"""What operators are given for their work, outside of any worker."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from penstock.engine.graph.context import HeapWorkspace, Placement


def test_a_workspace_on_the_heap_gives_new_memory():
    workspace = HeapWorkspace(random=np.array([0.5]))
    one, other = (workspace.empty((2, 3), np.int16) for _ in range(2))
    assert (one.shape, one.dtype) == ((2, 3), np.int16)
    assert not np.shares_memory(one, other)
    assert workspace.scratch((4,), np.uint8).nbytes == 4
    assert workspace.random.tolist() == [0.5]


def test_a_workspace_allocates_results_as_it_is_told():
    shapes = []

    def allocate(shape, dtype):
        shapes.append(shape)
        return np.zeros(shape, dtype)

    assert HeapWorkspace(allocate).empty((5,), np.uint8).tolist() == [0] * 5
    assert shapes == [(5,)]


def test_a_placement_does_not_change():
    placement = Placement(ordinal=3, random_key=7)
    assert placement.threads == 1
    with pytest.raises(dataclasses.FrozenInstanceError):
        placement.ordinal = 4
