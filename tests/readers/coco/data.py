"""COCO annotations that tests write."""

import io
import json

from penstock.formats.coco.instances import parse_instances

IMAGES = [{"id": i, "file_name": f"{i}.jpg", "height": 20, "width": 30} for i in (5, 2, 9)]
CATEGORIES = [{"id": 3, "name": "cat"}, {"id": 1, "name": "dog"}, {"id": 7, "name": "cow"}]
CROWD = {"size": [20, 30], "counts": [100, 20, 480]}


def annotation(number, image, category=3, bbox=(1, 2, 3, 4), **members):
    """Return an annotation, a triangle unless `members` say otherwise."""
    return {
        "id": number,
        "image_id": image,
        "category_id": category,
        "bbox": list(bbox),
        "area": 4,
        "iscrowd": 0,
        "segmentation": [[1, 1, 5, 1, 5, 5]],
    } | members


def write_coco(folder, annotations, images=IMAGES, categories=CATEGORIES):
    """Write images, which hold their names, and annotations; return the reader's arguments."""
    for image in images:
        (folder / image["file_name"]).write_bytes(image["file_name"].encode())
    content = {"images": images, "annotations": annotations, "categories": categories}
    path = folder / "instances.json"
    path.write_text(json.dumps(content))
    return {"file_root": str(folder), "annotations_file": str(path)}


def parsed(annotations, images=IMAGES, categories=CATEGORIES):
    """Return the annotations as a file of them is parsed."""
    content = {"images": images, "annotations": annotations, "categories": categories}
    file = io.BytesIO(json.dumps(content).encode())
    return parse_instances(file, "some.json", segmentations=True, keypoints=True)
