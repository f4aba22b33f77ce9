"""Shapes and properties of data on the GPU, which are on the CPU where nothing else is asked."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import Pipeline, fn, types
from penstock.testing.agreement import agree, source

from ..geometry.test_crop import rows


def test_both_devices(device_stage):
    agree("shapes", rows(4, "HWC"))
    agree("shapes", rows(4, "HWC")[:1] * 2, dtype=types.INT32)
    agree("get_property", rows(4, "HWC"), key="layout", layout="HWC")


@pytest.mark.parametrize("ragged", [True, False])
def test_results_serve_as_arguments(device_stage, ragged):
    data = rows(4, "HWC") if ragged else rows(4, "HWC")[:1] * 6
    with Pipeline(batch_size=6) as pipe:
        images = source(data, "HWC").gpu()
        shape = images.shape()
        heights = shape[0] // 2 + 1
        text = images.property("layout")
        assert (shape.device, text.device) == ("cpu", "cpu")
        assert images.shape(device="gpu").device == "gpu"
        cropped = fn.crop(images, crop_h=heights, crop_w=fn.cast(shape[1], dtype=types.FLOAT))
        pipe.set_outputs(shape, text, cropped, cropped.shape())
        shapes, texts, crops, after = pipe.run()
    assert [tuple(row) for row in shapes.rows()] == [row.shape for row in data]
    assert {bytes(row) for row in texts.rows()} == {b"HWC"}
    wanted = [(row.shape[0] // 2 + 1, *row.shape[1:]) for row in data]
    assert crops.shape() == wanted
    np.testing.assert_array_equal([np.array(row) for row in after.rows()], wanted)
