"""The operators of `operators/color` against DALI."""

import numpy as np
import pytest

pytest.importorskip("nvidia.dali")

from penstock import types

from ..operators.running import pixels, run
from .oracle import dali_types, run_dali

IMAGE = pixels(31, 40, 3)
SPACES = ["RGB", "BGR", "GRAY", "YCbCr"]
DTYPES = ["uint8", "int16", "int32", "float32"]
TWIST = {"hue": 33.0, "saturation": 1.6, "brightness": 1.2, "contrast": 0.7}


def both(name, image, layout="HWC", *, dtype=None, **arguments):
    """Return the results of Penstock and DALI, which have one dtype."""
    ours_more, theirs_more = {}, {}
    if dtype is not None:
        number = types.to_dali_type(np.dtype(dtype))
        ours_more, theirs_more = {"dtype": number}, {"dtype": dali_types().DALIDataType(number)}
    (ours,) = run(name, [image], layout, **arguments, **ours_more)
    (theirs,), _ = run_dali(name, [image], layout, **arguments, **theirs_more)
    assert ours.dtype == theirs.dtype
    assert ours.shape == theirs.shape
    return ours.astype(float), theirs.astype(float)


@pytest.mark.parametrize("source", DTYPES)
@pytest.mark.parametrize("target", [None, *DTYPES])
@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("brightness_contrast", {"brightness": 1.3, "contrast": 0.6, "brightness_shift": 0.0}),
        ("brightness_contrast", {"contrast": 1.6, "contrast_center": 30.0}),
        ("brightness", {"brightness": 0.5}),
        ("contrast", {"contrast": 0.37}),
        ("hsv", {"hue": 40.0, "saturation": 0.3, "value": 1.1}),
        ("hue", {"hue": -100.0}),
        ("saturation", {"saturation": 2.5}),
        ("color_twist", TWIST),
    ],
)
def test_formulas(name, arguments, source, target):
    ours, theirs = both(name, IMAGE.astype(source), dtype=target, **arguments)
    if target == "float32":
        np.testing.assert_allclose(ours, theirs, 1e-5, 1e-3)
        return
    np.testing.assert_allclose(ours, theirs, 1e-6, 1)
    if target is None and source == "float32":
        return
    if "int32" not in (source, target):
        assert (ours != theirs).mean() < 0.06  # bytes have 10 bits after the point


def test_a_shift_of_brightness():
    for dtype in (None, "int16", "float32"):
        ours, theirs = both("brightness", IMAGE, dtype=dtype, brightness_shift=0.1)
        np.testing.assert_allclose(ours, theirs, 1e-5)


@pytest.mark.parametrize("layout", ["FHWC", "DHWC"])
def test_layouts(layout):
    ours, theirs = both("color_twist", pixels(3, 9, 8, 3), layout, **TWIST)
    assert np.abs(ours - theirs).max() <= 1


@pytest.mark.parametrize("source", SPACES)
@pytest.mark.parametrize("target", SPACES)
def test_color_spaces(source, target):
    if source == target:
        return  # DALI refuses it
    image = pixels(31, 40, 1) if source == "GRAY" else IMAGE
    (ours,) = run(
        "color_space_conversion",
        [image],
        "HWC",
        image_type=getattr(types, source),
        output_type=getattr(types, target),
    )
    (theirs,), _ = run_dali(
        "color_space_conversion",
        [image],
        "HWC",
        image_type=getattr(dali_types(), source),
        output_type=getattr(dali_types(), target),
    )
    assert np.abs(ours.astype(int) - theirs).max() <= 1
    assert (ours != theirs).mean() < 0.06
