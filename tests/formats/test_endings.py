"""Endings of files of images, sound and video."""

import io

import numpy as np
import pytest
from PIL import Image

from penstock.decoders.image.decode import decode
from penstock.formats.endings import AUDIO, ENDINGS, IMAGE, UNREAD, VIDEO, medium_of_name


@pytest.mark.parametrize(
    "ending", ["jpe", "jfif", "gif", "avif", "j2k", "jpx", "j2c", "apng", "pfm", "TIFF"]
)
def test_endings_of_pictures_that_pillow_writes_are_read(ending):
    assert medium_of_name(f"a/b.c.{ending}") == IMAGE
    format = Image.registered_extensions()[f".{ending.lower()}"]
    stream = io.BytesIO()
    mode = "F" if ending == "pfm" else "RGB"
    Image.new(mode, (8, 8)).save(stream, format)
    assert decode(np.frombuffer(stream.getvalue(), np.uint8)).shape == (8, 8, 3)


def test_an_ending_has_one_medium():
    listed = [ending for endings in ENDINGS.values() for ending in endings]
    assert len(set(listed)) == len(listed)
    assert set(UNREAD) < set(ENDINGS[IMAGE])
    assert medium_of_name("x.MP3") == AUDIO
    assert medium_of_name("x.m2ts") == VIDEO
    assert medium_of_name("jpg") == ""
