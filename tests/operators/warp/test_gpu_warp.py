"""Images under affine maps on the GPU: `rotate`."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import types
from penstock.operators.warp import gpu_warp
from penstock.testing.agreement import agree, on_device

from ..pictures import picture, pictures

LINEAR, NEAREST = types.INTERP_LINEAR, types.INTERP_NN
ANGLES = {"angle": [np.float32(angle) for angle in (-33.3, 100, 171.1, 48)]}


@pytest.mark.parametrize("interp", [LINEAR, NEAREST])
@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"keep_size": True, "fill_value": 300.0},
        {"size": (20, 55.5), "fill_value": 7.5},
    ],
)
@pytest.mark.parametrize("channels", [1, 3, 6])
def test_images(device_stage, interp, arguments, channels):
    images = pictures(30, 41, channels)
    agree(
        "rotate",
        images,
        layout="HWC",
        per_sample=ANGLES,
        interp_type=interp,
        largest=1 if interp else 0,
        mean=0.05,
        **arguments,
    )


@pytest.mark.parametrize("fill", [None, 9.0])
@pytest.mark.parametrize("channels", [1, 3, 4])
def test_narrow_and_odd_images(device_stage, fill, channels):
    shapes = [(1, 1), (1, 9), (9, 1), (2, 2), (5, 131), (3, 2)]
    images = [picture(*shape, channels, seed=i) for i, shape in enumerate(shapes)]
    arguments = {} if fill is None else {"fill_value": fill}
    for angle in (0.0, 17.0, 180.0):
        agree("rotate", images, layout="HWC", largest=1, angle=angle, size=(7, 13), **arguments)
        agree("rotate", images, layout="HWC", largest=1, angle=angle, **arguments)


@pytest.mark.parametrize("fill", [None, 9.0])
@pytest.mark.parametrize("channels", [1, 3, 4])
def test_large_and_odd_canvases(device_stage, fill, channels):
    images = [picture(33, 71, channels, seed=1), picture(130, 97, channels, seed=2)]
    arguments = {} if fill is None else {"fill_value": fill}
    sizes = ((201, 301), (150, 258), (67, 199), (201, 301), (150, 258))
    for angle, size in zip((0.0, 31.0, 135.0, 225.0, -90.0), sizes, strict=True):
        agree("rotate", images, layout="HWC", largest=1, angle=angle, size=size, **arguments)


@pytest.mark.parametrize("dtype", ["i1", "u2", "i2", "u4", "i4", "i8", "f2", "f4", "f8"])
@pytest.mark.parametrize("target", [None, types.FLOAT, types.UINT8])
def test_types(device_stage, dtype, target):
    images = [image.astype(dtype) for image in pictures(20, 31, dtype="i1")]
    arguments = {} if target is None else {"dtype": target}
    largest = 0.07 if dtype == "f2" else 1e-3
    if np.dtype(dtype).kind != "f" or target == types.UINT8:
        largest = 1
    agree("rotate", images, layout="HWC", per_sample=ANGLES, largest=largest, **arguments)


@pytest.mark.parametrize("dtype", ["u2", "i2", "i4", "f8"])
@pytest.mark.parametrize("channels", [1, 2])
def test_noise_of_wide_numbers(device_stage, dtype, channels):
    rng = np.random.default_rng(1)
    images = [(rng.random((40, 50, channels)) * 30000).astype(dtype) for _ in range(4)]
    for fill in ({}, {"fill_value": 9.0}):
        largest = 1e-6 if dtype == "f8" else 1
        agree("rotate", images, layout="HWC", per_sample=ANGLES, largest=largest, **fill)


def test_two_channels_of_bytes(device_stage):
    images = [image[..., :2].copy() for image in pictures(30, 41)]
    agree("rotate", images, layout="HWC", per_sample=ANGLES, largest=1)


def test_videos_and_planes(device_stage):
    videos = [
        np.stack([image] * n) for n, image in zip((1, 3, 2, 4), pictures(12, 17), strict=True)
    ]
    for angles in (
        [np.float32(10 * i) for i in range(4)],
        [np.arange(len(video), dtype=np.float32) * 20 for video in videos],
    ):
        agree("rotate", videos, layout="FHWC", largest=1, per_sample={"angle": angles})
    agree("rotate", [v[:1] for v in videos] * 2, layout="FHWC", largest=1, angle=[12.0])
    agree("rotate", [np.stack([videos[0][0]] * 2)] * 2, largest=1, angle=(12.0, -50.0))
    agree("rotate", [video[0, ..., 0] for video in videos], largest=1, angle=30.0)


def test_more_frames_than_a_grid_has(device_stage, tuned):
    tuned(gpu_warp, MAX_FRAMES=2)
    videos = [np.stack([image] * 3) for image in pictures(90, 71)]
    agree("rotate", videos, layout="FHWC", largest=1, angle=[10.0, 40.0, -70.0])


def test_sizes_of_each_sample(device_stage):
    sizes = {"size": [np.array(size) for size in ((3.0, 9), (20.5, 1), (40.0, 2), (7.4, 8.6))]}
    agree("rotate", pictures(20, 31), layout="HWC", largest=1, angle=20.0, per_sample=sizes)


@pytest.mark.parametrize(
    ("shape", "arguments", "message"),
    [
        ((4, 0, 3), {"angle": 1.0}, "must lie in"),
        ((4, 5, 3), {"angle": float("inf")}, "not finite"),
        ((4, 5, 3), {"per_sample": {"angle": [np.inf]}}, "'angle' .*not finite"),
    ],
)
def test_errors_are_those_of_the_cpu(device_stage, shape, arguments, message):
    found = []
    for device in ("cpu", "gpu"):
        with pytest.raises(ValueError, match=message) as error:
            on_device(device, "rotate", [np.zeros(shape, np.uint8)], **arguments)
        found.append(str(error.value))
    assert found[0] == found[1]
