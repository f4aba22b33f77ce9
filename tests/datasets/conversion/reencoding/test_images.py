"""Images, encoded anew as JPEG."""

from __future__ import annotations

import cv2
import numpy as np

from penstock.datasets import Encoded, Sample
from penstock.datasets.conversion.reencoding.reencoding import Reencoding


def picture(extension=".png", shape=(40, 80, 3)):
    pixels = np.random.default_rng(0).integers(0, 256, shape).astype(np.uint8)
    pixels = cv2.resize(pixels, (shape[1] * 4, shape[0] * 4), interpolation=cv2.INTER_CUBIC)
    return pixels, Encoded(cv2.imencode(extension, pixels)[1].tobytes(), extension[1:])


def test_jpeg_of_a_quality():
    pixels, image = picture()
    read = [
        Reencoding(jpeg_quality=quality)(Sample("a", {"image": image})).components["image"]
        for quality in (95, 50)
    ]
    assert [each.extension for each in read] == ["jpg", "jpg"]
    assert len(read[1].data) < len(read[0].data)
    again = cv2.imdecode(np.frombuffer(read[0].data, np.uint8), cv2.IMREAD_COLOR)
    assert np.abs(again.astype(int) - pixels).mean() < 12


def test_larger_images_get_smaller_with_their_boxes():
    _, image = picture()
    boxes = np.array([[10, 20, 30, 40]], np.float32)
    sample = Reencoding(longest_side=160)(Sample("a", {"image": image, "boxes": boxes}))
    pixels = cv2.imdecode(np.frombuffer(sample.components["image"].data, np.uint8), -1)
    assert pixels.shape == (80, 160, 3)
    assert sample.components["boxes"].tolist() == [[5, 10, 15, 20]]
    assert sample.components["boxes"].dtype == np.float32


def test_small_images_keep_their_bytes():
    sample = Sample("a", {"image": picture()[1]})
    assert Reencoding(longest_side=320)(sample) == sample


def test_gray_images_stay_gray():
    _, image = picture(shape=(20, 20))
    sample = Reencoding(jpeg_quality=80)(Sample("a", {"image": image}))
    assert cv2.imdecode(np.frombuffer(sample.components["image"].data, np.uint8), -1).ndim == 2
