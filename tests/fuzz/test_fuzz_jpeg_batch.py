"""The fuzz target of JPEG headers over random damage."""

import random

import pytest

from . import fuzz_jpeg_batch as fuzz
from .damage import damaged

TELLING = (0, 1, 3, 8, 0x11, 0xC0, 0xC4, 0xDA, 0xE1, 0xEE, 0xFF)


@pytest.fixture(scope="module")
def files(image_zoo):
    contents = (image.path.read_bytes() for image in image_zoo.values())
    return [content for content in contents if content[:2] == b"\xff\xd8"]


@pytest.mark.parametrize("seed", range(4))
def test_random_damage(files, seed):
    chance = random.Random(seed)
    for _ in range(300):
        content = chance.choice(files)
        head = damaged(content[:700], chance, TELLING)
        fuzz.check(chance.randbytes(2) + head + content[-200:])


def test_truncation_at_every_byte(files):
    content = min(files, key=len)
    for size in range(min(len(content), 1500)):
        fuzz.check(b"\0\0" + content[:size] + b"\xff\xd9")
