"""`fn.pad` against DALI."""

import numpy as np
import pytest

pytest.importorskip("nvidia.dali")

from ..operators.running import pixels, run
from .oracle import run_dali

SAMPLES = [pixels(2, 3, 1), pixels(4, 1, 3, seed=1), pixels(1, 1, 2, seed=2)]


def compare(**arguments):
    ours = run("pad", SAMPLES, "HWC", **arguments)
    theirs, _ = run_dali("pad", SAMPLES, "HWC", **arguments)
    for a, b in zip(ours, theirs, strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("axes", [{}, {"axes": (0, 2)}, {"axes": (-1, 0)}, {"axis_names": "WH"}])
@pytest.mark.parametrize("align", [{}, {"align": 3}])
@pytest.mark.parametrize("shape", [{}, {"shape": 3}, {"shape": 1}, {"shape": -1}, {"shape": 0}])
def test_shapes(shape, align, axes):
    compare(fill_value=2.7, **shape, **align, **axes)


def test_values_for_each_axis():
    compare(axes=(0, 1), shape=(3, -1), align=(1, 2))


def test_arguments_vary_by_sample():
    nodes = {"shape": np.int32([(3, 3), (1, -1), (-1, 4)]), "fill_value": np.float32([1, 2, 3])}
    compare(axes=(0, 1), per_sample=nodes)
    compare(axes=(2, 1), per_sample={"align": np.int32([(3, 3), (1, 2), (5, 4)])})
    compare(shape=5, per_sample={"axes": np.int32([[0], [1], [2]])})
