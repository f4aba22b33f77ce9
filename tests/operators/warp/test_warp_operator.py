"""Axes and canvases of operators that move pixels."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.engine.errors import ArgumentError
from penstock.operators.warp.warp_operator import WarpAxes

from ..running import make


@pytest.mark.parametrize(
    ("layout", "axes"),
    [("HW", (0, 2)), ("HWC", (0, 2)), ("FHWC", (1, 2)), ("DHW", (0, 3)), ("FDHWC", (1, 3))],
)
def test_axes(layout, axes):
    assert make("rotate", layout, angle=1).axes_of(len(layout)) == axes


@pytest.mark.parametrize("layout", ["CHW", "FFHW", "WHC", "HWCF"])
def test_other_layouts_are_refused(layout):
    with pytest.raises(ArgumentError, match="takes HW, HWC, DHW and DHWC"):
        make("rotate", layout, angle=1)


def test_extents_of_samples():
    axes = WarpAxes(1, 2)
    assert axes.leading == 3
    assert axes.extent((5, 6, 7, 3)) == (6, 7)
    assert axes.extent(np.array([[5, 6, 7, 3]])).tolist() == [[6, 7]]


def test_given_canvases():
    operator = make("rotate", "HWC", angle=1)
    assert operator.given_canvas(WarpAxes(0, 2), ()) is None
    assert operator.given_canvas(WarpAxes(0, 2), (4.5, 3.2)) == (5, 3)
    with pytest.raises(ArgumentError, match="give \\(depth, height, width"):
        operator.given_canvas(WarpAxes(0, 3), (4, 3))
