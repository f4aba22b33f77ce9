"""Read tasks of data sets, which run here, without a cluster."""

from __future__ import annotations

import pickle
from itertools import pairwise

import numpy as np
import pytest

from penstock import datasets
from penstock.engine.errors import ArgumentError, DecodeError, SourceError
from penstock.testing import made
from penstock.tests.datasets.conversion.test_convert import HOLDS

pytest.importorskip("ray.data", reason="Ray Data is not installed")

from penstock.plugin.ray import DatasetSource
from penstock.plugin.ray.rows import samples_of
from penstock.plugin.ray.source import cut

pytestmark = pytest.mark.filterwarnings("default")

ALL = {
    format: name for name, held in HOLDS.items() for format in datasets.FORMATS if format in held
}


def keys_of(tasks):
    """Return the keys that each task reads."""
    return [[s.key for block in task() for s in samples_of(block, "")] for task in tasks]


@pytest.mark.parametrize("format", ALL)
def test_tasks_of_every_format(tmp_path, format):
    content = ALL[format]
    samples = made.CONTENTS[content]()
    classes = ("a", "b") if content == "images" else ()
    root = made.write(tmp_path / format, samples, format, classes)
    source = DatasetSource(root)
    tasks = pickle.loads(pickle.dumps(source)).get_read_tasks(3)
    counts = [task.metadata.num_rows for task in tasks]
    assert len(tasks) == 3
    assert [len(keys) for keys in keys_of(tasks)] == counts
    with datasets.open_dataset(root) as dataset:
        expected = [sample.key for sample in dataset.read(range(len(dataset)))]
    assert [key for keys in keys_of(tasks) for key in keys] == expected
    assert sum(task.metadata.size_bytes for task in tasks) <= source.estimate_inmemory_data_size()


def test_a_task_for_each_shard(tmp_path):
    root = made.write(tmp_path / "source", made.images(), classes=("a", "b"))
    datasets.convert(root, tmp_path / "shards", to="tfrecord", shard_count=5)
    source = DatasetSource(tmp_path / "shards")
    assert source.shard_count == 5
    manifest = datasets.open_dataset(tmp_path / "shards").manifest
    tasks = source.get_read_tasks(5)
    assert [t.metadata.num_rows for t in tasks] == [shard.samples for shard in manifest.shards]
    assert len(source.get_read_tasks(100)) == 12
    assert keys_of(source.get_read_tasks(1)) == [[sample.key for sample in made.images()]]


@pytest.mark.parametrize("parts", [1, 2, 3, 7, 40])
def test_cuts_are_near_bounds_and_cover_all(parts):
    bounds = np.array([0, 5, 11, 18, 30])
    cuts = cut(30, parts, bounds)
    assert (cuts[0], cuts[-1]) == (0, 30)
    assert all(start < stop for start, stop in pairwise(cuts))
    assert len(cuts) <= min(parts, 30) + 1
    if parts <= 3:
        assert set(cuts) <= set(bounds)


def test_shards_behind_urls(tmp_path, web):
    root = made.write(tmp_path / "source", made.images(), classes=("a", "b"))
    datasets.convert(root, tmp_path / "shards", to="webdataset", shard_count=3)
    for name, content in made.files_of(tmp_path / "shards").items():
        web.objects[f"shards/{name}"] = content
    expected = keys_of(DatasetSource(tmp_path / "shards").get_read_tasks(3))
    assert keys_of(DatasetSource(f"{web.url}/shards").get_read_tasks(3)) == expected
    pattern = f"{web.url}/shards/shard-{{00000..00001}}.tar"
    assert keys_of(DatasetSource(pattern).get_read_tasks(2)) == expected[:2]


def test_components_are_chosen(tmp_path):
    root = made.write(tmp_path / "source", made.images(), classes=("a", "b"))
    (task,) = DatasetSource(root, components=["label"]).get_read_tasks(1)
    assert all(block.column_names == ["key", "label"] for block in task())
    with pytest.raises(ArgumentError, match="no sample has 'lable'; did you mean 'label'"):
        DatasetSource(root, components=["lable"])


def test_paths_hold_in_other_folders(tmp_path, monkeypatch):
    made.write(tmp_path / "source", made.images(), classes=("a", "b"))
    monkeypatch.chdir(tmp_path)
    tasks = DatasetSource("source").get_read_tasks(1)
    (tmp_path / "other").mkdir()
    monkeypatch.chdir("other")
    assert len(keys_of(tasks)[0]) == 12


def test_files_that_were_changed_are_opened_anew(tmp_path):
    root = tmp_path / "folder"
    for name in ("a/1.jpg", "a/2.jpg"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(name)
    assert len(keys_of(DatasetSource(root).get_read_tasks(1))[0]) == 2
    (root / "a" / "3.jpg").write_text("new")
    assert len(keys_of(DatasetSource(root).get_read_tasks(1))[0]) == 3


def test_what_is_no_data_set(tmp_path):
    with pytest.raises(SourceError, match="is a folder without files of data"):
        DatasetSource(tmp_path)
    with pytest.raises(FileNotFoundError):
        DatasetSource(tmp_path / "missing")


def test_a_damaged_shard_names_file_and_record(tmp_path):
    root = made.write(tmp_path / "source", made.images(200), "tfrecord", ("a", "b"))
    source = DatasetSource(root)
    content = bytearray((root / "shard-00000.tfrecord").read_bytes())
    content[len(content) // 2] ^= 255
    (root / "shard-00000.tfrecord").write_bytes(content)
    with pytest.raises(DecodeError, match=r"shard-00000\.tfrecord"):
        keys_of(source.get_read_tasks(1))
