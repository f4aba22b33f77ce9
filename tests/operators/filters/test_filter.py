"""`filter`: windows of any extent, borders, modes."""

# ruff: noqa: RUF012  (attributes of test classes, which nothing changes)

from __future__ import annotations

import numpy as np
import pytest

from penstock import types
from penstock.engine.errors import ArgumentError
from penstock.testing.agreement import agree, on_device
from penstock.testing.operators import OperatorConformance

from ..running import pixels, run

IMAGES = [pixels(10 + i, 12 - i, 3, seed=i) for i in range(3)]
BORDERS = ("reflect_101", "reflect_1001", "wrap", "clamp", "constant")


def window(*shape, seed=0):
    """Return random weights."""
    return np.random.default_rng(seed).normal(0, 0.3, shape).astype(np.float32)


class TestFilter(OperatorConformance):
    operator = "filter"
    inputs = (IMAGES, [window(3, 5), window(4, 2, seed=1), window(1, 1, seed=2)])
    per_sample = {"anchor": [np.int32([1, 0]), np.int32([-1, 1]), np.int32([0, 0])]}
    bad = (
        ({"anchor": (3, 0)}, "is outside of a window of the shape"),
        ({"anchor": (0, 0, 0)}, "one number for each of the 2 axes"),
        ({"border": "none"}, "must be 'reflect_101', 'reflect_1001'"),
        ({"mode": "full"}, "must be 'same' or 'valid'"),
    )
    bad_inputs = (
        ([IMAGES[:2], [window(3, 5), window(0, 3)]], r"\(0, 3\); it must have elements"),
        ([IMAGES[:2], [window(3), window(5)]], "and 2 axes as the sample has"),
    )
    largest = 1

    @pytest.mark.skip("windows, the second input, have no channels of which half could be taken")
    def test_views_give_what_contiguous_samples_give(self):
        pass


class TestValidVolumes(OperatorConformance):
    operator = "filter"
    layout = "CDHW"
    inputs = (
        [pixels(2, 5, 6 + i, 7, seed=i).astype(np.float32) for i in range(3)],
        [window(3, 2, 2 + i) for i in range(3)],
    )
    arguments = {"mode": "valid"}
    bad_inputs = (
        ([np.zeros((2, 2, 5, 6, 7), np.float32), [window(3, 2, 2), window(3, 9, 2)]], "not fit"),
    )
    largest = 1e-3


@pytest.mark.parametrize(
    ("dtype", "border"),
    [*[("u1", border) for border in BORDERS], ("i2", "wrap"), ("f2", "clamp"), ("f8", "constant")],
)
def test_both_devices_agree(device_stage, dtype, border):
    samples = [image.astype(dtype) for image in IMAGES]
    windows = [window(3, 5), window(2, 2), window(1, 1)]
    fills = [np.asarray(7 + i, dtype) for i in range(3)]
    inputs = (samples, windows, fills) if border == "constant" else (samples, windows)
    layouts = ["HWC", "", ""][: len(inputs)]
    largest = {"f2": 0.3, "f8": 1e-4}.get(dtype, 1)
    agree("filter", *inputs, layout=layouts, arguments={"border": border}, largest=largest)


def test_frames_have_windows_of_their_own(device_stage):
    videos, windows = [pixels(2, 8, 9, 3, seed=i) for i in range(2)], [window(2, 3, 3)] * 2
    for device in ("cpu", "gpu"):
        (rows,), (layout,) = on_device(device, "filter", videos, windows, layout=["FHWC", "FHW"])
        assert layout == "FHWC"
        for row, video in zip(rows, videos, strict=True):
            for frame, image, weights in zip(row, video, windows[0], strict=True):
                (wanted,) = run("filter", [image], "HWC", inputs=[[weights]])
                assert np.abs(frame.astype(int) - wanted).max() <= 1


def test_types_of_results(device):
    sample, weights = np.full((4, 4), 100, np.uint8), np.full((3, 3), 0.5, np.float32)
    assert run("filter", [sample], inputs=[[weights]], device=device)[0].max() == 255
    (exact,) = run("filter", [sample], inputs=[[weights]], dtype=types.FLOAT, device=device)
    assert exact.dtype == np.float32
    np.testing.assert_allclose(exact, 450)
    assert run("filter", [sample[:0]], inputs=[[weights]], device=device)[0].shape == (0, 4)
    (cut,) = run("filter", [sample], inputs=[[weights]], mode="valid", device=device)
    assert cut.shape == (2, 2)


@pytest.mark.parametrize(
    ("shape", "mode", "message"),
    [
        ((3,), "same", "has the shape \\(3,\\); it must have elements, and 2 axes"),
        ((0, 3), "same", "it must have elements"),
        ((9, 3), "valid", "does not fit into a sample"),
        ((6, 3), "valid", "does not fit into a sample"),
    ],
)
def test_windows_that_are_refused(device, shape, mode, message):
    with pytest.raises(ArgumentError, match=message):
        on_device(
            device, "filter", [pixels(5, 6, 3)], [window(*shape)], layout=["HWC", ""], mode=mode
        )


def test_a_constant_is_one_number(device):
    inputs = [pixels(5, 6)], [window(3, 3)], [np.zeros(2, np.float32)]
    with pytest.raises(ArgumentError, match="fill_value has 2 numbers"):
        on_device(device, "filter", *inputs, border="constant")
