"""`water`: where pixels come from."""

from __future__ import annotations

import numpy as np

from penstock import types

from ..running import pixels, run


def test_waves_by_the_definition(device):
    image = pixels(12, 15)
    arguments = {"ampl_x": 3.0, "ampl_y": 2.0, "freq_x": 0.4, "freq_y": 0.7}
    arguments |= {"phase_x": 0.5, "phase_y": -1.0}
    (result,) = run("water", [image], "HW", fill_value=9, **arguments, device=device)
    y, x = np.mgrid[:12, :15]
    column = np.floor(x + 3 * np.sin(0.4 * y + 0.5)).astype(int)
    line = np.floor(y + 2 * np.cos(0.7 * x - 1.0)).astype(int)
    inside = (line >= 0) & (line < 12) & (column >= 0) & (column < 15)
    wanted = np.where(inside, image[line.clip(0, 11), column.clip(0, 14)], 9)
    np.testing.assert_array_equal(result, wanted)


def test_without_waves_the_image_stays_and_with_weights_half_a_pixel_further(device):
    image = np.arange(12, dtype=np.float32).reshape(3, 4)
    still = {"ampl_x": 0.0, "ampl_y": 0.0}
    np.testing.assert_array_equal(run("water", [image], "HW", **still, device=device)[0], image)
    (result,) = run("water", [image], "HW", interp_type=types.INTERP_LINEAR, **still, device=device)
    assert result[1, 1:].tolist() == [2.5, 3.5, 4.5]
    assert result[0, 0] == 0  # of the pixel and three fill values
