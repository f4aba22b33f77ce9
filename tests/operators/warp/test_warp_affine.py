"""`fn.warp_affine`: coordinates, matrices, types, hard cases."""

# ruff: noqa: RUF012  (attributes of test classes, which nothing changes)

from __future__ import annotations

import numpy as np
import pytest

from penstock import Pipeline, types
from penstock.engine.errors import ArgumentError
from penstock.engine.graph.nodes import add_node
from penstock.engine.graph.operator import OPERATORS
from penstock.testing.agreement import agree, source
from penstock.testing.operators import OperatorConformance

from ..pictures import picture, pictures
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
    bad_inputs = (([IMAGES[:2], np.float32([np.eye(2, 3), [[np.nan] * 3] * 2])], "not finite"),)
    largest = 1e-2


class TestVolumes(OperatorConformance):
    operator = "warp_affine"
    layout = "DHWC"
    inputs = (VOLUMES,)
    arguments = {"matrix": IN_SPACE}
    per_sample = {"size": [(5.0, 9.0, 2.0), (4.0, 3.0, 3.2), (1.0, 1.0, 1.0), (2.0, 20.0, 20.0)]}
    bad = BAD
    largest = 1


def test_half_a_pixel_to_the_right(device):
    image = np.arange(12, dtype=np.uint8).reshape(3, 4, 1) * 10
    move = (1, 0, 0.5, 0, 1, 0)
    (result,) = run("warp_affine", [image], "HWC", matrix=move, fill_value=7, device=device)
    np.testing.assert_array_equal(result[0, :, 0], [5, 15, 25, 18])
    (result,) = run("warp_affine", [image], "HWC", matrix=move, device=device)
    np.testing.assert_array_equal(result[0, :, 0], [5, 15, 25, 30])
    (result,) = run("warp_affine", [image], "HWC", matrix=move, inverse_map=False, device=device)
    np.testing.assert_array_equal(result[0, :, 0], [0, 5, 15, 25])
    (result,) = run(
        "warp_affine", [image], "HWC", matrix=move, interp_type=types.INTERP_NN, device=device
    )
    np.testing.assert_array_equal(result[0, :, 0], [10, 20, 30, 30])


def test_the_corner_is_the_origin(device):
    image = pixels(5, 8, 3)
    (result,) = run(
        "warp_affine", [image], "HWC", matrix=(0.5, 0, 0, 0, 0.5, 0), size=(10, 16), device=device
    )
    np.testing.assert_allclose(result.astype(int)[1:-1:2, 1:-1:2].mean(), image.mean(), atol=40)
    half = (0.5, 0, 0, 0, 0.5, 0)
    (result,) = run(
        "warp_affine",
        [image],
        "HWC",
        matrix=half,
        size=(10, 16),
        interp_type=types.INTERP_NN,
        device=device,
    )
    np.testing.assert_array_equal(result, image.repeat(2, 0).repeat(2, 1))


@pytest.mark.parametrize("dtype", ["u1", "i2", "i4", "f4", "f8"])
def test_the_identity_changes_nothing(device, dtype):
    volume = (pixels(3, 4, 5, 2).astype(dtype) - (0 if dtype == "u1" else 100)) * (
        1 if dtype == "u1" else 3
    )
    (result,) = run(
        "warp_affine", [volume], "DHWC", matrix=np.eye(3, 4).reshape(-1).tolist(), device=device
    )
    np.testing.assert_array_equal(result, volume, strict=True)
    (result,) = run("warp_affine", [volume], "FHWC", matrix=IDENTITY, device=device)
    np.testing.assert_array_equal(result, volume, strict=True)


def test_a_matrix_for_each_frame(device):
    video = pixels(3, 4, 6, 3)
    moves = [IDENTITY, (1.0, 0, 1, 0, 1, 0), (-1.0, 0, 6, 0, 1, 0)]
    (result,) = run(
        "warp_affine", [video], "FHWC", per_sample={"matrix": [np.ravel(moves)]}, device=device
    )
    np.testing.assert_array_equal(result[0], video[0])
    np.testing.assert_array_equal(result[1, :, :-1], video[1, :, 1:])
    np.testing.assert_array_equal(result[2], video[2, :, ::-1])
    with pytest.raises(ArgumentError, match=r"has 12 values; give 6, .* \(18 here\)"):
        run("warp_affine", [video], "FHWC", matrix=IDENTITY * 2, device=device)


@pytest.mark.parametrize("layout", ["HWC", "DHWC"])
@pytest.mark.parametrize("fill", [{}, {"fill_value": 7.0}])
@pytest.mark.parametrize("dtype", ["u1", "i2", "f4"])
@pytest.mark.parametrize("huge", [1e5, 1e12, 1e300])
def test_huge_coordinates(device, huge, dtype, fill, layout):
    image = pixels(*[5] * len(layout), dtype=dtype)
    ndim = len(layout) - 1
    matrix = np.eye(ndim, ndim + 1) * huge
    matrix[:, -1] = huge
    (result,) = run(
        "warp_affine", [image], layout, matrix=matrix.reshape(-1).tolist(), **fill, device=device
    )
    corner = image[(-1,) * ndim]
    np.testing.assert_array_equal(result[(0,) * ndim], 7 if fill else corner)


