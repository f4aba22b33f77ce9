"""`fn.reductions` against DALI."""

from functools import reduce
from importlib import import_module

import numpy as np
import pytest

pytest.importorskip("nvidia.dali")

from ..operators.running import make, pixels, run
from .oracle import dali

IMAGE = pixels(7, 9, 3)
ONE = ["sum", "mean", "mean_square", "rms", "min", "max"]


def both(name, *samples, **arguments):
    """Return the results of Penstock and DALI, which have one dtype, shape and layout."""
    name = f"reductions.{name}"
    function = reduce(getattr, name.split("."), import_module("nvidia.dali.fn"))
    ((rows, layout),) = dali(
        lambda *nodes: function(*nodes, **arguments), *[[s] for s in samples], layout="HWC"
    )
    (ours,) = run(name, samples[:1], "HWC", inputs=[[s] for s in samples[1:]], **arguments)
    made = make(name, "HWC", len(samples), **arguments)
    assert made.output_layouts() == (layout,)
    assert (ours.dtype, ours.shape) == (rows[0].dtype, rows[0].shape)
    return ours, rows[0]


@pytest.mark.parametrize("name", ONE)
@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"axes": (0,)},
        {"axes": (-1,)},
        {"axes": (0, 1)},
        {"axes": ()},
        {"axis_names": "CH"},
        {"axis_names": "W", "keep_dims": True},
    ],
)
def test_axes(name, arguments):
    for dtype in ("u1", "f4"):
        np.testing.assert_allclose(*both(name, IMAGE.astype(dtype), **arguments), 1e-5)


@pytest.mark.parametrize("name", ONE)
@pytest.mark.parametrize("dtype", ["u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f4"])
def test_dtypes(name, dtype):
    np.testing.assert_allclose(*both(name, (IMAGE // 2).astype(dtype)), 1e-5)


@pytest.mark.parametrize("name", ["std_dev", "variance"])
@pytest.mark.parametrize("ddof", [0, 1, 7 * 9])
def test_distances_from_a_mean(name, ddof):
    mean = IMAGE.mean((0, 1)).astype(np.float32)
    for given in (mean, mean.reshape(1, 1, 3)):
        for keep_dims in (False, True):
            arguments = {"axes": (0, 1), "ddof": ddof, "keep_dims": keep_dims}
            np.testing.assert_allclose(*both(name, IMAGE, given, **arguments), 1e-4)


@pytest.mark.parametrize("name", ["std_dev", "variance"])
def test_a_mean_for_all_elements(name):
    np.testing.assert_allclose(*both(name, IMAGE, np.float32(100)), 1e-5)
