from itertools import combinations

import numpy as np
import pytest

from penstock.operators.reductions import cpu_reduce
from penstock.operators.reductions.cpu_reduce import reduce_axes

from ..running import RubbishWorkspace, pixels

AXES = [axes for count in range(4) for axes in combinations(range(3), count)]


@pytest.mark.parametrize("axes", AXES)
@pytest.mark.parametrize("shape", [(13, 9, 3), (2, 40, 1), (5, 0, 3), (1, 1, 1)])
def test_narrow_and_long_axes(tuned, axes, shape):
    tuned(cpu_reduce, FOLD_ELEMENTS=4)
    data = pixels(*shape).astype(np.int16) - 100
    total = reduce_axes(RubbishWorkspace(), np.add, data, axes, np.dtype(np.int64))
    np.testing.assert_array_equal(total, data.sum(axes, keepdims=True))
    if data.size:
        least = reduce_axes(RubbishWorkspace(), np.minimum, data, axes, data.dtype)
        np.testing.assert_array_equal(least, data.min(axes, keepdims=True))
        assert least.dtype == data.dtype


def test_sums_do_not_overflow():
    data = np.full((3000, 2), 255, np.uint8)
    (total,) = reduce_axes(RubbishWorkspace(), np.add, data, (0,), np.dtype(np.uint64))
    assert total.tolist() == [765000, 765000]
