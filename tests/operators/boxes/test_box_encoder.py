"""`fn.box_encoder`: boxes that cannot be encoded, on both devices, and decoding."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.engine.errors import ArgumentError
from penstock.testing.agreement import agree, on_device

from ..box_samples import anchor_grid, outputs, random_boxes

ANCHORS = tuple(anchor_grid())
GOOD = np.float32([[0.1, 0.2, 0.5, 0.6]])


@pytest.mark.parametrize(
    ("boxes", "labels", "message"),
    [
        ([[0, 0, np.nan, 1]], [1], "box 0 is .* not finite"),
        ([[0, 0, 1, 1], [0.5, 0.2, 0.5, 0.4]], [1, 2], "box 1 is .* above 0"),
        ([[0, 0, 1, 1]], [1, 2], "for 1 boxes"),
        ([[0, 0, 1]], [1], r"shape \(boxes, 4\)"),
    ],
)
def test_bad_boxes_are_refused_with_the_same_words(device_stage, boxes, labels, message):
    columns = [GOOD, np.float32(boxes)], [np.int32([1]), np.int32(labels)]
    texts = []
    for device in ("cpu", "gpu"):
        with pytest.raises(ValueError, match=message) as caught:
            on_device(device, "box_encoder", *columns, anchors=ANCHORS, offset=True)
        texts.append(str(caught.value))
    assert texts[0] == texts[1]


def test_offsets_decode_to_the_boxes():
    boxes, labels = random_boxes(4, seed=2), np.int32([1, 2, 3, 4])
    arguments = {"anchors": ANCHORS, "offset": True, "stds": (0.1, 0.1, 0.2, 0.2)}
    (encoded,), (chosen,) = outputs("box_encoder", [boxes], [labels], **arguments)
    anchors = np.array(ANCHORS).reshape(-1, 4)
    sizes = anchors[:, 2:] - anchors[:, :2]
    centers = anchors[:, :2] + sizes / 2 + encoded[:, :2] * 0.1 * sizes
    half = sizes * np.exp(encoded[:, 2:] * 0.2) / 2
    decoded = np.concatenate([centers - half, centers + half], axis=1)
    matched = chosen > 0
    assert set(chosen[matched].tolist()) == {1, 2, 3, 4}
    np.testing.assert_allclose(decoded[matched], boxes[chosen[matched] - 1], 0, 1e-5)
    assert not encoded[~matched].any()


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_labels_keep_their_dtype(device_stage, dtype):
    boxes = [random_boxes(n, seed=n) for n in (3, 0, 40)]
    labels = [np.arange(1, n + 1, dtype=dtype) for n in (3, 0, 40)]
    _, chosen = agree("box_encoder", boxes, labels, arguments={"anchors": ANCHORS})
    assert {row.dtype for row in chosen} == {np.dtype(dtype)}


def test_equal_boxes_and_anchors_agree(device_stage):
    boxes = [np.float32([[0.1, 0.1, 0.4, 0.4]] * 3 + [[0.12, 0.1, 0.4, 0.4]])]
    anchors = (0.1, 0.1, 0.4, 0.4) * 2 + (0.0, 0.0, 1.0, 1.0) + (0.5, 0.5, 0.5, 0.5)
    agree("box_encoder", boxes, [np.int32([5, 6, 7, 8])], arguments={"anchors": anchors})


@pytest.mark.parametrize("anchors", [(), (0.1,), (np.nan, 0, 1, 1)])
def test_wrong_anchors_are_refused(anchors):
    with pytest.raises(ArgumentError, match=r"needs 4|not finite"):
        outputs("box_encoder", [GOOD], [np.int32([1])], anchors=anchors)
