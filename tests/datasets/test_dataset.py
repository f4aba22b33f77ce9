"""Opening data sets of any format."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest

from penstock.datasets import FORMATS, open_dataset
from penstock.datasets.manifest import checked_text
from penstock.engine.errors import ArgumentError, SourceError
from penstock.testing import made


@pytest.fixture
def dataset(tmp_path):
    with open_dataset(made.write(tmp_path / "a", made.images(), classes=("a", "b"))) as opened:
        yield opened


def test_samples_come_in_the_order_asked(dataset):
    assert [sample.key for sample in dataset.read([3, 0, 3])] == ["b/003", "a/000", "b/003"]
    assert dataset.read([]) == []
    assert len(dataset) == 12
    assert dataset.classes == ("a", "b")


@pytest.mark.parametrize("index", [-1, 12])
def test_indices_out_of_range_are_errors(dataset, index):
    with pytest.raises(IndexError, match="there is no sample"):
        dataset.read([index])
    with pytest.raises(IndexError):
        dataset.where(index)


def test_a_pickled_copy_reads_the_same(dataset):
    copy = pickle.loads(pickle.dumps(dataset))
    assert copy.read([5])[0].key == dataset.read(np.array([5]))[0].key
    copy.close()


def test_reading_goes_on_after_close(dataset):
    dataset.close()
    assert dataset.read([1])[0].key == "b/001"


def test_unknown_formats_and_paths_are_errors(tmp_path):
    with pytest.raises(ArgumentError, match="the format is one of folder"):
        open_dataset(tmp_path, format="avro")
    with pytest.raises(OSError, match="nowhere"):
        open_dataset(tmp_path / "nowhere")
    (tmp_path / "x.txt").write_text("no data set")
    with pytest.raises(SourceError, match="no data set of a known format"):
        open_dataset(tmp_path)


def test_every_format_has_a_title():
    assert all(format.title and format.name == name for name, format in FORMATS.items())


def changed(root, **fields):
    """Change fields of a manifest."""
    path = root / "dataset.json"
    content = json.loads(path.read_text())
    del content["checksum"]
    path.write_text(checked_text(content | fields))
    return root


def test_a_format_of_a_later_release_is_named(tmp_path):
    root = changed(made.write(tmp_path / "a", made.images()), format="zarr")
    with pytest.raises(SourceError, match=r"names the format 'zarr', which this release does not"):
        open_dataset(root)


def test_a_manifest_without_shards_holds_no_sample(tmp_path):
    root = changed(made.write(tmp_path / "a", made.images()), shards=[], samples=0)
    with pytest.raises(SourceError, match="names no shard"):
        open_dataset(root)
