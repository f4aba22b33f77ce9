"""`fn.multi_paste` in pipelines: mosaics, several threads, wrong input."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import Pipeline, fn
from penstock.engine.errors import ArgumentError
from penstock.testing.agreement import agree, on_device

from ..running import pixels, run

IMAGES = [pixels(6, 8, 3, seed=i) for i in range(4)]


def test_a_mosaic_of_the_batch():
    anchors = np.int32([[0, 0], [0, 8], [6, 0], [6, 8]])
    with Pipeline(batch_size=4, num_threads=3, seed=1) as pipe:
        images = fn.external_source(source=lambda: IMAGES, layout="HWC")
        order = fn.external_source(source=lambda: [np.roll(np.arange(4), i) for i in range(4)])
        mosaic = fn.multi_paste(images, in_ids=order, output_size=(12, 16), out_anchors=anchors)
        pipe.set_outputs(mosaic)
        (result,) = pipe.run()
        assert result.layout() == "HWC"
        for i in range(4):
            a, b, c, d = (IMAGES[k] for k in np.roll(np.arange(4), i))
            np.testing.assert_array_equal(
                result.row(i), np.vstack([np.hstack([a, b]), np.hstack([c, d])])
            )


def test_later_regions_cover_earlier_ones(device_stage):
    anchors = np.int32([[0, 0], [2, 3]])
    arguments = {"in_ids": (0, 1), "output_size": (9, 12), "out_anchors": anchors}
    ((first, *_),) = agree("multi_paste", IMAGES, layout="HWC", arguments=arguments)
    np.testing.assert_array_equal(first[2:8, 3:11], IMAGES[1])
    np.testing.assert_array_equal(first[:2, :8], IMAGES[0][:2])
    assert not first[8].any()


@pytest.mark.parametrize("types", [("float32", "uint8"), ("int64", "int8"), ("float16", "float32")])
def test_types_on_both_devices(device_stage, types):
    images = [(image.astype("float64") * 2 - 99.5).astype(types[0]) for image in IMAGES]
    arguments = {"in_ids": (2,), "output_size": (7, 9), "dtype": types[1]}
    agree("multi_paste", images, layout="HWC", arguments=arguments)


@pytest.mark.parametrize(
    ("images", "arguments", "message"),
    [
        (IMAGES, {"in_ids": (4,)}, "in_ids has 4, but the batch has 4 samples"),
        ([*IMAGES[:3], IMAGES[3][:5]], {"in_ids": (0,)}, "different sizes"),
        (IMAGES, {"in_ids": (0,), "output_size": (5,)}, "give .height, width."),
        ([image[..., 0] for image in IMAGES], {}, "must be HWC or FHWC"),
    ],
)
def test_wrong_input_is_refused(images, arguments, message):
    with pytest.raises(ArgumentError, match=message):
        on_device("cpu", "multi_paste", images, **arguments)


def test_inputs_have_one_type(device):
    with pytest.raises(ArgumentError, match="uint8 and float32; they must have one type"):
        run("multi_paste", IMAGES, inputs=[[image.astype("f4") for image in IMAGES]], device=device)
