"""Tasks in threads."""

from __future__ import annotations

import threading

import pytest

from penstock import datasets
from penstock.testing import made


def test_the_first_error_stops_the_other_shards(tmp_path):
    source = made.write(tmp_path / "source", made.images())
    seen = []

    def fail(sample):
        seen.append(sample.key)
        raise KeyError(sample.key)

    with pytest.raises(KeyError):
        datasets.convert(
            source, tmp_path / "a", to="tfrecord", shard_count=12, where=fail, workers=2
        )
    assert len(seen) <= 3
    assert not [t for t in threading.enumerate() if t.name.startswith("penstock-convert")]
