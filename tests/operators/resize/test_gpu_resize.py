"""`resize` on the GPU: sizes, regions, filters, layouts and types, against the CPU."""

from __future__ import annotations

import json

import numpy as np
import pytest

from penstock import Pipeline, fn, types
from penstock.testing.agreement import agree, source

from ..pictures import picture, pictures

LINEAR, NEAREST = types.INTERP_LINEAR, types.INTERP_NN
BYTES = {"largest": 1, "mean": 0.05}
OPENCV = {"largest": 1, "mean": 0.15}  # by which the CPU resizes bytes without antialiasing


@pytest.mark.parametrize("kind", list(types.DALIInterpType))
@pytest.mark.parametrize("antialias", [True, False])
def test_filters(device_stage, kind, antialias):
    by_opencv = not antialias and kind in (LINEAR, types.INTERP_TRIANGULAR)
    agree(
        "resize",
        pictures(40, 61),
        layout="HWC",
        **({} if kind == NEAREST else OPENCV if by_opencv else BYTES),
        interp_type=kind,
        antialias=antialias,
        resize_x=23,
        resize_y=90,
    )


@pytest.mark.parametrize(
    "arguments",
    [
        {"size": (17, 23)},
        {"size": (-17.5, 23.2), "subpixel_scale": False},
        {"resize_shorter": 20, "max_size": 24},
        {"resize_longer": -31},
        {"size": (30, 20), "mode": "not_smaller"},
        {"size": (0, 20), "mode": "stretch"},
        {"size": (20, 30), "roi_start": (3, 30.5), "roi_end": (29.5, 4)},
        {"size": (9, 30), "roi_start": (-0.3, 0.2), "roi_end": (1.2, 0.9), "roi_relative": True},
    ],
)
@pytest.mark.parametrize("interp", [LINEAR, NEAREST])
def test_sizes_and_regions(device_stage, arguments, interp):
    options = {**arguments, "interp_type": interp, "save_attrs": True}
    agree("resize", pictures(30, 45), layout="HWC", **(BYTES if interp else {}), **options)


def test_arguments_of_each_sample(device_stage):
    images = pictures(30, 45)
    rng = np.random.default_rng(2)
    filters = [np.int32(kind) for kind in (0, 1, 2, 5)]
    region = [rng.uniform(0, 0.4, 2).astype(np.float32) for _ in images]
    per_sample = {
        "size": [rng.integers(10, 50, 2) for _ in images],
        "interp_type": filters,
        "roi_start": region,
        "roi_end": [1 - edges for edges in region],
    }
    agree("resize", images, layout="HWC", **BYTES, roi_relative=True, per_sample=per_sample)
    shorter = {"resize_shorter": [np.float32(10 + i) for i in range(4)], "mag_filter": filters}
    agree("resize", images, layout="HWC", **BYTES, per_sample=shorter)
    ragged = {
        "size": [np.array([8.0]), np.array([8.0, 9.0]), np.array([7.0]), np.array([9.5, 3.0])]
    }
    agree("resize", images, layout="HWC", **BYTES, per_sample=ragged)


@pytest.mark.parametrize("layout", ["HW", "CHW", "FHWC", "CFHW", "DHW", "DHWC", "CDHW", "FDHWC"])
@pytest.mark.parametrize("interp", [LINEAR, NEAREST])
def test_layouts(device_stage, layout, interp):
    shapes = {"F": 2, "C": 3, "D": 6, "H": 15, "W": 11}
    rows = [picture(shapes["H"] + i, 90, 1, seed=i).reshape(-1)[: (15 + i) * 90] for i in range(3)]
    samples = []
    for i, row in enumerate(rows):
        shape = [shapes[letter] + (i if letter in "HD" else 0) for letter in layout]
        samples.append(np.resize(row, shape))
    size = (4, 20, 6)[-len([letter for letter in layout if letter in "DHW"]) :]
    largest = 1 if interp else 0
    agree("resize", samples, layout=layout, largest=largest, size=size, interp_type=interp)


@pytest.mark.parametrize("channels", [1, 2, 4, 5, 6])
def test_channels(device_stage, channels):
    agree("resize", pictures(20, 31, channels), layout="HWC", **BYTES, size=(13, 40))


def test_samples_of_several_numbers_of_channels(device_stage):
    samples = [picture(20, 31, channels, seed=channels) for channels in (3, 6, 3, 9)]
    agree("resize", samples, layout="HWC", **BYTES, size=(13, 40))


def test_samples_of_very_different_sizes(device_stage):
    shapes = [(20, 31), (2, 3), (150, 90), (60, 700), (400, 30), (90, 2500)]
    samples = [picture(*shape, seed=i) for i, shape in enumerate(shapes)]
    for antialias in (True, False):
        agree("resize", samples, layout="HWC", **OPENCV, size=(13, 40), antialias=antialias)
    channels = [picture(*shape, 40, seed=i) for i, shape in enumerate(shapes)]
    agree("resize", channels, layout="HWC", **BYTES, size=(7, 30))


