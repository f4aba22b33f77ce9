"""Perspective maps on the CPU: positions far outside, and many channels."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.engine.tensors.dtypes import DALIInterpType
from penstock.operators.warp.cpu_perspective import PerspectiveSampling, move_pixels

from ..running import pixels, run

NAME = "experimental.warp_perspective"


@pytest.mark.parametrize("border", ["reflect", "reflect_101"])
def test_reflections_far_outside(device, border):
    image = pixels(5, 6, 3)
    columns, lines = (12, 10) if border == "reflect" else (10, 8)  # after which images repeat
    for x, y in ((columns, 0), (0, -lines), (columns, lines)):
        away = (1, 0, x * 2e4, 0, 1, y * 2e4, 0, 0, 1)
        (result,) = run(NAME, [image], matrix=away, border_mode=border, device=device)
        np.testing.assert_array_equal(result, image)


@pytest.mark.parametrize("border", ["reflect", "reflect_101"])
def test_reflections_agree_with_those_of_opencv(border, monkeypatch):
    image, out, other = pixels(7, 9, 3).astype(np.float32), *np.zeros((2, 20, 30, 3), np.float32)
    matrix = np.array([[1.3, 0.2, -20], [0.1, 1.4, -10], [0.001, 0, 1]])
    sampling = PerspectiveSampling(DALIInterpType.INTERP_NN, border)
    move_pixels(image, out, matrix, sampling, (0.0,) * 3)
    monkeypatch.setattr("penstock.operators.warp.cpu_perspective._FAR", 0)
    move_pixels(image, other, matrix, sampling, (0.0,) * 3)
    assert (out != other).mean() < 0.02  # where two pixels are equally near


def test_channels_have_their_own_constants():
    image, out = np.zeros((4, 5, 6), np.uint8), np.zeros((2, 2, 6), np.uint8)
    away = np.array([[1.0, 0, 100], [0, 1, 100], [0, 0, 1]])
    sampling = PerspectiveSampling(DALIInterpType.INTERP_LINEAR, "constant")
    move_pixels(image, out, away, sampling, (1, 2, 3, 4, 5, 6))
    assert (out == [1, 2, 3, 4, 5, 6]).all()
