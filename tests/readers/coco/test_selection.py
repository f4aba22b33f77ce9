import pytest

from penstock.engine.errors import ArgumentError
from penstock.readers.coco.selection import NEGATIVE, Selected, select, warn_of_dropped

from .data import annotation, parsed


def test_annotations_are_dropped_by_rule_and_counted():
    nan = float("nan")
    annotations = [
        annotation(1, 2),
        annotation(2, 77),
        annotation(3, 2, bbox=(nan, 1, 2, 3)),
        annotation(4, 2, bbox=(1, 1, float("inf"), 3)),
        annotation(5, 5, bbox=(1, 1, 0, 3)),
        annotation(6, 9, iscrowd=1),
        annotation(7, 9, bbox=(1, 1, 0.05, 3), iscrowd=1),
    ]
    with pytest.warns(UserWarning, match="1 of 7 annotations are dropped"):
        instances = parsed(annotations)
    coco, dropped = select(instances, Selected(include_iscrowd=False), "some.json")
    assert coco.annotations.ids.tolist() == [1]
    assert dropped == {
        "annotations without an image": 1,
        "annotations whose box is not finite": 2,
        "annotations below size_threshold": 2,
        "annotations with iscrowd=1": 1,
    }
    assert select(parsed([annotation(1, 2)]), Selected(), "some.json")[1] == {}


def test_negative_boxes_are_dropped_and_boxes_outside_stay():
    outside = [(-5, 1, 2, 3), (25, 15, 50, 50), (1000, 1000, 4, 4)]
    negative = [(9, 9, -3, 3), (9, 9, 3, -3)]
    annotations = [annotation(n, 2, bbox=box) for n, box in enumerate(outside + negative)]
    coco, dropped = select(parsed(annotations), Selected(), "some.json")
    assert coco.annotations.boxes.tolist() == [list(box) for box in outside]
    assert dropped == {NEGATIVE: 2}
    with pytest.warns(RuntimeWarning, match=r"some.json: dropped are .* negative width .*\(2\)"):
        warn_of_dropped(coco, dropped, "some.json")


def test_images_without_a_box_are_skipped():
    coco, _ = select(parsed([annotation(1, 9)]), Selected(skip_empty=True), "some.json")
    assert coco.file_names == ["9.jpg"]


def test_an_image_that_is_not_in_the_file():
    with pytest.raises(ArgumentError, match=r"'8.jpg', which is not among the 3 file names"):
        select(parsed([]), Selected(images=("8.jpg", "7.jpg")), "some.json")
    coco, dropped = select(parsed([]), Selected(images=("9.jpg", "8.jpg", "9.jpg")), "some.json")
    assert coco.file_names == ["9.jpg", "9.jpg"]
    assert dropped == {"names in images that the annotations lack": 1}
