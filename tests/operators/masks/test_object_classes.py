"""Classes of objects: background, weights, the draw."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.engine.errors import ArgumentError
from penstock.operators.masks.object_classes import ObjectClasses, draw_class, labels_of

SEEN = np.array([0, 1, 2, 5])


@pytest.mark.parametrize(
    ("background", "labels", "weights", "wanted"),
    [
        (None, None, None, {1: 1, 2: 1, 5: 1}),
        (1, None, None, {0: 1, 2: 1, 5: 1}),
        (None, [5, 9], None, {5: 1}),
        (None, [5, 2], [3, 0], {5: 3}),
        (None, None, [1, 2], {1: 1, 2: 2}),
        (1, None, [1, 2, 7], {0: 1, 2: 2}),
        (None, [0, 2], None, {0: 1, 2: 1}),
    ],
)
def test_classes_that_can_be_drawn(background, labels, weights, wanted):
    assert ObjectClasses("fn.some", background, labels, weights).present(SEEN) == wanted


def test_the_background_has_32_bits():
    assert ObjectClasses("fn.some", None, [-(2**31), 0], None).background == 2**31 - 1
    ends = [-(2**31), 2**31 - 1, 0, 2**31 - 2]
    assert ObjectClasses("fn.some", None, ends, None).background == 2**31 - 3


def test_the_background_differs_from_the_classes():
    assert ObjectClasses("fn.some", None, [0, -3], None).background == -4
    with pytest.raises(ArgumentError, match="class 2 is the background, too"):
        ObjectClasses("fn.some", 2, [2], None)


@pytest.mark.parametrize("weights", [[1], [1, -1], [1, np.nan], [1, np.inf]])
def test_wrong_weights_are_refused(weights):
    with pytest.raises(ArgumentError, match=r"class_weights"):
        ObjectClasses("fn.some", None, [1, 2], weights)


def test_classes_are_drawn_by_their_weights():
    numbers = (np.arange(1000) + 0.5) / 1000
    drawn = [draw_class({4: 1.0, 7: 3.0, 9: 0.5}, number) for number in numbers]
    counts = [sum(label == class_number for label, _ in drawn) for class_number in (4, 7, 9)]
    np.testing.assert_allclose(counts, np.array([1, 3, 0.5]) / 4.5 * 1000, 0, 1)
    rests = np.array([rest for label, rest in drawn if label == 7])
    np.testing.assert_allclose(rests, (np.arange(len(rests)) + 0.5) / len(rests), 0, 0.01)


def test_labels_are_sorted_and_single():
    assert labels_of(np.array([[3, 3, -1], [3, 0, 0]], np.int8)).tolist() == [-1, 0, 3]
    assert labels_of(np.zeros((0, 3), int)).tolist() == []
