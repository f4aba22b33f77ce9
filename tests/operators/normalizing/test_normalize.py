"""`fn.normalize` against NumPy's mean and standard deviation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from penstock import fn, pipeline_def, types
from penstock.engine.errors import ArgumentError
from penstock.engine.gpu import launch
from penstock.engine.pipeline.pipeline import Pipeline
from penstock.operators.normalizing import gpu_standardize, gpu_statistics
from penstock.testing.agreement import agree

from ..running import pixels, run

SAMPLES = [pixels(4, 5, 3), pixels(6, 2, 3, seed=1)]


@pytest.mark.parametrize("axes", [(0, 1), (0, 1, 2), (2,), (-1, 0)])
@pytest.mark.parametrize("ddof", [0, 1])
@pytest.mark.parametrize("dtype", ["uint8", "float32", "int64", "float64"])
def test_each_sample_by_itself(device, axes, ddof, dtype):
    samples = [sample.astype(dtype) for sample in SAMPLES]
    for sample, result in zip(
        samples, run("normalize", samples, axes=axes, ddof=ddof, device=device), strict=True
    ):
        mean = sample.mean(axes, keepdims=True)
        deviation = sample.std(axes, keepdims=True, ddof=ddof)
        np.testing.assert_allclose(result, (sample - mean) / deviation, atol=1e-5)
        assert result.dtype == np.float32


def test_the_batch_as_a_whole(device):
    results = run("normalize", SAMPLES, "HWC", axis_names="HW", batch=True, device=device)
    together = np.concatenate([sample.reshape(-1, 3) for sample in SAMPLES])
    for sample, result in zip(SAMPLES, results, strict=True):
        wanted = (sample - together.mean(0)) / together.std(0)
        np.testing.assert_allclose(result, wanted, atol=1e-5)


def test_given_statistics(device):
    (result,) = run(
        "normalize",
        SAMPLES[:1],
        mean=3.0,
        stddev=4.0,
        epsilon=9.0,
        scale=10,
        shift=1,
        device=device,
    )
    np.testing.assert_allclose(result, 10 * (SAMPLES[0] - 3.0) / 5 + 1, rtol=1e-5)
    (result,) = run("normalize", SAMPLES[:1], mean=3.0, device=device)
    deviation = np.sqrt(((SAMPLES[0] - 3.0) ** 2).mean())
    np.testing.assert_allclose(result, (SAMPLES[0] - 3.0) / deviation, atol=1e-5)


def test_the_shape_of_the_mean_tells_the_axes(device):
    sample = SAMPLES[0]
    mean = np.array([1, 2, 3], np.float32).reshape(1, 1, 3)
    deviation = np.sqrt(((sample - mean) ** 2).mean((0, 1), keepdims=True))
    for arguments in ({"mean": mean}, {"per_sample": {"mean": [mean]}}):
        (result,) = run("normalize", [sample], **arguments, device=device)
        np.testing.assert_allclose(result, (sample - mean) / deviation, atol=1e-5)


def test_no_deviation_gives_the_shift(device):
    constant = np.full((2, 2, 1), 5, np.uint8)
    (result,) = run("normalize", [constant], shift=7, device=device)
    assert (result == 7).all()
    (result,) = run("normalize", [constant], shift=7, mean=1.0, ddof=4, device=device)
    assert (result == 7).all()


def test_integer_results_are_rounded_and_clamped(device):
    arguments = {"scale": 100.0, "shift": 128.0}
    (result,) = run("normalize", SAMPLES[:1], dtype=types.UINT8, **arguments, device=device)
    (exact,) = run("normalize", SAMPLES[:1], dtype=types.FLOAT64, **arguments, device=device)
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
def test_bad_arguments(device, arguments, message):
    with pytest.raises(ArgumentError, match=message):
        run("normalize", SAMPLES[:1], "HWC", **arguments, device=device)


def test_a_batch_needs_common_extents(device):
    with pytest.raises(ArgumentError, match="batch=True all samples need the same extents"):
        run("normalize", SAMPLES, axes=0, batch=True, device=device)


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


# `normalize` on the GPU agrees with the CPU to 1e-5, whatever is reduced.
def samples(*shapes: tuple[int, ...], dtype: Any = "f4", seed: int = 0) -> list[Any]:
    rng = np.random.default_rng(seed)
    return [(rng.normal(size=shape) * 20 + 100).astype(dtype) for shape in shapes]


def check(
    rows: Any, layout: str = "", *, exact: float = 1e-5, per_sample: Any = None, **arguments: Any
) -> None:
    options = {"layout": layout, "per_sample": per_sample, "arguments": arguments}
    agree("normalize", rows, largest=exact, relative=exact, **options)


AXES = [None, (0,), (1,), (2,), (0, 1), (1, 2), (0, 2), (-1, 0)]


@pytest.mark.parametrize("axes", AXES)
@pytest.mark.parametrize("whole", [False, True])
def test_axes(device_stage, axes, whole):
    shapes = [(7, 5, 3)] * 3 if whole else [(7, 5, 3), (1, 9, 3), (40, 2, 3)]
    check(samples(*shapes), axes=axes, batch=whole)


@pytest.mark.parametrize("axes", [(0,), (1, 3), (0, 2), (0, 2, 4), (1, 2, 3, 4), (3,), (4,)])
def test_many_dimensions(device_stage, axes):
    check(samples((2, 3, 4, 5, 6), (1, 2, 1, 3, 2)), axes=axes)


@pytest.mark.parametrize("dtype", ["u1", "i2", "i4", "u8", "f2", "f8", "bool"])
@pytest.mark.parametrize("target", [types.FLOAT, types.FLOAT16, types.FLOAT64, types.UINT8])
def test_types(device_stage, dtype, target):
    if not device_stage and dtype not in ("u1", "f8") and target != types.FLOAT:
        pytest.skip("compiled on devices only, to keep the emulation quick")
    rows = samples((9, 11, 3), (4, 3, 3), dtype=dtype)
    exact = {types.FLOAT16: 2e-3, types.UINT8: 1.0}.get(target, 1e-5)
    check(rows, exact=exact, axes=(0, 1), dtype=target, scale=30.0, shift=100.0)


@pytest.mark.parametrize(
    "shape", [(120, 150, 3), (121, 151, 3), (5000, 3), (3, 40001), (2, 60, 300), (40000,)]
)
def test_samples_for_several_blocks(device_stage, shape):
    rows = samples(shape, dtype="u1")
    check(rows, axes=(len(shape) - 1,) if len(shape) < 3 else (0, 1))
    if len(shape) == 3:
        check(samples(shape, shape), axes=(0,), batch=True)


@pytest.mark.parametrize("dtype", ["u1", "i1", "f4"])
@pytest.mark.parametrize("axes", [None, (0, 1), (1,), (1, 2)])
def test_parts_that_begin_anywhere(device_stage, dtype, axes):
    rows = samples((91, 131, 3), (1, 1, 3), (93, 50, 3), (3, 131, 91))
    check([(row - 100).astype(dtype) for row in rows], axes=axes)


@pytest.mark.parametrize("dtype", ["u1", "i1", "f4"])
@pytest.mark.parametrize("axes", [None, (0, 1), (1, 2)])
def test_blocks_that_do_not_wait_for_others(device_stage, tuned, dtype, axes):
    tuned(gpu_standardize, MAX_POLLS=0)
    rows = samples((91, 131, 3), (1, 1, 3), (93, 50, 3), (3, 131, 91), (2, 150, 150))
    check([(row - 100).astype(dtype) for row in rows], axes=axes)


@pytest.mark.parametrize("dtype", ["u1", "f4"])
@pytest.mark.parametrize("axes", [None, (0, 1), (1,)])
def test_more_than_all_blocks_do_at_once(device_stage, tuned, dtype, axes):
    tuned(gpu_standardize, MAX_PARTIAL_SUMS=0)
    tuned(gpu_statistics, MAX_BLOCKS=2, WIDE_INDEX_ELEMENTS=1)
    tuned(launch, MAX_BLOCKS=2)
    check(samples((91, 131, 3), (93, 131, 3), (1, 1, 3), dtype=dtype), axes=axes)
    check(samples((91, 131, 3), (91, 131, 3), dtype=dtype), axes=axes)


def test_axes_that_are_kept_in_some_samples_only(device_stage):
    check(samples((1, 5), (7, 1)), axes=(0,))
    check(samples((1, 5, 3), (7, 1, 3)), axes=(0,))


def test_many_short_runs_and_wide_periods(device_stage):
    check(samples((40, 700), (300, 268)), axes=(0,))
    check(samples((40, 700), (300, 268), dtype="u1"), axes=(0,))
    check(samples((700, 4), (3, 4)), axes=(1,))
    check(samples((11, 700), (3, 700)), axes=(0,))
    check(samples((4, 30, 300)), axes=(1,))


@pytest.mark.parametrize("axes", [None, (0, 1)])
def test_given_values(device_stage, axes):
    rows = samples((6, 5, 3), (4, 9, 3), (1, 1, 3))
    mean, stddev = np.float32([[[90, 100, 110]]]), np.float32([[[3, 4, 5]]])
    check(rows, axes=axes, mean=mean, stddev=stddev, epsilon=2.0)
    check(rows, axes=axes, mean=mean)
    check(rows, axes=axes, stddev=stddev, ddof=1)
    check(rows, axes=axes, mean=100.0, stddev=7.0, scale=2, shift=1)
    check(rows, mean=100.0, ddof=1, epsilon=0.5)
    check(rows, mean=100.0, batch=True)


@pytest.mark.parametrize("shape", [(), (1, 1, 3), (4, 5, 1), (4, 5, 3)])
def test_values_that_vary(device_stage, shape):
    rows = samples(*[(4, 5, 3)] * 3)
    given = [np.full(shape, value, np.float32) for value in (1, 2, 3)]
    for name in ("mean", "stddev"):
        check(rows, per_sample={name: given})


def test_no_deviation_and_no_degrees_of_freedom(device_stage):
    flat = [np.full((4, 3), 7, np.uint8), np.arange(12).reshape(4, 3).astype(np.uint8)]
    check(flat, shift=3.0)
    check(flat, epsilon=1.0, ddof=12)
    check(samples((1, 3), (2, 3)), axes=(0,), ddof=1)


@pytest.mark.parametrize("axes", [None, (0, 1), (1,)])
def test_numbers_far_from_zero_and_close_together(device_stage, axes):
    rng = np.random.default_rng(3)
    rows = [(1000 + rng.normal(size=(70, 90, 3))).astype("f4") for _ in range(2)]
    check(rows, axes=axes, ddof=1)
    flat = [np.full((70, 9, 3), np.float32([0.1, 1e6, -3.3])), rows[0]]
    check(flat, axes=(0, 1), shift=2.0)


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("axes", [(0,), (1,), None])
def test_empty_samples(device_stage, axes, whole):
    shapes = [(0, 3), (4, 3), (0, 3)] if axes != (1,) else [(4, 0), (4, 3), (4, 1)]
    check(samples(*shapes), axes=axes, batch=whole)


def test_scalars_and_vectors(device_stage):
    check([np.float32(3), np.float32(5)], shift=2.0)
    check([np.float32(3), np.float32(5)], batch=True)
    check([np.arange(5), np.arange(3)], axes=(0,))


@pipeline_def(num_threads=2, device_id=0, batch_size=2)
def normalised(rows: Any, **arguments: Any) -> Any:
    return fn.normalize(fn.external_source(source=lambda: rows).gpu(), **arguments)


def test_results_are_the_same_every_time(device_stage):
    with normalised(samples((150, 120, 3), (90, 120, 3)), axes=(0, 1)) as pipe:
        first, second = (pipe.run()[0].as_cpu().rows() for _ in range(2))
    for one, other in zip(first, second, strict=True):
        np.testing.assert_array_equal(one, other)


@pipeline_def(num_threads=2, device_id=0, batch_size=3, on_error="replace")
def after_a_crop(rows: Any, **arguments: Any) -> Any:
    images = fn.external_source(source=lambda: rows, layout="HWC").gpu()
    return fn.normalize(fn.crop(images, crop=(4, 4)), **arguments)


@pytest.mark.parametrize(
    "arguments", [{"batch": True, "axes": (0, 1)}, {"mean": np.ones((1, 1, 3))}]
)
def test_rows_that_failed_before(device_stage, arguments):
    rows = samples((2, 5, 3), (5, 5, 3), (4, 4, 3))
    with after_a_crop(rows, **arguments) as pipe:
        (out,) = pipe.run()
        assert out.valid.tolist() == [False, True, True]
        with after_a_crop(rows[1:], **arguments | {"batch_size": 2}) as other:
            (wanted,) = other.run()
            for i in range(2):
                np.testing.assert_array_equal(out.as_cpu().row(i + 1), wanted.as_cpu().row(i))
