"""The grid of tiles, and its PNG."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from penstock.cli.pictures.encoded import decoded
from penstock.cli.pictures.roles import Output, with_roles
from penstock.cli.pictures.sheet import as_png, draw_sheet
from penstock.cli.pictures.tiles import SampleText


def sheet(count, width=1600, side=64):
    rows = [np.full((64, 64, 3), (100 + i, 0, 255), np.uint8) for i in range(count)]
    known = [SampleText(i) for i in range(count)]
    return draw_sheet(with_roles([Output("image", rows, "HWC")]), known, side=side, width=width)


@pytest.mark.parametrize("count", [1, 2, 7, 30])
def test_every_sample_is_there_once(count):
    drawn = sheet(count)
    for i in range(count):
        assert (drawn == (100 + i, 0, 255)).all(axis=2).sum() == 64 * 64


def test_the_sheet_is_wider_than_high_and_not_too_wide():
    drawn = sheet(24)
    assert 1 < drawn.shape[1] / drawn.shape[0] < 2.5
    assert sheet(24, width=300).shape[1] <= 300
    assert sheet(2, width=10).shape[1] == 64 + 2 * 16  # one column at least


def test_the_png_has_the_same_colors():
    picture = np.zeros((2, 3, 3), np.uint8)
    picture[0, 0] = 255, 0, 10
    read = cv2.imdecode(np.frombuffer(as_png(picture), np.uint8), cv2.IMREAD_COLOR)
    assert np.array_equal(read[..., ::-1], picture)


def test_landscapes_leave_no_gap_above_the_text():
    outputs = with_roles([Output("image", [np.zeros((30, 60, 3), np.uint8)], "HWC")])
    drawn = draw_sheet(outputs, [SampleText(0)], side=60, width=1000)
    assert drawn.shape[0] == 16 + 30 + 6 + 18 + 16


LAYOUTS = ["", "", "HWC", "CHW", "HW", "FHWC", "DHWC", "DHW", "t", "tc", "ft", "xyWH", "CDHW"]


@pytest.mark.parametrize("seed", range(60))
def test_any_arrays_are_drawn(seed):
    random = np.random.default_rng(seed)
    outputs = []
    for number in range(random.integers(1, 5)):
        ndim, layout = random.integers(0, 6), random.choice(LAYOUTS)
        layout = layout if len(layout) == ndim else ""
        dtype = random.choice(["u1", "i1", "u2", "i8", "f2", "f4", "f8", "?", "c8"])
        rows = []
        for _ in range(2):
            values = random.normal(size=random.choice([0, 1, 2, 3, 4, 9], ndim))
            values *= random.choice([0, 1, 100, 1e4])
            if dtype[0] == "f" and random.random() < 0.3:
                values = np.full_like(values, random.choice([np.nan, np.inf]))
            with np.errstate(invalid="ignore"):
                rows.append(np.asarray(values).astype(dtype))
        outputs.append(Output(f"output {number}", rows, layout))
    known = [SampleText(0, "a", ("x",)), SampleText(1)]
    drawn = draw_sheet(with_roles(map(decoded, outputs)), known, side=40, width=400)
    assert drawn.dtype == np.uint8
    assert drawn.shape[2] == 3


@pytest.mark.parametrize(
    ("count", "lines"), [(1, 1), (4, 2), (6, 2), (9, 3), (12, 3), (16, 4), (24, 4)]
)
def test_lines_of_like_tiles_are_full(count, lines):
    drawn = sheet(count)
    tile = sheet(1)
    assert (drawn.shape[0] - 16) == lines * (tile.shape[0] - 16)
    columns = count // lines
    assert drawn.shape[1] == 16 + columns * (64 + 16)


def test_a_narrow_sheet_has_fewer_columns():
    assert sheet(16, width=200).shape[1] <= 200
    assert sheet(3, width=10).shape[1] == 16 + 64 + 16
