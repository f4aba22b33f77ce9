"""COCO: read by pycocotools as well."""

from __future__ import annotations

import json

import numpy as np
import pytest

from penstock.datasets import Encoded, Sample, convert, verify
from penstock.engine.errors import ArgumentError
from penstock.testing import made
from penstock.testing.writers import WriterTests


class TestCocoWriter(WriterTests):
    format = "coco"
    opens_files = False
    contents = ("detections", "annotated")

    def bad_sample(self, sample):
        boxes = np.full((1, 4), np.nan, np.float32)
        return Sample("a", {**sample.components, "boxes": boxes, "labels": np.zeros(1, np.int32)})


def test_pycocotools_reads_the_annotations(tmp_path, capsys):
    coco = pytest.importorskip("pycocotools.coco")
    root = made.write(tmp_path / "a", made.detections(), "coco", [""] + ["x"] * 90)
    read = coco.COCO(str(root / "annotations.json"))
    by_name = {image["file_name"]: image for image in read.loadImgs(read.getImgIds())}
    for i, sample in enumerate(made.detections()):
        image = by_name[f"{sample.key}.jpg"]
        assert (image["height"], image["width"]) == (8, 6 + i % 3)
        annotations = read.loadAnns(read.getAnnIds(image["id"]))
        boxes = np.array([annotation["bbox"] for annotation in annotations], np.float32).reshape(
            -1, 4
        )
        np.testing.assert_array_equal(boxes, sample.components["boxes"])
    assert (root / "images" / "000.jpg").read_bytes() == made.jpeg(0)


def test_numbers_have_few_digits(tmp_path):
    sample = made.detections(2)[1]
    boxes = np.array([[0.1, 236.98, 3, 4]], np.float32)
    root = made.write(tmp_path / "a", [Sample("a", {**sample.components, "boxes": boxes})], "coco")
    (annotation,) = json.loads((root / "annotations.json").read_text())["annotations"]
    assert annotation["bbox"] == [0.1, 236.98, 3.0, 4.0]


def test_an_image_without_a_header_is_refused(tmp_path):
    sample = made.detections(1)[0]
    image = type(sample.components["image"])(b"...", "jpg")
    with pytest.raises(ArgumentError, match="size of the image"):
        made.write(tmp_path / "a", [Sample("a", {**sample.components, "image": image})], "coco")


def people(folder):
    """Write a COCO data set of two images, as its authors do; return the annotations."""
    folder.mkdir()
    common = {"category_id": 1, "bbox": [1.5, 2.0, 3.25, 4.0], "iscrowd": 0}
    polygons = [[1.0, 2, 3.14159265358979, 4.5, 5e-05, 6], [0, 0, 1, 0, 1, 1]]
    annotations = [
        {**common, "id": 9, "image_id": 7, "area": 5.25, "segmentation": polygons},
        {**common, "id": 5, "image_id": 4, "area": 702.1057499999998, "segmentation": []},
        {
            **common,
            "id": 6,
            "image_id": 7,
            "area": 3,
            "iscrowd": 1,
            "segmentation": json.loads(made.RLE),
            "keypoints": [3, 4, 2, 0.1, 0.2, 1, 0, 0, 0],
            "num_keypoints": 2,
        },
        {
            **common,
            "id": 8,
            "image_id": 7,
            "area": 3,
            "segmentation": {"size": [2, 3], "counts": [0, 6]},
        },
        {**common, "id": 3, "image_id": 7, "area": 1.5},
    ]
    for number in (4, 7):
        (folder / f"{number}.jpg").write_bytes(made.jpeg(number))
    content = {
        "images": [{"id": i, "file_name": f"{i}.jpg", "height": 8, "width": 7} for i in (4, 7)],
        "annotations": annotations,
        "categories": [{"id": 1, "name": "person", "skeleton": [[1, 2]]}],
    }
    (folder / "person.json").write_text(json.dumps(content, indent=1))
    return annotations


def annotations_of(folder, names):
    """Return the annotations of images in the order of their file names."""
    content = json.loads((folder / "annotations.json").read_text())
    by_name = {each["file_name"].removeprefix("images/"): each["id"] for each in content["images"]}
    return [
        [each for each in content["annotations"] if each["image_id"] == by_name[name]]
        for name in names
    ]


