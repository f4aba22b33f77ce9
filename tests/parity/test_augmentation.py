"""Cut-outs, filters, tables and histograms against DALI."""

import numpy as np
import pytest

pytest.importorskip("nvidia.dali")

from penstock import types

from ..operators.pictures import picture
from ..operators.running import pixels, run
from .oracle import dali_types, run_dali

PICTURE = picture(60, 70)
TABLE = {"keys": (0, 2, 3, 4, 5, 3), "values": (0.2, 4.5, -3.5, 300.0, 0.7, 0.1)}


def both(name, sample, layout="HWC", *, dtype=None, **arguments):
    """Return the results of Penstock and DALI, which have one dtype and shape."""
    mine, other = {}, {}
    if dtype is not None:
        number = types.to_dali_type(np.dtype(dtype))
        mine, other = {"dtype": number}, {"dtype": dali_types().DALIDataType(number)}
    (ours,) = run(name, [sample], layout, **arguments, **mine)
    (theirs,), _ = run_dali(name, [sample], layout, **arguments, **other)
    assert ours.dtype == theirs.dtype
    assert ours.shape == theirs.shape
    return ours, theirs


@pytest.mark.parametrize(
    "arguments",
    [
        {"anchor": (2.5, 3.5), "shape": (4.0, 5.0)},
        {"anchor": (2.4, 3.4), "shape": (4.3, 5.3)},
        {"anchor": (-2.0, 3.0), "shape": (4.0, 50.0)},
        {"anchor": (0.15, 0.15), "shape": (0.3, 0.3), "normalized": True},
        {"anchor": (0.25, 0.25), "shape": (3.0, 3.0), "normalized_anchor": True},
        {"anchor": (5.0, 5.0), "shape": (3.0, 3.0), "centered_anchor": True},
        {"anchor": (2.0,), "shape": (4.0,), "axis_names": "W"},
        {"anchor": (2.0, 3.0), "shape": (4.0, 5.0), "axes": (1, 0)},
        {"anchor": (2.0, 3.0, 6.0, 7.0), "shape": (2.0, 2.0, 2.0, 2.0), "fill_value": 7.6},
        {"anchor": (2.0, 3.0), "shape": (4.0, 5.0), "fill_value": (1.0, 2.0, 200.9)},
        {"shape": (4.0, 5.0)},
        {"anchor": (2.0, 3.0), "shape": (-1.0, 5.0)},
    ],
)
@pytest.mark.parametrize("dtype", ["u1", "i2", "f4"])
def test_erase(arguments, dtype):
    np.testing.assert_array_equal(*both("erase", np.ones((10, 12, 3), dtype), **arguments))


@pytest.mark.parametrize(
    "arguments",
    [
        {"tile": 10, "ratio": 0.4},
        {"tile": 7, "ratio": 0.3, "shift_x": 2.0},
        {"tile": 12, "ratio": 0.25, "angle": 0.5, "shift_y": -3.3},
        {"tile": 9, "ratio": 0.6, "angle": -2.0, "shift_x": -30.0, "shift_y": 7.0},
        {"ratio": 1.5},
    ],
)
def test_grid_mask(arguments):
    for dtype in ("u1", "i2", "f4"):
        ours, theirs = both("grid_mask", PICTURE.astype(dtype), **arguments)
        assert (ours != theirs).mean() < 0.002  # positions on the edge of a square


@pytest.mark.parametrize(
    "arguments",
    [
        {"sigma": 0.5},
        {"sigma": 1.5},
        {"window_size": 5},
        {"window_size": 7, "sigma": 1.0},
        {"sigma": (1.0, 2.0)},
        {"window_size": (3, 9), "sigma": 2.0},
        {"sigma": (0.0, 2.0), "window_size": (3, 0)},
        {"sigma": 30.0},
        {"window_size": 1},
    ],
)
@pytest.mark.parametrize(("source", "target"), [("u1", None), ("i2", None), ("u1", "f4")])
def test_blur(arguments, source, target):
    ours, theirs = both("gaussian_blur", PICTURE.astype(source), dtype=target, **arguments)
    if target == "f4":
        np.testing.assert_allclose(ours, theirs, atol=1e-3)
    else:
        assert np.abs(ours.astype(int) - theirs).max() <= 1
        assert (ours != theirs).mean() < 0.002


