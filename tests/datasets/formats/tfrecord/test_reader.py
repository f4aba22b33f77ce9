"""TFRecord files of other programs."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.datasets import open_dataset
from penstock.engine.errors import DecodeError
from penstock.tests.readers import tfrecord_files


def write(path, *records):
    tfrecord_files.write_records(path, [tfrecord_files.example(record) for record in records])
    return open_dataset(path)


def test_components_follow_from_the_features(tmp_path):
    record = {
        "image/encoded": b"\xff\xd8\xff..",
        "label": 3,
        "score": 0.5,
        "name": "hällo",
        "boxes": [1.0, 2.0, 3.0],
    }
    dataset = write(tmp_path / "a.tfrecord", *[record] * 20)
    sample = dataset.read([13])[0]
    assert sample.key == "a/00000013"
    components = sample.components
    assert components["image/encoded"].extension == "jpg"
    assert (components["label"], components["score"], components["name"]) == (3, 0.5, "hällo")
    np.testing.assert_array_equal(components["boxes"], [1, 2, 3])


def test_missing_features_are_left_out(tmp_path):
    dataset = write(tmp_path / "a", {"x": 1, "y": "t"}, {"x": 2}, {"y": "u"})
    assert [dict(sample.components) for sample in dataset.read([0, 1, 2])] == [
        {"x": 1, "y": "t"},
        {"x": 2},
        {"y": "u"},
    ]


def test_lists_of_one_number_stay_lists(tmp_path):
    records = [{"x": list(range(i % 3)), "y": [0.5] * (1 + i % 2), "z": i} for i in range(9)]
    dataset = write(tmp_path / "a", *records)
    assert {name: str(each) for name, each in dataset.schema.items()} == {
        "x": "array int64 (n,)",
        "y": "array float32 (n,)",
        "z": "int",
    }
    for record, sample in zip(records, dataset.read(range(9)), strict=True):
        components = dict(sample.components)
        x = components.pop("x", np.zeros(0))
        assert (x.tolist(), components.pop("y").tolist()) == (record["x"], record["y"])
        assert components == {"z": record["z"]}


def test_several_strings_are_left_out(tmp_path):
    dataset = write(tmp_path / "a", {"x": [b"1"], "y": 3}, {"x": [b"1", b"2"], "y": 4})
    assert dataset.stored.unread_fields == ("x",)
    assert [dict(each.components) for each in dataset.read([0, 1])] == [{"y": 3}, {"y": 4}]


def test_several_strings_in_a_record_that_was_not_looked_at(tmp_path):
    records = [{"x": [b"1"]} for _ in range(99)]
    records[50]["x"] = [b"1", b"2"]
    dataset = write(tmp_path / "a", *records)
    with pytest.raises(DecodeError, match=r"record 50.*'x' holds several strings"):
        dataset.read([50])


def test_records_that_are_no_examples_are_named(tmp_path):
    tfrecord_files.write_records(tmp_path / "a", [b"\x0a\xff"])
    with pytest.raises(DecodeError, match=r"record 0.*no valid tf.train.Example"):
        open_dataset(tmp_path / "a")


def test_names_that_look_like_ours_are_no_loss(tmp_path):
    record = {
        "key": 7,
        "image": b"\xff\xd8\xff..",
        "image.shape": [4, 5, 3],
        "sound.extension": "flac",
        "n": 1,
        "n.extension": "x",
    }
    (sample,) = write(tmp_path / "a.tfrecord", record).read([0])
    assert sample.key == "a/00000000"
    assert sample.components["key"] == 7
    assert sample.components["image.shape"].tolist() == [4, 5, 3]
    assert sample.components["sound.extension"] == "flac"
    assert set(sample.components) == set(record)
