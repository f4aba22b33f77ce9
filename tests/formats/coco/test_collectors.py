import numpy as np
import pytest

from penstock.formats.coco.collectors import (
    AnnotationCollector,
    CategoryCollector,
    ImageCollector,
    SegmentCollector,
)
from penstock.formats.coco.columns import ElementError, Ids
from penstock.formats.json_arrays import JsonBlock


def block(*elements):
    return JsonBlock(list(elements), [b""] * len(elements), 0, 0, b"")


def annotation(**members):
    return {"id": 1, "image_id": 2, "category_id": 3} | members


def test_blocks_follow_one_another():
    images = ImageCollector(Ids())
    images.add(block({"id": 5, "file_name": "a", "height": 3, "width": 4}))
    images.add(block({"id": 4, "file_name": "b"}))
    assert (list(images.ids), images.file_names) == ([5, 4], ["a", "b"])
    assert (list(images.heights), list(images.widths)) == ([3, 0], [4, 0])
    categories = CategoryCollector(Ids())
    categories.add(block({"id": 7, "name": "cat"}, {"id": 1}))
    assert (list(categories.ids), categories.names) == ([7, 1], ["cat", ""])


def test_members_that_may_be_missing():
    collector = AnnotationCollector(Ids())
    collector.add(block({"image_id": 2, "category_id": 3}))
    annotations = collector.finish()
    assert annotations.ids.tolist() == [-1]
    assert annotations.boxes.tolist() == [[0, 0, 0, 0]]
    assert annotations.are_crowds.tolist() == [False]
    assert annotations.segmentations is None
    assert annotations.keypoints is None


def test_keypoints_of_several_lengths():
    collector = AnnotationCollector(Ids(), keypoints=True)
    collector.add(block(annotation(keypoints=[1, 2, 2]), annotation()))
    collector.add(block(annotation(keypoints=[3, 4, 1, 5, 6, 0])))
    keypoints = collector.finish().keypoints
    assert keypoints.tolist() == [
        [[1, 2, 2], [0, 0, 0]],
        [[0, 0, 0], [0, 0, 0]],
        [[3, 4, 1], [5, 6, 0]],
    ]
    assert AnnotationCollector(Ids(), keypoints=True).finish().keypoints.shape == (0, 0, 3)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([1, 2], "2 numbers are no 'keypoints'"),
        ([1, 2, "x"], "list of 3 numbers"),
        ("abc", "list of 0 numbers"),
        ([0] * 3000, "1000 keypoints, at most 256"),
    ],
)
def test_keypoints_that_are_none(value, message):
    with pytest.raises(ElementError, match=message) as caught:
        AnnotationCollector(Ids(), keypoints=True).add(
            block(annotation(), annotation(keypoints=value))
        )
    assert caught.value.number == 1


def test_segments_become_annotations():
    collector = SegmentCollector(Ids())
    segments = [{"id": 9, "category_id": 4, "bbox": [1, 2, 3, 4]}, {"id": 8, "category_id": 1}]
    collector.add(
        block(
            {"image_id": 6, "file_name": "6.png", "segments_info": segments},
            {"image_id": 5, "file_name": "5.png", "segments_info": []},
        )
    )
    annotations = collector.finish()
    assert annotations.ids.tolist() == [9, 8]
    assert annotations.image_ids.tolist() == [6, 6]
    np.testing.assert_array_equal(annotations.boxes[0], [1, 2, 3, 4])
    assert (list(collector.images), collector.file_names) == ([6, 5], ["6.png", "5.png"])


@pytest.mark.parametrize(
    ("segments", "message"),
    [
        (None, "'segments_info' must be a list"),
        ([7], "'segments_info' must be a list"),
        ([{"id": 1}], "in 'segments_info': 'category_id' is missing"),
    ],
)
def test_segments_that_are_none(segments, message):
    good = {"image_id": 1, "file_name": "a", "segments_info": [{"id": 1, "category_id": 1}] * 3}
    bad = {"image_id": 1, "file_name": "b", "segments_info": segments}
    with pytest.raises(ElementError, match=message) as caught:
        SegmentCollector(Ids()).add(block(good, bad))
    assert caught.value.number == 1
