"""Examples, written: what the parser reads back."""

from __future__ import annotations

import numpy as np

from penstock.readers.tfrecord.encoding import encode_example
from penstock.readers.tfrecord.example import find_features, numbers
from penstock.readers.tfrecord.framing import frames_of
from penstock.tests.readers import tfrecord_files


def test_examples_are_those_of_the_tests_own_encoder():
    ours = encode_example(
        {
            "image": memoryview(b"abc" * 1000),
            "label": np.array([7]),
            "boxes": np.array([[1.5, 2.5]], np.float32),
        }
    )
    theirs = {"image": b"abc" * 1000, "label": 7, "boxes": [1.5, 2.5]}
    assert ours == tfrecord_files.example(theirs)


def test_empty_lists_come_back():
    data = encode_example({"x": np.empty(0, np.int64), "y": b""})
    feature_type, lists = find_features(data, [b"x"])[b"x"]
    assert numbers(data, feature_type, lists).size == 0


def test_frames_are_those_of_the_tests_own_encoder():
    contents = [b"", b"a", b"b" * 5000]
    assert b"".join(frames_of(contents)) == b"".join(map(tfrecord_files.frame, contents))
    assert frames_of([]) == []
