"""Folders of other software are told by their markers, by path as by URL."""

import json
from pathlib import Path

import pytest
from PIL import Image

from penstock import datasets, fn, pipeline_def
from penstock.engine.errors import SourceError
from penstock.readers.listing.layouts import Folder, layout_of, refuse_layouts
from penstock.readers.listing.listing import list_files

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
    "an MDS data set": {"index.json": JSON(MDS), "shard.00000.mds": ""},
    "a LitData data set": {"index.json": JSON(LITDATA), "chunk-0-0.bin": ""},
    "a data set of YOLO": {"data.yaml": YAML, "train/images/1.jpg": "", "train/labels/1.txt": ""},
    "a data set of COCO": {"annotations/instances_val.json": "{}", "val2017/1.jpg": ""},
    "a data set of Pascal VOC": {"JPEGImages/1.jpg": "", "Annotations/1.xml": ""},
    "a data set of KITTI": {"image_2/1.png": "", "label_2/1.txt": ""},
    "a data set of Open Images": {"train-annotations-bbox.csv": "", "train/1.jpg": ""},
    "a folder of pictures and of their": {"images/1.png": "", "Masks/1.png": ""},
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
@pytest.mark.parametrize("title", [title for title in LAYOUTS if "data set of" in title])
def test_the_reader_of_files_says_what_the_folders_are(tmp_path, title):
    root = put(tmp_path, LAYOUTS[title])
    if any(name.count("/") == 1 and name.endswith(("jpg", "png")) for name in LAYOUTS[title]):
        with pytest.warns(RuntimeWarning, match=rf"for each class, but is {title}"):
            list_files(file_root=root)
    else:
        with pytest.raises(SourceError, match=f"is {title}"):
            list_files(file_root=root)


def test_the_reader_of_files_says_that_annotations_lie_beside_the_folders(tmp_path):
    root = put(tmp_path, {"images/1.png": "", "my_annotations.json": JSON({"images": []})})
    with pytest.warns(RuntimeWarning, match="but is a data set of COCO; name its annotation file"):
        list_files(file_root=root)
    assert layout_of(Folder(root, {})) == ""  # `datasets` opens it
    (root / "my_annotations.json").write_text(JSON({"1.png": "a cat"}))
    list_files(file_root=root)


def test_readers_of_shards_refuse_folders_of_several_splits(tmp_path):
    root = put(tmp_path, {".nv-meta/.info.json": "{}", "train-0.tar": ""})

    @pipeline_def(batch_size=1, num_threads=1)
    def reading(path):
        return fn.readers.webdataset(paths=path, ext=["jpg"])

    with pytest.raises(SourceError, match=r"is an Energon data set, .*name the tar files of one"):
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
    ],
)
def test_class_folders_with_such_names_stay_class_folders(tmp_path, files):
    root = put(tmp_path, files)
    assert layout_of(Folder(root, {})) == ""
    assert datasets.inspect(root).format == "folder"
    assert layout_of(Folder(Path(root / "none"), {})) == ""
