"""YOLO, Pascal VOC and Open Images as `convert` writes them."""

from __future__ import annotations

import numpy as np

from penstock.datasets import Sample
from penstock.testing.writers import WriterTests


class BoxWriterTests(WriterTests):
    opens_files = False
    contents = ("detections",)

    def bad_sample(self, sample):
        boxes = np.full((1, 4), np.nan, np.float32)
        return Sample("a", {**sample.components, "boxes": boxes, "labels": np.zeros(1, np.int32)})


class TestYoloWriter(BoxWriterTests):
    format = "yolo"


class TestVocWriter(BoxWriterTests):
    format = "voc"


class TestOpenImagesWriter(BoxWriterTests):
    format = "openimages"
