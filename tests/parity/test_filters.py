"""Windows of the user's and Laplacians against DALI."""

import numpy as np
import pytest

pytest.importorskip("nvidia.dali")

from penstock import types

from ..operators.pictures import picture
from ..operators.running import pixels, run
from .oracle import dali_types, run_dali

PICTURE = picture(60, 70)


def close(ours, theirs, largest):
    """Check dtype, shape and numbers, whose largest difference is given relative to all."""
    assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
    if ours.dtype.kind == "f":
        scale = max(1, np.abs(theirs).max()) if theirs.size else 1
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=largest * scale)
    else:
        assert np.abs(ours.astype(int) - theirs).max(initial=0) <= 1
        assert (ours != theirs).mean() < 0.002


BORDERS = ["reflect_101", "reflect_1001", "wrap", "clamp", "constant", "101", "1001"]


@pytest.mark.parametrize("border", BORDERS)
@pytest.mark.parametrize(
    ("shape", "anchor"), [((3, 3), -1), ((4, 2), (-1, 0)), ((1, 7), (0, 6)), ((13, 15), -1)]
)
@pytest.mark.parametrize("dtype", ["u1", "i2", "f4"])
def test_filter(border, shape, anchor, dtype):
    window = np.random.default_rng(3).normal(0, 0.2, shape).astype(np.float32)
    inputs = [[window], [np.asarray(40, dtype)]] if border == "constant" else [[window]]
    arguments = {"inputs": inputs, "anchor": anchor, "border": border}
    sample = PICTURE.astype(dtype)
    (ours,) = run("filter", [sample], "HWC", **arguments)
    (theirs,), layout = run_dali("filter", [sample], "HWC", **arguments)
    assert layout == "HWC"
    close(ours, theirs, 1e-5)


@pytest.mark.parametrize("mode", ["same", "valid"])
@pytest.mark.parametrize(("layout", "shape"), [("HW", (9, 8)), ("CHW", (2, 9, 8)), ("", (9, 8))])
def test_filter_of_layouts(mode, layout, shape):
    window, dali = np.float32([[0.1, 0.5, -0.2], [0.3, 0.2, 0.1]]), dali_types()
    arguments = {"inputs": [[window]], "mode": mode}
    (ours,) = run("filter", [pixels(*shape)], layout, dtype=types.FLOAT, **arguments)
    (theirs,), _ = run_dali("filter", [pixels(*shape)], layout, dtype=dali.FLOAT, **arguments)
    close(ours, theirs, 1e-5)


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"window_size": 5},
        {"window_size": (3, 7), "scale": (0.5, -0.25)},
        {"window_size": 5, "smoothing_size": 1},
        {"window_size": 3, "smoothing_size": (5, 3), "scale": 0.125},
        {"window_size": (3, 9), "normalized_kernel": True},
        {"window_size": 23, "normalized_kernel": True},
    ],
)
@pytest.mark.parametrize(("source", "target"), [("u1", None), ("i2", None), ("u1", "f4")])
def test_laplacian(arguments, source, target):
    mine = {"dtype": types.FLOAT} if target else {}
    other = {"dtype": dali_types().FLOAT} if target else {}
    sample = PICTURE.astype(source)
    (ours,) = run("laplacian", [sample], "HWC", **arguments, **mine)
    (theirs,), _ = run_dali("laplacian", [sample], "HWC", **arguments, **other)
    close(ours, theirs, 1e-4)


@pytest.mark.parametrize(
    ("layout", "shape"),
    [("W", (9,)), ("FCHW", (2, 3, 9, 8)), ("DHWC", (5, 9, 8, 3)), ("", (5, 9, 8))],
)
def test_laplacian_of_layouts(layout, shape):
    for dtype in ("u1", "f4"):
        sample = pixels(*shape).astype(dtype)
        arguments = {"window_size": 5, "normalized_kernel": True}
        (ours,) = run("laplacian", [sample], layout, **arguments)
        (theirs,), _ = run_dali("laplacian", [sample], layout, **arguments)
        close(ours, theirs, 1e-5)
