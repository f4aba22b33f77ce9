"""Checks of boxes and labels."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.engine.errors import ArgumentError
from penstock.operators.boxes.checks import check_boxes, check_labels, check_numbers, try_checks

from ..running import batch_of, tensors

FLOAT, INT = np.dtype(np.float32), np.dtype(np.int32)


@pytest.mark.parametrize("shape", [(0, 4), (3, 4)])
def test_boxes_of_the_right_form_pass(shape):
    check_boxes("fn.some", shape, FLOAT)
    check_labels("fn.some", shape[:1], INT, shape[0])
    check_labels("fn.some", (shape[0], 1), INT, shape[0])


@pytest.mark.parametrize(
    ("shape", "dtype", "message"),
    [
        ((4,), "f4", r"shape \(boxes, 4\), but have \(4,\)"),
        ((2, 5), "f4", r"shape \(boxes, 4\), but have \(2, 5\)"),
        ((2, 4), "f8", "must be float32, but are float64; convert"),
        ((2, 4), "i4", "must be float32, but are int32"),
    ],
)
def test_other_boxes_are_refused(shape, dtype, message):
    with pytest.raises(ArgumentError, match=message):
        check_boxes("fn.some", shape, np.dtype(dtype))


@pytest.mark.parametrize(
    ("shape", "dtype", "message"),
    [
        ((3,), "i4", r"shape \(3,\) for 2 boxes; give one label for each box"),
        ((), "i4", "for 2 boxes"),
        ((2,), "f4", "must be integers, but are float32"),
    ],
)
def test_other_labels_are_refused(shape, dtype, message):
    with pytest.raises(ArgumentError, match=message):
        check_labels("fn.some", shape, np.dtype(dtype), 2)


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
def test_numbers_are_finite(number):
    boxes = np.float32([[0, 0, 1, 1], [0, number, 1, 1]])
    with pytest.raises(ArgumentError, match=r"box 1 is .* not finite"):
        check_numbers("fn.some", boxes)


def test_errors_of_a_batch_are_those_of_its_rows():
    boxes = tensors(*(np.zeros((n, 4), np.float32) for n in (2, 3, 0)))
    labels = tensors(*(np.zeros(n, np.int32) for n in (2, 1, 0)))
    batch = batch_of(3)
    assert try_checks(batch, "fn.some", boxes, labels).tolist() == [True, False, True]
    assert "for 3 boxes" in str(batch.errors[1])


@pytest.mark.parametrize(
    ("boxes", "labels", "message"),
    [
        ([(2, 4), (3, 4)], [(2,), (3, 2)], None),
        ([(2, 4), (3, 6)], [(2,), (3,)], "must have the shape"),
        ([(2, 4), (3,)], [(2,), (3,)], "must have the shape"),
        ([(2, 4), (3, 4)], [(2,), ()], "labels have the shape"),
    ],
)
def test_samples_of_different_forms(boxes, labels, message):
    data = (tensors(*(np.zeros(shape, "f4") for shape in boxes)),)
    data += (tensors(*(np.zeros(shape, "i4") for shape in labels)),)
    batch = batch_of(2)
    assert try_checks(batch, "fn.some", *data).tolist() == [True, message is None]
    assert [message in str(error) for error in batch.errors.values()] == [True] * (
        message is not None
    )
