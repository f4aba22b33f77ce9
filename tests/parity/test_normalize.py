"""`fn.normalize` against DALI."""

import numpy as np
import pytest

pytest.importorskip("nvidia.dali")

from penstock import types

from ..operators.running import pixels, run
from .oracle import dali_types, run_dali


def compare(samples, tolerance=1e-4, **arguments):
    theirs, _ = run_dali("normalize", samples, "HWC", **arguments)
    if "dtype" in arguments:
        arguments["dtype"] = getattr(types, arguments["dtype"].name)
    ours = run("normalize", samples, "HWC", **arguments)
    for a, b in zip(ours, theirs, strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_allclose(a.astype(float), b.astype(float), atol=tolerance, rtol=1e-4)


@pytest.mark.parametrize("source", ["uint8", "int16", "float32"])
@pytest.mark.parametrize(
    "statistics",
    [
        *({}, {"ddof": 1}, {"epsilon": 5.0}, {"mean": 100.0}, {"stddev": 9.0}),
        *({"stddev": 3.0, "epsilon": 7.0}, {"ddof": 1000}),
    ],
)
@pytest.mark.parametrize("batch", [False, True])
@pytest.mark.parametrize(
    "axes", [{}, {"axes": (0, 1)}, {"axes": (2,)}, {"axis_names": "HW"}, {"axes": (0, 1, 2)}]
)
def test_computed_statistics(axes, batch, statistics, source):
    samples = [pixels(7, 5, 3, dtype=source, seed=i) for i in range(3)]
    compare(samples, batch=batch, scale=2.0, shift=1.0, **axes, **statistics)


def test_given_statistics():
    samples = [pixels(7, 5, 3), pixels(2, 9, 3)]
    mean, stddev = np.float32([10, 20, 30]).reshape(1, 1, 3), np.float32([1, 2, 3]).reshape(1, 1, 3)
    compare(samples, mean=mean)
    compare(samples, stddev=stddev)
    compare(samples, mean=mean, stddev=stddev)
    compare(samples, mean=mean, stddev=4.0, axes=(0, 1))
    compare(samples, per_sample={"mean": [mean, stddev], "stddev": [stddev, mean]})
    compare(samples, mean=5.0, stddev=4.0)


@pytest.mark.parametrize("dtype", ["UINT8", "INT16"])
def test_integer_results(dtype):
    samples = [pixels(20, 30, 3)]
    compare(samples, 1, dtype=getattr(dali_types(), dtype), scale=90.0, shift=128.0)


def test_no_deviation():
    compare([np.full((2, 2, 1), 5, np.uint8)], shift=3.0)
