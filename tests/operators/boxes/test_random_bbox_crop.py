"""The contract of `fn.random_bbox_crop`, over many samples."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from penstock import Pipeline, fn
from penstock.engine.errors import ArgumentError
from penstock.operators.boxes.overlaps import coverage, ious

from ..box_samples import outputs, random_boxes, sized

SAMPLES = 300
BOXES = np.float32([[0.1, 0.2, 0.5, 0.6], [0.3, 0.3, 0.9, 0.95], [0.45, 0.5, 0.5, 0.7]])
LABELS = np.int32([3, 7, 9])
WINDOWS = {"scaling": (0.3, 1.0), "aspect_ratio": (0.5, 2.0), "allow_no_crop": False}


def crop(boxes=BOXES, labels=LABELS, **arguments):
    """Return the outputs for many copies of a sample."""
    inputs = [boxes] if labels is None else [boxes, labels]
    options = WINDOWS | arguments
    columns = [[data] * SAMPLES for data in inputs]
    return outputs("random_bbox_crop", *columns, output_bbox_indices=True, **options)


def windows_of(anchors, shapes):
    """Return the windows' corners: (4, windows)."""
    anchors = np.stack(anchors)
    return np.concatenate([anchors, anchors + np.stack(shapes)], axis=1).T


@pytest.mark.parametrize("threshold", [0.1, 0.2, 0.3])
@pytest.mark.parametrize("every", [False, True])
def test_windows_meet_the_threshold(threshold, every):
    boxes = BOXES[:2]
    anchors, shapes, *_ = crop(
        boxes, None, thresholds=(threshold,), all_boxes_above_threshold=every, num_attempts=40
    )
    overlaps = ious(windows_of(anchors, shapes)[:, :, None], boxes.T[:, None])
    assert (overlaps.min(axis=1) if every else overlaps.max(axis=1)).min() >= threshold - 1e-5


@pytest.mark.parametrize("threshold", [0.5, 1.0])
def test_windows_hold_a_share_of_every_box(threshold):
    anchors, shapes, *_ = crop(thresholds=(threshold,), threshold_type="overlap", num_attempts=40)
    assert (
        coverage(windows_of(anchors, shapes)[:, :, None], BOXES.T[:, None]).min()
        >= threshold - 1e-5
    )


def test_windows_keep_the_boxes_whose_centers_are_inside():
    anchors, shapes, boxes, labels, indices = crop()
    centers = (BOXES[:, :2] + BOXES[:, 2:]) / 2
    for anchor, shape, kept, label, index in zip(
        anchors, shapes, boxes, labels, indices, strict=True
    ):
        inside = ((centers >= anchor) & (centers <= anchor + shape)).all(axis=1)
        assert index.tolist() == np.flatnonzero(inside).tolist() != []
        np.testing.assert_array_equal(label, LABELS[index])
        moved = (BOXES[index] - np.tile(anchor, 2)) / np.tile(shape, 2)
        np.testing.assert_allclose(kept, moved.clip(0, 1), 0, 1e-5)


@pytest.mark.parametrize("least", [0.0, 0.3, 1.0])
def test_windows_keep_the_boxes_with_enough_inside(least):
    anchors, shapes, _, _, indices = crop(bbox_prune_threshold=least)
    covered = coverage(windows_of(anchors, shapes)[:, :, None], BOXES.T[:, None])
    for row, index in zip(covered, indices, strict=True):
        assert index.tolist() == np.flatnonzero((row >= least) & (row > 0)).tolist()


def test_scaling_and_aspect_ratio_hold():
    shapes = np.stack(crop(scaling=(0.4, 0.8), aspect_ratio=(0.7, 1.2))[1])
    ratio = shapes[:, 0] / shapes[:, 1]
    assert 0.4 - 1e-5 <= shapes.min() < shapes.max() <= 0.8 + 1e-5
    assert 0.7 - 1e-4 <= ratio.min() < ratio.max() <= 1.2 + 1e-4


def test_the_whole_image_is_one_option_among_the_thresholds():
    shapes = np.stack(crop(thresholds=(0.0,) * 3, allow_no_crop=None)[1])
    whole = (shapes == 1).all(axis=1).mean()
    assert 0.2 < whole < 0.4


def test_layouts_of_boxes_change_nothing_else():
    edges, sizes = crop(labels=None), crop(sized(BOXES), None, bbox_layout="xyWH")
    older = crop(sized(BOXES), None, ltrb=False)
    for row, other, old in zip(edges[2], sizes[2], older[2], strict=True):
        np.testing.assert_allclose(sized(row), other, 0, 1e-6)
        np.testing.assert_array_equal(other, old)


@pytest.mark.parametrize("columns", [4, 6])
@pytest.mark.parametrize("labels", [np.int32([]), np.empty((0, 1), np.int64), None])
def test_no_boxes_pass(columns, labels):
    empty = np.empty((0, columns), np.float32)
    _, shapes, boxes, *others = crop(empty, labels, thresholds=(0.9,))
    assert {row.shape for row in boxes} == {(0, columns)}
    assert {row.shape[0] for column in others for row in column} == {0}
    assert np.stack(shapes).min() >= 0.3


