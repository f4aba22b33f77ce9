"""Data sets there and back on a cluster."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import datasets
from penstock.engine.errors import ArgumentError
from penstock.testing import made
from penstock.tests.datasets.conversion.test_convert import HOLDS

ray = pytest.importorskip("ray", reason="Ray is not installed")
pytest.importorskip("ray.data", reason="Ray Data is not installed")

from penstock.plugin.ray import read_dataset, write_dataset  # noqa: E402

pytestmark = [
    pytest.mark.filterwarnings("default"),
    pytest.mark.timeout(900),  # each worker imports Ray, and on a busy machine slowly
    pytest.mark.usefixtures("cluster"),
]

ALL = {
    each: name
    for name, held in HOLDS.items()
    for each, row in datasets.FORMATS.items()
    if each in held and row.writer is not None
}


@pytest.mark.parametrize("format", ALL)
def test_every_format_there_and_back(tmp_path, format):
    content = ALL[format]
    classes = ("a", "b") if content == "images" else None
    source = made.write(tmp_path / "source", made.CONTENTS[content](), classes=classes or ())
    rows = read_dataset(source, override_num_blocks=2)
    write_dataset(rows, tmp_path / format, format=format, classes=classes, rows_per_shard=1)
    report = datasets.verify(source, tmp_path / format)
    assert report.ok, report
    assert datasets.verify(tmp_path / format).ok
    again = read_dataset(tmp_path / format)
    assert again.count() == report.samples


def test_rows_are_columns_by_name(tmp_path):
    source = made.write(tmp_path / "source", made.detections(), "tfrecord")
    rows = read_dataset(source)
    assert rows.count() == 9
    assert set(rows.columns()) == {"key", "image", "image.extension", "boxes", "labels"}
    first, *_ = rows.sort("key", descending=True).take(1)
    expected = made.detections()[-1]
    assert (first["key"], first["image"]) == (expected.key, expected.components["image"].data)
    np.testing.assert_array_equal(first["boxes"], expected.components["boxes"])


def test_arrays_that_some_samples_lack(tmp_path):
    samples = made.arrays(3)
    samples[1] = samples[1].with_only(["label"])
    source = made.write(tmp_path / "source", samples, "webdataset")
    rows = read_dataset(source, override_num_blocks=3)
    write_dataset(rows.repartition(1), tmp_path / "lmdb", format="lmdb")
    assert datasets.verify(source, tmp_path / "lmdb").ok


def test_shards_of_a_given_number_of_rows(tmp_path):
    source = made.write(tmp_path / "source", made.images(), classes=("a", "b"))
    rows = read_dataset(source, override_num_blocks=4)
    write_dataset(rows, tmp_path / "tar", format="webdataset", rows_per_shard=6)
    with datasets.open_dataset(tmp_path / "tar") as dataset:
        assert [shard.samples for shard in dataset.manifest.shards] == [6, 6]
        assert dataset.schema["image"].extension == "jpg"


def test_rows_of_other_sources_get_numbers_as_keys(tmp_path):
    rows = ray.data.range(10, override_num_blocks=2).map(lambda row: {"label": row["id"]})
    write_dataset(rows, tmp_path / "npz", format="npz")
    with datasets.open_dataset(tmp_path / "npz") as dataset:
        samples = dataset.read(range(10))
    assert len({sample.key for sample in samples}) == 10
    assert sorted(int(sample.components["label"]) for sample in samples) == list(range(10))


def test_what_cannot_be_written_leaves_nothing(tmp_path):
    source = made.write(tmp_path / "source", made.images(), classes=("a", "b"))
    rows = read_dataset(source)
    with pytest.raises(ArgumentError, match="the rows cannot be converted to NumPy"):
        write_dataset(rows, tmp_path / "npy", format="npy")
    same = rows.map(lambda row: row | {"key": "a"})
    with pytest.raises(ArgumentError, match="the key 'a' occurs twice"):
        write_dataset(same, tmp_path / "same", format="webdataset")
    outside = rows.map(lambda row: row | {"key": "../a"})
    with pytest.raises(ArgumentError, match=r"the row '\.\./a': .* no relative path"):
        write_dataset(outside, tmp_path / "outside", format="webdataset")
    assert [path.name for path in tmp_path.iterdir() if path.name[0] != "."] == ["source"]


def test_a_folder_with_files_stays_as_it_is(tmp_path):
    (tmp_path / ".penstock-convert").mkdir()
    (tmp_path / ".penstock-convert" / "mine").write_text("mine")
    with pytest.raises(FileExistsError, match="is not empty"):
        write_dataset(ray.data.range(3), tmp_path, format="npz")
    assert (tmp_path / ".penstock-convert" / "mine").read_text() == "mine"


def test_what_cannot_be_a_destination(tmp_path):
    with pytest.raises(ArgumentError, match="is a URL, but Ray writes data sets to local"):
        write_dataset(ray.data.range(3), "s3://bucket/set", format="npz")
    with pytest.raises(ArgumentError, match="there is no row to write"):
        write_dataset(ray.data.range(3).limit(0), tmp_path / "none", format="npz")
