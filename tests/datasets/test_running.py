"""Telling how far a conversion is."""

from __future__ import annotations

import pytest

from penstock import datasets
from penstock.testing import made


def test_shards_of_an_earlier_run_count(tmp_path):
    source = made.write(tmp_path / "source", made.images())
    options = {"to": "tfrecord", "shard_count": 3, "resume": True}

    def stop(progress):
        if progress.shards == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        datasets.convert(source, tmp_path / "a", workers=1, progress=stop, **options)
    seen = []
    datasets.convert(source, tmp_path / "a", workers=1, progress=seen.append, **options)
    assert seen[0].samples > 8
    assert (seen[-1].samples, seen[-1].shards) == (12, 3)
