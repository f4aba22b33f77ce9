"""`fn.sequence_rearrange`: orders, layouts and errors."""

# ruff: noqa: RUF012  (attributes of test classes, which nothing changes)

from __future__ import annotations

import numpy as np
import pytest

from penstock.engine.errors import ArgumentError
from penstock.testing.agreement import agree
from penstock.testing.operators import OperatorConformance

from ..running import pixels, run

VIDEOS = [pixels(3 + n % 2, 5 + n, 7, 3, seed=n) for n in range(4)]


class TestSequenceRearrange(OperatorConformance):
    operator = "sequence_rearrange"
    layout = "FHWC"
    inputs = (VIDEOS,)
    arguments = {"new_order": (2, 0, 0, 1)}
    per_sample = {"new_order": [(0,), (1, 2), (2, 1, 0), (0, 0, 0, 0)]}
    bad = (
        ({"new_order": (0, 3)}, r"new_order\[1\] is 3, but the sequence has the frames 0 to 2"),
        ({"new_order": -1}, "is -1"),
        ({"new_order": ()}, "is empty"),
    )
    bad_inputs = (([[VIDEOS[0], VIDEOS[1][:2]]], "is 2, but the sequence has the frames 0 to 1"),)


def test_frames_change_places():
    (result,) = run("sequence_rearrange", [VIDEOS[0]], new_order=(2, 0, 0))
    np.testing.assert_array_equal(result, VIDEOS[0][[2, 0, 0]])
    (single,) = run("sequence_rearrange", [VIDEOS[0]], new_order=1)
    np.testing.assert_array_equal(single, VIDEOS[0][1:2])


@pytest.mark.parametrize("dtype", ["u1", "i2", "f4", "f8"])
def test_sizes_and_alignments(device_stage, dtype):
    videos = [pixels(4, n, 3, seed=n).astype(dtype) for n in (1, 5, 16, 33)]
    agree("sequence_rearrange", videos, new_order=(3, 1, 1, 0, 2))


def test_samples_without_frames():
    with pytest.raises(ArgumentError, match="which has no frames"):
        run("sequence_rearrange", [np.float32(1)], new_order=0)
    with pytest.raises(ArgumentError, match="whose layout starts with F"):
        run("sequence_rearrange", [VIDEOS[0]], "DHWC", new_order=0)