def test_maps_that_make_one_pixel_of_all(device):
    image = pixels(5, 6, 3)
    (result,) = run("warp_affine", [image], matrix=(0, 0, 2.5, 0, 0, 1.5), device=device)
    assert (result == image[1, 2]).all()
    with pytest.raises(ArgumentError, match="is singular"):
        run("warp_affine", [image], matrix=(0, 0, 2.5, 0, 0, 1.5), inverse_map=False, device=device)
    with pytest.raises(ArgumentError, match="not finite"):
        run("warp_affine", [image], inputs=[[np.full((2, 3), np.inf)]], device=device)


@pytest.mark.parametrize("shape", [(0, 5, 3), (5, 0, 3)])
def test_images_without_pixels(device, shape):
    with pytest.raises(ArgumentError, match="must lie in"):
        run("warp_affine", [np.zeros(shape, "u1")], matrix=IDENTITY, device=device)


def test_one_pixel_and_no_frames(device):
    pixel = np.full((1, 1, 3), 9, np.uint8)
    assert (run("warp_affine", [pixel], matrix=TURN, size=(4, 5), device=device)[0] == 9).all()
    empty = np.zeros((0, 4, 5, 3), np.uint8)
    assert run("warp_affine", [empty], matrix=TURN, device=device)[0].shape == (0, 4, 5, 3)


# `warp_affine` on the GPU.
MATRICES = np.float32(
    [(0.8, -0.5, 3, 0.6, 1.1, -2), (1, 0, 0.5, 0, 1, 0), (3, 0, -2, 0, 0.2, 5), (0, 1, 0, 1, 0, 0)]
).reshape(4, 2, 3)
SMOOTH_VOLUMES = [picture(6 + i, 9 * 8, 2, seed=i).reshape(6 + i, 9, 8, 2) for i in range(4)]


@pytest.mark.parametrize(
    ("dtype", "channels", "fill", "nearest"),
    [
        ("u1", 3, {}, False),
        ("u1", 3, {"fill_value": 9.0}, True),
        ("u1", 2, {"fill_value": 9.0}, False),
        ("i2", 1, {"fill_value": 9.0}, False),
        ("f4", 4, {}, False),
    ],
)
def test_images(device_stage, dtype, channels, fill, nearest):
    images = pictures(30, 41, channels, dtype=dtype)
    arguments = {"interp_type": types.INTERP_NN} if nearest else {"largest": 1}
    nodes = {"matrix": [matrix.reshape(-1) for matrix in MATRICES]}
    agree("warp_affine", images, layout="HWC", per_sample=nodes, **fill, **arguments)


def with_matrices(device, samples, layout, matrices, **arguments):
    """Return the results, with matrices on the device on which the samples are."""
    with Pipeline(batch_size=len(samples), num_threads=1) as pipe:
        nodes = [source(samples, layout), source(matrices)]
        if device != "cpu":
            nodes[0] = nodes[0].gpu()
        if device == "gpu":
            nodes[1] = nodes[1].gpu()
        pipe.set_outputs(*add_node(OPERATORS["warp_affine"], nodes, arguments))
        return [np.array(row) for row in pipe.run()[0].as_cpu().rows()]


@pytest.mark.parametrize("inverse", [False, True])
@pytest.mark.parametrize("where", ["gpu", "matrices on the CPU"])
@pytest.mark.parametrize("layout", ["HWC", "FHWC", "DHWC"])
def test_matrices_as_input(device_stage, layout, where, inverse):
    samples = SMOOTH_VOLUMES if layout == "DHWC" else pictures(12, 17)
    matrices = [*MATRICES]
    if layout == "DHWC":
        turn = np.eye(3, 4) + np.random.default_rng(1).normal(size=(4, 3, 4)) / 10
        matrices = [*turn]
    if layout == "FHWC":
        samples = [np.stack([image] * 2) for image in samples]
        matrices = [np.stack([matrix, matrix[::-1]]) for matrix in matrices[:3]] + matrices[3:]
        matrices[3] = np.stack([matrices[3]] * 2)
    arguments = {"inverse_map": inverse, "fill_value": 3.0}
    wanted = with_matrices("cpu", samples, layout, matrices, **arguments)
    rows = with_matrices(where, samples, layout, matrices, **arguments)
    for a, b in zip(wanted, rows, strict=True):
        assert np.abs(a.astype(int) - b).max() <= 1


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (np.zeros((2, 3)), "is singular"),
        (np.full((2, 3), np.nan), "not finite"),
        (np.zeros((2, 2)), "the matrix has 4 values"),
    ],
)
def test_bad_matrices_on_the_device(device_stage, matrix, message):
    texts = []
    for device in ("cpu", "gpu"):
        with pytest.raises(ValueError, match=message) as caught:
            with_matrices(device, pictures(12, 17)[:1], "HWC", [matrix], inverse_map=False)
        texts.append(str(caught.value))
    assert texts[0] == texts[1]
