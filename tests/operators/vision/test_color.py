"""The operator of `ColorJitter`, on both devices."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.engine.errors import ArgumentError
from penstock.testing.operators import OperatorConformance

from ..pictures import pictures
from ..running import pixels, run

IMAGES = pictures(21, 33)[:3]
ALL = {"brightness": 1.3, "contrast": 0.6, "saturation": 1.7, "hue": 0.2, "order": 9}
VARYING = {
    "brightness": np.float32([0, 0.4, 1.9]),
    "contrast": np.float32([0, 0.4, 1.9]),
    "saturation": np.float32([0, 0.4, 1.9]),
    "hue": np.float32([-0.5, 0.33, 0.02]),
    "order": np.int32([0, 5, 23]),
}


class TestTensors(OperatorConformance):
    operator = "_vision_color"
    inputs = (IMAGES,)
    arguments = ALL
    per_sample = VARYING
    largest = 1
    bad = (
        ({"brightness": -1.0}, "at least 0"),
        ({"hue": 0.7}, "from -0.5 to 0.5"),
        ({"order": 24}, "from 0 to 23"),
    )


class TestPillow(TestTensors):
    arguments = ALL | {"rule": "pillow"}
    bad = ()


class TestFloats(TestTensors):
    inputs = ([image.astype(np.float32) / 255 for image in IMAGES],)
    largest = 1e-5
    bad = ()


class TestGray(OperatorConformance):
    operator = "_vision_color"
    inputs = ([pixels(9, 8 + i, 1, seed=i) for i in range(3)],)
    arguments = ALL
    largest = 1


class TestGrayOfPillow(TestGray):
    arguments = ALL | {"rule": "pillow"}


class TestFourChannels(OperatorConformance):
    operator = "_vision_color"
    inputs = ([np.zeros((4, 4, 4), np.uint8)] * 3,)
    bad = (({}, "1 or 3 channels"),)
    test_rows_agree_in_dtype_dimensions_and_layout = None
    test_results_depend_on_neither_threads_nor_batch_size = None
    test_views_give_what_contiguous_samples_give = None
    test_other_layouts_give_the_same_or_are_refused = None
    test_the_gpu_agrees = None
    test_batches_are_right_beside_queued_work = None


@pytest.mark.parametrize("order", range(24))
def test_the_gpu_gives_the_bytes_of_pillow(device_stage, order):
    arguments = ALL | {"rule": "pillow", "order": order}
    wanted = run("_vision_color", IMAGES[:1], "HWC", **arguments)
    made = run("_vision_color", IMAGES[:1], "HWC", device="gpu", **arguments)
    np.testing.assert_array_equal(made[0], wanted[0])


def test_numbers_of_data_are_checked(device):
    with pytest.raises(ArgumentError, match="contrast is -1"):
        run(
            "_vision_color",
            IMAGES[:1],
            "HWC",
            device=device,
            per_sample={"contrast": np.float32([-1])},
        )
