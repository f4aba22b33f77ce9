"""Transforms that detectors train with: canvases, colors and boxes."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import ArgumentError, fn, pipeline_def
from penstock.experimental import torchvision as transforms
from penstock.experimental.torchvision import from_torchvision

from .running import by_pipeline, by_torchvision


def test_images_on_larger_canvases(tv, photographs, device):
    samples = [np.asarray(photographs[0])] * 24
    seen = 0
    for made in by_pipeline(tv.RandomZoomOut((7, 8, 9), (1.5, 3.0)), samples, "pil", device):
        if made.shape == samples[0].shape:
            np.testing.assert_array_equal(made, samples[0])
            continue
        seen += 1
        assert (np.array(made.shape[:2]) >= np.int64(1.5 * np.array(samples[0].shape[:2]))).all()
        rows, columns = (np.flatnonzero((made != (7, 8, 9)).any(axis=(i, 2))) for i in (1, 0))
        inside = made[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
        np.testing.assert_array_equal(inside, samples[0])
    assert 4 < seen < 20


@pytest.mark.parametrize("kind", ["pil", "tensor"])
def test_distorted_colors_are_those_of_one_of_the_orders(tv, photographs, device, kind):
    transform = tv.RandomPhotometricDistort((1.1, 1.1), (1.4, 1.4), (0.6, 0.6), (0.04, 0.04), p=1.0)
    wanted = {}
    for _ in range(200):
        (theirs,) = by_torchvision(transform, photographs[:1], kind)
        wanted[theirs.tobytes()] = theirs
    assert len(wanted) == 12  # places of the contrast, times orders of the channels
    seen = by_pipeline(transform, photographs[:1] * 60, kind, device)
    if device == "cpu":
        assert {made.tobytes() for made in seen} <= set(wanted)
    else:
        distances = [
            min(np.abs(made.astype(int) - theirs).max() for theirs in wanted.values())
            for made in seen
        ]
        assert max(distances) <= 1
    assert len({made.tobytes() for made in seen}) > 8


def test_each_change_of_colors_comes_with_its_probability(tv):
    image = np.full((2, 2, 3), (100, 50, 20), np.uint8)
    transform = tv.RandomPhotometricDistort((0.5, 0.5), (1, 1), (1, 1), (0, 0), p=0.3)
    made = np.array(by_pipeline(transform, [image] * 600, "pil", "cpu"))
    sums = made.sum(axis=-1)[:, 0, 0]
    assert set(sums.tolist()) == {170, 85}
    assert 0.23 < (sums == 85).mean() < 0.37
    moved = made[:, 0, 0].argmax(axis=-1)
    assert 0.13 < (moved != 0).mean() < 0.27  # two thirds of the orders move the first channel


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: transforms.RandomZoomOut(side_range=(0.5, 2.0)), "begin at 1 or above"),
        (lambda: transforms.ScaleJitter((9, 9), (0.0, 1.0)), "scale_range must be positive"),
        (lambda: transforms.RandomShortestSize([]), "one length at least"),
        (lambda: transforms.RandomShortestSize([0]), "min_size must be an integer from 1 on"),
        (lambda: transforms.RandomResize(9, 9), "below max_size"),
    ],
)
def test_arguments_without_a_meaning(make, message):
    with pytest.raises(ArgumentError, match=message):
        make()


def test_boxes_are_cut_off_at_the_edges(tv, photographs):
    @pipeline_def(batch_size=1, num_threads=1)
    def clamped():
        images = fn.external_source(source=lambda: [np.asarray(photographs[0])], layout="HWC")
        boxes = fn.external_source(source=lambda: [np.float32([[-3, 4, 500, 60]])])
        return from_torchvision(tv.ClampBoundingBoxes())(images, boxes=boxes)

    with clamped() as pipe:
        image, boxes = pipe.run()
    width = photographs[0].width
    assert boxes.as_array().tolist() == [[[0, 4, width, 60]]]
    np.testing.assert_array_equal(image.as_array()[0], photographs[0])
    mode = from_torchvision(tv.ClampBoundingBoxes(clamping_mode=None)).report
    assert "changes nothing" in str(mode)


def test_boxes_and_masks_move_onto_the_canvas(tv, photographs):
    samples = [np.asarray(photographs[0])] * 8
    height, width, _ = samples[0].shape
    given = np.float32([[3, 4, 50, 60], [-5, 1, 30, 40]])

    @pipeline_def(batch_size=8, num_threads=1, seed=2)
    def zoomed():
        images = fn.external_source(source=lambda: samples, layout="HWC")
        boxes = fn.external_source(source=lambda: [given] * 8)
        masks = fn.external_source(source=lambda: [np.ones((height, width), np.uint8)] * 8)
        masks = fn.reshape(masks, layout="HW")
        return from_torchvision(tv.RandomZoomOut())(images, boxes=boxes, masks=masks)

    with zoomed() as pipe:
        outputs = [[np.array(row) for row in output.rows()] for output in pipe.run()]
    for image, boxes, mask in zip(*outputs, strict=True):
        assert image.shape[:2] == mask.shape
        top, left = (np.flatnonzero(mask.any(axis=axis))[0] for axis in (1, 0))
        assert mask.sum() == height * width
        np.testing.assert_array_equal(boxes[0], given[0] + (left, top, left, top))
        if image.shape[:2] == (height, width):
            np.testing.assert_array_equal(boxes, given)  # as they are, also outside of the image
