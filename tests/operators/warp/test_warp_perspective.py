"""`fn.experimental.warp_perspective`: origins, borders, layouts, hard cases."""

# ruff: noqa: RUF012  (attributes of test classes, which nothing changes)

from __future__ import annotations

import numpy as np
import pytest

from penstock import types
from penstock.engine.errors import ArgumentError
from penstock.testing.agreement import on_device
from penstock.testing.operators import OperatorConformance

from ..pictures import pictures
from ..running import run

NAME = "experimental.warp_perspective"
IMAGES = pictures(20, 31)
SLANT = (1.1, 0.2, -3.0, 0.1, 0.9, 1.0, 0.003, -0.002, 1.0)
MOVE = (1.0, 0, 0.5, 0, 1, 0, 0, 0, 1)
IDENTITY = tuple(np.eye(3).reshape(-1).tolist())


class TestWarpPerspective(OperatorConformance):
    operator = NAME
    inputs = (IMAGES,)
    arguments = {"matrix": SLANT, "fill_value": (9.0, 8.0, 7.0)}
    per_sample = {
        "matrix": [SLANT, IDENTITY, MOVE, (2.0, 0, 0, 0, 2.0, 0, 0, 0, 1.0)],
        "size": [(5.0, 9.0), (40.0, 3.2), (1.0, 1.0), (20.0, 20.0)],
    }
    bad = (
        ({"matrix": (1, 2, 3)}, "has 3 values; give 9"),
        ({"matrix": (0,) * 9, "inverse_map": False}, "is singular"),
        ({"matrix": None}, "needs its matrix once"),
        ({"size": (5, 0)}, "must lie in"),
        ({"size": (5, 6, 7)}, "give \\(height, width"),
        ({"fill_value": (1, 2)}, "fill_value has 2 values for 3 channels"),
        ({"border_mode": "none"}, "must be 'constant', 'replicate'"),
        ({"interp_type": types.INTERP_LANCZOS3}, "must be INTERP_NN, INTERP_LINEAR or"),
    )
    largest = 1


class TestMatrixAsInput(OperatorConformance):
    operator = NAME
    layout = "CHW"
    inputs = (
        [image.transpose(2, 0, 1).copy() for image in IMAGES],
        [np.float32(SLANT).reshape(3, 3)] * 4,
    )
    arguments = {"inverse_map": False}
    bad_inputs = (
        ([[IMAGES[0].transpose(2, 0, 1)] * 2, np.float32([np.eye(3), 0 * np.eye(3)])], "singular"),
    )
    largest = 1


def test_coordinates(device):
    image = np.arange(12, dtype=np.uint8).reshape(3, 4) * 10
    assert run(NAME, [image], matrix=MOVE, device=device)[0][0].tolist() == [5, 15, 25, 15]
    assert run(NAME, [image], matrix=MOVE, inverse_map=False, device=device)[0][0].tolist() == [
        0,
        5,
        15,
        25,
    ]
    double = (0.5, 0, 0, 0, 0.5, 0, 0, 0, 1)
    center = {"pixel_origin": "center", "size": (3, 4)}
    assert run(NAME, [image], matrix=double, **center, device=device)[0][0].tolist() == [
        0,
        5,
        10,
        15,
    ]
    (result,) = run(
        NAME, [image], matrix=double, size=(6, 8), interp_type=types.INTERP_NN, device=device
    )
    np.testing.assert_array_equal(result, image.repeat(2, 0).repeat(2, 1))


@pytest.mark.parametrize(
    ("border", "expected"),
    [
        ("constant", [20, 30, 7, 7, 7, 7]),
        ("replicate", [20, 30, 30, 30, 30, 30]),
        ("reflect", [20, 30, 30, 20, 10, 0]),
        ("reflect_101", [20, 30, 20, 10, 0, 10]),
        ("wrap", [20, 30, 0, 10, 20, 30]),
    ],
)
def test_borders(device, border, expected):
    image = np.arange(12, dtype=np.uint8).reshape(3, 4) * 10
    arguments = {"matrix": (1, 0, 2, 0, 1, 0, 0, 0, 1), "size": (3, 6), "fill_value": 7}
    assert (
        run(NAME, [image], border_mode=border, **arguments, device=device)[0][0].tolist()
        == expected
    )


def test_sequences(device):
    videos = [np.stack([image, image[::-1]]) for image in IMAGES]
    (rows,), (layout,) = on_device(device, NAME, videos, layout="FHWC", matrix=SLANT)
    assert layout == "FHWC"
    for i in range(2):
        frames = [video[i] for video in videos]
        (wanted,), _ = on_device(device, NAME, frames, layout="HWC", matrix=SLANT)
        for row, frame in zip(rows, wanted, strict=True):
            np.testing.assert_array_equal(row[i], frame)


def test_hard_cases(device):
    pixel = np.full((1, 1, 3), 9, np.uint8)
    (result,) = run(
        NAME, [pixel], matrix=SLANT, size=(3, 3), border_mode="reflect_101", device=device
    )
    assert (result == 9).all()
    with pytest.raises(ArgumentError, match="must lie in"):
        run(NAME, [pixel[:0]], matrix=SLANT, device=device)
    with pytest.raises(ArgumentError, match="not finite"):
        run(NAME, [pixel], inputs=[[np.full((3, 3), np.nan)]], device=device)
    with pytest.raises(ArgumentError, match="not int32"):
        run(NAME, [pixel.astype(np.int32)], matrix=SLANT, device=device)
    with pytest.raises(ArgumentError, match="'DHWC'"):
        run(NAME, [pixel[None]], "DHWC", matrix=SLANT, device=device)
