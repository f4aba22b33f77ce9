"""`warp_affine` on the GPU."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import Pipeline, types
from penstock.engine.graph.nodes import add_node
from penstock.engine.graph.operator import OPERATORS
from penstock.testing.agreement import agree, source

from ..pictures import picture, pictures

MATRICES = np.float32(
    [(0.8, -0.5, 3, 0.6, 1.1, -2), (1, 0, 0.5, 0, 1, 0), (3, 0, -2, 0, 0.2, 5), (0, 1, 0, 1, 0, 0)]
).reshape(4, 2, 3)
VOLUMES = [picture(6 + i, 9 * 8, 2, seed=i).reshape(6 + i, 9, 8, 2) for i in range(4)]


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


@pytest.mark.parametrize("fill", [{}, {"fill_value": 9.0}])
@pytest.mark.parametrize("huge", [1e5, 1e300])
@pytest.mark.parametrize("dtype", ["u1", "f4"])
def test_huge_coordinates(device_stage, dtype, huge, fill):
    images = pictures(12, 17, dtype=dtype)
    for matrix in ((huge, 0, 0, 0, huge, 0), (1, 0, -huge, huge, 1, 0)):
        agree("warp_affine", images, layout="HWC", matrix=matrix, largest=1, **fill)


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
    samples = VOLUMES if layout == "DHWC" else pictures(12, 17)
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
