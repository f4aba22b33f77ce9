"""`fn.pad`: the shapes after padding, and what is in them."""

import numpy as np
import pytest

from penstock import fn, types
from penstock.engine.errors import ArgumentError
from penstock.engine.run.pipeline import Pipeline

from ..running import pixels, run

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
def test_shapes(arguments, shapes):
    results = run("pad", SAMPLES, "HW", fill_value=7, **arguments)
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
def test_the_fill_value_is_fitted_to_the_type(fill_value, stored):
    first, _ = run("pad", SAMPLES, fill_value=fill_value)
    assert first[3, 0] == stored


def test_arguments_vary_by_sample():
    nodes = {"shape": [(3, -1), (-1, 2)], "align": [1, 4], "fill_value": [1, 2]}
    first, second = run("pad", SAMPLES, per_sample=nodes)
    assert first.shape == (3, 3)
    assert second.shape == (4, 4)
    assert (first[2] == 1).all()
    assert (second[:, 1:] == 2).all()
    first, second = run("pad", SAMPLES, per_sample={"axes": [0, 1]}, shape=5)
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
def test_bad_arguments(arguments, message):
    with pytest.raises(ArgumentError, match=message):
        run("pad", SAMPLES, "HW", **arguments)


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
