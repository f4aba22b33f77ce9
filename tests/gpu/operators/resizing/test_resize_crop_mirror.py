"""`resize_crop_mirror` on the GPU."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock import types
from penstock.engine.windows import Window, Windows
from penstock.operators.resizing.resize_crop_mirror import part_of, parts_of
from penstock.operators.resizing.size import Plan
from penstock.operators.resizing.sizes import Plans

from ...agreement import agree
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
def test_parts_are_those_of_the_cpu(rows):
    size, start, end, first, shape, mirrored = map(np.array, zip(*rows, strict=True))
    whole = Plans(*(np.stack([v, v], 1) for v in (size, start, end)), np.ones(len(rows), bool))
    windows = Windows(np.stack([first, first], 1), np.stack([shape, shape], 1))
    parts = parts_of(whole, windows, np.stack([mirrored, mirrored], 1))
    for i, (n, a, b, begin, extent, turned) in enumerate(rows):
        one = part_of(
            Plan((n, n), (a, a), (b, b)), Window((begin,) * 2, (extent,) * 2), (turned,) * 2
        )
        assert tuple(parts.size[i]) == one.size
        assert tuple(parts.start[i]) == one.start
        assert tuple(parts.end[i]) == one.end
