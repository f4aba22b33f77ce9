"""Pipelines for data on disk give the same samples in both libraries."""

from __future__ import annotations

import importlib.util
import io
import json
import wave

import numpy as np
import pytest

from penstock import datasets, fn
from penstock.cli.benchmark.graphs import graph_of
from penstock.cli.benchmark.pipeline_library import PipelineLibrary, load
from penstock.cli.commands import CommandFailed
from penstock.datasets import Encoded, Sample
from penstock.datasets.formats.base import ReaderCall
from penstock.engine.tensors import TensorListGPU
from penstock.testing import made

OPTIONS = {"batch_size": 6, "num_threads": 2, "device_id": None, "seed": 1}


@pytest.fixture
def libraries():
    there = importlib.util.find_spec("nvidia") and importlib.util.find_spec("nvidia.dali")
    names = ["penstock"] + ["nvidia.dali"] * bool(there)
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


@pytest.fixture(scope="module")
def speech(tmp_path_factory):
    """A data set of three WAV files with texts."""
    samples = []
    for i in range(3):
        stream = io.BytesIO()
        with wave.open(stream, "wb") as file:
            file.setparams((1, 2, 8000, 0, "NONE", ""))
            file.writeframes(np.full(4000 + i, i, "<i2").tobytes())
        components = {"audio": Encoded(stream.getvalue(), "wav"), "text": f"{i}", "label": i}
        samples.append(Sample(f"{i}", components))
    return made.write(tmp_path_factory.mktemp("speech") / "data", samples)


@pytest.mark.parametrize("work", ["read", "decode", "train"])
@pytest.mark.parametrize("name", ["tfrecord", "webdataset", "lmdb", "parquet", "nemo", "nemo-tar"])
def test_sound_of_each_format(libraries, speech, tmp_path, name, work):
    if name == "parquet":
        pytest.importorskip("pyarrow")
    components = ["audio", "text"] if name.startswith("nemo") else None
    datasets.convert(speech, tmp_path / "data", to=name, components=components)
    with datasets.open_dataset(tmp_path / "data") as dataset:
        graph = graph_of(dataset, work, "cpu", str(tmp_path))
    assert graph.medium == "audio"
    with graph.pipeline(libraries[0], **OPTIONS | {"batch_size": 3}) as pipeline:
        shapes = sorted(pipeline.run()[0].shape())
    sizes = {"read": [44 + 2 * (4000 + i) for i in range(3)], "decode": [4000, 4001, 4002]}
    assert shapes == ([(80, 26)] * 3 if work == "train" else [(size,) for size in sizes[work]])


@pytest.mark.parametrize("name", ["lmdb", "parquet"])
def test_images_of_formats_that_only_penstock_reads(libraries, class_folders, tmp_path, name):
    if name == "parquet":
        pytest.importorskip("pyarrow")
    datasets.convert(class_folders, tmp_path / "data", to=name)
    with datasets.open_dataset(tmp_path / "data") as dataset:
        graph = graph_of(dataset, None, "cpu", str(tmp_path))
    assert graph.work == "train"
    for library in libraries:
        pipeline = graph.pipeline(library, **OPTIONS)
        pipeline.build()
        images, labels = pipeline.run()
        assert {tuple(np.asarray(image).shape) for image in images} == {(3, 224, 224)}
        assert sorted(int(np.ravel(label)[0]) for label in labels) == [0, 0, 0, 1, 1, 1]
        if library.name == "Penstock":
            assert list(pipeline.epoch_size()) == ["reader"]
        del pipeline


@pytest.mark.parametrize("work", ["read", "decode", "train"])
def test_images_that_the_reader_decodes(device, class_folders, tmp_path, monkeypatch, work):
    def decoded_files(**arguments):
        images, labels = fn.readers.file(**arguments)
        return [fn.decoders.image(images), labels]

    monkeypatch.setattr(fn.readers, "decoded_files", decoded_files, raising=False)
    call = ReaderCall("decoded_files", {"file_root": class_folders}, is_own=True, decodes=True)
    with datasets.open_dataset(class_folders) as dataset:
        monkeypatch.setattr(dataset.stored, "reader_calls", lambda: [call])
        graph = graph_of(dataset, work, {"cpu": "cpu", "gpu": "mixed"}[device], str(tmp_path))
    options = OPTIONS | {"device_id": 0 if device == "gpu" else None}
    with graph.pipeline(load("penstock"), **options) as pipeline:
        images, _ = pipeline.run()
    assert isinstance(images, TensorListGPU) == (device == "gpu" and work != "read")
    if work == "read":  # the files, by `datasets`
        assert {len(shape) for shape in images.shape()} == {1}
    else:
        wanted = {"decode": (48, 64, 3), "train": (3, 224, 224)}
        assert images.shape() == [wanted[work]] * 6


def test_values_of_lmdb_that_are_whole_samples(libraries, class_folders, tmp_path):
    datasets.convert(class_folders, tmp_path / "data", to="lmdb", components=["image"])
    with datasets.open_dataset(tmp_path / "data") as dataset:
        graph = graph_of(dataset, "decode", "cpu", str(tmp_path))
    with graph.pipeline(libraries[0], **OPTIONS) as pipeline:
        assert pipeline.run()[0].shape() == [(48, 64, 3)] * 6
    assert list(pipeline.epoch_size()) == ["reader"]


@pytest.mark.parametrize("name", ["npy", "npz"])
def test_arrays(libraries, tmp_path, name):
    source = made.write(tmp_path / "source", made.arrays(6))
    datasets.convert(source, tmp_path / "data", to=name)
    with datasets.open_dataset(tmp_path / "data") as dataset:
        graph = graph_of(dataset, None, "cpu", str(tmp_path))
        names = list(dataset.schema)
    assert graph.work == "read"
    with graph.pipeline(libraries[0], **OPTIONS) as pipeline:
        rows = dict(zip(names, pipeline.run(), strict=True))
    by_label = {int(np.ravel(label)[0]): i for i, label in enumerate(rows["label"].as_array())}
    for sample in made.arrays(6):  # a sample's components stay together
        row = by_label[sample.components["label"]]
        for each in ("array", "weights"):
            np.testing.assert_array_equal(rows[each].at(row), sample.components[each])


def test_arrays_in_files_of_their_own(libraries, tmp_path):
    for i in range(6):
        np.save(tmp_path / f"{i}.npy", np.full((i + 1, 2), i))
    with datasets.open_dataset(tmp_path) as dataset:
        graph = graph_of(dataset, None, "cpu", str(tmp_path))
    for library in libraries:
        pipeline = graph.pipeline(library, **OPTIONS)
        pipeline.build()
        rows = [np.asarray(row) for row in pipeline.run()[0]]
        assert sorted(row.shape for row in rows) == [(i + 1, 2) for i in range(6)]
        del pipeline


def test_dali_cannot_decode_every_layout(speech, tmp_path):
    datasets.convert(speech, tmp_path / "data", to="nemo-tar", components=["audio", "text"])
    with datasets.open_dataset(tmp_path / "data") as dataset:
        graph = graph_of(dataset, "decode", "cpu", str(tmp_path))
    dali = PipelineLibrary("DALI", None, None, None, None)
    with pytest.raises(CommandFailed, match="DALI has no reader for this layout of nemo-tar"):
        graph.define(dali)


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
