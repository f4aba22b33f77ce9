"""Folders of other software are told by their markers, by path as by URL."""

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from penstock import datasets, fn, pipeline_def
from penstock.engine.errors import SourceError
from penstock.readers.listing.folder import Folder
from penstock.readers.listing.layouts import layout_of, refuse_layouts
from penstock.readers.listing.listing import list_files, list_plain_files

JSON = json.dumps
MDS = {"shards": [{"format": "mds", "raw_data": {"basename": "shard.00000.mds"}}], "version": 2}
LITDATA = {"chunks": [{"filename": "chunk-0-0.bin", "chunk_size": 4}], "config": {}}
YAML = "path: ../coco8\ntrain: images/train\nval: images/val\nnames:\n  0: person\n"
LAYOUTS = {
    "a Lance data set": {
        "_versions/1.manifest": "",
        "_transactions/0.txn": "",
        "data/0.lance": "",
    },
    "a Zarr store": {"zarr.json": JSON({"zarr_format": 3}), "image/c/0/0": ""},
    "a Zarr store of arrays": {".zgroup": JSON({"zarr_format": 2}), "image/0.0": "", "x/0.0": ""},
    "a LeRobot data set": {
        "meta/info.json": JSON({"codebase_version": "v3.0", "fps": 30}),
        "data/chunk-000/file-000.parquet": "",
        "videos/cam/file-000.mp4": "",
    },
    "a LitData data set": {"index.json": JSON(LITDATA), "chunk-0-0.bin": ""},
    "a data set of COCO": {"annotations/instances_val.json": "{}", "val2017/1.jpg": ""},
    "a data set of KITTI": {"image_2/1.png": "", "label_2/1.txt": ""},
    "a folder of pictures and of their": {"images/1.png": "", "Masks/1.png": ""},
    "a folder of splits": {"train/1.jpg": "", "test/2.jpg": ""},
    "a data set of Darknet": {"obj.data": "classes = 1\n", "obj.names": "cat\n", "obj/1.jpg": ""},
    "a data set of labelme": {"a/1.jpg": "", "a/1.json": JSON({"shapes": [], "imagePath": ""})},
    "a data set of LibriSpeech": {
        "84/121123/84-121123-0000.flac": "",
        "84/121123/84-121123.trans.txt": "84-121123-0000 GO\n",
    },
    "a data set of Supervisely": {"meta.json": "{}", "ds/img/1.jpg": "", "ds/ann/1.json": "{}"},
    "a Hudi table": {".hoodie/hoodie.properties": "", "p/1.parquet": ""},
    "an N5 container": {"attributes.json": JSON({"n5": "2.0.0"}), "raw/0/0": ""},
    "a data set of TensorFlow Datasets": {
        "dataset_info.json": JSON({"splits": [{"name": "train"}, {"name": "test"}]}),
        "features.json": "{}",
        "mnist-train.tfrecord-00000-of-00001": "",
        "mnist-test.tfrecord-00000-of-00001": "",
    },
}
OPENED = {
    "an MDS data set": {"index.json": JSON(MDS), "shard.00000.mds": ""},
    "a data set of YOLO": {"data.yaml": YAML, "train/images/1.jpg": "", "train/labels/1.txt": ""},
    "a data set of Pascal VOC": {"JPEGImages/1.jpg": "", "Annotations/1.xml": ""},
    "a data set of Open Images": {"train-annotations-bbox.csv": "", "train/1.jpg": ""},
    "a data directory of Kaldi": {"wav.scp": "a a.wav\n", "text": "a hello\n", "wav/a.wav": ""},
}


def put(root, files):
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if content or not name.endswith((".jpg", ".png")):
            path.write_text(content)
        else:
            Image.new("RGB", (8, 8)).save(path)
    return root


@pytest.mark.parametrize("title", LAYOUTS)
def test_data_sets_are_refused_by_name(tmp_path, title):
    root = put(tmp_path / "set", LAYOUTS[title])
    for opens in (datasets.open_dataset, datasets.inspect):
        with pytest.raises(SourceError, match=rf"set is {title}.*; \w+") as raised:
            opens(root)
    assert str(raised.value).endswith(layout_of(Folder(root, {})))
    with pytest.raises(SourceError, match=title):
        datasets.convert(root, tmp_path / "out", to="webdataset")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("title", LAYOUTS)
def test_urls_are_refused_alike(tmp_path, web, title):
    root = put(tmp_path, LAYOUTS[title])
    for name in LAYOUTS[title]:
        web.objects[f"set/{name}"] = (root / name).read_bytes()
    with pytest.raises(SourceError, match=rf"/set/? is {title}"):
        datasets.open_dataset(f"{web.url}/set/")


@pytest.mark.filterwarnings("ignore:.*left out are")
@pytest.mark.parametrize("title", LAYOUTS | OPENED)
def test_the_reader_of_files_says_what_the_folders_are(tmp_path, title):
    files = (LAYOUTS | OPENED)[title]
    root = put(tmp_path, files)
    with pytest.raises(SourceError, match=f"is {title}.*takes dir_filters='"):
        list_files(file_root=root)
    if any(name.count("/") == 1 and name.endswith(("jpg", "png")) for name in files):
        assert len(list_files(file_root=root, dir_filters="*")) > 0


def test_the_reader_of_files_says_that_annotations_lie_beside_the_folders(tmp_path):
    root = put(tmp_path, {"images/1.png": "", "my_annotations.json": JSON({"images": []})})
    with pytest.raises(SourceError, match="is a data set of COCO; name its annotation file"):
        list_files(file_root=root)
    assert layout_of(Folder(root, {})) == ""  # `datasets` opens it
    (root / "my_annotations.json").write_text(JSON({"1.png": "a cat"}))
    list_files(file_root=root)