@pytest.mark.parametrize("way", ["tfrecord", "webdataset", "lmdb", "parquet", "coco"])
def test_masks_crowds_and_keypoints_come_back_from_every_format(way, tmp_path):
    if way == "parquet":
        pytest.importorskip("pyarrow")
    annotations = people(tmp_path / "a")
    report = convert(tmp_path / "a", tmp_path / "way", to=way)
    assert report.lost == ("skeleton",)
    convert(tmp_path / "way", tmp_path / "b", to="coco", shard_count=2)
    for first, second in (("a", "way"), ("way", "b"), ("a", "b")):
        assert verify(tmp_path / first, tmp_path / second).ok
    of_seven = [annotation for annotation in annotations if annotation["image_id"] == 7]
    ((of_four,), read) = annotations_of(tmp_path / "b", ["4.jpg", "7.jpg"])
    assert (of_four["area"], of_four["segmentation"]) == (702.1057499999998, [])
    for given, stored in zip(of_seven, read, strict=True):
        for name in given.keys() - {"id", "image_id"}:
            assert stored[name] == given[name], name
    assert "segmentation" not in read[3]
    (tmp_path / "b" / "dataset.json").unlink()  # the annotation file alone tells the same
    assert verify(tmp_path / "a", tmp_path / "b").ok


@pytest.mark.parametrize(
    "change",
    [
        lambda each: each.update(segmentation=[[1, 2, 3, 4, 5, 7]]),
        lambda each: each.update(keypoints=[3, 4, 2, 0.1, 0.2, 2, 0, 0, 0]),
        lambda each: each.update(iscrowd=1),
        lambda each: each.update(area=5.5),
    ],
)
def test_verify_notices_a_changed_annotation(change, tmp_path):
    people(tmp_path / "a")
    convert(tmp_path / "a", tmp_path / "b", to="webdataset")
    path = tmp_path / "a" / "person.json"
    content = json.loads(path.read_text())
    change(content["annotations"][0])
    path.write_text(json.dumps(content))
    assert verify(tmp_path / "a", tmp_path / "b").different == ["7"]


def test_pycocotools_reads_the_same_masks(tmp_path, capsys):
    coco = pytest.importorskip("pycocotools.coco")
    root = made.write(tmp_path / "a", made.annotated(), "coco")
    read = coco.COCO(str(root / "annotations.json"))
    crowds = read.loadAnns(read.getAnnIds(iscrowd=True))
    assert crowds[0]["segmentation"] == json.loads(made.RLE)
    masks = pytest.importorskip("pycocotools.mask")
    assert [masks.area(read.annToRLE(crowd)) for crowd in crowds] == [12, 12]


def bad(**components):
    """Return a sample of three boxes with wrong components."""
    sample = made.annotated(4)[3]
    return [Sample("a", {**sample.components, **components})]


@pytest.mark.parametrize(
    ("components", "message"),
    [
        ({"segmentations": Encoded(b"[[]]", "json")}, "1 'segmentation' for 3 boxes"),
        ({"segmentations": Encoded(b"[[]", "json")}, "is no JSON"),
        ({"segmentations": Encoded(b"[1, 2, 3]", "json")}, "a list of polygons, an RLE or null"),
        ({"keypoints": np.full((3, 1, 3), np.nan)}, "'keypoints' of finite numbers"),
        ({"areas": np.full(3, np.inf)}, "'areas' of finite numbers"),
        ({"areas": np.zeros(2)}, "2 'area' for 3 boxes"),
    ],
)
def test_annotations_that_do_not_fit_are_refused(components, message, tmp_path):
    with pytest.raises(ArgumentError, match=message):
        made.write(tmp_path / "a", bad(**components), "coco")


def test_the_shape_of_keypoints_is_checked_first(tmp_path):
    source = made.write(tmp_path / "a", bad(keypoints=np.zeros((3, 34))), "webdataset")
    with pytest.raises(ArgumentError, match=r"'keypoints' of shape \(n, keypoints, 3\)"):
        convert(source, tmp_path / "b", to="coco")
