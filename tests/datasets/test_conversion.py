"""The number of shards."""

from __future__ import annotations

import pytest

from penstock import datasets
from penstock.engine.errors import SourceError
from penstock.testing import made


def test_there_are_no_more_shards_than_samples(tmp_path):
    source = made.write(tmp_path / "source", made.images(3))
    assert datasets.convert(source, tmp_path / "a", to="tfrecord", shard_count=50).shards == 3


def test_a_data_set_without_samples_is_refused(tmp_path):
    (tmp_path / "empty" / "cat").mkdir(parents=True)
    with pytest.raises(SourceError):
        datasets.convert(tmp_path / "empty", tmp_path / "a", to="tfrecord")
