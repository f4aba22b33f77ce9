"""`fn.segmentation.random_object_bbox`: probabilities, limits, the cache."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.engine.errors import ArgumentError
from penstock.operators.masks import random_object_bbox

from ..box_samples import outputs

NAME = "segmentation.random_object_bbox"
MASK = np.zeros((6, 9), np.int32)
MASK[0:2, 0:2], MASK[3:6, 4:9], MASK[0, 8], MASK[5, 0] = 1, 2, 1, 3
WHOLE = (0, 0, 6, 9)
OBJECTS = {(0, 0, 2, 2), (3, 4, 6, 9), (0, 8, 1, 9), (5, 0, 6, 1)}


def draw(mask=MASK, count=300, **arguments):
    """Return the boxes of many draws, and the other outputs."""
    boxes, *others = outputs(NAME, [mask] * count, format="box", **arguments)
    return [tuple(box.tolist()) for box in boxes], *others


def test_every_object_is_drawn_by_class():
    boxes, labels = draw(output_class=True)
    assert set(boxes) == OBJECTS
    counts = np.bincount([int(label) for label in labels])
    assert counts[0] == 0
    assert min(counts[1:]) > 60


def test_every_object_is_as_probable_without_classes():
    boxes, *_ = draw(ignore_class=True)
    assert min(boxes.count(each) for each in OBJECTS) > 45


def test_the_whole_mask_without_an_object():
    assert set(draw(foreground_prob=0.0)[0]) == {WHOLE}
    assert set(draw(threshold=7)[0]) == {WHOLE}
    assert set(draw(np.zeros((6, 9), bool))[0]) == {WHOLE}
    boxes, labels = draw(classes=(8,), background=4, output_class=True)
    assert (set(boxes), {int(label) for label in labels}) == ({WHOLE}, {4})
    boxes, *_ = draw(foreground_prob=0.5)
    assert 100 < boxes.count(WHOLE) < 200


def test_formats():
    (start,), (shape,) = outputs(NAME, [MASK], classes=(2,))
    assert (start.tolist(), shape.tolist()) == ([3, 4], [3, 5])
    _, (end,) = outputs(NAME, [MASK], classes=(2,), format="start_end")
    assert (end.tolist(), end.dtype) == ([6, 9], np.int32)


def test_thresholds_and_the_largest():
    assert set(draw(threshold=(2, 2))[0]) == {(0, 0, 2, 2), (3, 4, 6, 9)}
    assert set(draw(ignore_class=True, k_largest=2)[0]) == {(0, 0, 2, 2), (3, 4, 6, 9)}
    assert (0, 8, 1, 9) not in draw(k_largest=1)[0]


def test_arguments_by_sample():
    nodes = {"classes": [np.int32([3]), np.int32([2, 8])], "threshold": [np.int32([1, 1])] * 2}
    nodes["class_weights"] = [np.float32([1]), np.float32([1, 5])]
    (boxes,) = outputs(NAME, [MASK] * 2, per_sample=nodes, format="box")
    assert [tuple(box.tolist()) for box in boxes] == [(5, 0, 6, 1), (3, 4, 6, 9)]


def test_remembered_objects_are_those_of_the_mask(tuned):
    tuned(random_object_bbox, MAX_CACHED_MASKS=3)
    masks = [np.roll(MASK, i % 5, axis=1) for i in range(60)]
    wanted = outputs(NAME, masks, format="box", output_class=True)
    cached = outputs(NAME, masks, format="box", output_class=True, cache_objects=True)
    for column, other in zip(wanted, cached, strict=True):
        np.testing.assert_array_equal(np.stack(column), np.stack(other))


@pytest.mark.parametrize("mask", [np.zeros((0, 5), np.uint8), np.ones((4, 0), np.int64)])
def test_empty_masks_give_an_empty_box(mask):
    assert draw(mask, 1)[0] == [(0, 0, *mask.shape)]


@pytest.mark.parametrize(
    ("mask", "arguments", "message"),
    [
        (MASK.astype(np.float32), {}, "has integers"),
        (np.int32(3), {}, "one or more dimensions"),
        (MASK, {"threshold": (1, 2, 3)}, "for a mask with 2 dimensions"),
        (MASK, {"ignore_class": True, "classes": (1,)}, "does not go with classes"),
        (MASK, {"ignore_class": True, "output_class": True}, "does not go with output_class"),
        (MASK, {"k_largest": 0}, "at least 1"),
        (MASK, {"foreground_prob": 1.5}, "from 0 to 1"),
    ],
)
def test_wrong_arguments_are_refused(mask, arguments, message):
    with pytest.raises(ArgumentError, match=message):
        outputs(NAME, [mask], **arguments)


def test_wrong_formats_are_refused():
    with pytest.raises(ArgumentError, match=r"but is 'boxes' \(did you mean 'box'"):
        outputs(NAME, [MASK], format="boxes")
