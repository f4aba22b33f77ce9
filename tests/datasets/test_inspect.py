"""Summaries of data sets."""

from __future__ import annotations

import shutil

import pytest

from penstock.datasets import inspect, open_dataset, verify
from penstock.datasets import inspect as inspect_function
from penstock.testing import made


def test_a_summary_has_counts_sizes_and_a_sample(tmp_path):
    root = made.write(tmp_path / "a", made.images(), classes=("a", "b"))
    report = inspect(root)
    assert (report.format, report.samples, report.looked_at) == ("webdataset", 12, 12)
    assert report.labels == {0: 6, 1: 6}
    assert report.extensions == {"jpg": 12}
    sizes = sorted(len(s.components["image"].data) + 8 for s in made.images())
    assert (report.sizes[0], report.sizes[100]) == (sizes[0], sizes[-1])
    assert report.mean_size == sum(sizes) / 12
    assert report.sample.key == "a/000"
    assert report.manifest.samples == 12


def test_large_data_sets_are_looked_at_in_part(tmp_path, monkeypatch):
    monkeypatch.setitem(inspect_function.__globals__, "MAX_SAMPLES", 5)
    with open_dataset(made.write(tmp_path / "a", made.images())) as dataset:
        report = inspect(dataset)
    assert (report.samples, report.looked_at) == (12, 5)


@pytest.mark.parametrize("format", ["webdataset", "recordio", "lmdb", "parquet"])
def test_a_shard_that_the_manifest_does_not_name_is_left_out(tmp_path, format):
    root = made.write(tmp_path / "a", made.images(), format)
    assert not inspect(root).left_out
    for path in root.glob("shard-00000*"):
        copy = shutil.copytree if path.is_dir() else shutil.copy
        copy(path, path.with_name(path.name.replace("00000", "x")))
    for report in (inspect(root).left_out, verify(root).left_out[0]):
        ((what, names),) = report.items()
        assert what == "files that dataset.json does not name"
        assert {name.partition(".")[0] for name in names} == {"shard-x"}


def test_a_manifest_that_counts_other_samples_is_named(tmp_path):
    root = made.write(tmp_path / "a", made.images(12))
    made.write(tmp_path / "b", made.images(11))
    for shard in (tmp_path / "b").glob("*.tar"):
        (root / shard.name).write_bytes(shard.read_bytes())
    (bad,) = inspect(root).bad
    assert str(bad) == f"{root / 'dataset.json'}: it counts 12 samples, but the files hold 11"
