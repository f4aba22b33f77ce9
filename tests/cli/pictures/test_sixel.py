"""Sixels, decoded again."""

from __future__ import annotations

import re

import numpy as np
import pytest

from penstock.cli.pictures.sixel import as_sixels


def decode(text):
    """Return the picture that a terminal would draw."""
    head = re.match(r'\x1bPq"1;1;(\d+);(\d+)', text)
    width, height = map(int, head.groups())
    palette = {
        int(n): [round(int(part) * 2.55) for part in rgb]
        for n, *rgb in re.findall(r"#(\d+);2;(\d+);(\d+);(\d+)", text)
    }
    picture = np.full((-(-height // 6) * 6, width, 3), -1)
    body = re.sub(r"#\d+;2;\d+;\d+;\d+", "", text[head.end() : -2])
    for band, line in enumerate(body.split("-")):
        for part in line.split("$"):
            number, codes = re.fullmatch(r"#(\d+)(.*)", part).groups()
            x = 0
            for count, letter in re.findall(r"(?:!(\d+))?([?-~])", codes):
                for _ in range(int(count or 1)):
                    for bit in range(6):
                        if ord(letter) - 63 >> bit & 1:
                            picture[6 * band + bit, x] = palette[int(number)]
                    x += 1
            assert x == width
    return picture[:height]


@pytest.mark.parametrize("shape", [(12, 20, 3), (7, 5, 3), (1, 1, 3)])
def test_every_pixel_is_drawn_near_its_color(shape):
    picture = np.random.default_rng(2).integers(0, 256, shape).astype(np.uint8)
    drawn = decode(as_sixels(picture))
    assert drawn.shape == shape
    assert np.abs(drawn - picture.astype(int)).max() <= 53  # one of six levels


def test_areas_keep_their_mean_color():
    color = np.array([77, 140, 201])
    picture = np.broadcast_to(color.astype(np.uint8), (32, 32, 3))
    assert np.abs(decode(as_sixels(picture)).mean(axis=(0, 1)) - color).max() < 8


def test_runs_are_short():
    assert len(as_sixels(np.zeros((6, 1000, 3), np.uint8))) < 6000
    assert "!1000" in as_sixels(np.zeros((6, 1000, 3), np.uint8))
