"""`element_extract`."""

# ruff: noqa: RUF012  (attributes of test classes, which nothing changes)

from __future__ import annotations

import numpy as np
import pytest

from penstock.engine.errors import ArgumentError
from penstock.testing.agreement import agree
from penstock.testing.operators import OperatorConformance

from ..running import make, pixels, run

VIDEOS = [pixels(3 + i, 4, 5, 3, seed=i) for i in range(3)]


class TestElementExtract(OperatorConformance):
    operator = "element_extract"
    layout = "FHWC"
    inputs = (VIDEOS,)
    arguments = {"element_map": [2]}
    bad = (({"element_map": (3,)}, r"a sample of the shape \(3, 4, 5, 3\) has no element 3"),)


def test_an_output_for_each_index(device_stage):
    results = agree("element_extract", VIDEOS, layout="FHWC", element_map=(2, 0, 2))
    for index, rows in zip((2, 0, 2), results, strict=True):
        for row, video in zip(rows, VIDEOS, strict=True):
            np.testing.assert_array_equal(row, video[index])


def test_layouts_lose_their_frames():
    assert make("element_extract", "FHWC", element_map=(0, 1)).output_layouts() == ("HWC", "HWC")
    assert run("element_extract", [np.arange(3)], element_map=(1,))[0][0].item() == 1


@pytest.mark.parametrize(
    ("layout", "indices", "message"),
    [("HWC", (0,), "does not start with F"), ("", (), "empty"), ("", (-1,), "at least 0")],
)
def test_wrong_arguments(layout, indices, message):
    with pytest.raises(ArgumentError, match=message):
        make("element_extract", layout, element_map=indices)