@pytest.mark.parametrize("size", [(150, 20), (20, 300), (7, 9)])
def test_regions_beyond_the_border(device_stage, size):
    region = {"roi_start": (-40, 60.5), "roi_end": (75, -31)}
    agree("resize", pictures(30, 45), layout="HWC", **BYTES, size=size, **region)


@pytest.mark.parametrize("dtype", ["i1", "u2", "i2", "u4", "i4", "f2", "f4", "f8"])
@pytest.mark.parametrize("as_float", [False, True])
def test_types(device_stage, dtype, as_float):
    kind = np.dtype(dtype)
    full = 1 if kind.kind == "f" else float(np.iinfo(kind).max)
    bits = 1e-3 if (dtype, as_float) == ("f2", False) else 1e-5
    agree(
        "resize",
        pictures(20, 31, dtype=dtype),
        layout="HWC",
        largest=max(full * bits, kind.kind != "f"),
        size=(13, 40),
        interp_type=types.INTERP_CUBIC,
        **({"dtype": types.FLOAT} if as_float else {}),
    )
    agree("resize", pictures(20, 31, dtype=dtype), layout="HWC", size=(13, 40), interp_type=NEAREST)


@pytest.mark.parametrize(
    ("shape", "size"),
    [
        ((1, 1, 3), (5, 9)),
        ((1, 40, 3), (3, 1)),
        ((40, 1, 3), (1, 3)),
        ((50, 70, 3), (1, 1)),
        ((300, 7, 3), (2, 300)),
        ((7, 900, 3), (20, 2)),
        ((20, 90, 3), (30, 20)),
        ((2, 3, 3), (200, 300)),
        ((30, 40, 3), (30, 40)),
    ],
)
@pytest.mark.parametrize("kind", [types.INTERP_LANCZOS3, LINEAR])
def test_extreme_scales(device_stage, shape, size, kind):
    images = [picture(*shape, seed=i) for i in range(2)]
    agree("resize", images, layout="HWC", largest=1, size=size, interp_type=kind)


def test_many_taps_in_volumes(device_stage):
    volumes = [picture(60, 50 * 8, 1, seed=i).reshape(60, 50, 8) for i in range(2)]
    agree("resize", volumes, layout="DHW", largest=1, size=(2, 3, 20))


def test_no_frames(device_stage):
    videos = [np.zeros((0, 5, 6, 3), np.uint8), np.ones((2, 5, 6, 3), np.uint8)]
    agree("resize", videos, layout="FHWC", size=(3, 4))


BAD = {
    "not a number": (np.zeros((5, 5, 3), np.uint8), (np.nan, 5.0)),
    "too large": (np.zeros((5, 5, 3), np.uint8), (1e9, 5.0)),
    "too many values": (np.zeros((5, 5, 3), np.uint8), (1.0, 2.0, 3.0)),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_rows(device_stage, name, tmp_path):
    image, size = BAD[name]
    good = picture(20, 30)
    samples, sizes = [good, image, good], [(7.0, 8.0), size, (6.0, 5.0)]
    log = tmp_path / "log"

    def run(device, on_error):
        options = {"on_error": on_error, "quarantine_log": log} if on_error == "replace" else {}
        with Pipeline(batch_size=3, num_threads=1, **options) as pipe:
            images = source(samples, "HWC")
            images = images.gpu() if device == "gpu" else images
            pipe.set_outputs(fn.resize(images, size=source([np.array(s) for s in sizes])))
            return pipe.run()[0].as_cpu().rows()

    messages = []
    for device in ("cpu", "gpu"):
        with pytest.raises(ValueError) as error:
            run(device, "raise")
        messages.append(str(error.value))
    assert messages[0] == messages[1]
    rows = run("gpu", "replace")
    assert [row.shape for row in rows] == [(7, 8, 3), (7, 8, 3), (6, 5, 3)]
    np.testing.assert_array_equal(rows[0], rows[1])
    assert json.loads(log.read_text().splitlines()[0])["message"] == messages[0]


def test_types_that_cannot_be_resized(device_stage):
    with pytest.raises(ValueError, match="cannot resample int64"):
        agree("resize", [np.zeros((4, 5), np.int64)], layout="HW", size=3)
    with pytest.raises(ValueError, match="dtype must be FLOAT or that of the input"):
        agree("resize", [np.zeros((4, 5), np.uint8)], layout="HW", size=3, dtype=types.INT16)


@pytest.mark.parametrize("mode", ["default", "not_larger"])
def test_samples_without_pixels_stay_empty(device_stage, mode):
    shapes = [(0, 5, 3), (5, 0, 3), (0, 0, 3), (5, 5, 0), (6, 7, 3)]
    images = [np.full(shape, 7, np.uint8) for shape in shapes]
    agree("resize", images, layout="HWC", size=(4, 9), mode=mode)
    agree("tensor_resize", images, sizes=(4, 9, 2))
    agree("tensor_resize", images[:2], sizes=(4, 9, 3))


@pytest.mark.parametrize("size", [(1e-10, 1e-10), (1e-10, 20), (0.3, 20)])
def test_sizes_below_a_pixel(device_stage, size):
    agree("resize", pictures(20, 30), layout="HWC", largest=1, size=size)
