"""`reductions`."""

# ruff: noqa: RUF012  (attributes of test classes, which nothing changes)

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from penstock import types
from penstock.engine.errors import ArgumentError
from penstock.operators.reductions import gpu_reduce
from penstock.testing.agreement import agree
from penstock.testing.operators import OperatorConformance

from ..running import make, pixels, run

IMAGES = [pixels(6 + i, 9 - i, 3, seed=i) for i in range(4)]
NUMPY = {
    "sum": partial(np.sum),
    "mean": partial(np.mean, dtype=float),
    "mean_square": lambda data, **axes: np.mean(np.square(data, dtype=float), **axes),
    "rms": lambda data, **axes: np.sqrt(np.mean(np.square(data, dtype=float), **axes)),
    "min": np.min,
    "max": np.max,
}
DTYPES = ["bool", "u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f2", "f4", "f8"]


class _Conformance(OperatorConformance):
    inputs = (IMAGES,)
    arguments = {"axis_names": "HW"}
    bad = (
        ({"axes": (0, 1)}, "exclude one another"),
        ({"axis_names": "X"}, "no axis 'X'"),
    )


class TestSum(_Conformance):
    operator = "reductions.sum"


class TestMean(_Conformance):
    operator = "reductions.mean"
    arguments = {"axis_names": "W", "keep_dims": True}
    largest = 1e-5


class TestMeanSquare(_Conformance):
    operator = "reductions.mean_square"
    arguments = {"dtype": types.UINT16}
    bad = (({"axes": (0, 3)}, "axis 3"),)


class TestRootMeanSquare(_Conformance):
    operator = "reductions.rms"
    largest = 1e-4


class TestVariance(_Conformance):
    operator = "reductions.variance"
    inputs = (IMAGES, [np.float32([100, 120, 130 + i]) for i in range(4)])
    arguments = {"axis_names": "HW", "ddof": 1}
    bad = (({"axis_names": "W"}, r"mean has the shape \(3,\)"), ({"ddof": -1}, "at least 0"))
    largest = 1e-2

    def test_views_give_what_contiguous_samples_give(self):
        rows, _ = self.run(self.inputs, views=True)
        for row, wanted in zip(rows, self.run(self.inputs)[0], strict=True):
            np.testing.assert_allclose(row, wanted, 1e-6)


class TestStdDev(_Conformance):
    operator = "reductions.std_dev"
    inputs = (IMAGES, [np.float32(100 + i) for i in range(4)])
    arguments = {"axes": (0,)}
    bad = ()
    largest = 1e-4


class TestMin(_Conformance):
    operator = "reductions.min"


class TestMax(_Conformance):
    operator = "reductions.max"
    arguments = {"axes": (-1,)}
    bad = ()


@pytest.mark.parametrize("name", list(NUMPY))
@pytest.mark.parametrize("axes", [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2), ()])
def test_the_results_are_those_of_numpy(device, name, axes):
    for sample in (IMAGES[0], IMAGES[1].astype(np.float32)[:, ::2], pixels(3, 4, 40)):
        for keep_dims in (False, True):
            (result,) = run(
                f"reductions.{name}", [sample], axes=axes, keep_dims=keep_dims, device=device
            )
            wanted = NUMPY[name](sample, axis=axes, keepdims=keep_dims)
            np.testing.assert_allclose(result, wanted, 1e-6)
            assert result.shape == wanted.shape


@pytest.mark.parametrize("name", list(NUMPY))
@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes(device, name, dtype):
    sample = np.arange(6).reshape(2, 3).astype(dtype)
    (result,) = run(f"reductions.{name}", [sample], device=device)
    kind = np.dtype(dtype).kind
    wanted = {
        "sum": {"b": "u8", "u": "u8", "i": "i8"}.get(kind, dtype),
        "min": dtype,
        "max": dtype,
    }.get(name, "f8" if dtype == "f8" else "f4")
    assert result.dtype == wanted
    np.testing.assert_allclose(result.astype(float), NUMPY[name](sample).astype(float), 1e-6)


@pytest.mark.parametrize("axes", [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2), ()])
@pytest.mark.parametrize("shape", [(20, 25, 3), (3, 300, 2), (1, 1, 1), (2, 3, 400)])
def test_axes_on_the_gpu(device_stage, tuned, axes, shape):
    tuned(gpu_reduce, MAX_BLOCKS=7, MIN_TERMS=2)
    rows = [pixels(*shape, seed=i) for i in range(2)]
    agree("reductions.sum", rows, axes=axes)


def test_nan_is_the_extreme(device_stage):
    rows = [np.float32([[1, np.nan, 3], [4, 5, 6]])] * 2
    for name in ("min", "max"):
        (results,) = agree(f"reductions.{name}", rows, axes=(1,))
        assert np.isnan(results[0]).tolist() == [True, False]


def test_no_elements(device_stage):
    empty = [np.zeros((0, 3), np.uint8)] * 2
    (sums,) = agree("reductions.sum", empty, axes=(0,))
    (means,) = agree("reductions.mean", empty, axes=(0,))
    assert sums[0].tolist() == [0, 0, 0]
    assert np.isnan(means[0]).all()
    for name in ("min", "max"):
        with pytest.raises(ArgumentError, match=r"no elements along the axes \(0,\)"):
            run(f"reductions.{name}", empty, axes=(0,))


def test_a_divisor_is_at_least_0(device):
    sample = np.float32([1, 2, 3])
    for ddof in (3, 4):
        (result,) = run(
            "reductions.variance", [sample], inputs=[[np.float32(0)]], ddof=ddof, device=device
        )
        assert result == np.inf


def test_layouts_lose_reduced_axes():
    def layout(given, **arguments):
        return make("reductions.sum", given, **arguments).output_layouts()

    assert layout("HWC") == ("",)
    assert layout("HWC", axes=(0, -1)) == ("W",)
    assert layout("HWC", axis_names="C", keep_dims=True) == ("HWC",)
    assert layout("", axes=(0,)) == ("",)


def test_results_are_clamped_to_their_dtype(device):
    sample = np.full((10, 10), 200, np.uint8)
    assert run("reductions.sum", [sample], dtype=types.UINT8, device=device)[0] == 255
    assert run("reductions.mean", [sample], dtype=types.INT8, device=device)[0] == 127
