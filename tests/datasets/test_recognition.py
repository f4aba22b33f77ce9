"""Recognizing formats by content."""

from __future__ import annotations

import gzip
import re
import zipfile

import numpy as np
import pytest

from penstock.datasets import open_dataset
from penstock.datasets.formats.table import writers
from penstock.datasets.recognition import format_of_file
from penstock.engine.errors import DecodeError, PenstockError, SourceError
from penstock.testing import made
from penstock.tests.readers import lmdb_samples

CONTENT = {"npy": "arrays", "npz": "arrays", "coco": "detections", "nemo": "speech"}
CONTENT |= dict.fromkeys(("yolo", "voc", "openimages"), "detections")


@pytest.mark.parametrize(
    "name", [name for name in writers() if name not in ("nemo-tar", "filelist")]
)
def test_written_data_sets_are_recognized_without_their_manifest(tmp_path, name):
    samples = made.CONTENTS[CONTENT.get(name, "images")]()
    root = made.write(tmp_path / "a", samples, name, ("a", "b") if name == "folder" else ())
    (root / "dataset.json").unlink()
    with open_dataset(root) as dataset:
        assert dataset.format == name
        assert len(dataset.read(range(len(dataset)))) == len(samples)


@pytest.mark.parametrize("name", [name for name in writers() if name != "folder"])
@pytest.mark.parametrize("other", ["folder", "webdataset"])
def test_a_folder_of_another_format_than_the_named_one_is_an_error(tmp_path, name, other):
    root = made.write(tmp_path / "a", made.images(), other, ("a", "b"))
    (root / "dataset.json").unlink()
    if name not in (other, "nemo-tar"):
        with pytest.raises(PenstockError, match=re.escape(str(root))):
            open_dataset(root, format=name)


def test_files_by_their_content_not_their_name(tmp_path):
    root = made.write(tmp_path / "a", made.images(), "tfrecord")
    content = (root / "shard-00000.tfrecord").read_bytes()
    (tmp_path / "x").write_bytes(content)
    (tmp_path / "y").write_bytes(gzip.compress(content))
    assert format_of_file(str(tmp_path / "x")).name == "tfrecord"
    assert open_dataset(tmp_path / "y").read([0])[0].key == "a/000"


@pytest.mark.parametrize("name", ["tfrecord", "npy", "webdataset"])
def test_files_beside_the_data_are_left_out_and_listed(tmp_path, name):
    samples = made.CONTENTS[CONTENT.get(name, "images")]()
    root = made.write(tmp_path / "a", samples, name)
    (root / "dataset.json").unlink()
    for beside in ("label_map.pbtxt", "README.md", "dataset_info.json", "_SUCCESS", ".DS_Store"):
        (root / beside).write_text('{"name": "x"}')
    with open_dataset(root) as dataset:
        assert (dataset.format, len(dataset)) == (name, len(samples))
        (skipped,) = dataset.stored.skipped_files.values()
        assert skipped == ["README.md", "dataset_info.json", "label_map.pbtxt"]


def test_databases_by_their_first_value(tmp_path):
    values = {
        "caffe": lmdb_samples.datum(data=b"\xff\xd8\xff..", label=1, encoded=True),
        "caffe2": lmdb_samples.tensor_protos(
            lmdb_samples.tensor(4, strings=[b"\xff\xd8\xff.."]), lmdb_samples.tensor(2, int32s=[1])
        ),
        "lmdb": b"\xff\xd8\xff..",
    }
    for name, value in values.items():
        lmdb_samples.write_lmdb(tmp_path / name, [value])
        assert format_of_file(str(tmp_path / name)).name == name
        assert open_dataset(tmp_path / name).read([0])[0].components["image"].extension == "jpg"


def test_a_list_of_files(tmp_path):
    (tmp_path / "list.txt").write_text("a.jpg 3\n")
    (tmp_path / "a.jpg").write_bytes(b"..")
    dataset = open_dataset(tmp_path / "list.txt")
    assert (dataset.format, dataset.read([0])[0].components["label"]) == ("filelist", 3)


def test_archives_of_pictures_are_no_arrays(tmp_path):
    for number in range(2):
        with zipfile.ZipFile(tmp_path / f"{number}.zip", "w") as archive:
            archive.writestr("cat/1.jpg", made.jpeg(number))
    (tmp_path / "README.md").write_text("pictures")
    held = r"endings of its files: \.zip \(2\), \.md \(1\); unpack the archives"
    with pytest.raises(SourceError, match=held):
        open_dataset(tmp_path)
    np.savez(tmp_path / "0.zip", x=np.arange(3))
    assert format_of_file(str(tmp_path / "0.zip.npz")).name == "npz"


def test_json_of_other_kinds(tmp_path):
    path = tmp_path / "a.json"
    path.write_text('{"info": {}, "license": {}, "questions": [{"question": "what?"}]}')
    with pytest.raises(SourceError, match=r"a\.json is no data set of a known format"):
        open_dataset(path)
    path.write_text('{"info": {}, "annotations": [], "license": {}}')
    members = r"no array 'images', so it is no .* its members are 'info', 'annotations', 'license'"
    with pytest.raises(DecodeError, match=members):
        open_dataset(path)


def test_other_files_are_refused(tmp_path):
    for number in range(8):
        content = np.random.default_rng(number).bytes(100 * number)
        (tmp_path / "x").write_bytes(content)
        assert format_of_file(str(tmp_path / "x")) is None
    with pytest.raises(SourceError, match="no data set of a known format"):
        open_dataset(tmp_path / "x")
