"""Pipelines for data on disk give the same samples in both libraries."""

from __future__ import annotations

import importlib.util
import json

import numpy as np
import pytest

from penstock import datasets
from penstock.cli.benchmark.graphs import graph_of, load
from penstock.cli.commands import CommandFailed

OPTIONS = {"batch_size": 6, "num_threads": 2, "device_id": None, "seed": 1}


@pytest.fixture
def libraries():
    names = ["penstock"] + ["nvidia.dali"] * bool(importlib.util.find_spec("nvidia.dali"))
    return [load(name) for name in names]


@pytest.mark.parametrize("name", ["tfrecord", "webdataset", "recordio", "caffe", "caffe2"])
def test_labels_of_each_format(libraries, class_folders, tmp_path, name):
    datasets.convert(class_folders, tmp_path / "data", to=name)
    with datasets.open_dataset(tmp_path / "data") as dataset:
        graph = graph_of(dataset, "read", "cpu", str(tmp_path))
    for library in libraries:
        pipeline = graph.pipeline(library, **OPTIONS)
        pipeline.build()
        labels = [
            bytes(row) if row.dtype == "u1" else int(row[0])
            for row in map(np.asarray, pipeline.run()[1])
        ]
        assert sorted(labels) in ([0, 0, 0, 1, 1, 1], [b"0"] * 3 + [b"1"] * 3), library.name
        del pipeline


def test_file_lists(libraries, class_folders, tmp_path):
    (tmp_path / "list.txt").write_text("cats/0.jpg 4\ndogs/1.jpg 5\n")
    (tmp_path / "cats").symlink_to(class_folders / "cats")
    (tmp_path / "dogs").symlink_to(class_folders / "dogs")
    with datasets.open_dataset(tmp_path / "list.txt") as dataset:
        graph = graph_of(dataset, None, "cpu", str(tmp_path))
    assert (graph.work, graph.medium) == ("train", "image")
    with graph.pipeline(libraries[0], **OPTIONS | {"batch_size": 2}) as pipeline:
        images, labels = pipeline.run()
    assert images.shape() == [(3, 224, 224)] * 2
    assert sorted(labels.as_array().ravel().tolist()) == [4, 5]


def test_boxes_of_coco(libraries, class_folders, tmp_path):
    images = [{"id": i, "file_name": f"cats/{i}.jpg", "width": 64, "height": 48} for i in range(3)]
    common = {"category_id": 7, "area": 9, "iscrowd": 0}
    boxes = [{"id": i, "image_id": i, "bbox": [1, 2, 3, 4 + i], **common} for i in range(3)]
    content = {"images": images, "annotations": boxes, "categories": [{"id": 7, "name": "cat"}]}
    (tmp_path / "annotations.json").write_text(json.dumps(content))
    (tmp_path / "images").symlink_to(class_folders)
    with datasets.open_dataset(tmp_path / "annotations.json") as dataset:
        graph = graph_of(dataset, "decode", "cpu", str(tmp_path))
    for library in libraries:
        pipeline = graph.pipeline(library, **OPTIONS | {"batch_size": 3})
        pipeline.build()
        decoded, stored, _ = pipeline.run()
        assert {tuple(np.asarray(image).shape) for image in decoded} == {(48, 64, 3)}
        assert sorted(np.asarray(row)[0, 3] for row in stored) == [4, 5, 6]
        del pipeline


def test_a_format_without_a_graph(class_folders, tmp_path):
    datasets.convert(class_folders, tmp_path / "data", to="lmdb")
    with (
        datasets.open_dataset(tmp_path / "data") as dataset,
        pytest.raises(CommandFailed, match="no ready pipeline for the format lmdb"),
    ):
        graph_of(dataset, None, "cpu", str(tmp_path))
