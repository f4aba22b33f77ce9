"""Damaged files of every format, with Pillow as the judge.

A file that Pillow refuses must be refused, or give the pixels of the undamaged file.
"""

from __future__ import annotations

import io
import random
import warnings

import numpy as np
import pytest

from penstock.decoders.image.decode import decode
from penstock.engine.errors import DecodeError

FILES = {
    "jpeg": ("jpeg", "exif_1"),
    "png": ("png",),
    "tiff": ("tiff",),
    "bmp": ("bmp",),
    "webp": ("webp",),
    "jpeg2000": ("jp2",),
    "pnm": ("pbm", "pgm", "ppm"),
}
TRIALS = 150


def damaged(content: bytes, chance: random.Random) -> bytes:
    data = bytearray(content)
    offset = chance.randrange(len(data))
    match chance.randrange(5):
        case 0:
            data[offset] ^= 1 << chance.randrange(8)
        case 1:
            data[offset : offset + 40] = b"\xff" * 40
        case 2:
            data[offset : offset + 20] = bytes(20)
        case 3:
            del data[offset : offset + chance.randrange(1, 20)]
        case 4:
            del data[offset:]
    return bytes(data)


def pillow_refuses(content: bytes) -> bool:
    from PIL import Image

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            Image.open(io.BytesIO(content)).load()
        except Exception:  # Pillow raises half a dozen types for damaged files
            return True
    return False


@pytest.mark.slow
@pytest.mark.parametrize("family", FILES)
def test_files_that_pillow_refuses_are_refused_or_right(image_zoo, family):
    images = {n: i for n, i in image_zoo.items() if n.startswith(FILES[family])}
    chance = random.Random(17)
    refused = 0
    for _ in range(TRIALS):
        name = chance.choice(sorted(images))
        sound = images[name].path.read_bytes()
        content = damaged(sound, chance)
        try:
            result = decode(np.frombuffer(content, np.uint8))
        except DecodeError:
            refused += 1
            continue
        if pillow_refuses(content):
            np.testing.assert_array_equal(
                result, decode(np.frombuffer(sound, np.uint8)), err_msg=name
            )
    assert refused > TRIALS // 5
