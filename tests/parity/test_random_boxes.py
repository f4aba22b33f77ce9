"""Random windows around boxes and masks against DALI: the same distributions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("nvidia.dali")

import penstock
from penstock import Pipeline

from ..operators.box_samples import outputs, random_boxes
from .oracle import dali

fn: Any = pytest.importorskip("nvidia.dali.fn")
SAMPLES = 1000
BOXES = np.float32([[0.1, 0.2, 0.5, 0.6], [0.3, 0.3, 0.9, 0.95], [0.45, 0.5, 0.5, 0.7]])
LABELS = np.int32([3, 7, 9])
LIKELY = 1.95  # Kolmogorov's statistic exceeds it once in a thousand times


def assert_same_distribution(mine: Any, theirs: Any) -> None:
    """Assert that two columns of numbers may have one distribution (Kolmogorov and Smirnov)."""
    every = np.unique(np.concatenate([mine, theirs]))
    ranks = [np.searchsorted(np.sort(one), every, "right") / len(one) for one in (mine, theirs)]
    distance = np.abs(ranks[0] - ranks[1]).max()
    assert distance * np.sqrt(len(mine) * len(theirs) / (len(mine) + len(theirs))) < LIKELY


def both(name: str, *inputs: Any, **arguments: Any) -> tuple[list[Any], list[Any]]:
    """Return the outputs of both libraries for many copies of one sample."""
    group, _, function = name.rpartition(".")
    module = getattr(fn, group) if group else fn
    columns = [[data] * SAMPLES for data in inputs]
    size = None if columns else SAMPLES
    ours = outputs(name, *columns, count=SAMPLES, **arguments)
    theirs = dali(
        lambda *nodes: getattr(module, function)(*nodes, **arguments), *columns, batch_size=size
    )
    return ours, [rows for rows, _ in theirs]


CASES = [
    {"thresholds": [0.0], "allow_no_crop": False},
    {"thresholds": [0.1, 0.3], "num_attempts": 5},
    {"thresholds": [0.3], "allow_no_crop": False, "all_boxes_above_threshold": False},
    {"thresholds": [0.4, 0.9], "threshold_type": "overlap", "num_attempts": 20},
    {"bbox_prune_threshold": 0.4, "thresholds": [0.0, 0.1]},
    {"aspect_ratio": [1.0, 1.0], "allow_no_crop": False},
    {"aspect_ratio": [1.0, 1.0], "allow_no_crop": False, "input_shape": [100, 200]},
    {"aspect_ratio": [0.8, 1.5], "input_shape": [200, 100], "shape_layout": "HW"},
]


@pytest.mark.parametrize("arguments", CASES)
def test_random_bbox_crop(arguments):
    arguments = {"scaling": [0.3, 1.0], "aspect_ratio": [0.5, 2.0]} | arguments
    ours, theirs = both("random_bbox_crop", BOXES, LABELS, output_bbox_indices=True, **arguments)
    for mine, others in zip(ours[:2], theirs[:2], strict=True):
        for axis in range(2):
            assert_same_distribution(np.stack(mine)[:, axis], np.stack(others)[:, axis])
    for mine, others in zip(ours[2:], theirs[2:], strict=True):
        assert {(row.dtype, row.ndim) for row in mine} == {(row.dtype, row.ndim) for row in others}
        assert_same_distribution([len(row) for row in mine], [len(row) for row in others])


@pytest.mark.parametrize("shape", [(40, 30), (140, 30), (100, 60)])
def test_windows_of_a_given_size(shape):
    arguments = {"crop_shape": shape, "input_shape": [100, 60], "thresholds": [0.0]}
    ours, theirs = both("random_bbox_crop", BOXES, allow_no_crop=False, **arguments)
    for axis in range(2):
        anchors = [np.stack(side[0])[:, axis] for side in (ours, theirs)]
        assert set(anchors[0].tolist()) == set(anchors[1].tolist())
        assert_same_distribution(*anchors)
    np.testing.assert_array_equal(np.unique(ours[1], axis=0), np.unique(theirs[1], axis=0))


@pytest.mark.parametrize("ratios", [[1.0, 1.0], [0.5, 2.0, 0.5, 2.0, 1.0, 1.0]])
def test_windows_in_three_dimensions(ratios):
    boxes = random_boxes(1, 3, seed=3)
    arguments = {"scaling": [0.5, 0.9], "aspect_ratio": ratios, "allow_no_crop": False}
    ours, theirs = both("random_bbox_crop", boxes, **arguments)
    for mine, others in zip(ours[:2], theirs[:2], strict=True):
        for axis in range(3):
            assert_same_distribution(np.stack(mine)[:, axis], np.stack(others)[:, axis])


def test_boxes_move_into_windows_as_in_dali():
    boxes = random_boxes(6, seed=1)
    arguments = {"scaling": [0.3, 1.0], "aspect_ratio": [0.5, 2.0], "allow_no_crop": False}
    anchors, shapes, moved = (
        rows for rows, _ in dali(lambda x: fn.random_bbox_crop(x, **arguments), [boxes] * 50)
    )
    for anchor, shape, wanted in zip(anchors, shapes, moved, strict=True):
        centers = (boxes[:, :2] + boxes[:, 2:]) / 2
        kept = ((centers >= anchor) & (centers <= anchor + shape)).all(axis=1)
        inside = (boxes[kept] - np.tile(anchor, 2)) / np.tile(shape, 2)
        np.testing.assert_allclose(inside.clip(0, 1), wanted, 0, 2e-6)


def test_ssd_random_crop():
    image = np.random.default_rng(0).integers(0, 256, (30, 40, 3)).astype(np.uint8)
    columns = [[data] * SAMPLES for data in (image, BOXES, LABELS)]
    with Pipeline(batch_size=SAMPLES, num_threads=1, seed=1) as pipe:
        nodes = [penstock.fn.external_source(source=[column]) for column in columns]
        pipe.set_outputs(*penstock.fn.ssd_random_crop(*nodes, num_attempts=3))
        ours = [[np.asarray(row) for row in output.rows()] for output in pipe.run()]
    theirs = [
        rows for rows, _ in dali(lambda *each: fn.ssd_random_crop(*each, num_attempts=3), *columns)
    ]
    for axis in range(2):
        sides = [[row.shape[axis] for row in rows[0]] for rows in (ours, theirs)]
        assert_same_distribution(*sides)
    counts = [[len(row) for row in rows[2]] for rows in (ours, theirs)]
    assert_same_distribution(*counts)


@pytest.mark.parametrize(
    "arguments",
    [
        {"crop_shape": [4, 4], "roi_start": [2, 2], "roi_end": [4, 4]},
        {"crop_shape": [4, 4], "roi_start": [2, 2], "roi_end": [4, 4], "in_shape": [5, 5]},
        {"crop_shape": [2, 9], "roi_start": [2, 2], "roi_shape": [7, 7]},
        {"crop_shape": [0, 3], "roi_start": [4, 4], "roi_end": [5, 4]},
    ],
)
def test_roi_random_crop(arguments):
    ours, theirs = both("roi_random_crop", **arguments)
    assert {row.dtype for row in ours[0]} == {row.dtype for row in theirs[0]}
    for axis in range(2):
        starts = [np.stack(side[0])[:, axis] for side in (ours, theirs)]
        assert set(starts[0].tolist()) == set(starts[1].tolist())
        assert_same_distribution(*starts)


def test_random_crop_generator():
    ours, theirs = both("random_crop_generator", np.int64([100, 150, 3]))
    for mine, others in zip(ours, theirs, strict=True):
        assert {row.dtype for row in mine} == {row.dtype for row in others}
        for axis in range(2):
            assert_same_distribution(np.stack(mine)[:, axis], np.stack(others)[:, axis])


@pytest.mark.parametrize(
    "arguments",
    [{}, {"foreground": 1}, {"foreground": 1, "value": 2}, {"foreground": 1, "threshold": 1.5}],
)
def test_random_mask_pixel(arguments):
    mask = np.arange(60).reshape(3, 4, 5).astype(np.uint8) % 7 % 4
    ours, theirs = both("segmentation.random_mask_pixel", mask, **arguments)
    flat = [np.ravel_multi_index(np.stack(side[0]).T, mask.shape) for side in (ours, theirs)]
    assert set(flat[0].tolist()) == set(flat[1].tolist())
    assert_same_distribution(*flat)


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"foreground_prob": 0.5, "output_class": True},
        {"ignore_class": True, "format": "start_end"},
        {"classes": [1, 2, 3], "class_weights": [1, 2, 5], "output_class": True},
        {"class_weights": [3, 1], "background": 2, "output_class": True, "format": "box"},
        {"classes": [0, 2], "output_class": True, "foreground_prob": 0.7},
        {"threshold": [2, 2, 1], "k_largest": 2},
        {"threshold": 9, "output_class": True},
        {"cache_objects": True, "k_largest": 1},
    ],
)
def test_random_object_bbox(arguments):
    mask = np.random.default_rng(1).integers(0, 4, (4, 6, 7)).astype(np.int32)
    mask[:, :3, :3], mask[1, 4:, 4:] = 1, 2
    ours, theirs = both("segmentation.random_object_bbox", mask, **arguments)
    flat = [
        np.concatenate([np.stack(column).reshape(SAMPLES, -1) for column in side], axis=1)
        for side in (ours, theirs)
    ]
    assert flat[0].dtype == flat[1].dtype == np.int32
    drawn, number = np.unique(np.concatenate(flat), axis=0, return_inverse=True)
    counts = [np.bincount(part.reshape(-1), minlength=len(drawn)) for part in np.split(number, 2)]
    assert np.abs(counts[0] - counts[1]).max() <= 4.5 * np.sqrt(2 * counts[1].max())
    assert_same_distribution(*np.split(number.reshape(-1), 2))
