"""`fn.warp_affine`: coordinates, matrices, types, hard cases."""

# ruff: noqa: RUF012  (attributes of test classes, which nothing changes)

from __future__ import annotations

import numpy as np
import pytest

from penstock import types
from penstock.engine.errors import ArgumentError

from ..conformance import OperatorConformance
from ..running import pixels, run

IMAGES = [pixels(20 + i, 31 - i, 3, seed=i) for i in range(4)]
VOLUMES = [pixels(4 + i, 6, 7 - i, 2, seed=i) for i in range(4)]
TURN = (0.8, -0.5, 3.0, 0.6, 1.1, -2.0)
IDENTITY = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0)
IN_SPACE = (0.9, 0.1, 0.0, 1.0, -0.1, 0.9, 0.2, 0.0, 0.05, -0.2, 1.1, -0.4)
BAD = (
    ({"matrix": (1, 2, 3)}, "the matrix has 3 values; give"),
    ({"matrix": (np.nan,) * 12}, "not finite"),
    ({"size": (5, 5, 5, 5)}, "give \\("),
    ({"size": (5, 0, 5)[:2]}, "give \\(|must lie in"),
    ({"interp_type": types.INTERP_CUBIC}, "INTERP_NN or INTERP_LINEAR, but is INTERP_CUBIC"),
    ({"matrix": None}, "needs its matrix once"),
)


class TestWarpAffine(OperatorConformance):
    operator = "warp_affine"
    inputs = (IMAGES,)
    arguments = {"matrix": TURN, "fill_value": 9.0}
    per_sample = {
        "matrix": [TURN, IDENTITY, (2.0, 0.0, -3.0, 0.0, 0.5, 1.0), (0.0, -1.0, 30.0, 1.0, 0, 0)],
        "size": [(5.0, 9.0), (40.0, 3.2), (1.0, 1.0), (20.0, 20.0)],
    }
    bad = BAD
    largest = 1


class TestMatrixAsInput(OperatorConformance):
    operator = "warp_affine"
    inputs = (IMAGES, [np.float32(TURN).reshape(2, 3) + i / 10 for i in range(4)])
    arguments = {"inverse_map": False, "dtype": types.FLOAT}
    largest = 1e-2


class TestVolumes(OperatorConformance):
    operator = "warp_affine"
    layout = "DHWC"
    inputs = (VOLUMES,)
    arguments = {"matrix": IN_SPACE}
    per_sample = {"size": [(5.0, 9.0, 2.0), (4.0, 3.0, 3.2), (1.0, 1.0, 1.0), (2.0, 20.0, 20.0)]}
    bad = BAD
    largest = 1


def test_half_a_pixel_to_the_right():
    image = np.arange(12, dtype=np.uint8).reshape(3, 4, 1) * 10
    move = (1, 0, 0.5, 0, 1, 0)
    (result,) = run("warp_affine", [image], "HWC", matrix=move, fill_value=7)
    np.testing.assert_array_equal(result[0, :, 0], [5, 15, 25, 18])
    (result,) = run("warp_affine", [image], "HWC", matrix=move)
    np.testing.assert_array_equal(result[0, :, 0], [5, 15, 25, 30])
    (result,) = run("warp_affine", [image], "HWC", matrix=move, inverse_map=False)
    np.testing.assert_array_equal(result[0, :, 0], [0, 5, 15, 25])
    (result,) = run("warp_affine", [image], "HWC", matrix=move, interp_type=types.INTERP_NN)
    np.testing.assert_array_equal(result[0, :, 0], [10, 20, 30, 30])


def test_the_corner_is_the_origin():
    image = pixels(5, 8, 3)
    (result,) = run("warp_affine", [image], "HWC", matrix=(0.5, 0, 0, 0, 0.5, 0), size=(10, 16))
    np.testing.assert_allclose(result.astype(int)[1:-1:2, 1:-1:2].mean(), image.mean(), atol=40)
    half = (0.5, 0, 0, 0, 0.5, 0)
    (result,) = run(
        "warp_affine", [image], "HWC", matrix=half, size=(10, 16), interp_type=types.INTERP_NN
    )
    np.testing.assert_array_equal(result, image.repeat(2, 0).repeat(2, 1))


@pytest.mark.parametrize("dtype", ["u1", "i2", "i4", "f4", "f8"])
def test_the_identity_changes_nothing(dtype):
    volume = (pixels(3, 4, 5, 2).astype(dtype) - (0 if dtype == "u1" else 100)) * (
        1 if dtype == "u1" else 3
    )
    (result,) = run("warp_affine", [volume], "DHWC", matrix=np.eye(3, 4).reshape(-1).tolist())
    np.testing.assert_array_equal(result, volume, strict=True)
    (result,) = run("warp_affine", [volume], "FHWC", matrix=IDENTITY)
    np.testing.assert_array_equal(result, volume, strict=True)


def test_a_matrix_for_each_frame():
    video = pixels(3, 4, 6, 3)
    moves = [IDENTITY, (1.0, 0, 1, 0, 1, 0), (-1.0, 0, 6, 0, 1, 0)]
    (result,) = run("warp_affine", [video], "FHWC", per_sample={"matrix": [np.ravel(moves)]})
    np.testing.assert_array_equal(result[0], video[0])
    np.testing.assert_array_equal(result[1, :, :-1], video[1, :, 1:])
    np.testing.assert_array_equal(result[2], video[2, :, ::-1])
    with pytest.raises(ArgumentError, match=r"has 12 values; give 6, .* \(18 here\)"):
        run("warp_affine", [video], "FHWC", matrix=IDENTITY * 2)


@pytest.mark.parametrize("layout", ["HWC", "DHWC"])
@pytest.mark.parametrize("fill", [{}, {"fill_value": 7.0}])
@pytest.mark.parametrize("dtype", ["u1", "i2", "f4"])
@pytest.mark.parametrize("huge", [1e5, 1e12, 1e300])
def test_huge_coordinates(huge, dtype, fill, layout):
    image = pixels(*[5] * len(layout), dtype=dtype)
    ndim = len(layout) - 1
    matrix = np.eye(ndim, ndim + 1) * huge
    matrix[:, -1] = huge
    (result,) = run("warp_affine", [image], layout, matrix=matrix.reshape(-1).tolist(), **fill)
    corner = image[(-1,) * ndim]
    np.testing.assert_array_equal(result[(0,) * ndim], 7 if fill else corner)


def test_maps_that_make_one_pixel_of_all():
    image = pixels(5, 6, 3)
    (result,) = run("warp_affine", [image], matrix=(0, 0, 2.5, 0, 0, 1.5))
    assert (result == image[1, 2]).all()
    with pytest.raises(ArgumentError, match="is singular"):
        run("warp_affine", [image], matrix=(0, 0, 2.5, 0, 0, 1.5), inverse_map=False)
    with pytest.raises(ArgumentError, match="not finite"):
        run("warp_affine", [image], inputs=[[np.full((2, 3), np.inf)]])


@pytest.mark.parametrize("shape", [(0, 5, 3), (5, 0, 3)])
def test_images_without_pixels(shape):
    with pytest.raises(ArgumentError, match="must lie in"):
        run("warp_affine", [np.zeros(shape, "u1")], matrix=IDENTITY)


def test_one_pixel_and_no_frames():
    pixel = np.full((1, 1, 3), 9, np.uint8)
    assert (run("warp_affine", [pixel], matrix=TURN, size=(4, 5))[0] == 9).all()
    empty = np.zeros((0, 4, 5, 3), np.uint8)
    assert run("warp_affine", [empty], matrix=TURN)[0].shape == (0, 4, 5, 3)
