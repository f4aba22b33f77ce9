"""Rows of YOLO's label files."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.engine.errors import DecodeError
from penstock.readers.boxes.yolo_rows import parse_rows


def test_boxes_are_shares_of_the_image_from_their_centers():
    made = parse_rows(b"0 0.5 0.25 0.5 0.5\n2 1 1 0 0\n", (200, 100), "a.txt", 3)
    assert made.boxes.tolist() == [[25.0, 0.0, 50.0, 100.0], [100.0, 200.0, 0.0, 0.0]]
    assert made.labels.tolist() == [0, 2]
    assert not any(made.polygons)


def test_no_text_is_an_image_without_objects():
    made = parse_rows(b" \n\n", (10, 10), "a.txt", 3)
    assert made.boxes.shape == (0, 4)


def test_polygons_and_oriented_boxes():
    made = parse_rows(b"1 0 0 1 0 0.5 1\n1 0 0 1 0 1 0.5 0 0.5", (10, 20), "a.txt", 2)
    assert json.loads(made.polygons[0]) == [[0, 0, 20, 0, 10, 10]]
    assert json.loads(made.polygons[1]) == [[0, 0, 20, 0, 20, 5, 0, 5]]
    assert made.boxes.tolist() == [[0, 0, 20, 10], [0, 0, 20, 5]]


def test_values_outside_are_clipped_and_rows_that_come_twice_count_once():
    made = parse_rows(b"0 0.5 0.5 1.2 0.5\n0 .5 .5 .1 .1\n0 .5 .5 .1 .1\n", (10, 10), "a.txt", 1)
    assert made.boxes[0].tolist() == [0, 2.5, 10, 5]
    assert len(made.labels) == 2
    assert made.remarks == (
        "a.txt: 1 rows leave the image and are clipped, 1 rows come twice and count once"
    )


def test_keypoints_are_passed_over():
    made = parse_rows(b"0 .5 .5 .2 .2 .1 .1 2 .3 .3 1\n", (10, 10), "a.txt", 1, points=6)
    assert made.boxes.tolist() == [[4, 4, 2, 2]]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"0 .5 .5 .1 .1\n0 0 0 1 0 1 1\n", "rows of 5, 7 numbers are not all boxes"),
        (b"0 .5 .5 .1 .1 0.9\n", "rows of 6 numbers"),
        (b"0 .5 .5 .1\n", "rows of 4 numbers"),
        (b"0 .5 .5 .1 .1\ncat .5 .5 .1 .1\n", "a.txt, line 2: cat .5 .5 .1 .1 is no row"),
        (b"0 .5 nan .1 .1\n", "line 1: 0 .5 nan .1 .1 has numbers that are not finite"),
        (b"3 .5 .5 .1 .1\n", "3 is no number of a class; there are 3 names"),
        (b"0.5 .5 .5 .1 .1\n", "0.5 is no number of a class"),
        (b"-1 .5 .5 .1 .1\n", "-1 is no number of a class"),
        (b"\xff\xfe0\x00", "is no row of numbers"),
    ],
)
def test_damaged_rows_are_named(text, said):
    with pytest.raises(DecodeError, match=said):
        parse_rows(text, (10, 10), "a.txt", 3)


@given(st.binary(max_size=200) | st.text("0123456789.- \nenaif", max_size=200).map(str.encode))
def test_any_bytes_are_boxes_or_an_error(text):
    try:
        made = parse_rows(text, (10, 10), "a.txt", 3)
    except DecodeError:
        return
    assert made.boxes.shape == (len(made.labels), 4)
    assert (made.boxes[:, 2:] >= 0).all()
