"""The names of classes, and the number of shards."""

from __future__ import annotations

import pytest

from penstock import datasets
from penstock.datasets.conversion import checked_classes
from penstock.engine.errors import ArgumentError, SourceError
from penstock.tests.datasets import made


def test_names_of_classes_come_from_a_mapping():
    assert checked_classes({1: "dog", 0: "cat"}) == ("cat", "dog")
    assert checked_classes(["b", "a"]) == ("b", "a")


@pytest.mark.parametrize("classes", [["a", "a"], [""], [".a"], ["a/b"], {0: "a", 2: "b"}])
def test_names_that_are_no_folders_are_refused(classes):
    with pytest.raises(ArgumentError):
        checked_classes(classes)


def test_there_are_no_more_shards_than_samples(tmp_path):
    source = made.write(tmp_path / "source", made.images(3))
    assert datasets.convert(source, tmp_path / "a", to="tfrecord", shard_count=50).shards == 3


def test_a_data_set_without_samples_is_refused(tmp_path):
    (tmp_path / "empty" / "cat").mkdir(parents=True)
    with pytest.raises(SourceError):
        datasets.convert(tmp_path / "empty", tmp_path / "a", to="tfrecord")
