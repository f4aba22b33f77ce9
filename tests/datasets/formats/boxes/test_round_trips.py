"""COCO to YOLO, Pascal VOC and Open Images, and back; other libraries judge."""

from __future__ import annotations

import contextlib
import io
import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from penstock import fn, pipeline_def
from penstock.datasets import convert, inspect, open_dataset, verify
from penstock.engine.errors import ArgumentError

from ....readers.boxes.sets import CSV_HEAD, put, voc_file, voc_object
from ....torchvision_library import load_torchvision

FORMATS = ("yolo", "voc", "openimages")
LOST = {
    "yolo": {"iscrowd", "segmentations", "keypoints", "areas"},
    "voc": {"iscrowd", "segmentations", "keypoints", "areas"},
    "openimages": {"segmentations", "keypoints", "areas"},
}


@pytest.fixture(scope="module")
def written(tmp_path_factory, coco_tree):
    """The data set of COCO in each format, as other software would find it, and the reports."""
    sets = {}
    for name in FORMATS:
        root = tmp_path_factory.mktemp("boxes") / name
        report = convert(coco_tree.instances, root, to=name, shard_count=2)
        sets[name] = root, report
    return sets


def annotations_of(path):
    """Return the boxes of each image with the names of their classes, as pycocotools has them."""
    coco = pytest.importorskip("pycocotools.coco")
    with contextlib.redirect_stdout(io.StringIO()):
        read = coco.COCO(str(path))
    found = {}
    for image in read.loadImgs(read.getImgIds()):
        made = read.loadAnns(read.getAnnIds(image["id"]))
        named = [(read.cats[one["category_id"]]["name"], *one["bbox"]) for one in made]
        found[image["file_name"], image["height"], image["width"]] = sorted(named)
    return found


def assert_equal_annotations(first, second):
    assert first.keys() == second.keys()
    for image, boxes in first.items():
        assert [box[0] for box in boxes] == [box[0] for box in second[image]]
        pixels = [np.array([box[1:] for box in some]) for some in (boxes, second[image])]
        np.testing.assert_allclose(*pixels, atol=1e-4)


@pytest.mark.parametrize("name", FORMATS)
def test_there_and_back(tmp_path, coco_tree, written, name):
    root, report = written[name]
    assert LOST[name] <= set(report.lost)
    convert(root, tmp_path / "back", to="coco")
    expected = annotations_of(coco_tree.instances)
    assert_equal_annotations(annotations_of(tmp_path / "back" / "annotations.json"), expected)


@pytest.mark.parametrize("name", FORMATS)
def test_without_the_manifest_the_names_of_classes_tell(tmp_path, coco_tree, written, name):
    root, _ = written[name]
    convert(root, tmp_path / "copy", to=name)
    (tmp_path / "copy" / "dataset.json").unlink()
    report = convert(tmp_path / "copy", tmp_path / "back", to="coco")
    assert report.format == "coco"
    expected = annotations_of(coco_tree.instances)
    assert_equal_annotations(annotations_of(tmp_path / "back" / "annotations.json"), expected)


@pytest.mark.parametrize("name", FORMATS)
def test_verify_compares_what_the_format_holds(coco_tree, written, name):
    root, _ = written[name]
    assert verify(root, decode=True).ok
    report = verify(coco_tree.instances, root)
    assert report.ok
    assert any("has no room for" in remark for remark in report.remarks)


@pytest.mark.parametrize("name", FORMATS)
def test_the_reader_has_the_boxes_of_the_json(coco_tree, written, name):
    def read(**arguments):
        @pipeline_def(batch_size=coco_tree.images, num_threads=1)
        def reading():
            return fn.readers.coco(**arguments, name="reader")

        with reading() as pipe:
            names.append(pipe.class_names()["reader"]["label"])
            return [[np.array(row) for row in output.rows()] for output in pipe.run()]

    names = []
    images, boxes, labels = read(path=str(written[name][0]))
    expected = read(file_root=coco_tree.root, annotations_file=coco_tree.instances)
    order = {image.tobytes(): number for number, image in enumerate(expected[0])}
    for number, image in enumerate(images):
        other = order[image.tobytes()]
        np.testing.assert_allclose(boxes[number], expected[1][other], atol=1e-4)
        named = [names[0][label] for label in labels[number]]
        assert named == [names[1][label] for label in expected[2][other]]


def test_torchvision_reads_what_is_written_as_pascal_voc(tmp_path, written):
    load_torchvision()
    from torchvision.datasets import VOCDetection

    (tmp_path / "VOCdevkit").mkdir()
    (tmp_path / "VOCdevkit" / "VOC2012").symlink_to(written["voc"][0])
    judge = VOCDetection(str(tmp_path), year="2012", image_set="train")
    with open_dataset(written["voc"][0]) as dataset:
        samples = {sample.key: sample for sample in dataset.read(range(len(dataset)))}
        classes = dataset.classes
    assert len(judge) == len(samples)
    for image, target in judge:
        annotation = target["annotation"]
        sample = samples[annotation["filename"].removesuffix(".jpg")]
        assert image.size == tuple(int(annotation["size"][k]) for k in ("width", "height"))
        read = [
            (one["name"], *(float(one["bndbox"][k]) for k in ("xmin", "ymin", "xmax", "ymax")))
            for one in annotation.get("object", [])
        ]
        x, y, w, h = sample.components["boxes"].astype(np.float64).T
        own = zip(x + 1, y + 1, x + w, y + h, strict=True)
        labels = sample.components["labels"].tolist()
        for (name, *box), label, mine in zip(read, labels, own, strict=True):
            assert name == classes[label]
            np.testing.assert_allclose(box, mine, atol=1e-4)


