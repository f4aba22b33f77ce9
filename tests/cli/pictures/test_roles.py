"""What arrays show, by layout, dtype, shape and company."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.cli.pictures.roles import Output, Role, picture_size, text_of, with_roles


def role(array, layout=""):
    (output,) = with_roles([Output("x", [array, array], layout)])
    return output.role


@pytest.mark.parametrize(
    ("shape", "dtype", "layout", "expected"),
    [
        ((5, 6, 3), "u1", "HWC", Role.IMAGE),
        ((5, 6, 3), "u1", "", Role.IMAGE),
        ((3, 5, 6), "f4", "CHW", Role.IMAGE),
        ((3, 5, 6), "f4", "", Role.IMAGE),
        ((5, 6, 1), "u1", "HWC", Role.IMAGE),
        ((5, 6), "u1", "", Role.IMAGE),
        ((5, 6, 12), "f4", "HWC", Role.VOLUME),
        ((5, 6, 7), "f4", "DHW", Role.VOLUME),
        ((5, 6, 7, 1), "f4", "DHWC", Role.VOLUME),
        ((9, 5, 6, 3), "u1", "FHWC", Role.CLIP),
        ((9, 5, 6, 3), "u1", "", Role.CLIP),
        ((5, 6), "f4", "HW", Role.MAP),
        ((80, 90), "f4", "ft", Role.SPECTROGRAM),
        ((900, 2), "f4", "tc", Role.WAVE),
        ((900,), "f4", "t", Role.WAVE),
        ((7, 4), "f4", "", Role.BOXES),
        ((3,), "f4", "", Role.NUMBERS),
        ((), "i8", "", Role.LABEL),
        ((1,), "i4", "", Role.LABEL),
        ((1,), "f4", "", Role.NUMBERS),
        ((2, 2, 2, 2, 2), "f4", "", Role.NUMBERS),
        ((0,), "f4", "", Role.NUMBERS),
    ],
)
def test_an_array_alone(shape, dtype, layout, expected):
    assert role(np.zeros(shape, dtype), layout) == expected


def test_bytes_are_text_if_they_can_be_read():
    assert role(np.frombuffer("ein Käse\n".encode(), np.uint8)) == Role.TEXT
    assert role(np.array([255, 0, 7], np.uint8)) == Role.BYTES
    assert text_of(np.frombuffer(b"a\0b", np.uint8)) is None


def roles(*outputs):
    return [output.role for output in with_roles(outputs)]


def test_an_integer_for_each_pixel_is_a_mask():
    image = Output("image", [np.zeros((5, 6, 3), np.uint8)], "HWC")
    for mask, layout in (
        (np.zeros((5, 6), np.int32), "HW"),
        (np.zeros((5, 6), np.uint8), ""),
        (np.zeros((5, 6, 1), np.uint8), "HWC"),
        (np.zeros((1, 5, 6), bool), "CHW"),
    ):
        assert roles(image, Output("mask", [mask], layout)) == [Role.IMAGE, Role.MASK]
    other_size = Output("other", [np.zeros((6, 5), np.uint8)])
    depth = Output("depth", [np.zeros((5, 6), np.float32)], "HW")
    assert roles(image, other_size, depth) == [Role.IMAGE, Role.IMAGE, Role.MAP]


def test_gray_images_are_no_masks_of_one_another():
    gray = [Output(name, [np.zeros((5, 6), np.uint8)]) for name in "ab"]
    assert roles(*gray) == [Role.IMAGE, Role.IMAGE]


def test_an_integer_for_each_box_is_a_label_of_the_box():
    boxes = Output("boxes", [np.zeros((2, 4), np.float32), np.zeros((0, 4), np.float32)])
    labels = Output("labels", [np.array([3, 4]), np.zeros(0, int)])
    single = Output("label", [np.array([3]), np.array([3])])
    assert roles(boxes, labels, single) == [Role.BOXES, Role.BOX_LABELS, Role.LABEL]


def test_the_size_of_an_image_whichever_axis_has_the_channels():
    assert picture_size(np.zeros((3, 5, 6)), "CHW") == (5, 6)
    assert picture_size(np.zeros((5, 6, 3)), "") == (5, 6)
    assert picture_size(np.zeros((5, 6)), "") == (5, 6)
