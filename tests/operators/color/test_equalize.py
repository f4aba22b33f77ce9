"""`equalize`."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from penstock.engine.errors import ArgumentError
from penstock.testing.operators import OperatorConformance

from ..pictures import pictures
from ..running import pixels, run


class TestEqualize(OperatorConformance):
    operator = "equalize"
    inputs = ([image // 3 + 40 for image in pictures(20, 31)],)


class TestVideosOfPlanes(OperatorConformance):
    operator = "equalize"
    layout = "FCHW"
    inputs = ([pixels(2, 3, 5, 6 + i, seed=i) // 9 for i in range(3)],)


class TestGray(OperatorConformance):
    operator = "equalize"
    layout = "HW"
    inputs = ([np.full((5, 6 + i), 77 * i, np.uint8) for i in range(3)],)


class TestFloats(OperatorConformance):
    operator = "equalize"
    inputs = ([np.zeros((4, 4, 3), np.float32)] * 3,)
    bad = (({}, "needs uint8 images of the layouts HW, HWC, .* is float32"),)
    test_rows_agree_in_dtype_dimensions_and_layout = None
    test_results_depend_on_neither_threads_nor_batch_size = None
    test_views_give_what_contiguous_samples_give = None
    test_other_layouts_give_the_same_or_are_refused = None
    test_the_gpu_agrees = None
    test_batches_are_right_beside_queued_work = None


@pytest.mark.parametrize(
    ("layout", "shape"),
    [
        ("HWC", (5, 6, 3)),
        ("CHW", (3, 5, 6)),
        ("FHWC", (2, 5, 6, 3)),
        ("FHW", (2, 5, 6)),
        ("FCHW", (2, 3, 5, 6)),
        ("HW", (5, 6)),
    ],
)
def test_each_channel_is_equalized_alone(device, layout, shape):
    sample = pixels(*shape) // 5
    (result,) = run("equalize", [sample], layout, device=device)
    axes = layout.index("H"), layout.index("W")
    planes, results = (
        np.moveaxis(array, axes, (-2, -1)).reshape(-1, 5, 6) for array in (sample, result)
    )
    for plane, equalized in zip(planes, results, strict=True):
        np.testing.assert_array_equal(equalized, cv2.equalizeHist(np.ascontiguousarray(plane)))


@pytest.mark.parametrize("shape", [(0, 4, 3), (1, 1, 3), (0, 3, 4, 3)])
def test_small_and_empty_images(device, shape):
    assert run("equalize", [np.full(shape, 9, np.uint8)], device=device)[0].shape == shape


def test_volumes_are_refused(device):
    with pytest.raises(ArgumentError, match="'DHWC'"):
        run("equalize", [np.zeros((2, 3, 4, 3), np.uint8)], "DHWC", device=device)
