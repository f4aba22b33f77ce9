"""`jitter`: how far pixels move."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.engine.graph.context import HeapWorkspace

from ..running import make


@pytest.mark.parametrize("degree", [1, 2, 5])
def test_distances_are_uniform(degree):
    operator = make("jitter", "HW", nDegree=degree)
    workspace = HeapWorkspace(random=np.array([0.25, 0.75]))
    moves = operator.positions(workspace, 200, 300) - np.indices((200, 300))[::-1]
    inner = moves[:, 5:-5, 5:-5].astype(int)
    wanted = np.arange(degree) - degree // 2
    for axis in (0, 1):
        values, counts = np.unique(inner[axis], return_counts=True)
        np.testing.assert_array_equal(values, wanted)
        assert np.abs(counts / counts.sum() - 1 / degree).max() < 0.01
    if degree > 1:
        assert abs(np.corrcoef(inner[0].ravel(), inner[1].ravel())[0, 1]) < 0.02


def test_pixels_stay_in_the_image():
    operator = make("jitter", "HW", nDegree=40)
    x, y = operator.positions(HeapWorkspace(random=np.array([0.5, 0.1])), 6, 9)
    assert (x.min(), x.max(), y.min(), y.max()) == (0, 8, 0, 5)
