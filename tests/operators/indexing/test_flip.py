"""`fn.flip`: which axes are mirrored."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import fn, types
from penstock.engine.errors import ArgumentError
from penstock.engine.pipeline.pipeline import Pipeline
from penstock.testing.agreement import agree

from ..running import pixels, run


@pytest.mark.parametrize(
    "layout", ["HW", "HWC", "CHW", "DHWC", "FHWC", "FCHW", "CDHW", "FDHWC", "FCDHW"]
)
def test_axes_of_every_layout(layout):
    sample = pixels(*range(2, 2 + len(layout)))
    for argument, letter in (("horizontal", "W"), ("vertical", "H"), ("depthwise", "D")):
        others = {"horizontal": 0} if argument != "horizontal" else {}
        (result,) = run("flip", [sample], layout, **{argument: 1}, **others)
        wanted = np.flip(sample, layout.index(letter)) if letter in layout else sample
        np.testing.assert_array_equal(result, wanted)
        assert np.shares_memory(result, sample)


def test_arguments_vary_by_sample(device):
    sample = pixels(4, 5, 3)
    nodes = {"horizontal": [0, 1], "vertical": [1, 1]}
    first, second = run("flip", [sample, sample], "HWC", per_sample=nodes, device=device)
    np.testing.assert_array_equal(first, sample[::-1])
    np.testing.assert_array_equal(second, sample[::-1, ::-1])


def test_without_a_layout_four_dimensions_are_a_video(device):
    sample = pixels(2, 3, 4, 3)
    (result,) = run("flip", [sample], depthwise=1, horizontal=0, device=device)
    np.testing.assert_array_equal(result, sample)


def test_a_layout_without_width(device):
    with pytest.raises(ArgumentError, match="the layout 'HC' has no W"):
        run("flip", [pixels(3, 4)], "HC", device=device)


def test_in_a_pipeline():
    image = pixels(4, 5, 3)
    pipe = Pipeline(batch_size=2, num_threads=1)
    with pipe:
        pipe.set_outputs(fn.flip(types.Constant(image, layout="HWC")))
        (out,) = pipe.run()
        np.testing.assert_array_equal(out.as_array(), [image[:, ::-1]] * 2)


# `flip` on the GPU: every layout, element size and direction.
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
