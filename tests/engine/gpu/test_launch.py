"""How many blocks of a kernel are launched."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.engine.gpu.launch import blocks_for


@pytest.mark.parametrize(
    ("elements", "blocks"), [([], 0), ([0, 0], 0), ([1], 1), ([256, 3], 1), ([257], 2)]
)
def test_the_largest_sample_decides(elements, blocks):
    assert blocks_for(np.array(elements, np.int64)) == blocks


def test_threads_loop_over_the_elements_of_large_samples():
    assert blocks_for(np.array([1 << 40])) == 1024
