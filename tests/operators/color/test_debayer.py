"""`debayer`: colors by OpenCV, and the same on the GPU."""

# ruff: noqa: RUF012  (attributes of test classes, which nothing changes)

from __future__ import annotations

import numpy as np
import pytest

from penstock.engine.errors import ArgumentError
from penstock.testing.agreement import agree, on_device
from penstock.testing.operators import OperatorConformance

from ..running import make, pixels, run


class TestDebayer(OperatorConformance):
    operator = "debayer"
    layout = "HW"
    inputs = ([pixels(6 + 2 * i, 8, seed=i) for i in range(4)],)
    arguments = {"blue_position": (0, 0)}
    per_sample = {"blue_position": [np.int32(at) for at in ([0, 0], [0, 1], [1, 0], [1, 1])]}
    bad = (
        ({"blue_position": (0, 2)}, "blue_position is \\(0, 2\\); give one of"),
        ({"blue_position": (0, 0, 0)}, "blue_position is \\(0, 0, 0\\)"),
        ({"algorithm": "none"}, "'algorithm' must be 'bilinear_ocv', .* but is 'none'"),
    )

    @pytest.mark.skip("the message names the algorithms of the device")
    def test_errors_are_the_same_on_both_devices(self):
        pass


@pytest.mark.parametrize("position", [(0, 0), (0, 1), (1, 0), (1, 1)])
def test_pixels_keep_their_own_color(position):
    red, green, blue = 200, 100, 50
    sensors = np.full((8, 10), green, np.uint8)
    line, column = (1 + position[0]) % 2, (1 + position[1]) % 2
    sensors[line::2, column::2] = blue
    sensors[1 - line :: 2, 1 - column :: 2] = red
    for algorithm in ("bilinear_ocv", "edgeaware_ocv", "vng_ocv", "default_npp"):
        (image,) = run("debayer", [sensors], blue_position=position, algorithm=algorithm)
        assert (image == (red, green, blue)).all()


@pytest.mark.parametrize("shape", [(2, 2), (2, 8), (4, 4), (12, 6, 1)])
@pytest.mark.parametrize("dtype", ["u1", "u2"])
def test_both_devices_agree(device_stage, shape, dtype):
    image = pixels(*shape).astype(dtype) * (257 if dtype == "u2" else 1)
    agree("debayer", [image], blue_position=(1, 0))


def test_frames(device_stage):
    videos, positions = [pixels(2, 6, 8, seed=i) for i in range(2)], np.int32([1, 0])
    for device in ("cpu", "gpu"):
        arguments = {"layout": "FHW", "blue_position": positions}
        (rows,), (layout,) = on_device(device, "debayer", videos, **arguments)
        assert layout == "FHWC"
        (wanted,) = run("debayer", [videos[1][1]], blue_position=(1, 0))
        np.testing.assert_array_equal(rows[1][1], wanted)
    assert run("debayer", [videos[0][0]], blue_position=0 * positions, algorithm="gray_ocv")[
        0
    ].shape == (6, 8, 1)


@pytest.mark.parametrize("sample", [pixels(5, 6), pixels(4, 4, 3), np.zeros((4, 4), np.float32)])
def test_samples_that_are_refused(device, sample):
    with pytest.raises(ArgumentError, match="takes uint8 and uint16"):
        on_device(device, "debayer", [sample], blue_position=(0, 0))


def test_algorithms_that_are_not_there():
    with pytest.raises(ArgumentError, match="vng_ocv takes uint8, not uint16"):
        run("debayer", [pixels(4, 4).astype("u2")], blue_position=(0, 0), algorithm="vng_ocv")
    kind = type(make("debayer", blue_position=(0, 0)))
    with pytest.raises(ArgumentError, match="use default_npp or bilinear_ocv on the GPU"):
        kind("gpu", (), ("HW",), blue_position=(0, 0), algorithm="vng_ocv")
