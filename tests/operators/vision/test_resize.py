"""The operator of `Resize`: sizes, windows, and both devices."""

# ruff: noqa: RUF012  (attributes of test classes, which nothing changes)

from __future__ import annotations

import numpy as np
import PIL
import pytest

from penstock.engine.errors import ArgumentError
from penstock.testing.operators import OperatorConformance

from ..pictures import pictures
from ..running import pixels, run

IMAGES = pictures(37, 51)[:3]
ORDERS_AXES = int(PIL.__version__.split(".")[0]) >= 13  # by the work, as the GPU does


class TestTensors(OperatorConformance):
    operator = "_vision_resize"
    inputs = (IMAGES,)
    arguments = {"size": (20, 63)}
    per_sample = {
        "window": [(1, 2, 20, 30), (0, 0, 30, 33), (5, 5, 1, 1)],
        "size": [(20, 63), (9, 9), (60, 5)],
    }
    largest = 1
    bad = (
        ({"window": (0, 0, 38, 2)}, "is not in the image"),
        ({"window": (0, -1, 3, 2)}, "is not in the image"),
        ({"window": (0, 0)}, "is not in the image"),
        ({"size": (1, 2, 3)}, "one or two lengths"),
        ({"size": (9,), "max_size": 9}, "above size"),
        ({"interpolation": "hamming"}, "tensors have no"),
    )


class TestPillow(TestTensors):
    arguments = {"size": (20, 63), "rule": "pillow", "interpolation": "bicubic"}
    bad = ()


class TestShorterSides(OperatorConformance):
    operator = "_vision_resize"
    inputs = ([pixels(30, 20 + 9 * i, 3, seed=i) for i in range(3)],)
    arguments = {"size": (10,), "max_size": 12, "interpolation": "lanczos"}
    largest = 1


class TestFloats(OperatorConformance):
    operator = "_vision_resize"
    inputs = ([image.astype(np.float32) / 255 for image in IMAGES],)
    arguments = {"size": (50, 20), "antialias": False, "interpolation": "bicubic"}
    largest = 1e-5


class TestHalfFloats(TestFloats):
    inputs = ([image.astype(np.float16) / 256 for image in IMAGES],)
    largest = 1e-3


class TestShorts(OperatorConformance):
    operator = "_vision_resize"
    inputs = ([pixels(20, 30 + i, 3, dtype=np.int16, seed=i) * 100 for i in range(3)],)
    arguments = {"size": (13, 47)}
    largest = 1


class TestMasks(OperatorConformance):
    operator = "_vision_resize"
    layout = "HW"
    inputs = ([pixels(30, 20 + i, dtype=np.int32, seed=i) for i in range(3)],)
    arguments = {"size": (13, 47), "interpolation": "nearest"}


class TestVideos(OperatorConformance):
    operator = "_vision_resize"
    layout = "FHWC"
    inputs = ([pixels(2, 9, 8 + i, 3, seed=i) for i in range(3)],)
    arguments = {"size": (5, 6), "rule": "pillow", "interpolation": "hamming"}
    largest = 1


@pytest.mark.skipif(not ORDERS_AXES, reason="older releases of Pillow always begin with columns")
@pytest.mark.parametrize("interpolation", ["box", "bilinear", "hamming", "bicubic", "lanczos"])
@pytest.mark.parametrize("size", [(9, 70), (70, 9), (36, 52), (80, 90), (20, 25)])
def test_the_gpu_gives_the_bytes_of_pillow(device_stage, interpolation, size):
    arguments = {"size": size, "rule": "pillow", "interpolation": interpolation}
    wanted = run("_vision_resize", IMAGES[:1], "HWC", **arguments)
    made = run("_vision_resize", IMAGES[:1], "HWC", device="gpu", **arguments)
    np.testing.assert_array_equal(made[0], wanted[0])


def test_an_image_that_would_vanish_is_refused(device):
    with pytest.raises(ArgumentError, match="would get 10 x 0"):
        run("_vision_resize", [pixels(500, 20, 3)], "HWC", device=device, max_size=10)
