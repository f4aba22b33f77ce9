import numpy as np
import pytest

from penstock.engine.errors import DecodeError
from penstock.readers.tfrecord.example import (
    FeatureType,
    byte_strings,
    find_feature_lists,
    find_features,
    numbers,
    stored_names,
)

from ..tfrecord_files import example, sequence_example

RECORD = example({"n": [1, -2], "f": [0.5], "s": b"text", "other": [3]})


def test_wanted_features_are_located():
    features = find_features(RECORD, [b"n", b"f", b"s", b"none"])
    assert features.keys() == {b"n", b"f", b"s"}
    assert [features[key][0] for key in (b"n", b"f", b"s")] == [
        FeatureType.INT64,
        FeatureType.FLOAT,
        FeatureType.BYTES,
    ]


def test_values():
    features = find_features(RECORD, [b"n", b"f", b"s"])
    assert numbers(RECORD, *features[b"n"]).tolist() == [1, -2]
    assert numbers(RECORD, *features[b"f"]).dtype == np.float32
    ((start, end),) = byte_strings(RECORD, features[b"s"][1])
    assert RECORD[start:end] == b"text"


def test_all_names():
    assert sorted(stored_names(RECORD)) == ["f", "n", "other", "s"]
    assert stored_names(b"") == []


def test_feature_lists():
    record = sequence_example({"c": [1]}, {"steps": [[1], [2, 3]]})
    steps = find_feature_lists(record, [b"steps", b"none"])[b"steps"]
    assert [numbers(record, *step).tolist() for step in steps] == [[1], [2, 3]]
    assert stored_names(record, 2) == ["steps"]
    assert stored_names(record) == ["c"]


def test_a_record_that_is_cut_off_raises():
    with pytest.raises(DecodeError):
        find_features(RECORD[:-1], [b"n"])
