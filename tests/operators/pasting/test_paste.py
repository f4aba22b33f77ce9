"""`fn.paste` beside `fn.bbox_paste`, and wrong input."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.engine.errors import ArgumentError
from penstock.testing.agreement import agree

from ..box_samples import outputs
from ..running import pixels, run

NUMBERS = {"ratio": 2.3, "paste_x": 0.3, "paste_y": 0.9}


def test_boxes_follow_the_image(device):
    image = np.full((40, 60, 3), 200, np.uint8)
    (canvas,) = run("paste", [image], "HWC", fill_value=7, **NUMBERS, device=device)
    ((box,),) = outputs("bbox_paste", [np.float32([[0, 0, 1, 1]])], ltrb=True, **NUMBERS)
    bright = np.argwhere(canvas[..., 0] == 200)
    height, width = canvas.shape[:2]
    wanted = [*bright.min(0)[::-1], *(bright.max(0)[::-1] + 1)]
    np.testing.assert_allclose(box[0] * [width, height, width, height], wanted, 0, 1)


@pytest.mark.parametrize("channels", [1, 2, 3, 4, 7])
def test_any_number_of_channels(device_stage, channels):
    images = [pixels(5 + i, 7, channels, seed=i) for i in range(3)]
    color = tuple(range(10, 10 + channels))
    arguments = {"fill_value": color, "n_channels": channels, **NUMBERS}
    for canvas in agree("paste", images, layout="HWC", arguments=arguments)[0]:
        np.testing.assert_array_equal(canvas[0, -1], color)


@pytest.mark.parametrize(
    ("image", "message"),
    [
        (np.zeros((4, 4, 3), np.float32), "must be HWC and uint8, but is float32"),
        (np.zeros((4, 4), np.uint8), "must be HWC"),
        (np.zeros((4, 4, 4), np.uint8), "3 numbers for 4 channels"),
    ],
)
def test_other_images_are_refused(device, image, message):
    with pytest.raises(ArgumentError, match=message):
        run("paste", [image], fill_value=(1, 2, 3), ratio=1.5, device=device)


def test_an_image_may_be_empty(device):
    (canvas,) = run(
        "paste", [np.zeros((0, 5, 3), np.uint8)], ratio=2.0, fill_value=9, device=device
    )
    assert canvas.shape == (0, 10, 3)