@pytest.mark.parametrize(
    "files",
    [
        {"wavs/1.wav": ""},
        {"photos/1.jpg": ""},
        {"train_images/1.jpg": "", "test_images/2.jpg": "", "sample_submission.csv": "id\n"},
    ],
)
def test_media_that_a_table_beside_describes_are_no_classes(tmp_path, files):
    root = put(tmp_path, {**files, "metadata.csv": "1|hello\n"})
    title = "a folder of media that a table beside describes; fn.readers.file reads them by `table`"
    for opens in (datasets.open_dataset, lambda root: list_files(file_root=root)):
        with pytest.raises(SourceError, match=f"is {title}"):
            opens(root)
    for table in root.glob("*.csv"):
        table.unlink()
    assert datasets.open_dataset(root).format == "folder"


@pytest.mark.parametrize("place", ["", "train-clean-100", "train-clean-100/84"])
def test_each_folder_of_librispeech_is_told(tmp_path, place):
    files = LAYOUTS["a data set of LibriSpeech"]
    put(tmp_path, {f"train-clean-100/{name}": content for name, content in files.items()})
    with pytest.raises(SourceError, match=r"is a data set of LibriSpeech; write its transcripts"):
        datasets.open_dataset(tmp_path / place)


def test_a_list_of_files_beside_class_folders_is_obeyed(tmp_path):
    root = put(tmp_path, {"a/1.jpg": "", "b/2.jpg": "", "list.txt": "a/1.jpg 1\nb/2.jpg 0\n"})
    with datasets.open_dataset(root) as dataset:
        labels = [sample.components["label"] for sample in dataset.read([0, 1])]
    assert (dataset.format, labels) == ("filelist", [1, 0])


def test_readers_of_arrays_do_not_mix_pictures_and_masks(tmp_path):
    for folder in ("images", "masks"):
        (tmp_path / folder).mkdir()
        np.save(tmp_path / folder / "1.npy", np.zeros(3))
    with pytest.raises(SourceError, match=r"fn\.readers\.numpy: .* is a folder of pictures and of"):
        list_plain_files("fn.readers.numpy", file_root=str(tmp_path), file_filter="*.npy")
    assert len(list_plain_files("fn.readers.numpy", file_root=str(tmp_path / "images"))) == 1


@pytest.mark.parametrize("kind", ["files", "folders"])
def test_markers_are_files_or_folders_and_not_the_other(tmp_path, kind):
    files = ("zarr.json", ".zgroup", "wav.scp", "dataset_meta.json", "__tiledb_group.tdb")
    folders = (".nv-meta", "_delta_log", ".hoodie", "_deeplake_log", "__group")
    for name in files if kind == "files" else folders:
        right, wrong = (put(tmp_path / f"{name}_{each}", {}) for each in ("right", "wrong"))
        for root, is_file in ((right, kind == "files"), (wrong, kind != "files")):
            root.mkdir(exist_ok=True)
            (root / name).write_text("") if is_file else (root / name).mkdir()
        assert layout_of(Folder(right, {}), opened=True)
        assert layout_of(Folder(wrong, {}), opened=True) == ""


def test_a_folder_above_a_layout_names_it(tmp_path):
    put(tmp_path, {f"VOC2012/{name}": "" for name in OPENED["a data set of Pascal VOC"]})
    for opens in (datasets.open_dataset, lambda root: list_files(file_root=root)):
        with pytest.raises(SourceError, match="its folder 'VOC2012' is a data set of Pascal VOC"):
            opens(tmp_path)


def test_placeholders_of_files_that_are_elsewhere_are_said(tmp_path):
    root = put(tmp_path, {"cat/1.jpg": "", "cat/.2.jpg.icloud": "bplist00"})
    with pytest.warns(RuntimeWarning, match=r"left out are placeholders of iCloud.*2\.jpg\.icloud"):
        list_files(file_root=root)


def test_readers_of_shards_refuse_folders_of_several_splits(tmp_path):
    root = put(tmp_path, {".nv-meta/.info.json": "{}", "train-0.tar": ""})

    @pipeline_def(batch_size=1, num_threads=1)
    def reading(path):
        return fn.readers.webdataset(paths=path, ext=["jpg"])

    with pytest.raises(SourceError, match=r"is an Energon data set, .*name the tar files of a"):
        reading(str(root)).build()
    with pytest.raises(SourceError, match="is an Energon data set, whose splits"):
        datasets.open_dataset(root)
    refuse_layouts([str(root / "train-0.tar"), "s3://bucket/train-0.tar"])


@pytest.mark.parametrize(
    "files",
    [
        {"images/1.jpg": "", "more/2.jpg": ""},
        {"index.json": JSON({"title": "a site"}), "cat/1.jpg": "", "dog/2.jpg": ""},
        {"config.yaml": "names: [a, b]\n", "cat/1.jpg": "", "dog/2.jpg": ""},
        {"meta/1.jpg": "", "data/2.jpg": "", "videos/3.jpg": ""},
        {"train_station/1.jpg": "", "image_quality/2.jpg": "", "table.csv": "a\n"},
        {"84/1.jpg": "", "85/2.jpg": ""},
    ],
)
def test_class_folders_with_such_names_stay_class_folders(tmp_path, files):
    root = put(tmp_path, files)
    assert layout_of(Folder(root, {})) == ""
    assert datasets.inspect(root).format == "folder"
    assert layout_of(Folder(Path(root / "none"), {})) == ""
