"""Data sets of YOLO in the forms that Ultralytics and Roboflow give them."""

from pathlib import Path

import pytest

from penstock.engine.errors import ArgumentError, DecodeError, SourceError
from penstock.readers.boxes.opening import open_box_set
from penstock.readers.boxes.yolo_file import parse_yolo_file

from .sets import image, put

YAML = "path: ../datasets/set\ntrain: images/train\nval: images/val\nnames:\n  0: cat\n  1: dog\n"
TREE = {
    "images/train/a.jpg": (10, 20),
    "images/train/deep/b.x.jpg": (10, 20),
    "images/train/background.jpg": (10, 20),
    "images/val/c.jpg": (10, 20),
    "labels/train/a.txt": "1 .5 .5 .5 .5\n",
    "labels/train/deep/b.x.txt": "0 .5 .5 .5 .5\n",
    "labels/train/orphan.txt": "",
    "labels/val/c.txt": "0 .5 .5 .5 .5\n",
}


def opened(place, split="", options=None):
    return open_box_set(place, options or {}, split)


def labels(boxes):
    return [made.labels.tolist() for made in boxes.read(range(len(boxes)), [(10, 20)] * len(boxes))]


def test_splits_of_the_file(tmp_path):
    root = put(tmp_path / "set", {"data.yaml": YAML, **TREE})
    boxes = opened(root, "train")
    assert boxes.classes == ("cat", "dog")
    assert boxes.images == ["a.jpg", "background.jpg", "deep/b.x.jpg"]
    assert labels(boxes) == [[1], [], [0]]  # no label file: no objects
    assert boxes.left_out == {"label files without an image": ["orphan.txt"]}
    assert boxes.label_files(1) == []
    with pytest.raises(ArgumentError, match=r"holds the splits train, val.*images/train'.*split="):
        opened(root)
    with pytest.raises(ArgumentError, match="no split 'test'"):
        opened(root, "test")
    by_folder = opened(root / "images/train")
    assert (by_folder.classes, labels(by_folder)) == (boxes.classes, labels(boxes))


def test_one_split_needs_no_name(tmp_path):
    files = {name: content for name, content in TREE.items() if "/val/" not in name}
    root = put(tmp_path, files)
    assert labels(opened(root)) == [[1], [], [0]]
    root = put(tmp_path, {"data.yaml": "train: images/train\nval: images/train\nnames: [a, b]\n"})
    assert opened(root).classes == ("a", "b")


def test_paths_that_leave_the_folder_as_roboflow_writes_them(tmp_path):
    files = {
        "data.yaml": "train: ../train/images\nval: ../valid/images\nnc: 1\nnames: ['x']\n",
        "train/images/a.jpg": (10, 20),
        "train/labels/a.txt": "0 .5 .5 1 1\n",
        "valid/images/b.jpg": (10, 20),
        "valid/labels/b.txt": "0 .5 .5 1 1\n",
    }
    root = put(tmp_path / "set", files)
    assert opened(root, "val").images == ["b.jpg"]
    assert opened(root / "data.yaml", "train").images == ["a.jpg"]


def test_lists_of_images_and_labels_beside_them_as_darknet_has_them(tmp_path):
    files = {
        "data.yaml": "train: train.txt\nval: train.txt\nnames: {0: cat}\n",
        "train.txt": "./obj/a.jpg\nobj/b.jpg\n",
        "obj/a.jpg": (10, 20),
        "obj/a.txt": "0 .5 .5 1 1\n",
        "obj/b.jpg": (10, 20),
    }
    boxes = opened(put(tmp_path, files))
    assert (boxes.images, labels(boxes)) == (["a.jpg", "b.jpg"], [[0], []])


def test_polygons_are_found_behind_images_without_objects(tmp_path):
    files = {f"images/{i}.jpg": (10, 20) for i in range(4)}
    files |= {f"labels/{i}.txt": "" for i in range(3)} | {"labels/3.txt": "0 0 0 1 0 1 1\n"}
    assert opened(put(tmp_path, files)).have_polygons
    boxes = opened(put(tmp_path, {"labels/0.txt": "0 .5 .5 1 1\n"}))
    assert not boxes.have_polygons
    with pytest.raises(DecodeError, match=r"3\.txt holds polygons, but the first label files of"):
        boxes.read([3], [(10, 20)])


def test_behind_a_url(web):
    for name, content in {"data.yaml": YAML, **TREE}.items():
        data = image(*content) if isinstance(content, tuple) else content.encode()
        web.objects[f"set/{name}"] = data
    from penstock.readers.storage.urls import Url

    boxes = opened(Url(f"{web.url}/set/"), "train")
    assert labels(boxes) == [[1], [], [0]]
    web.objects["set/data.yaml"] = b"train: /etc\nval: x\nnames: [a]\n"
    with pytest.raises(SourceError, match="behind a URL may not name '/etc'"):
        opened(Url(f"{web.url}/set/"), "train")


def test_what_is_missing_is_named(tmp_path):
    root = put(tmp_path, {"data.yaml": YAML, "images/train/a.jpg": (10, 20)})
    with pytest.raises(SourceError, match=r"names 'images/val', which is not there"):
        opened(root, "val")
    put(tmp_path, {"images/val/c.jpg": (10, 20)})
    with pytest.raises(SourceError, match=r"none of its 1 images has a label file.*labels/train/a"):
        opened(root, "train")
    with pytest.raises(SourceError, match=r"is no data set of YOLO .* Pascal VOC .* Open Images"):
        opened(Path(put(tmp_path / "none", {"a.txt": ""})))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("names: [", "is no YAML"),
        ("- a\n", "holds no members"),
        ("train: 3\nnames: [a]\n", "`train` is 3, neither a path"),
        ("a: &a [[x]]\ntrain: [*a, *a]\nnames: [a]\n", "`train` is a list or mapping, neither"),
        ("train: a\n", "`names` is None"),
        ("names: {a: b}\n", "key that is no number"),
        ("a: &a [x, x]\nnames: [*a, *a]\n", "holds a list or a mapping in place of a name"),
        ("names: {99999999: b}\n", "key that is no number"),
    ],
)
def test_damaged_files_are_named(text, said):
    with pytest.raises(DecodeError, match=said):
        parse_yolo_file(text.encode(), "data.yaml")
    assert parse_yolo_file(b"names: {2: c, 0: a}", "x").classes == ("a", "", "c")