@pytest.mark.parametrize(
    ("layout", "shape"),
    [
        ("W", (9,)),
        ("CHW", (3, 9, 8)),
        ("FHWC", (2, 9, 8, 3)),
        ("FCHW", (2, 3, 9, 8)),
        ("DHWC", (5, 9, 8, 3)),
        ("CDHW", (2, 5, 9, 8)),
        ("FDHWC", (2, 5, 9, 8, 3)),
        ("", (5, 9, 8)),
        ("HWC", (1, 1, 3)),
        ("HWC", (2, 1, 3)),
    ],
)
def test_blur_of_layouts(layout, shape):
    for dtype in ("u1", "f4"):
        ours, theirs = both("gaussian_blur", pixels(*shape).astype(dtype), layout, sigma=1.3)
        assert np.abs(ours.astype(float) - theirs).max() <= (1 if dtype == "u1" else 1e-3)


@pytest.mark.parametrize("quality", [1, 30, 50, 95, 100, 150])
@pytest.mark.parametrize("extent", [(60, 70), (17, 33), (1, 1)])
def test_jpeg(quality, extent):
    image = np.ascontiguousarray(PICTURE[: extent[0], : extent[1]])
    np.testing.assert_array_equal(*both("jpeg_compression_distortion", image, quality=quality))


@pytest.mark.parametrize("source", ["u1", "i1", "i2", "u4", "i8"])
@pytest.mark.parametrize("target", [None, "u1", "i1", "i4", "f2"])
def test_lookup_table(source, target):
    numbers = np.array([1, 4, 1, 0, 100, 2, 3, 5], source)
    arguments = {**TABLE, "default_value": -1.5}
    np.testing.assert_array_equal(*both("lookup_table", numbers, "", dtype=target, **arguments))


@pytest.mark.parametrize(
    ("sample", "layout", "arguments"),
    [
        (np.int32(2), "", {}),
        (np.int32([[2]]), "", {}),
        (np.int32([[2]]), "", {"axis": -1}),
        (np.int32([0, 2, 7, -1]), "", {}),
        (np.float32([0.5, 1.9]), "", {}),
        (np.uint8([[0, 2, 3], [1, 1, 0]]), "HW", {"axis": 0}),
        (np.uint8([[0, 2, 3], [1, 1, 0]]), "HW", {"axis": 1, "on_value": 2.5}),
        (np.zeros(0, np.int64), "", {}),
    ],
)
def test_one_hot(sample, layout, arguments):
    np.testing.assert_array_equal(*both("one_hot", sample, layout, num_classes=4, **arguments))


@pytest.mark.parametrize(
    ("layout", "shape"), [("HWC", (60, 70, 3)), ("FCHW", (2, 3, 9, 8)), ("HW", (5, 4))]
)
def test_equalize(layout, shape):
    np.testing.assert_array_equal(*both("equalize", pixels(*shape) // 3, layout))


@pytest.mark.parametrize("luma_only", [True, False])
@pytest.mark.parametrize("channels", [1, 3])
def test_clahe(luma_only, channels):
    image = np.ascontiguousarray(PICTURE[..., :channels])
    for tiles_x, tiles_y, clip_limit in ((4, 4, 2.0), (3, 5, 1.5), (7, 3, 40.0)):
        arguments = {"tiles_x": tiles_x, "tiles_y": tiles_y, "clip_limit": clip_limit}
        np.testing.assert_array_equal(*both("clahe", image, luma_only=luma_only, **arguments))
