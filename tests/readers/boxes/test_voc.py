"""Data sets of Pascal VOC."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.engine.errors import ArgumentError, DecodeError, SourceError
from penstock.readers.boxes.opening import open_box_set
from penstock.readers.boxes.voc import CLASSES
from penstock.readers.boxes.voc_file import parse_voc_file

from .sets import put, voc_file, voc_object

TREE = {
    "JPEGImages/a.jpg": (10, 20),
    "JPEGImages/b.jpg": (10, 20),
    "JPEGImages/c.jpg": (10, 20),
    "Annotations/a.xml": voc_file(voc_object("dog", (1, 1, 20, 10), difficult=1, truncated=0)),
    "Annotations/b.xml": voc_file(voc_object("cat", (2.5, 3, 4.5, 6))),
    "Annotations/c.xml": voc_file(
        voc_object("zebra", (2, 3, 4, 6)), voc_object("dog", (1, 1, 1, 1))
    ),
    "ImageSets/Main/train.txt": "a\nb\n",
    "ImageSets/Main/val.txt": "c\n",
    "ImageSets/Main/dog_train.txt": "a 1\nb -1\n",
}


def read(boxes):
    return boxes.read(range(len(boxes)), [(10, 20)] * len(boxes))


def test_pixels_count_from_one_and_the_last_one_belongs_to_the_box(tmp_path):
    boxes = open_box_set(put(tmp_path, TREE), {}, "train")
    assert [made.boxes.tolist() for made in read(boxes)] == [[[0, 0, 20, 10]], [[1.5, 2, 3, 4]]]
    assert [made.flags["difficult"].tolist() for made in read(boxes)] == [[1], [0]]


def test_all_splits_number_the_classes_alike(tmp_path):
    root = put(tmp_path, TREE)
    train, val = (open_box_set(root, {}, split) for split in ("train", "val"))
    assert train.classes == val.classes == ("", "cat", "dog", "zebra")
    assert [made.labels.tolist() for made in read(val)] == [[3, 2]]
    put(tmp_path, {"Annotations/c.xml": voc_file()})
    assert open_box_set(root, {}, "val").classes == ("", *CLASSES)


def test_splits_are_the_lists_without_a_class(tmp_path):
    root = put(tmp_path, TREE)
    with pytest.raises(ArgumentError, match=r"holds the splits train, val, which.*Main/train\.txt"):
        open_box_set(root, {})
    assert open_box_set(root / "ImageSets/Main/val.txt", {}).images == ["c.jpg"]
    for path in (root / "ImageSets/Main").iterdir():
        path.unlink()
    assert open_box_set(root, {}).images == ["a.jpg", "b.jpg", "c.jpg"]


def test_the_name_of_the_file_counts_and_images_without_annotation_are_listed(tmp_path):
    files = {name: content for name, content in TREE.items() if "ImageSets" not in name}
    boxes = open_box_set(put(tmp_path, {**files, "JPEGImages/d.jpg": (10, 20)}), {})
    assert boxes.images == ["a.jpg", "b.jpg", "c.jpg"]  # not "other.jpg"
    assert boxes.left_out == {"images without an annotation": ["d"]}


def test_masks_belong_to_some_images(tmp_path):
    boxes = open_box_set(put(tmp_path, TREE | {"SegmentationClass/b.png": (10, 20)}), {}, "train")
    assert boxes.masks == {1: {"mask": f"{tmp_path}/SegmentationClass/b.png"}}


def test_lists_may_not_leave_the_data_set(tmp_path):
    root = put(tmp_path, TREE | {"ImageSets/Main/train.txt": "../../etc/passwd\n"})
    with pytest.raises(SourceError, match="which leaves the data set"):
        open_box_set(root, {}, "train")
    put(tmp_path, {"ImageSets/Main/train.txt": "a\nnone\n"})
    with pytest.raises(SourceError, match=r"names 'none' \(1 such names\), of which JPEGImages"):
        open_box_set(root, {}, "train")


def test_a_damaged_annotation_is_an_error_of_its_image(tmp_path):
    boxes = open_box_set(put(tmp_path, TREE | {"Annotations/b.xml": "<annotation>"}), {}, "train")
    boxes.read([0], [(10, 20)])
    with pytest.raises(DecodeError, match=r"b\.xml is no XML"):
        boxes.read([1], [(10, 20)])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('<!DOCTYPE a [<!ENTITY x "y">]><annotation/>', "declares a document type or entities"),
        ("<annotation><object><name>a</name></object></annotation>", "object 0 .* no `bndbox`"),
        (voc_file(voc_object("", (1, 1, 2, 2))), "no `name`"),
        (voc_file(voc_object("a", (1, 1, "x", 2))), "`xmax` is 'x', no number"),
        (voc_file(voc_object("a", (1, 1, "inf", 2))), "`xmax` is not finite"),
        (voc_file(voc_object("a", (9, 1, 2, 2))), "lie before"),
    ],
)
def test_damaged_files_are_named(text, said):
    with pytest.raises(DecodeError, match=said):
        parse_voc_file(text.encode(), "a.xml")
    with pytest.raises(DecodeError, match="declares a document type"):
        parse_voc_file(text.encode("utf-16"), "a.xml")


WHOLE = voc_file(voc_object("dog", (1, 1, 20, 10), difficult=1)).encode()


@given(st.integers(0, len(WHOLE)), st.binary(max_size=4))
def test_any_bytes_are_objects_or_an_error(at, noise):
    try:
        objects = parse_voc_file(WHOLE[:at] + noise + WHOLE[at + len(noise) :], "a.xml")
    except DecodeError:
        return
    assert all(np.isfinite(made.box).all() for made in objects)
