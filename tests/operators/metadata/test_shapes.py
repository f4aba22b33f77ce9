from __future__ import annotations

import numpy as np
import pytest

from penstock import Pipeline, fn, types
from penstock.operators.metadata.shapes import Shapes
from penstock.testing.agreement import agree, source
from penstock.tests.operators.running import apply, batch_of, tensors

from ..indexing.test_crop import rows


def test_shape():
    result = apply(Shapes, np.zeros((2, 3, 4)))
    assert result.dtype == np.int64
    assert result.tolist() == [2, 3, 4]
    assert apply(Shapes, np.float32(1)).shape == (0,)


def test_type():
    assert apply(Shapes, np.zeros(2), dtype=types.FLOAT).dtype == np.float32
    with pytest.warns(DeprecationWarning, match="type is deprecated; use dtype"):
        arguments = Shapes.by_current_names({"type": types.INT32})
    assert apply(Shapes, np.zeros(2), **arguments).dtype == np.int32


def test_batch():
    result = Shapes("cpu", (), ("HW",)).batch(
        batch_of(2), tensors(np.zeros((2, 3)), np.zeros((4, 5)))
    )
    assert result.tolist() == [[2, 3], [4, 5]]


# Shapes and properties of data on the GPU, which are on the CPU where nothing else is asked.
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
