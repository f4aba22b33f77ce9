"""`fn.coord_transform`: shapes, dtypes, arguments and errors."""

# ruff: noqa: RUF012  (attributes of test classes, which nothing changes)

from __future__ import annotations

import numpy as np
import pytest

from penstock import Pipeline, fn, types
from penstock.engine.errors import ArgumentError
from penstock.testing.agreement import agree, source
from penstock.testing.operators import OperatorConformance

from ..running import run

POINTS = [np.random.default_rng(i).normal(size=(5 + i, 2)).astype(np.float32) for i in range(4)]
TURN = (0.5, -2.0, 3.0, 4.0)


class TestCoordTransform(OperatorConformance):
    operator = "coord_transform"
    layout = ""
    inputs = (POINTS,)
    arguments = {"M": TURN, "T": (10.0, 20.0)}
    per_sample = {
        "M": [(1.0, 2.0, 3.0, 4.0), (0.0, 1.0, 1.0, 0.0), TURN, TURN],
        "T": [(1.0, 2.0), (0.0, 0.0), (5.0, 5.0), (-1.0, 1.0)],
    }
    bad = (
        ({"M": (1, 2, 3)}, "M has 3 values, which are no matrix of 2 columns"),
        ({"T": (1, 2, 3)}, "T has 3 values, but M has 2 rows"),
        ({"MT": (1, 2, 3)}, "MT excludes M and T"),
    )
    largest = 1e-5


class TestIntegers(OperatorConformance):
    operator = "coord_transform"
    layout = "HWC"
    layouts = ()  # the vectors lie on the last axis, whatever its letter
    inputs = ([np.random.default_rng(i).integers(0, 256, (3 + i, 4, 3), "u1") for i in range(4)],)
    arguments = {"MT": (0.3, 0.6, 0.2, 1.0, 2.0, -1.0, 0.5, -30.5), "dtype": types.UINT8}
    bad = (({"MT": (1, 2, 3)}, "MT has 3 values, which are no matrix of 4 columns"),)


@pytest.mark.parametrize("dtype", ["u1", "i2", "i4", "i8", "f2", "f4", "f8"])
def test_dtypes(dtype):
    points = np.arange(12).reshape(2, 3, 2).astype(dtype)
    (result,) = run("coord_transform", [points], M=(1, 2.5, -3, 4, 0, 1), T=(1, 2, 3))
    assert result.dtype == np.float32
    matrix = np.array([[1, 2.5], [-3, 4], [0, 1]])
    np.testing.assert_allclose(result, points.astype(float) @ matrix.T + [1, 2, 3])


def test_single_numbers():
    points = POINTS[0]
    (result,) = run("coord_transform", [points], M=2, T=1)
    np.testing.assert_allclose(result, points * 2 + 1)
    (result,) = run("coord_transform", [points], MT=3)
    np.testing.assert_allclose(result, points * 3)
    (result,) = run("coord_transform", [points])
    np.testing.assert_array_equal(result, points)


def test_infinite_numbers_go_through(device):
    (result,) = run("coord_transform", [np.float32([[2, -3]])], M=np.inf, T=1, device=device)
    assert result.tolist() == [[np.inf, -np.inf]]


def test_integers_are_rounded_and_limited():
    points = np.float32([[1.4, 1.5], [300, -5], [np.nan, 1]])
    (result,) = run("coord_transform", [points], dtype=types.UINT8)
    np.testing.assert_array_equal(result, [[1, 2], [255, 0], [0, 0]])


def test_large_integers_are_exact():
    points = np.array([[2**40 + 1, -(2**40)]], np.int64)
    (result,) = run("coord_transform", [points], T=1, dtype=types.INT64)
    np.testing.assert_array_equal(result, points + 1)


def test_samples_without_vectors():
    assert run("coord_transform", [np.zeros((0, 2), "f4")], M=TURN)[0].shape == (0, 2)
    assert run("coord_transform", [np.zeros(2, "f4")], M=TURN)[0].shape == (2,)
    with pytest.raises(ArgumentError, match="vectors need an axis"):
        run("coord_transform", [np.float32(3)], M=TURN)


@pytest.mark.parametrize("name", ["M", "T", "MT"])
def test_maps_and_vectors_that_differ_in_their_numbers(device_stage, name):
    points = [np.random.default_rng(i).normal(size=(3, 2 + i)).astype("f4") for i in range(3)]
    counts = {"M": (4, 6, 8), "T": (2, 3, 4), "MT": (6, 8, 10)}[name]
    values = [np.arange(float(count)) for count in counts]
    agree("coord_transform", points, per_sample={name: values}, largest=1e-4)


def test_one_bad_sample(device_stage):
    maps = [np.float32(TURN), np.float32([1, 2, 3]), np.float32([1, 0, 0, 1])]
    with Pipeline(batch_size=3, num_threads=2, seed=1, on_error="replace") as pipe:
        mapped = fn.coord_transform(source(POINTS[:3]).gpu(), M=source(maps))
        pipe.set_outputs(mapped)
        (out,) = pipe.run()
        assert out.valid.tolist() == [True, False, True]
        np.testing.assert_allclose(out.as_cpu().row(2), POINTS[2], 1e-6)
