"""`water`, `sphere` and `jitter`: what they share."""

# ruff: noqa: RUF012  (attributes of test classes, which nothing changes)

from __future__ import annotations

import numpy as np
import pytest

from penstock import types
from penstock.engine.errors import ArgumentError
from penstock.testing.agreement import agree, assert_rows, on_device
from penstock.testing.operators import OperatorConformance

from ..running import pixels, run

IMAGES = [pixels(10 + i, 12 - i, 3, seed=i) for i in range(3)]
MASKS = {"mask": [np.int32(1), np.int32(0), np.int32(5)]}
BAD = (
    ({"interp_type": types.INTERP_CUBIC}, "must be INTERP_NN or INTERP_LINEAR"),
    ({"mask": "no"}, "'mask' must be int"),
)


class TestWater(OperatorConformance):
    operator = "water"
    inputs = (IMAGES,)
    arguments = {"ampl_x": 2.5, "ampl_y": 1.7, "freq_x": 0.6, "freq_y": 0.9, "phase_x": 1.0}
    per_sample = MASKS
    bad = BAD


class TestSphere(OperatorConformance):
    operator = "sphere"
    inputs = (IMAGES,)
    arguments = {"interp_type": types.INTERP_LINEAR, "fill_value": 90.0}
    per_sample = MASKS
    bad = BAD
    largest = 1


class TestJitter(OperatorConformance):
    operator = "jitter"
    inputs = (IMAGES,)
    arguments = {"nDegree": 5, "seed": 11}
    per_sample = MASKS
    bad = (*BAD, ({"nDegree": 0}, "from 1 to"))

    @pytest.mark.skip("the random numbers of a sample depend on its position")
    def test_arguments_by_sample_give_what_constants_give(self):
        pass

    def test_results_depend_on_neither_threads_nor_batch_size(self):
        wanted, _ = self.run(self.inputs)
        assert_rows(self.run(self.inputs, threads=1)[0], wanted)
        assert_rows(self.run(self.inputs, threads=4)[0], wanted)


@pytest.mark.parametrize("interp", [types.INTERP_NN, types.INTERP_LINEAR])
@pytest.mark.parametrize("dtype", ["?", "u1", "i2", "i8", "f2", "f8"])
def test_types(device_stage, dtype, interp):
    images = [(image.astype(float) - 100).astype(dtype) for image in IMAGES]
    largest = {"?": 0, "f2": 0.1, "f8": 1e-9}.get(dtype, 1) * (interp == types.INTERP_LINEAR)
    options = {"layout": "HWC", "interp_type": interp, "fill_value": 77.5}
    agree("water", images, largest=largest, ampl_x=3.0, ampl_y=2.0, freq_x=0.5, **options)


@pytest.mark.parametrize("name", ["water", "sphere", "jitter"])
def test_sequences(device_stage, name):
    videos = [pixels(3, 8, 9, 6, seed=i) for i in range(2)]
    (rows,) = agree(name, videos, layout="FHWC")
    assert rows[0].shape == (3, 8, 9, 6)
    (gray,) = agree(name, [pixels(5, 1), pixels(1, 6)], layout="HW")
    assert gray[0].shape == (5, 1)


def test_samples_that_are_refused(device):
    with pytest.raises(ArgumentError, match="must lie in"):
        on_device(device, "sphere", [pixels(0, 5, 3)], layout="HWC")
    with pytest.raises(ArgumentError, match="takes HW and HWC"):
        on_device(device, "water", [pixels(2, 5, 3)], layout="CHW")


def test_samples_without_movement_stay(device):
    image = IMAGES[0].astype(np.int64)
    for name in ("water", "sphere", "jitter"):
        (result,) = run(name, [image], "HWC", mask=0, device=device)
        np.testing.assert_array_equal(result, image, strict=True)