def test_boxes_of_zero_size_pass():
    point = np.float32([[0.5, 0.5, 0.5, 0.5]])
    _, _, boxes, _, indices = crop(point, np.int32([1]))
    assert {tuple(index) for index in indices} == {(0,)}
    np.testing.assert_array_equal(np.stack(boxes)[..., :2], np.stack(boxes)[..., 2:])


@pytest.mark.parametrize("threshold", [0.0, 0.3])
def test_boxes_that_end_before_they_start_are_empty(threshold):
    boxes = np.float32([[0.5, 0.5, 0.4, 0.9], [0.1, 0.1, 0.9, 0.9]])
    arguments = {"all_boxes_above_threshold": False, "thresholds": (threshold,)}
    windows = {"scaling": (0.5, 1.0), "num_attempts": 20, "allow_no_crop": False}
    _, _, kept, _, indices = crop(boxes, np.int32([1, 2]), **arguments, **windows)
    assert {len(index) for index in indices} <= {1, 2}
    assert all(1 in index for index in indices)
    assert all(np.isfinite(row).all() for row in kept)


@pytest.mark.parametrize(
    ("box", "message"),
    [
        ([-0.1, 0, 1, 1], "relative to the image"),
        ([0, 0, 1, 1.1], "relative to the image"),
        ([0, np.nan, 1, 1], "relative to the image"),
    ],
)
def test_bad_boxes_are_refused(box, message):
    with pytest.raises(ArgumentError, match=message):
        crop(np.float32([box]), np.int32([1]))


def test_labels_of_several_forms_follow_their_boxes():
    labels = [LABELS, LABELS[:, None].astype(np.int64), LABELS]
    results = outputs("random_bbox_crop", [BOXES] * 3, labels, output_bbox_indices=True, **WINDOWS)
    for given, chosen, indices in zip(labels, *results[3:], strict=True):
        assert chosen.dtype == given.dtype
        np.testing.assert_array_equal(chosen, given[indices])


@pytest.mark.parametrize("attempts", [1, 7, 50])
def test_a_sample_does_not_depend_on_the_others_of_its_batch(attempts):
    boxes = [random_boxes(count, seed=count) for count in (1, 0, 20, 3, 2, 0, 8, 2)]
    arguments = WINDOWS | {"thresholds": (0.0, 0.2, 0.4), "num_attempts": attempts}

    def crop_batches(size):
        rows = iter(boxes)
        with Pipeline(batch_size=size, num_threads=1, seed=3, prefetch_queue_depth=1) as pipe:
            data = fn.external_source(source=lambda: next(rows), batch=False)
            pipe.set_outputs(*fn.random_bbox_crop(data, output_bbox_indices=True, **arguments))
            runs = [pipe.run() for _ in range(len(boxes) // size)]
        return [[row for run in runs for row in map(np.asarray, run[k])] for k in range(4)]

    for together, alone in zip(crop_batches(8), crop_batches(1), strict=True):
        for row, other in zip(together, alone, strict=True):
            np.testing.assert_array_equal(row, other)


def test_labels_of_another_length_are_refused():
    with pytest.raises(ArgumentError, match=r"shape \(2,\) for 3 boxes"):
        crop(labels=np.int32([1, 2]))


def test_searches_that_cannot_succeed_end():
    apart = np.float32([[0.1, 0.1, 0.2, 0.2], [0.8, 0.8, 0.9, 0.9]])
    arguments = WINDOWS | {"thresholds": (0.9,)}
    with pytest.raises(ArgumentError, match=r"none meets a threshold of .* limit the attempts"):
        outputs("random_bbox_crop", [apart], **arguments)
    with pytest.warns(RuntimeWarning, match="the best window is used"):
        outputs("random_bbox_crop", [apart], total_num_attempts=9, **arguments)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        outputs("random_bbox_crop", [apart], total_num_attempts=9, quiet=True, **arguments)


def test_searches_of_many_attempts_meet_their_threshold():
    boxes = random_boxes(2, seed=8)
    anchors, shapes, *_ = crop(
        boxes, None, thresholds=(0.35,), all_boxes_above_threshold=False, scaling=(0.3, 0.5)
    )
    overlaps = ious(windows_of(anchors, shapes)[:, :, None], boxes.T[:, None]).max(axis=1)
    assert overlaps.min() >= 0.35 - 1e-5
    assert len(np.unique(np.stack(anchors), axis=0)) == SAMPLES


def test_sizes_in_pixels_are_arguments_by_sample():
    with Pipeline(batch_size=2, num_threads=1, seed=1) as pipe:
        boxes = fn.external_source(source=lambda: [BOXES, BOXES])
        sizes = fn.external_source(source=lambda: [np.int32([60, 100]), np.int32([20, 200])])
        anchor, shape, _ = fn.random_bbox_crop(
            boxes, crop_shape=(20, 40), input_shape=sizes, shape_layout="HW"
        )
        pipe.set_outputs(anchor, shape)
        anchors, shapes = (output.as_array() for output in pipe.run())
    np.testing.assert_array_equal(shapes, np.float32([[40, 20]] * 2))
    assert anchors[1, 1] == 0
    np.testing.assert_array_equal(anchors, np.rint(anchors))


@pytest.mark.parametrize("size", [(0, 5), (1, 2, 3)])
def test_wrong_sizes_are_refused(size):
    with pytest.raises(ArgumentError, match="must have 2 numbers, each at least 1"):
        crop(input_shape=size)
