"""`fn.warp_affine`, and `fn.rotate` of volumes, against DALI."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

pytest.importorskip("nvidia.dali")

from penstock import types

from ..operators.running import pixels, run
from .oracle import dali, dali_types, run_dali

MATRICES = np.float32(
    [
        (1, 0, 0, 0, 1, 0),
        (1, 0, 0.5, 0, 1, 0.25),
        (0.8, -0.5, 3, 0.6, 1.1, -2),
        (3, 0, -20, 0, 3, -20),
        (0.1, 0, 10, 0, 0.1, 15),
        (0, 1, 0, 1, 0, 0),
        (-1, 0.3, 60, 0, -1, 40),
        (0, 0, 12.5, 0, 0, 10.5),
    ]
)
AXES = [(1.0, 0, 0), (0, 1.0, 0), (0, 0, -1.0), (1.0, 2.0, 3.0), (-3.0, 0.5, 1.0)]


def smooth(*shape, dtype):
    """Return an image whose neighboring pixels resemble one another."""
    image = pixels(*shape).astype(np.float32)
    flat = cv2.GaussianBlur(image.reshape(shape[0], -1), (1, 9), 2)
    result = cv2.GaussianBlur(flat.reshape(*shape[:2], -1), (9, 9), 2)
    return (result.reshape(shape) * (100 if dtype == "int16" else 1)).astype(dtype)


@pytest.mark.parametrize("size", [{}, {"size": (45.0, 51.4)}])
@pytest.mark.parametrize("fill", [{}, {"fill_value": 50.0}, {"fill_value": 300.0}])
@pytest.mark.parametrize(("source", "channels"), [("uint8", 3), ("float32", 1), ("int16", 6)])
def test_pixels(source, channels, fill, size):
    samples = [smooth(40, 60, channels, dtype=source)] * len(MATRICES)
    arguments = {"per_sample": {"matrix": MATRICES.reshape(-1, 2, 3)}, **size, **fill}
    ours = run("warp_affine", samples, "HWC", **arguments)
    theirs, _ = run_dali("warp_affine", samples, "HWC", **arguments)
    for matrix, a, b in zip(MATRICES, ours, theirs, strict=True):
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        difference = np.abs(a.astype(float) - b)
        assert difference.mean() < (0.5 if source != "int16" else 5), matrix
        assert difference.max() <= (2 if source != "int16" else 60), matrix


@pytest.mark.parametrize("nearest", [False, True])
@pytest.mark.parametrize("inverse", [False, True])
def test_maps_of_the_image_to_the_result(inverse, nearest):
    samples = [smooth(40, 60, 3, dtype="uint8")] * 7
    ours, theirs = (
        module(
            "warp_affine",
            samples,
            "HWC",
            per_sample={"matrix": MATRICES[:7].reshape(-1, 2, 3)},
            inverse_map=inverse,
            interp_type=enum.INTERP_NN if nearest else enum.INTERP_LINEAR,
        )
        for module, enum in ((run, types), (run_dali, dali_types()))
    )
    for matrix, a, b in zip(MATRICES, ours, theirs[0], strict=False):
        assert np.abs(a.astype(float) - b).mean() < 0.5, matrix


def test_matrices_as_input():
    samples = [smooth(40, 60, 3, dtype="uint8")] * len(MATRICES)
    inputs = [list(MATRICES.reshape(-1, 2, 3))]
    ours = run("warp_affine", samples, "HWC", inputs=inputs)
    theirs, _ = run_dali("warp_affine", samples, "HWC", inputs=inputs)
    assert all(np.abs(a.astype(int) - b).max() <= 1 for a, b in zip(ours, theirs, strict=True))


@pytest.mark.parametrize("fill", [{}, {"fill_value": 50.0}])
@pytest.mark.parametrize("source", ["uint8", "int16", "float32"])
def test_volumes(source, fill):
    matrix = (0.9, 0.1, 0.0, 1.0, -0.1, 0.9, 0.2, 0.0, 0.05, -0.2, 1.1, -0.4)
    volume = smooth(9, 10, 12, 2, dtype=source)
    arguments = {"matrix": matrix, "size": (8.0, 11.0, 10.0), **fill}
    (ours,) = run("warp_affine", [volume], "DHWC", **arguments)
    (theirs,), _ = run_dali("warp_affine", [volume], "DHWC", **arguments)
    assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
    assert np.abs(ours.astype(float) - theirs).max() <= 1


@pytest.mark.parametrize("size", [{}, {"keep_size": True}, {"size": (7.0, 8.0, 9.0)}])
@pytest.mark.parametrize("axis", AXES)
def test_turned_volumes(axis, size):
    volumes = [smooth(9, 10, 13, 1, dtype="uint8")] * 5
    arguments = {
        "per_sample": {"angle": np.float32([0, 30, 90, -45, 200])},
        "axis": axis,
        "fill_value": 9.0,
        **size,
    }
    ours = run("rotate", volumes, "DHWC", **arguments)
    theirs, _ = run_dali("rotate", volumes, "DHWC", **arguments)
    for a, b in zip(ours, theirs, strict=True):
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        assert np.abs(a.astype(float) - b).mean() <= 0.3


def test_series_of_volumes():
    series = np.stack([smooth(5, 6, 7, 1, dtype="uint8")] * 2)
    arguments = {"angle": 20.0, "axis": (1.0, 2.0, 0.0)}
    (ours,) = run("rotate", [series], "FDHWC", **arguments)
    (theirs,), _ = run_dali("rotate", [series], "FDHWC", **arguments)
    assert ours.shape == theirs.shape
    assert np.abs(ours.astype(float) - theirs).mean() <= 0.5


@pytest.mark.parametrize("border", ["constant", "replicate", "reflect", "reflect_101", "wrap"])
@pytest.mark.parametrize("origin", ["corner", "center"])
@pytest.mark.parametrize("interp", ["INTERP_NN", "INTERP_LINEAR", "INTERP_CUBIC"])
def test_perspective(interp, origin, border):
    def expression(node):
        import nvidia.dali.fn as their

        interpolation = getattr(dali_types(), interp)
        return their.experimental.warp_perspective(node, interp_type=interpolation, **options)

    matrix = (1.1, 0.2, -3.0, 0.1, 0.9, 1.0, 0.003, -0.002, 1.0)
    options = {"matrix": matrix, "pixel_origin": origin, "border_mode": border, "fill_value": 9}
    for inverse, dtype in ((True, "uint8"), (False, "float32"), (True, "int16")):
        options["inverse_map"] = inverse
        sample = smooth(40, 60, 3, dtype=dtype)
        ((theirs, _),) = dali(expression, [sample], layout="HWC")
        (ours,) = run(
            "experimental.warp_perspective",
            [sample],
            "HWC",
            interp_type=getattr(types, interp),
            **options,
        )
        assert (ours.dtype, ours.shape) == (theirs[0].dtype, theirs[0].shape)
        scale = 100 if dtype == "int16" else 1
        assert np.abs(ours.astype(float) - theirs[0]).mean() < scale
