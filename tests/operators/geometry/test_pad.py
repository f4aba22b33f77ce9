"""`fn.pad`: the shapes after padding, and what is in them."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import Pipeline, fn, types
from penstock.engine.errors import ArgumentError
from penstock.testing.agreement import agree, source

from ..running import pixels, run
from .test_crop import rows

SAMPLES = [pixels(2, 3), pixels(4, 1, seed=1)]


@pytest.mark.parametrize(
    ("arguments", "shapes"),
    [
        ({}, [(4, 3), (4, 3)]),
        ({"axes": ()}, [(4, 3), (4, 3)]),
        ({"axes": 0}, [(4, 3), (4, 1)]),
        ({"axes": -1}, [(2, 3), (4, 3)]),
        ({"axis_names": "W"}, [(2, 3), (4, 3)]),
        ({"align": 4}, [(4, 4), (4, 4)]),
        ({"axes": (1, 0), "align": (2, 3)}, [(6, 4), (6, 4)]),
        ({"shape": (3, 3)}, [(3, 3), (4, 3)]),
        ({"shape": 5}, [(5, 5), (5, 5)]),
        ({"shape": (4, -1), "align": (1, 2)}, [(4, 4), (4, 4)]),
        ({"axes": 1, "shape": 1, "align": 2}, [(2, 4), (4, 2)]),
        ({"axes": 0, "shape": 0}, [(4, 3), (4, 1)]),
    ],
)
def test_shapes(device, arguments, shapes):
    results = run("pad", SAMPLES, "HW", fill_value=7, **arguments, device=device)
    assert [result.shape for result in results] == shapes
    for result, sample in zip(results, SAMPLES, strict=True):
        height, width = sample.shape
        np.testing.assert_array_equal(result[:height, :width], sample)
        assert (result[height:] == 7).all()
        assert (result[:, width:] == 7).all()
        assert result.dtype == sample.dtype


def test_nothing_to_do_copies_nothing():
    results = run("pad", SAMPLES, shape=1)
    assert all(np.shares_memory(a, b) for a, b in zip(results, SAMPLES, strict=True))


@pytest.mark.parametrize(("fill_value", "stored"), [(2.7, 2), (-2.7, 0), (300, 255)])
def test_the_fill_value_is_fitted_to_the_type(device, fill_value, stored):
    first, _ = run("pad", SAMPLES, fill_value=fill_value, device=device)
    assert first[3, 0] == stored


def test_arguments_vary_by_sample(device):
    nodes = {"shape": [(3, -1), (-1, 2)], "align": [1, 4], "fill_value": [1, 2]}
    first, second = run("pad", SAMPLES, per_sample=nodes, device=device)
    assert first.shape == (3, 3)
    assert second.shape == (4, 4)
    assert (first[2] == 1).all()
    assert (second[:, 1:] == 2).all()
    first, second = run("pad", SAMPLES, per_sample={"axes": [0, 1]}, shape=5, device=device)
    assert first.shape == (5, 3)
    assert second.shape == (4, 5)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"axes": 0, "axis_names": "W"}, "exclude one another"),
        ({"axis_names": "Z"}, "no axis 'Z'"),
        ({"axes": 2}, "axis 2 is outside"),
        ({"axes": (0, -2)}, "named twice"),
        ({"align": 0}, "must be positive"),
        ({"align": (1, 2, 3)}, "'align' has 3 values for 2 axes"),
    ],
)
def test_bad_arguments(device, arguments, message):
    with pytest.raises(ArgumentError, match=message):
        run("pad", SAMPLES, "HW", **arguments, device=device)


def test_dimensions_must_be_the_same():
    with pytest.raises(ArgumentError, match="different numbers of dimensions"):
        run("pad", [pixels(2), pixels(2, 2)])


def test_in_a_pipeline():
    pipe = Pipeline(batch_size=2, num_threads=1)
    with pipe:
        pipe.set_outputs(fn.pad(types.Constant(SAMPLES[0], layout="HW"), align=4))
        (out,) = pipe.run()
        assert out.layout() == "HW"
        assert out.as_array().shape == (2, 4, 4)


# `pad` on the GPU: the shape of the batch, alignment, values of each sample.
@pytest.mark.parametrize("dtype", ["u1", "i2", "f4", "f8", "bool"])
@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"axes": [0]},
        {"axes": [-1, 0], "align": [16, 1]},
        {"axes": [0, 1], "shape": [1, 40], "align": [7]},
        {"align": 32, "fill_value": 3},
        {"axis_names": "W", "fill_value": -1000.7},
        {"axes": [1], "shape": 1},
    ],
)
def test_arguments(device_stage, dtype, arguments):
    agree("pad", rows(7, "HWC", dtype), layout="HWC", **arguments)


@pytest.mark.parametrize("shapes", [[()], [(5,), (3,)], [(0, 4), (2, 3)], [(1, 1)] * 3])
def test_shapes_on_both_devices(device_stage, shapes):
    data = [np.ones(shape, np.float32) for shape in shapes]
    agree("pad", data)
    if shapes[0]:
        agree("pad", data, align=5, fill_value=2)


def test_arguments_of_each_sample(device_stage):
    fills = [1.0, 2.5, -1.0, 300.0, 0.0, 9.0]
    data = rows(8, "HWC")
    agree("pad", data, per_sample={"fill_value": fills})
    agree("pad", data, axes=[0, 1], per_sample={"shape": [[n, 35 - n] for n in range(6)]})
    agree("pad", data, per_sample={"align": range(1, 7), "fill_value": fills})
    agree("pad", data, per_sample={"axes": [0, 1, 0, -2, 1, 0]})


@pytest.mark.parametrize("dtype", ["u1", "i2", "f4", "f8"])
@pytest.mark.parametrize("channels", [4, 5, 40])
def test_channels(device_stage, dtype, channels):
    rng = np.random.default_rng(channels)
    images = [rng.integers(0, 99, (9, width, 3)).astype(dtype) for width in (40, 1, 17)]
    fills = {"fill_value": [7.0, 0.0, -3.0]}
    agree("pad", images, axes=[2], shape=channels, layout="HWC", per_sample=fills)


def test_alignment_must_be_positive(device_stage):
    with Pipeline(batch_size=1) as pipe:
        data = source([np.zeros((2, 2))]).gpu()
        pipe.set_outputs(fn.pad(data, align=0))
        with pytest.raises(ValueError, match="align is"):
            pipe.run()
