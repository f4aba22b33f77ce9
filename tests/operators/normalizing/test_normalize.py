"""`fn.normalize` against NumPy's mean and standard deviation."""

import numpy as np
import pytest

from penstock import fn, types
from penstock.engine.errors import ArgumentError
from penstock.engine.run.pipeline import Pipeline

from ..running import pixels, run

SAMPLES = [pixels(4, 5, 3), pixels(6, 2, 3, seed=1)]


@pytest.mark.parametrize("axes", [(0, 1), (0, 1, 2), (2,), (-1, 0)])
@pytest.mark.parametrize("ddof", [0, 1])
@pytest.mark.parametrize("dtype", ["uint8", "float32", "int64", "float64"])
def test_each_sample_by_itself(axes, ddof, dtype):
    samples = [sample.astype(dtype) for sample in SAMPLES]
    for sample, result in zip(
        samples, run("normalize", samples, axes=axes, ddof=ddof), strict=True
    ):
        mean = sample.mean(axes, keepdims=True)
        deviation = sample.std(axes, keepdims=True, ddof=ddof)
        np.testing.assert_allclose(result, (sample - mean) / deviation, atol=1e-5)
        assert result.dtype == np.float32


def test_the_batch_as_a_whole():
    results = run("normalize", SAMPLES, "HWC", axis_names="HW", batch=True)
    together = np.concatenate([sample.reshape(-1, 3) for sample in SAMPLES])
    for sample, result in zip(SAMPLES, results, strict=True):
        wanted = (sample - together.mean(0)) / together.std(0)
        np.testing.assert_allclose(result, wanted, atol=1e-5)


def test_given_statistics():
    (result,) = run("normalize", SAMPLES[:1], mean=3.0, stddev=4.0, epsilon=9.0, scale=10, shift=1)
    np.testing.assert_allclose(result, 10 * (SAMPLES[0] - 3.0) / 5 + 1, rtol=1e-5)
    (result,) = run("normalize", SAMPLES[:1], mean=3.0)
    deviation = np.sqrt(((SAMPLES[0] - 3.0) ** 2).mean())
    np.testing.assert_allclose(result, (SAMPLES[0] - 3.0) / deviation, atol=1e-5)


def test_the_shape_of_the_mean_tells_the_axes():
    sample = SAMPLES[0]
    mean = np.array([1, 2, 3], np.float32).reshape(1, 1, 3)
    deviation = np.sqrt(((sample - mean) ** 2).mean((0, 1), keepdims=True))
    for arguments in ({"mean": mean}, {"per_sample": {"mean": [mean]}}):
        (result,) = run("normalize", [sample], **arguments)
        np.testing.assert_allclose(result, (sample - mean) / deviation, atol=1e-5)


def test_no_deviation_gives_the_shift():
    constant = np.full((2, 2, 1), 5, np.uint8)
    (result,) = run("normalize", [constant], shift=7)
    assert (result == 7).all()
    (result,) = run("normalize", [constant], shift=7, mean=1.0, ddof=4)
    assert (result == 7).all()


def test_integer_results_are_rounded_and_clamped():
    arguments = {"scale": 100.0, "shift": 128.0}
    (result,) = run("normalize", SAMPLES[:1], dtype=types.UINT8, **arguments)
    (exact,) = run("normalize", SAMPLES[:1], dtype=types.FLOAT64, **arguments)
    assert exact.dtype == np.float64
    np.testing.assert_array_equal(result, np.floor(exact + 0.5).clip(0, 255))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"axes": ()}, "at least one axis"),
        ({"ddof": -1}, "no negative numbers"),
        ({"axes": 0, "axis_names": "W"}, "exclude one another"),
        ({"axes": 3}, "axis 3 is outside"),
        ({"axis_names": "Z"}, "no axis 'Z'"),
        ({"mean": (1, 2, 3)}, r"mean has the shape \(3,\)"),
        ({"mean": np.ones((1, 1, 3)), "axes": 0}, r"needs \(1, 5, 3\)"),
        ({"mean": np.ones((1, 1, 3)), "stddev": np.ones((1, 5, 3))}, "stddev has the shape"),
        ({"mean": np.ones((1, 1, 3)), "batch": True}, "must be one number"),
        ({"stddev": 0.0}, "stddev is a divisor"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(ArgumentError, match=message):
        run("normalize", SAMPLES[:1], "HWC", **arguments)


def test_a_batch_needs_common_extents():
    with pytest.raises(ArgumentError, match="batch=True all samples need the same extents"):
        run("normalize", SAMPLES, axes=0, batch=True)


def test_in_a_pipeline():
    pipe = Pipeline(batch_size=2, num_threads=1)
    with pipe:
        node = types.Constant(SAMPLES[0], layout="HWC")
        pipe.set_outputs(fn.normalize(node, batch=True), fn.normalize(node, axes=(0, 1)))
        whole, each = pipe.run()
        assert whole.layout() == each.layout() == "HWC"
        wanted = (SAMPLES[0] - SAMPLES[0].mean()) / SAMPLES[0].std()
        np.testing.assert_allclose(whole.as_array(), [wanted] * 2, atol=1e-5)
        assert abs(each.as_array().mean()) < 1e-5
