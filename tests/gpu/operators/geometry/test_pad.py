"""`pad` on the GPU: the shape of the batch, alignment, values of each sample."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import Pipeline, fn
from penstock.testing.agreement import agree, source

from .test_crop import rows


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
def test_shapes(device_stage, shapes):
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
