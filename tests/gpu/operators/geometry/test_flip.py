"""`flip` on the GPU: every layout, element size and direction."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.testing.agreement import agree

LAYOUTS = ["HW", "HWC", "CHW", "DHWC", "CDHW", "FHWC", "FDHWC", ""]
TYPES = ["u1", "f2", "i4", "f8"]


def samples(rng, ndim, dtype, count=4, most=20, channels=None, least=1):
    """Return samples of several shapes."""
    shapes = rng.integers(least, most + 1, (count, ndim))
    if channels is not None:
        shapes[:, channels] = rng.integers(1, 5)
    return [rng.integers(0, 100, shape).astype(dtype) for shape in shapes]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", TYPES)
def test_ragged_batches_with_arguments_of_each_sample(device_stage, layout, dtype):
    rng = np.random.default_rng(len(layout))
    ndim = len(layout) or 3
    rows = samples(rng, ndim, dtype, 6, 12 if ndim < 4 else 4, layout.find("C"))
    ways = ("horizontal", "vertical", "depthwise")
    agree("flip", rows, layout=layout, per_sample={k: rng.integers(0, 2, 6) for k in ways})


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("way", ["horizontal", "vertical", "depthwise"])
def test_dense_batches(device_stage, layout, way):
    rng = np.random.default_rng(1)
    shape = [{"F": 2, "D": 3, "H": 5, "W": 37, "C": 3}[letter] for letter in layout or "HWC"]
    rows = [rng.integers(0, 255, shape, np.uint8) for _ in range(3)]
    agree("flip", rows, layout=layout, **{"horizontal": 0, way: 1})


@pytest.mark.parametrize(
    "shape", [(1, 1, 3), (1, 5000, 3), (3000, 1, 1), (120, 130, 4), (2, 0, 3), (1, 2730, 3)]
)
def test_sizes_about_those_of_tiles(device_stage, shape):
    row = np.arange(np.prod(shape)).reshape(shape).astype(np.uint8)
    agree("flip", [row, row], layout="HWC", vertical=1)
    agree("flip", [row.astype(np.uint16)], layout="HWC")


@pytest.mark.parametrize("width", [8191, 8192, 8193])
def test_rows_longer_than_a_tile(device_stage, width):
    row = np.arange(2 * width).reshape(2, width).astype(np.uint8)
    agree("flip", [row, row[:, :-3], row[:1]], layout="HW")


@pytest.mark.parametrize("dtype", ["u1", "f2", "f4", "f8"])
@pytest.mark.parametrize("channels", [1, 2, 3, 4, 5, 7, 13, 16, 17])
def test_pixels_of_many_sizes(device_stage, channels, dtype):
    rng = np.random.default_rng(channels)
    rows = [rng.integers(0, 100, (11, 41, channels)).astype(dtype) for _ in range(3)]
    agree("flip", rows, layout="HWC", per_sample={"horizontal": [1, 0, 1], "vertical": [0, 0, 1]})
    agree(
        "flip", [row[:, :width] for row, width in zip(rows, (5, 1, 40), strict=True)], layout="HWC"
    )


def test_many_pieces_of_a_thread(device_stage):
    rng = np.random.default_rng(1)
    rows = [rng.integers(0, 255, (size, 375, 3), np.uint8) for size in (100, 61, 1)]
    agree("flip", rows, layout="HWC")
    agree("flip", rows, layout="HWC", horizontal=0, vertical=1)
