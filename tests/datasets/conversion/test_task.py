"""The order of samples, and tasks."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.datasets.conversion.task import SampleOrder


@pytest.mark.parametrize("key", [None, 3])
@pytest.mark.parametrize("count", [1, 50, 100])
def test_each_sample_comes_at_most_once(key, count):
    order = SampleOrder(100, count, key, 5)
    whole = order.indices(0, count)
    assert len(np.unique(whole)) == count
    parts = [order.indices(start, min(start + 7, count)) for start in range(0, count, 7)]
    np.testing.assert_array_equal(np.concatenate(parts), whole)
    assert (np.sort(whole) == whole).all() == (key is None or count == 1)
