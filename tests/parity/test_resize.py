"""`fn.resize` against the real DALI's: shapes exactly, pixels within rounding."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from penstock.operators.resize.resize import Resize
from penstock.operators.resize.resize_crop_mirror import ResizeCropMirror
from penstock.operators.resize.sizing import MODES, plan_resize
from penstock.tests.operators.running import apply

dali = pytest.importorskip("nvidia.dali")
fn = pytest.importorskip("nvidia.dali.fn")
types = pytest.importorskip("nvidia.dali.types")

CASES = 1500
MAX_SIZES = [None, (30.0, 30.0), (25.5, 18.0), (0.0, 44.0)]
WAYS = [
    {"size": (40, 50)},
    {"size": (200, 300)},
    {"size": (-40.5, 50.3)},
    {"size": (0, 77.7)},
    {"size": (3.5, 2.5)},
    {"size": (97, 130)},
    {"size": (0.3, 60)},
    {"size": (60, 80), "mode": "stretch"},
    {"size": (60, 80), "mode": "not_larger"},
    {"size": (60.5, 80), "mode": "not_smaller", "max_size": 70},
    {"size": (0, 80), "mode": "stretch", "max_size": (50, 60)},
    {"resize_shorter": 50},
    {"resize_longer": -70.5},
    {"resize_shorter": 120, "max_size": (130, 110)},
    {"resize_x": 50},
    {"resize_x": 20, "resize_y": -90.2},
    {"size": (40, 50), "roi_start": (5, 7.5), "roi_end": (30, 50)},
    {"size": (-40, 50), "roi_start": (30, 7.5), "roi_end": (5, 50)},
    {"size": (20, 20), "roi_start": (5, 8), "roi_end": (25, 28)},
    {"size": (20, 20), "roi_start": 5, "roi_end": (5, 9)},
    {"resize_x": 40.3, "roi_start": (0.1, 0.2), "roi_end": (0.9, 0.7), "roi_relative": True},
]


def fed(batch, layout=""):
    return fn.external_source(lambda: batch, layout=layout)


def run_dali(batch, layout, operator=fn.resize, **arguments):
    """The outputs of one batch, sample by sample; lists are arguments that vary by sample."""
    pipeline = dali.Pipeline(batch_size=len(batch), num_threads=2, device_id=None)
    with pipeline:
        images = fed(batch, layout)
        nodes = {
            name: fed(value) if type(value) is list else value for name, value in arguments.items()
        }
        result = operator(images, **nodes)
        pipeline.set_outputs(*(result if isinstance(result, list | tuple) else [result]))
    outputs = pipeline.run()
    return [tuple(np.array(o[i]) for o in outputs) for i in range(len(batch))]


def picture(seed, height, width, channels=3):
    rng = np.random.default_rng(seed)
    noise = cv2.GaussianBlur(rng.random((height, width, channels)), (0, 0), 1.5)
    scaled = cv2.normalize(noise, None, 0, 255, cv2.NORM_MINMAX).astype(np.uint8)
    return scaled.reshape(height, width, channels)


def in_layout(sample, old, new):
    """The sample with its axes in the order of `new`; the first frame if that has no frames."""
    if "F" not in new:
        sample, old = sample[0], old[1:]
    return np.ascontiguousarray(sample.transpose([old.index(letter) for letter in new]))


@pytest.mark.parametrize("max_size", MAX_SIZES)
@pytest.mark.parametrize("mode", MODES)
def test_shapes_and_regions(mode, max_size):
    """Images of their own coordinates, so that the nearest pixel tells the region too."""
    rng = np.random.default_rng(11)
    extents = rng.integers(1, 90, (CASES, 2)).tolist()
    halves = np.arange(-60, 240) / 2
    sizes = rng.choice(
        np.concatenate([halves, rng.uniform(-60, 120, 60), np.zeros(60)]), (CASES, 2)
    )
    batch = [np.indices(extent).astype(np.float32).transpose(1, 2, 0).copy() for extent in extents]
    options = {"mode": mode, "max_size": max_size}
    results = run_dali(
        batch, "HWC", size=list(sizes.astype(np.float32)), interp_type=types.INTERP_NN, **options
    )
    for image, size, (expected,) in zip(batch, sizes.astype(np.float32), results, strict=True):
        planned = plan_resize(image.shape[:2], tuple(size.tolist()), **options)
        assert planned.size == expected.shape[:2], (image.shape, size)
        result = apply(Resize, image, layouts=("HWC",), size=size, interp_type=0, **options)
        np.testing.assert_array_equal(result, expected, str((image.shape, size)))


@pytest.mark.parametrize("antialias", [True, False])
@pytest.mark.parametrize("kind", range(6))
@pytest.mark.parametrize("way", WAYS, ids=str)
def test_pixels(way, kind, antialias):
    batch = [picture(1, 97, 130), picture(2, 200, 151), picture(3, 33, 60, 1)]
    for subpixel in (True, False):
        options = {**way, "antialias": antialias, "subpixel_scale": subpixel}
        results = run_dali(batch, "HWC", interp_type=types.DALIInterpType(kind), **options)
        for image, (expected,) in zip(batch, results, strict=True):
            result = apply(Resize, image, layouts=("HWC",), interp_type=kind, **options)
            assert result.shape == expected.shape
            difference = np.abs(result.astype(int) - expected)
            # The Gaussian breaks off where it has not vanished: of a region, the last bit of a
            # position decides whether a pixel just at its end counts.
            tie = 4 if kind == types.INTERP_GAUSSIAN and "roi_start" in way else 0
            assert difference.max() <= 1 + tie
            assert difference.mean() < 0.3


@pytest.mark.parametrize("kind", range(6))
@pytest.mark.parametrize("layout", ["HWC", "CHW", "FHWC", "FCHW", "CFHW"])
def test_layouts(layout, kind):
    video = np.stack([picture(seed, 40, 50) for seed in range(4)])
    image = in_layout(video, "FHWC", layout)
    options = {"size": (55.5, 33), "save_attrs": True}
    ((expected, before),) = run_dali(
        [image], layout, interp_type=types.DALIInterpType(kind), **options
    )
    result, attributes = apply(Resize, image, layouts=(layout,), interp_type=kind, **options)
    assert np.abs(result.astype(int) - expected).max() <= 1
    np.testing.assert_array_equal(attributes, before)
    assert attributes.dtype == before.dtype


@pytest.mark.parametrize("kind", range(6))
@pytest.mark.parametrize("layout", ["DHWC", "CDHW", "FDHWC"])
@pytest.mark.parametrize(
    "way",
    [{"size": (4, 30, 33.3)}, {"size": (-9, 60, 0)}, {"resize_z": 3, "resize_y": 20}],
    ids=str,
)
def test_volumes(way, layout, kind):
    volume = np.stack([picture(seed, 40, 50) for seed in range(6)])
    volume = cv2.GaussianBlur(volume.reshape(6, -1), (1, 3), 0).reshape(volume.shape)
    image = in_layout(np.stack([volume, volume[::-1]]), "FDHWC", layout)
    ((expected,),) = run_dali([image], layout, interp_type=types.DALIInterpType(kind), **way)
    result = apply(Resize, image, layouts=(layout,), interp_type=kind, **way)
    assert result.shape == expected.shape
    # The Gaussian breaks off where it has not vanished; on ties DALI decides otherwise there.
    assert np.abs(result.astype(int) - expected).mean() < 0.3


@pytest.mark.parametrize("dtype", ["int16", "uint16", "float32"])
def test_types(dtype):
    image = (picture(1, 97, 130).astype(np.float32) * 100 - 3000).clip(0).astype(dtype)
    for option, result_type in ((None, dtype), (types.FLOAT, "float32")):
        for kind in range(6):
            arguments = {"size": (50, 160)}
            ((expected,),) = run_dali(
                [image], "HWC", interp_type=types.DALIInterpType(kind), dtype=option, **arguments
            )
            ours = None if option is None else np.float32
            result = apply(
                Resize, image, layouts=("HWC",), interp_type=kind, dtype=ours, **arguments
            )
            assert result.dtype == expected.dtype == result_type
            np.testing.assert_allclose(result, expected, atol=1, rtol=1e-5)


@pytest.mark.parametrize("mirror", range(4))
@pytest.mark.parametrize("kind", range(6))
@pytest.mark.parametrize("way", WAYS[::3], ids=str)
def test_crop_and_mirror(way, kind, mirror):
    image = picture(2, 97, 130)
    crop = {"crop": (20.7, 11), "crop_pos_x": 0.1, "crop_pos_y": 0.77, "mirror": mirror}
    ((expected,),) = run_dali(
        [image],
        "HWC",
        operator=fn.resize_crop_mirror,
        interp_type=types.DALIInterpType(kind),
        **way,
        **crop,
    )
    result = apply(ResizeCropMirror, image, layouts=("HWC",), interp_type=kind, **way, **crop)
    assert result.shape == expected.shape
    difference = np.abs(result.astype(int) - expected)
    assert difference.mean() < 0.3
    # Where the nearest of two pixels is a tie, the last bit of the region decides.
    assert kind == types.INTERP_NN or difference.max() <= 1


@pytest.mark.parametrize("shape", [(0, 0, 3), (8, 9, 3)])
@pytest.mark.parametrize(
    "way",
    [
        {"size": (4, 5), "mode": "not_larger"},
        {"size": (4, 5)},
        {"size": 1e-10},
        {"size": (1e-10, 5)},
        {"resize_x": 0.2},
    ],
)
def test_images_without_pixels_and_tiny_sizes(shape, way):
    image = np.random.default_rng(5).integers(0, 255, shape).astype(np.uint8)
    ((expected,),) = run_dali([image], "HWC", **way)
    result = apply(Resize, image, layouts=("HWC",), **way)
    assert (result.shape, result.dtype) == (expected.shape, expected.dtype)
    np.testing.assert_allclose(result.astype(int), expected, atol=1)
