"""`resize_crop_mirror` on the GPU."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock import types
from penstock.geometry.windows import Window, WindowBatch
from penstock.operators.resize.resize_crop_mirror import crop_and_mirror, crop_and_mirror_all
from penstock.operators.resize.sizing import ResizePlan, ResizePlans
from penstock.testing.agreement import agree

from ....operators.twins import assert_twins
from ..pictures import pictures


@pytest.mark.parametrize("mirror", [0, 1, 2, 3])
def test_constant_arguments(device_stage, mirror):
    agree(
        "resize_crop_mirror",
        pictures(30, 45),
        layout="HWC",
        largest=1,
        mean=0.05,
        resize_shorter=20,
        crop=(15, 17),
        crop_pos_x=0.3,
        mirror=mirror,
    )


def test_arguments_of_each_sample(device_stage):
    images = pictures(30, 45)
    rng = np.random.default_rng(1)
    agree(
        "resize_crop_mirror",
        images,
        layout="HWC",
        largest=1,
        mean=0.05,
        per_sample={
            "size": [rng.integers(20, 60, 2) for _ in images],
            "crop_w": [np.float32(10 + i) for i in range(len(images))],
            "crop_h": [np.float32(9)] * len(images),
            "crop_pos_y": list(rng.random(len(images)).astype(np.float32)),
            "mirror": [np.int32(i % 4) for i in range(len(images))],
        },
    )


def test_without_antialiasing_and_as_floats(device_stage):
    agree(
        "fast_resize_crop_mirror",
        pictures(30, 45),
        layout="HWC",
        largest=0.03,
        size=(12, 13),
        crop=(40, 10),
        dtype=types.FLOAT,
    )


def test_volumes(device_stage):
    volumes = [volume.transpose(2, 0, 1) for volume in pictures(14, 11)]
    agree("resize_crop_mirror", volumes, layout="DHW", largest=1, size=9, crop=(4, 5, 6), mirror=7)


def test_rows_that_cannot_be_cropped(device_stage):
    position = [np.float32(v) for v in (0.1, 1.5, 0.9)]
    arguments = {
        "layout": "HWC",
        "size": 20,
        "crop": (9, 9),
        "per_sample": {"crop_pos_x": position},
    }
    with pytest.raises(ValueError, match="position along W is"):
        agree("resize_crop_mirror", pictures(30, 45)[:3], **arguments)


@given(
    st.lists(
        st.tuples(
            st.integers(1, 50), st.floats(-5, 60), st.floats(-5, 60), st.integers(-3, 9),
            st.integers(1, 50), st.booleans(),
        ),
        min_size=1, max_size=5,
    )
)  # fmt: skip
def test_plans_are_those_of_the_cpu(samples):
    def one(sample):
        size, start, end, first, extent, mirrored = ((value, value) for value in sample)
        return crop_and_mirror(ResizePlan(size, start, end), Window(first, extent), mirrored)

    def every(samples):
        columns = (np.array(column) for column in zip(*samples, strict=True))
        size, start, end, first, extent, mirrored = (np.stack([c, c], 1) for c in columns)
        whole = ResizePlans(size, start, end, np.ones(len(samples), bool))
        plans = crop_and_mirror_all(whole, WindowBatch(first, extent), mirrored)
        return plans[:3], plans.possible

    assert_twins(samples, one, every)
