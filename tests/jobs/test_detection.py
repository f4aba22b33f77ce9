"""Boxes of COCO as a list for each picture, as torchvision's detectors take them."""

import json

import pytest

from penstock import fn, pipeline_def, types

torch = pytest.importorskip("torch")


@pytest.fixture
def coco(tmp_path):
    library = pytest.importorskip("PIL.Image")
    images, annotations = [], []
    for number in range(6):
        library.new("RGB", (40, 20)).save(tmp_path / f"{number}.jpg")
        images.append({"id": number, "file_name": f"{number}.jpg", "width": 40, "height": 20})
        for box in range(number % 3):
            one = {"id": len(annotations), "image_id": number, "category_id": 5 + box, "iscrowd": 0}
            annotations.append(one | {"bbox": [box, 2, 10, 8], "area": 80})
    categories = [{"id": 5, "name": "a"}, {"id": 6, "name": "b"}]
    content = {"images": images, "annotations": annotations, "categories": categories}
    (tmp_path / "annotations.json").write_text(json.dumps(content))
    return tmp_path


def test_pictures_with_lists_of_boxes_and_labels(coco):
    from penstock.plugin.pytorch import RaggedIterator

    @pipeline_def(batch_size=3, num_threads=2)
    def pipeline():
        encoded, boxes, labels = fn.readers.coco(
            file_root=str(coco),
            annotations_file=str(coco / "annotations.json"),
            ltrb=True,
            name="reader",
        )
        image = fn.decoders.image(encoded)
        image = fn.crop_mirror_normalize(image, dtype=types.FLOAT, std=[255] * 3)
        return image, boxes, labels

    dense, ragged = RaggedIterator.DENSE_TAG, RaggedIterator.SPARSE_LIST_TAG
    iterator = RaggedIterator(
        pipeline(),
        ["image", "boxes", "labels"],
        reader_name="reader",
        output_types=[dense, ragged, ragged],
    )
    targets = []
    for (batch,) in iterator:
        assert batch["image"].shape == (3, 3, 20, 40)
        pairs = zip(batch["boxes"], batch["labels"], strict=True)
        targets += [{"boxes": boxes, "labels": labels.long()} for boxes, labels in pairs]
    assert [len(target["labels"]) for target in targets] == [0, 1, 2] * 2
    assert all(target["boxes"].shape == (len(target["labels"]), 4) for target in targets)
    assert targets[2]["boxes"].tolist() == [[0, 2, 10, 10], [1, 2, 11, 10]]
    assert targets[2]["labels"].tolist() == [1, 2]
