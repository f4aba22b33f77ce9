"""Frames of a sequence decode to one array, and an error names its frame."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from penstock.decoders.image.decode import decode
from penstock.decoders.image.sequence import DecodeSequence
from penstock.engine.errors import DecodeError
from penstock.engine.graph.context import HeapWorkspace


def frame(level, size=(20, 30), extension=".jpg"):
    return cv2.imencode(extension, np.full((*size, 3), level, np.uint8))[1].reshape(-1)


@pytest.mark.parametrize("extension", [".jpg", ".png"])
def test_frames_are_stacked(extension):
    frames = [frame(level, extension=extension) for level in (10, 90, 200)]
    images = DecodeSequence().sample(HeapWorkspace(), *frames)
    np.testing.assert_array_equal(images, np.stack([decode(data) for data in frames]))
    assert images.shape == (3, 20, 30, 3)


def test_a_frame_of_another_size_is_named():
    with pytest.raises(DecodeError, match=r"shape \(21, 30, 3\), the first frame") as caught:
        DecodeSequence().sample(HeapWorkspace(), frame(10), frame(10), frame(10, (21, 30)))
    assert caught.value.__notes__ == ["frame 2 of the sequence"]


def test_a_damaged_frame_is_named():
    with pytest.raises(DecodeError) as caught:
        DecodeSequence().sample(HeapWorkspace(), frame(10), frame(10)[:-60])
    assert caught.value.__notes__ == ["frame 1 of the sequence"]
