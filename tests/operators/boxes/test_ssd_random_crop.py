"""`fn.ssd_random_crop`: images and boxes stay together."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import Pipeline, fn
from penstock.engine.errors import ArgumentError
from penstock.testing.agreement import source

BOXES = np.float32([[0.25, 0.25, 0.5, 0.5], [0.5, 0.5, 1.0, 1.0]])
LABELS = np.int32([4, 5])


def picture(boxes, labels):
    """Return an image in which the labels fill the boxes."""
    image = np.zeros((64, 80, 1), np.uint8)
    for (x0, y0, x1, y1), label in zip(boxes * np.float32([80, 64, 80, 64]), labels, strict=True):
        image[int(y0) : int(y1), int(x0) : int(x1)] = label
    return image


def crop(images, boxes, labels, **arguments):
    """Return the outputs, sample by sample."""
    with Pipeline(batch_size=len(images), num_threads=2, seed=1) as pipe:
        nodes = [source(column) for column in (images, boxes, labels)]
        pipe.set_outputs(*fn.ssd_random_crop(*nodes, **arguments))
        return [[np.array(row) for row in output.rows()] for output in pipe.run()]


def test_boxes_follow_the_pixels():
    inputs = [[picture(BOXES, LABELS)] * 40, [BOXES] * 40, [LABELS] * 40]
    images, boxes, labels = crop(*inputs, num_attempts=10)
    for image, kept, label in zip(images, boxes, labels, strict=True):
        assert len(kept) == len(label) > 0
        for (x0, y0, x1, y1), number in zip(kept, label, strict=True):
            down, across = (image[..., 0] == number).any(1), (image[..., 0] == number).any(0)
            height, width = image.shape[:2]
            assert abs(down.sum() - (y1 - y0) * height) <= 1.5
            assert abs(across.sum() - (x1 - x0) * width) <= 1.5
    assert len({image.shape for image in images}) > 10


@pytest.mark.parametrize(
    ("image", "boxes", "labels", "message"),
    [
        (np.zeros((4, 4), np.uint8), BOXES, LABELS, "must be HWC"),
        (np.zeros((4, 4, 3), np.uint8), BOXES[:, :3], LABELS, r"shape \(boxes, 4\)"),
        (np.zeros((4, 4, 3), np.uint8), BOXES, LABELS[:1], "for 2 boxes"),
    ],
)
def test_bad_input_is_refused(image, boxes, labels, message):
    with pytest.raises(ArgumentError, match=message):
        crop([image], [boxes], [labels])


def test_bad_boxes_name_their_sample():
    images, bad = [np.zeros((4, 4, 3), np.uint8)] * 3, np.float32([[0, np.nan, 1, 1]])
    with pytest.raises(ArgumentError, match=r"fn\.ssd_random_crop: box 0 reaches") as caught:
        crop(images, [BOXES[:1], bad, BOXES[:1]], [LABELS[:1]] * 3)
    notes = "\n".join(caught.value.__notes__)
    assert "sample 1 of batch 0" in notes
    assert __file__ in notes


def test_images_on_the_gpu_are_refused_with_a_remedy():
    with Pipeline(batch_size=1):
        nodes = [source([data]) for data in (np.zeros((4, 4, 3), np.uint8), BOXES, LABELS)]
        with pytest.raises(ArgumentError, match=r"fn\.ssd_random_crop.*\.cpu"):
            fn.ssd_random_crop(nodes[0].gpu(), *nodes[1:])


def test_it_has_its_name_seed_and_layout():
    def crops(**arguments):
        with Pipeline(batch_size=8, num_threads=1, seed=1) as pipe:
            image = source([picture(BOXES, LABELS)] * 8, "HWC")
            boxes, labels = source([BOXES] * 8), source([LABELS] * 8)
            pipe.set_outputs(*fn.ssd_random_crop(image, boxes, labels, **arguments))
            images, boxes, _ = pipe.run()
        return images.layout(), [row.tolist() for row in boxes.rows()]

    assert crops(seed=5) == crops(seed=5)
    assert crops(seed=5)[1] != crops(seed=6)[1]
    assert crops()[0] == "HWC"
    with Pipeline(batch_size=1):
        nodes = [source([data]) for data in (np.zeros((4, 4, 3), np.uint8), BOXES, LABELS)]
        fn.ssd_random_crop(*nodes, name="crop")
        with pytest.raises(ArgumentError, match="two operators are named 'crop'"):
            fn.ssd_random_crop(*nodes, name="crop")


def test_no_boxes_pass():
    empty = [np.zeros((0, 4), np.float32)], [np.zeros(0, np.int32)]
    image, boxes, labels = crop([np.zeros((9, 9, 3), np.uint8)], *empty)
    assert (boxes[0].shape, labels[0].shape, image[0].ndim) == ((0, 4), (0,), 3)