def test_ultralytics_rules_hold_of_what_is_written_as_yolo(written):
    """Labels by the path of the image; 5 columns; shares of 0 to 1; classes below their number."""
    import yaml

    root, _ = written["yolo"]
    content = yaml.safe_load((root / "data.yaml").read_text())
    assert {"train", "val", "names"} <= content.keys()
    assert sorted(content["names"]) == list(range(len(content["names"])))
    images = sorted((root / content["train"]).rglob("*.jpg"))
    for path in images:
        label = "/labels/".join(str(path).rsplit("/images/", 1)).rsplit(".", 1)[0] + ".txt"
        text = Path(label).read_text()
        rows = np.array(text.split(), np.float64).reshape(-1, 5)
        assert ((rows[:, 1:] >= 0) & (rows[:, 1:] <= 1)).all()
        assert (rows[:, 0] < len(content["names"])).all()
        assert len(np.unique(rows, axis=0)) == len(rows)


def test_polygons_of_yolo_become_those_of_coco(tmp_path):
    files = {
        "set/data.yaml": "train: images\nval: images\nnames: [cat]\n",
        "set/images/a.jpg": (40, 80),
        "set/images/b.jpg": (40, 80),
        "set/labels/a.txt": "0 0 0 0.5 0 0.5 0.5\n0 0.25 0.25 0.75 0.25 0.75 0.75 0.25 0.75\n",
    }
    root = put(tmp_path, files) / "set"
    convert(root, tmp_path / "coco", to="coco")
    made = json.loads((tmp_path / "coco/annotations.json").read_text())["annotations"]
    assert made[0]["segmentation"] == [[0, 0, 40, 0, 40, 20]]
    assert made[1]["bbox"] == [20, 10, 40, 20]
    names = ["image", "boxes", "labels", "segmentations"]
    convert(tmp_path / "coco", tmp_path / "again", to="yolo", components=names)
    assert (tmp_path / "again/labels/a.txt").read_text().splitlines()[0] == "0 0 0 0.5 0 0.5 0.5"
    assert verify(root, tmp_path / "again").ok


def test_sizes_are_those_after_the_rotation_of_exif(tmp_path):
    image = cv2.imencode(".jpg", np.zeros((40, 80, 3), np.uint8))[1].tobytes()
    exif = b"Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0"
    turned = image[:2] + b"\xff\xe1" + (len(exif) + 2).to_bytes(2, "big") + exif + image[2:]
    root = put(tmp_path, {"labels/a.txt": "0 0.5 0.5 1 1\n"})
    (root / "images").mkdir()
    (root / "images/a.jpg").write_bytes(turned)
    with open_dataset(root) as dataset:
        assert dataset.read([0])[0].components["boxes"].tolist() == [[0, 0, 40, 80]]


def test_clipped_rows_are_told(tmp_path):
    root = put(tmp_path, {"images/a.jpg": (10, 10), "labels/a.txt": "0 0.5 0.5 1.5 1\n"})
    with pytest.warns(RuntimeWarning, match=r"labels/a\.txt: 1 rows leave the image.*Ultralytics"):
        assert inspect(root).samples == 1

    @pipeline_def(batch_size=1, num_threads=1)
    def reading():
        return fn.readers.coco(path=str(root), name="reader")

    with reading() as pipe:
        with pytest.warns(RuntimeWarning, match=r"label files with rows that were clipped.*\(1\)"):
            pipe.build()
        pipe.run()
        (reader,) = pipe.stats().operators
        assert reader.events["label files with rows that were clipped or came twice"] == 1


def test_flags_and_masks_of_voc_are_components_and_lost_in_coco(tmp_path):
    files = {
        "set/JPEGImages/a.jpg": (10, 20),
        "set/Annotations/a.xml": voc_file(voc_object("cat", (1, 1, 5, 5), difficult=1, pose="L")),
    }
    root = put(tmp_path, files) / "set"
    (root / "SegmentationClass").mkdir()
    mask = np.zeros((10, 20), np.uint8)
    cv2.imwrite(str(root / "SegmentationClass" / "a.png"), mask)
    with open_dataset(root) as dataset:
        (sample,) = dataset.read([0])
    assert [*sample.components] == ["image", "boxes", "labels", "difficult", "truncated", "mask"]
    assert sample.components["difficult"].tolist() == [1]
    report = convert(root, tmp_path / "coco", to="coco")
    assert report.lost == ("pose", "difficult", "truncated", "mask")
    convert(root, tmp_path / "tar", to="webdataset")
    convert(tmp_path / "tar", tmp_path / "voc", to="voc")
    assert verify(root, tmp_path / "voc").ok


def test_groups_of_open_images_are_crowds(tmp_path):
    rows = "a,x,Dog,1,0.1,0.5,0.2,0.6,0,0,1,0,0\n"
    files = {"set/train-annotations-bbox.csv": CSV_HEAD + rows, "set/train/a.jpg": (10, 20)}
    root = put(tmp_path, files) / "set"
    report = convert(root, tmp_path / "coco", to="coco")
    assert {"occluded", "truncated", "depiction", "inside"} <= set(report.lost)
    (made,) = json.loads((tmp_path / "coco/annotations.json").read_text())["annotations"]
    assert made["iscrowd"] == 1
    np.testing.assert_allclose(made["bbox"], [2, 2, 8, 4], rtol=1e-6)


def test_what_yolo_has_no_numbers_for_is_refused(tmp_path):
    files = {
        "set/JPEGImages/a.jpg": (10, 20),
        "set/Annotations/a.xml": voc_file(voc_object("cat", (1, 1, 50, 5))),
    }
    root = put(tmp_path, files) / "set"
    with pytest.raises(ArgumentError, match="leaves the image, which YOLO has no numbers for"):
        convert(root, tmp_path / "yolo", to="yolo")
