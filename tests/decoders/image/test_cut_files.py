"""Images of every form, cut at 60 %, are errors; of several pictures, the first may be whole."""

import io

import numpy as np
import pytest
from PIL import Image

from penstock.decoders.image.decode import decode
from penstock.engine.errors import DecodeError


def cut(content):
    return np.frombuffer(content, np.uint8)[: len(content) * 6 // 10]


def test_images_of_every_form(image_zoo):
    for name, image in image_zoo.items():
        with pytest.raises(DecodeError, match=r"^\w[\w .-]*: "):
            pytest.fail(f"{name}: {decode(cut(image.path.read_bytes()), output='ANY_DATA').shape}")


@pytest.mark.parametrize("form", ["gif", "tiff", "webp", "png"])
def test_files_of_several_pictures(form):
    pages = np.random.default_rng(0).integers(0, 255, (8, 16, 16, 3), np.uint8)
    first, *others = map(Image.fromarray, pages)
    file = io.BytesIO()
    first.save(file, form, save_all=True, append_images=others)
    content = file.getvalue()
    whole = decode(np.frombuffer(content, np.uint8), output="ANY_DATA")
    if form in ("gif", "tiff"):
        assert np.array_equal(decode(cut(content), output="ANY_DATA"), whole)
    else:
        with pytest.raises(DecodeError):
            decode(cut(content), output="ANY_DATA")
