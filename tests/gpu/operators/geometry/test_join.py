"""`cat` and `stack` on the GPU: every axis, element size, and extents of each sample."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import Pipeline, fn
from penstock.testing.agreement import agree, source

from .test_crop import rows
from .test_flip import TYPES


@pytest.mark.parametrize("axis", [0, 1, 2, 3, -1, -3])
@pytest.mark.parametrize("dtype", TYPES)
def test_stack(device_stage, axis, dtype):
    data = rows(axis % 7, "HWC", dtype)
    agree("stack", data, [row + row for row in data], [row * 0 for row in data], axis=axis)
    agree("stack", data[:1] * 2, data[:1] * 2, axis=axis)
    agree("stack", data, axis=axis)


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
@pytest.mark.parametrize("dtype", TYPES)
def test_cat(device_stage, axis, dtype):
    rng = np.random.default_rng(axis + 1)
    first = rows(axis % 5, "HWC", dtype)
    others = []
    for _ in range(2):
        shapes = np.array([row.shape for row in first])
        shapes[:, axis] = rng.integers(0, 20, len(first))
        others.append([rng.integers(0, 99, shape).astype(dtype) for shape in shapes])
    agree("cat", first, *others, axis=axis, layout="HWC")
    agree("cat", first[:1] * 2, others[0][:1] * 2, axis=axis)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("channels", [(3, 1), (1, 1, 2), (4, 4), (5, 8, 1), (20, 20), (1,) * 9])
def test_channels_of_several_images(device_stage, channels, dtype):
    rng = np.random.default_rng(len(channels))
    for sizes in ([(37, 53)] * 2, [(8, 16), (1, 1), (5, 7)]):
        images = [
            [rng.integers(0, 99, (*size, count)).astype(dtype) for size in sizes]
            for count in channels
        ]
        agree("cat", *images, axis=2, layout="HWC")


def test_scalars_are_stacked(device_stage):
    agree("stack", [np.float32(n) for n in range(5)], [np.float32(9)] * 5)


@pytest.mark.parametrize("name", ["stack", "cat"])
def test_a_row_that_does_not_fit(device_stage, name):
    with Pipeline(batch_size=3, on_error="replace") as pipe:
        left = source([np.full((2, 3), n) for n in range(3)]).gpu()
        right = source([np.full((2, 3 - n % 2), n) for n in range(3)]).gpu()
        pipe.set_outputs(getattr(fn, name)(left, right, axis=0))
        (output,) = pipe.run()
        assert output.valid.tolist() == [True, False, True]
        assert output.as_cpu().at(2).reshape(-1).tolist() == [2] * 12


@pytest.mark.parametrize(
    ("operator", "other", "message"),
    [
        (fn.stack, np.zeros((2, 3), "u1"), "agree in dtype"),
        (fn.cat, np.zeros((2, 3, 1)), "agree in dtype"),
        (fn.stack, np.zeros((2, 4)), "must have one shape"),
        (fn.cat, np.zeros((1, 4)), "may differ in their extent along axis 0 only"),
    ],
)
def test_errors_are_those_of_the_cpu(device_stage, operator, other, message):
    for device in ("cpu", "gpu"):
        with Pipeline(batch_size=1) as pipe:
            nodes = [source([np.zeros((2, 3))]), source([other])]
            pipe.set_outputs(operator(*(n.gpu() if device == "gpu" else n for n in nodes)))
            with pytest.raises(ValueError, match=message):
                pipe.run()
