"""Batches and samples become outputs."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import datasets
from penstock.cli.pictures import outputs as outputs_module
from penstock.cli.pictures.outputs import by_turns, class_names, of_batch, of_dataset
from penstock.cli.pictures.roles import Role
from penstock.datasets import Sample
from penstock.tensors import TensorListCPU
from penstock.testing import made


def test_a_batch():
    images = TensorListCPU(
        np.zeros((3, 4, 5, 3), np.uint8), "HWC", ["/d/a/1.jpg", "/d/a/2.jpg", "/d/b/1.jpg"]
    )
    outputs, known = of_batch([images, TensorListCPU(np.arange(3))], 2)
    assert [output.name for output in outputs] == ["output 0", "output 1"]
    assert [output.role for output in outputs] == [Role.IMAGE, Role.LABEL]
    assert [len(output.rows) for output in outputs] == [2, 2]
    assert [(each.number, each.key) for each in known] == [(0, "1.jpg"), (1, "2.jpg")]
    assert not np.shares_memory(outputs[0].rows[0], images.at(0))


@pytest.fixture
def folder(tmp_path):
    for name in ("cat", "dog"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "1.txt").write_text(f"a {name}")
    np.save(tmp_path / "dog" / "1.npy", np.zeros((3, 3), np.float32))
    return tmp_path


def test_samples_with_a_component_that_is_missing(folder):
    with datasets.open_dataset(folder, format="folder") as dataset:
        outputs, known = of_dataset(dataset, [1, 0])
    by_name = {output.name: output for output in outputs}
    assert {name: each.role for name, each in by_name.items()} == {
        "text": Role.TEXT,
        "array": Role.MAP,
        "label": Role.LABEL,
    }
    assert [row.shape for row in by_name["array"].rows] == [(3, 3), (0, 0)]
    assert [(each.number, each.key) for each in known] == [(1, "dog/1"), (0, "cat/1")]
    assert known[0].class_names == ("cat", "dog")


def test_classes_come_by_turns(tmp_path):
    for name, count in (("a", 5), ("b", 1), ("c", 3)):
        (tmp_path / name).mkdir()
        for number in range(count):
            (tmp_path / name / f"{number}.jpg").write_bytes(b"..")
    with datasets.open_dataset(tmp_path, format="folder") as dataset:
        keys = [sample.key for sample in dataset.read(by_turns(dataset, 7))]
        assert keys == ["a/0", "b/0", "c/0", "a/1", "c/1", "a/2", "c/2"]
        assert len(by_turns(dataset, 100)) == 9


def test_classes_of_records_come_by_turns(tmp_path):
    """Whose labels only samples tell."""
    samples = [
        Sample(f"{label}/{n}", {"text": "x" * n, "label": label})
        for label in range(3)
        for n in range(90)
    ]
    with datasets.open_dataset(made.write(tmp_path / "a", samples, "tfrecord")) as dataset:
        shown = dataset.read(by_turns(dataset, 6))
    assert [sample.components["label"] for sample in shown] == [0, 1, 2, 0, 1, 2]
    assert len({sample.key for sample in shown}) == 6


def test_classes_of_boxes_come_by_turns_and_large_samples_are_few(tmp_path, monkeypatch):
    boxes = {"boxes": np.zeros((1, 4), np.float32)}
    samples = [
        Sample(f"{n:02d}", {"labels": np.array([n // 20], np.int32), **boxes}) for n in range(40)
    ]
    with datasets.open_dataset(made.write(tmp_path / "a", samples)) as dataset:
        assert [number // 20 for number in by_turns(dataset, 4)] == [0, 1, 0, 1]
        monkeypatch.setattr(outputs_module, "_LOOKED_AT_BYTES", 1)
        assert by_turns(dataset, 4) == [0, 26, 13, 39]


def test_samples_without_labels_are_spread(tmp_path):
    samples = [Sample(f"{n:02d}", {"text": "x"}) for n in range(40)]
    with datasets.open_dataset(made.write(tmp_path / "a", samples, "tfrecord")) as dataset:
        assert by_turns(dataset, 4) == [0, 13, 26, 39]
        assert by_turns(dataset, 100) == list(range(40))


def test_names_of_classes_are_those_of_the_folders(tmp_path):
    keys = ["dog/1.jpg", "cat/2.jpg", "dog/3.jpg"]
    assert class_names(keys, [1, 0, 1]) == ("cat", "dog")
    assert class_names([str(tmp_path / key) for key in keys], [3, 0, 3]) == ("cat", "", "", "dog")
    assert class_names(keys, [1 << 40, 0, 1 << 40]) == ()
    assert class_names(keys, [0, 1, 0]) == ()
    assert class_names([str(tmp_path / "1.jpg")], [0]) == ()
    assert class_names(["s3://bucket/cat/1.jpg"], [0]) == ()


def test_names_of_classes_are_those_of_the_data_set(folder, tmp_path):
    known = ("cat", "dog", "eel")
    assert class_names(["dog/1.jpg"], [1], [known]) == known
    assert class_names(["dog/1.jpg"], [2], [known]) == ()  # the program has changed the labels
    assert class_names(["dog/1.jpg"], [3], [known]) == ()
    shards = tmp_path.with_name(f"{tmp_path.name}-shards")
    components = ["text", "label"]
    datasets.convert(folder, shards, to="webdataset", components=components, format="folder")
    shard = str(next(shards.glob("*.tar")))
    for key in (f"{shard}:512:a/1.txt", f"{shard} at index 3", f"{shards} at key 7"):
        assert class_names([key], [0]) == ("cat", "dog")
        assert class_names([key], [2]) == ()
    (shards / "dataset.json").write_text("{")
    assert class_names([shard], [0]) == ()
