"""Filters."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.datasets import Encoded, Sample
from penstock.datasets.where import Where
from penstock.engine.errors import ArgumentError

SAMPLE = Sample(
    "cat/001",
    {
        "image": Encoded(bytes(100), "jpg"),
        "label": 3,
        "score": -0.5,
        "text": "a small dog",
        "boxes": np.zeros((2, 4), np.float32),
    },
)


@pytest.mark.parametrize(
    ("condition", "kept"),
    [
        ("label == 3", True),
        ("label != 3", False),
        ("2 < label <= 3", True),
        ("label in (1, 2, 3)", True),
        ("label not in [3]", False),
        ("score < -0.4", True),
        ("'dog' in text and not label == 4", True),
        ("label == 4 or image.size > 99", True),
        ("image.extension == 'jpg'", True),
        ("boxes.shape[0] == 2 and boxes.size == 8", True),
        ("text.size > 11", False),
        ("key == 'cat/001'", True),
        ("weight > 3", False),
    ],
)
def test_conditions(condition, kept):
    assert Where(condition)(SAMPLE) is kept


@pytest.mark.parametrize(
    "condition",
    [
        "__import__('os').system('true')",
        "label.__class__",
        "[x for x in key]",
        "lambda: 1",
        "label + 1 > 2",
        "f'{label}'",
        "label = 3",
        "",
        "(" * 5000,
        "key" + ".size" * 1500,
        "label == 1 and " * 3000 + "1",
    ],
)
def test_anything_else_is_refused(condition):
    with pytest.raises(ArgumentError, match="where: "):
        Where(condition)


def test_conditions_that_fail_name_themselves():
    with pytest.raises(ArgumentError, match="where: 'label < text' fails"):
        Where("label < text")(SAMPLE)


def test_functions_are_conditions():
    assert Where(lambda sample: sample.components["label"] == 3)(SAMPLE) is True
