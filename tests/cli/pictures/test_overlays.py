"""Masks and boxes on images."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.cli.pictures.overlays import BoxForm, box_form, color_of, draw_boxes, draw_mask
from penstock.cli.pictures.roles import Output

CORNERS, SIZES = BoxForm(corners=True, relative=False), BoxForm(corners=False, relative=False)


def blank(height=40, width=60):
    return np.full((height, width, 3), 100, np.uint8)


def test_numbers_near_one_another_have_other_colors():
    assert len({color_of(number) for number in range(50)}) == 50


def test_a_mask_colors_its_classes_and_leaves_the_background():
    picture, mask = blank(), np.zeros((20, 30), np.int32)
    mask[5:10, 5:15] = 3
    draw_mask(picture, mask)
    assert (picture[:9] == 100).all()
    expected = (np.array(color_of(3)) * 0.5 + 50).astype(int)
    assert picture[15, 20].tolist() == expected.tolist()
    assert picture[10, 20].tolist() == list(color_of(3))  # the outline


@pytest.mark.parametrize("shape", [(20, 30, 1), (1, 20, 30), (20, 30)])
def test_axes_of_length_one_do_not_matter(shape):
    picture = blank()
    draw_mask(picture, np.ones(shape, bool))
    assert (picture != 100).any(axis=2).all()


@pytest.mark.parametrize(
    ("boxes", "form"),
    [
        ([[10, 10, 30, 20], [0, 0, 5, 9]], CORNERS),
        ([[10, 10, 30, 20], [40, 30, 5, 5]], SIZES),
        ([[0.1, 0.1, 0.5, 0.9]], BoxForm(corners=True, relative=True)),
        ([[0.5, 0.5, 0.2, 0.2]], BoxForm(corners=False, relative=True)),
    ],
)
def test_the_form_of_boxes_follows_from_their_numbers(boxes, form):
    rows = [np.array(boxes), np.empty((0, 4))]
    assert box_form(Output("boxes", rows)) == form


def test_the_layout_of_boxes_comes_first():
    rows = [np.array([[1, 1, 5, 5]])]
    assert box_form(Output("boxes", rows, "xyWH")) == SIZES
    assert box_form(Output("boxes", [-rows[0]], "xyXY")) == CORNERS


def test_the_form_in_words():
    assert str(CORNERS) == "left, top, right, bottom in pixels"
    assert str(BoxForm(False, True)) == "left, top, width, height in fractions"
    assert box_form(Output("boxes", [])).corners


@pytest.mark.parametrize(
    ("box", "form"),
    [
        ([20, 20, 40, 60], CORNERS),
        ([20, 20, 20, 40], SIZES),
        ([1 / 6, 1 / 4, 1 / 3, 3 / 4], BoxForm(corners=True, relative=True)),
    ],
)
def test_a_box_is_drawn_at_the_scale_of_the_picture(box, form):
    picture = blank(40, 60)
    draw_boxes(picture, np.array([box], np.float32), form, (80, 120), [])
    rows, columns = (picture != 100).any(axis=2).nonzero()
    assert (columns.min() + 0.5, rows.min() + 0.5) == pytest.approx((9.5, 9.5), abs=1.1)
    assert (columns.max(), rows.max()) == pytest.approx((21, 31), abs=1.1)


def test_labels_and_hostile_numbers():
    picture = blank()
    boxes = np.array([[np.nan, 0, np.inf, 5], [-1e30, -5, 1e30, 50]], np.float32)
    draw_boxes(picture, boxes, CORNERS, (40, 60), [(7, "7"), (2, "cat")])
    assert (picture != 100).any()
