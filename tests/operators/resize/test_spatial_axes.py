"""Which axes a resize changes, by the layout."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.engine.errors import ArgumentError
from penstock.operators.resize.spatial_axes import spatial_axes


@pytest.mark.parametrize(
    ("layout", "first", "count", "channels_last"),
    [
        ("HW", 0, 2, False), ("HWC", 0, 2, True), ("CHW", 1, 2, False), ("FHWC", 1, 2, True),
        ("CFHW", 2, 2, False), ("DHWC", 0, 3, True), ("FCDHW", 2, 3, False),
    ],
)  # fmt: skip
def test_layouts(layout, first, count, channels_last):
    axes = spatial_axes("fn.resize", layout)
    assert (axes.first, axes.count, axes.channels_last) == (first, count, channels_last)
    assert layout[axes.spatial] == "DHW"[-count:]
    assert axes.ndim == len(layout)


def test_images_and_channels_of_a_batch():
    shapes = np.array([[5, 3, 20, 30], [2, 1, 4, 4]])
    frames_and_channels = spatial_axes("fn.resize", "FCHW")
    assert frames_and_channels.image_counts(shapes).tolist() == [15, 2]
    assert frames_and_channels.channel_counts(shapes).tolist() == [1, 1]
    channels_last = spatial_axes("fn.resize", "FHWC")
    assert channels_last.image_counts(shapes).tolist() == [5, 2]
    assert channels_last.channel_counts(shapes).tolist() == [30, 4]


@pytest.mark.parametrize("layout", ["HCW", "WH", "HWCF", "HHW", ""])
def test_layouts_without_images(layout):
    with pytest.raises(ArgumentError, match=f"fn.resize cannot resize the layout '{layout}'"):
        spatial_axes("fn.resize", layout)
