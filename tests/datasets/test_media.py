"""Media by extension and by content."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from penstock.datasets.media import extension_of, medium_of


@pytest.mark.parametrize("extension", ["jpg", "png", "bmp", "tiff", "webp"])
def test_images_are_recognized(extension):
    content = cv2.imencode(f".{extension}", np.zeros((4, 4, 3), np.uint8))[1].tobytes()
    assert medium_of(extension_of(content)) == "image"


@pytest.mark.parametrize(
    ("content", "extension"),
    [(b"RIFF....WAVE", "wav"), (b"OggS", "ogg"), (b"....ftyp", "mp4"), (b"", ""), (b"text", "")],
)
def test_other_files_are_recognized(content, extension):
    assert extension_of(memoryview(content)) == extension
