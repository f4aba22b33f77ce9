"""Volumes under affine maps on the GPU: `rotate`."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import types
from penstock.testing.agreement import agree, on_device

from ..pictures import picture

VOLUMES = [picture(6 + i, 9 * 8, 2, seed=i).reshape(6 + i, 9, 8, 2) for i in range(4)]
AXES = {"axis": [np.float32(axis) for axis in ((1, 0, 0), (0, 0, -1), (1, 2, 3), (-3, 0.5, 1))]}


@pytest.mark.parametrize(
    ("dtype", "fill", "nearest"),
    [
        ("u1", {"fill_value": 9.0}, False),
        ("u1", {}, True),
        ("i2", {}, False),
        ("i4", {"fill_value": 9.0}, False),
        ("f4", {"fill_value": 9.0}, True),
        ("f4", {}, False),
    ],
)
def test_turned_volumes(device_stage, dtype, fill, nearest):
    volumes = [volume.astype(dtype) for volume in VOLUMES]
    arguments = {"interp_type": types.INTERP_NN} if nearest else {"largest": 1e-3}
    if not nearest and dtype != "f4":
        arguments["largest"] = 1
    agree("rotate", volumes, layout="DHWC", angle=33.0, per_sample=AXES, **fill, **arguments)


def test_series_of_volumes(device_stage):
    series = [np.stack([volume, volume[::-1]]) for volume in VOLUMES]
    angles = [np.float32([10 * i, 50]) for i in range(4)]
    arguments = {"axis": (1.0, 2.0, 0.0), "largest": 1}
    agree("rotate", series, layout="FDHWC", per_sample={"angle": angles}, **arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"angle": 5.0}, "needs the argument axis"),
        ({"angle": 5.0, "axis": (0.0, 0, 0)}, "not all 0"),
        ({"angle": 5.0, "axis": (1.0, 0)}, "axis has 2 values"),
        ({"angle": 5.0, "axis": (1.0, 0, 0), "size": (5.0, 5.0)}, "give \\(depth, height, width"),
        ({"per_sample": {"angle": [np.nan]}, "axis": (1.0, 0, 0)}, "finite"),
    ],
)
def test_errors_are_those_of_the_cpu(device_stage, arguments, message):
    texts = []
    for device in ("cpu", "gpu"):
        with pytest.raises(ValueError, match=message) as caught:
            on_device(device, "rotate", VOLUMES[:1], layout="DHWC", **arguments)
        texts.append(str(caught.value))
    assert texts[0] == texts[1]
