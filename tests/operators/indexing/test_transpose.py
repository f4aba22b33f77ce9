"""`fn.transpose`: order of dimensions, and layouts."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from penstock import fn, types
from penstock.engine.errors import ArgumentError
from penstock.engine.pipeline.pipeline import Pipeline
from penstock.testing.agreement import agree

from ..running import make, pixels, run
from .test_flip import TYPES, samples

SAMPLE = pixels(2, 3, 4)


@pytest.mark.parametrize("perm", [(2, 0, 1), (0, 1, 2), (1, 0, 2), None])
def test_dimensions(perm):
    (result,) = run("transpose", [SAMPLE], perm=perm)
    np.testing.assert_array_equal(result, SAMPLE.transpose(perm))
    assert np.shares_memory(result, SAMPLE)


@pytest.mark.parametrize(
    ("arguments", "layout"),
    [
        ({"perm": (2, 0, 1)}, "CHW"),
        ({}, "CWH"),
        ({"perm": (2, 0, 1), "transpose_layout": False}, "HWC"),
        ({"perm": (2, 0, 1), "output_layout": "ABC"}, "ABC"),
        ({"output_layout": "", "transpose_layout": True}, ""),
    ],
)
def test_layout(arguments, layout):
    assert make("transpose", "HWC", **arguments).output_layouts() == (layout,)


@pytest.mark.parametrize(
    ("layout", "arguments", "message"),
    [
        ("HWC", {"perm": (1, 0)}, "input's layout is 'HWC', but perm orders 2"),
        ("", {"perm": (2, 0, 0)}, r"each of \[0, 1, 2\] once"),
        ("", {"perm": (-1, 0, 1)}, "once"),
        ("", {"perm": (1, 0)}, "3 dimensions"),
        ("", {"output_layout": "AB"}, "3 dimensions"),
        ("HWC", {"perm": (2, 0, 1), "output_layout": "AB"}, "output layout is 'AB'"),
    ],
)
def test_bad_arguments(device, layout, arguments, message):
    with pytest.raises(ArgumentError, match=message):
        run("transpose", [SAMPLE], layout, **arguments, device=device)


def test_in_a_pipeline():
    pipe = Pipeline(batch_size=2, num_threads=1)
    with pipe:
        pipe.set_outputs(fn.transpose(types.Constant(SAMPLE, layout="HWC"), perm=[2, 0, 1]))
        (out,) = pipe.run()
        assert out.layout() == "CHW"
        np.testing.assert_array_equal(out.as_array(), [SAMPLE.transpose(2, 0, 1)] * 2)


# `transpose` on the GPU: every order of up to four dimensions, and the usual ones of images.
ORDERS = [order for ndim in (1, 2, 3, 4) for order in permutations(range(ndim))]


@pytest.mark.parametrize("order", ORDERS)
def test_every_order(device_stage, order):
    rng = np.random.default_rng(sum(order))
    for dtype in ("u1", TYPES[1 + sum(order) % 3]):
        agree("transpose", samples(rng, len(order), dtype, 3, 12), perm=order)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize(
    ("shape", "layout", "order"),
    [
        ((37, 23, 3), "HWC", (2, 0, 1)),
        ((3, 37, 23), "CHW", (1, 2, 0)),
        ((200, 130), "HW", (1, 0)),
        ((2, 37, 23, 3), "FHWC", (0, 3, 1, 2)),
        ((65, 5, 70), "HCW", (2, 1, 0)),
        ((256, 132), "HW", (1, 0)),
        ((70, 65, 3), "HWC", (1, 0, 2)),
        ((64, 128, 3), "HWC", (1, 0, 2)),
        ((64, 100, 4), "HWC", (1, 0, 2)),
        ((141, 69, 3), "HWC", (1, 0, 2)),
        ((33, 301), "HW", (1, 0)),
        ((301, 33), "HW", (1, 0)),
        ((13, 20, 36), "CHW", (1, 2, 0)),
        ((8, 20, 36), "CHW", (1, 2, 0)),
        ((9, 20, 36), "CHW", (1, 2, 0)),
        ((0, 5), "HW", (1, 0)),
        ((1, 1, 3), "HWC", (2, 0, 1)),
        ((1, 9000, 3), "HWC", (2, 0, 1)),
        ((4000, 1, 4), "HWC", (2, 1, 0)),
        ((0, 5, 3), "HWC", (2, 0, 1)),
    ],
)
def test_images(device_stage, shape, layout, order, dtype):
    row = (np.arange(np.prod(shape)) % 251).reshape(shape).astype(dtype)
    agree("transpose", [row] * 2, layout=layout, perm=order)
    agree("transpose", [row, row[:, : shape[1] // 2 + 1]], layout=layout, perm=order)


def test_many_dimensions(device_stage):
    row = np.arange(2 * 3 * 2 * 3 * 2 * 3 * 2 * 5).reshape(2, 3, 2, 3, 2, 3, 2, 5)
    agree("transpose", [row.astype(np.int16)] * 2)
    agree("transpose", [row.astype(np.int16)], perm=(3, 0, 1, 2, 7, 4, 5, 6))


@pytest.mark.parametrize(
    ("channels", "dtype"),
    [(2, "u1"), (3, "u1"), (4, "u1"), (5, "u1"), (3, "f2"), (4, "f2"), (2, "i4"), (5, "f8")],
)
def test_channels_of_more_pixels_than_a_block_reads_at_a_time(device_stage, channels, dtype):
    rng = np.random.default_rng(channels)
    rows = [rng.integers(0, 100, (size, 71, channels)).astype(dtype) for size in (131, 1, 60, 59)]
    agree("transpose", rows, layout="HWC", perm=(2, 0, 1))
    planes = [np.ascontiguousarray(row.transpose(2, 0, 1)) for row in rows]
    agree("transpose", planes, layout="CHW", perm=(1, 2, 0))
    agree("transpose", [np.stack([row, row[::-1]]) for row in planes], perm=(0, 2, 3, 1))
