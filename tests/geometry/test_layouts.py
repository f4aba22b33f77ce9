"""Layouts: which axis is which, and which axes the user chose."""

from __future__ import annotations

import pytest

from penstock.engine.errors import ArgumentError
from penstock.geometry.layouts import (
    VIDEO_LAYOUTS,
    VOLUME_LAYOUTS,
    check_exclusive,
    chosen_axes,
    find_axis,
    image_layout,
    layout_of,
    per_axis,
)


def test_samples_without_a_layout_get_one_by_their_dimensions():
    assert layout_of("", 3, VIDEO_LAYOUTS) == "HWC"
    assert layout_of("", 4, VIDEO_LAYOUTS) == "FHWC"
    assert layout_of("", 4, VOLUME_LAYOUTS) == "DHWC"
    assert layout_of("CHW", 3, VOLUME_LAYOUTS) == "CHW"


def test_dimensions_that_no_layout_describes():
    with pytest.raises(ArgumentError, match="has 1 dimensions and no layout; expected HW or HWC"):
        layout_of("", 1, VIDEO_LAYOUTS)
    with pytest.raises(ArgumentError, match="names 3 dimensions, but the sample has 2"):
        layout_of("HWC", 2, VIDEO_LAYOUTS)


def test_layouts_of_images():
    assert image_layout("fn.water", "", 3) == "HWC"
    assert image_layout("fn.water", "CHW", 3, "CHW") == "CHW"
    with pytest.raises(ArgumentError, match=r"fn.water takes HW and HWC, or F .*is 'CHW'"):
        image_layout("fn.water", "CHW", 3)
    with pytest.raises(ArgumentError, match=r"takes HW, HWC and CHW, or F .*is 'WHC'"):
        image_layout("fn.water", "WHC", 3, "CHW")


def test_axes_by_letter():
    assert find_axis("CHW", "W") == 2
    with pytest.raises(ArgumentError, match="no axis 'D' in the layout 'CHW'"):
        find_axis("CHW", "D")
    with pytest.raises(ArgumentError, match="it has no layout"):
        find_axis("", "D")


def test_axes_are_chosen_by_name_or_by_index():
    assert chosen_axes("HWC", 3, (0,), "WH") == (1, 0)
    assert chosen_axes("", 3, (-1, 0), None) == (2, 0)
    assert chosen_axes("", 3, None, None) == ()


@pytest.mark.parametrize(
    ("axes", "names", "message"),
    [((0, -3), None, "named twice"), ((3,), None, "outside of"), (None, "HH", "named twice")],
)
def test_axes_that_cannot_be_chosen(axes, names, message):
    with pytest.raises(ArgumentError, match=message):
        chosen_axes("HWC", 3, axes, names)


def test_one_value_serves_all_axes():
    assert per_axis("align", (4,), 3) == (4, 4, 4)
    assert per_axis("align", (4, 5), 2) == (4, 5)
    with pytest.raises(ArgumentError, match="'align' has 2 values for 3 axes"):
        per_axis("align", (4, 5), 3)


def test_arguments_that_exclude_one_another():
    check_exclusive("fn.pad", frozenset({"axes"}), "axes", "axis_names")
    with pytest.raises(ArgumentError, match="axes and axis_names exclude one another"):
        check_exclusive("fn.pad", frozenset({"axes", "axis_names"}), "axes", "axis_names")
