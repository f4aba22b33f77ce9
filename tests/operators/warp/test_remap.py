"""`experimental.remap`."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import types
from penstock.engine.errors import ArgumentError
from penstock.testing.agreement import agree, on_device
from penstock.testing.operators import OperatorConformance

from ..pictures import pictures
from ..running import pixels, run

NAME = "experimental.remap"
IMAGES = pictures(20, 31)[:3]


def maps(count, height=17, width=23):
    """Return maps that turn and stretch images, and reach beyond them."""
    y, x = np.mgrid[:height, :width].astype(np.float32)
    return (
        [x * (1.2 + i / 10) - 0.2 * y - 1.3 for i in range(count)],
        [y * 1.1 + 0.3 * x - 2.7 - i for i in range(count)],
    )


class TestRemap(OperatorConformance):
    operator = NAME
    inputs = (IMAGES, *maps(3))
    bad = (
        (
            {"interp": types.INTERP_LANCZOS3},
            "INTERP_LINEAR or INTERP_CUBIC, but is INTERP_LANCZOS3",
        ),
        ({"pixel_origin": "middle"}, "must be 'corner' or 'center'"),
    )
    bad_inputs = (([IMAGES, maps(3)[0], [rows[:, :2] for rows in maps(3)[1]]], "the maps have"),)
    largest = 1

    @pytest.mark.skip("views of maps would be other maps' halves")
    def test_views_give_what_contiguous_samples_give(self):
        pass


@pytest.mark.parametrize(
    ("interp", "largest"),
    [(types.INTERP_NN, 0), (types.INTERP_LINEAR, 1), (types.INTERP_CUBIC, 12)],
)
@pytest.mark.parametrize("dtype", ["u1", "i4", "f4"])
def test_both_devices_agree(device_stage, dtype, interp, largest):
    images = [image.astype(dtype) for image in IMAGES]
    options = {"layout": ["HWC", "", ""], "interp": interp, "pixel_origin": "center"}
    agree(NAME, images, *maps(3), largest=largest, mean=1, **options)


def test_coordinates(device):
    image = np.arange(12, dtype=np.uint8).reshape(3, 4) * 10
    x, y = np.float32([[0.5, 1.0, 3.5, 9]]), np.float32([[0.5, 0.5, 1.5, 0.5]])
    assert run(NAME, [image], inputs=[[x], [y]], device=device)[0].tolist() == [[0, 5, 70, 0]]
    shifted = [[x - 0.5], [y - 0.5]]
    assert run(NAME, [image], inputs=shifted, pixel_origin="center", device=device)[0].tolist() == [
        [0, 5, 70, 0]
    ]
    nearest = {"interp": types.INTERP_NN, "pixel_origin": "center"}
    wrong = np.float32([[np.nan, -np.inf, 1e30, 2]])
    assert run(NAME, [image], inputs=[[wrong], [y * 0]], **nearest, device=device)[0].tolist() == [
        [0, 0, 0, 20]
    ]
    for interp in (types.INTERP_LINEAR, types.INTERP_CUBIC):
        (result,) = run(NAME, [image], inputs=[[wrong], [y * 0]], interp=interp, device=device)
        assert result[0, :3].tolist() == [0, 0, 0]


def test_frames(device_stage):
    videos, (x, y) = [pixels(2, 8, 9, 3, seed=i) for i in range(2)], maps(2)
    for columns in ((x, y), ([np.stack([m, m + 1]) for m in x], [np.stack([m, m]) for m in y])):
        layout = ["FHWC", *["FHW" if columns[0][0].ndim == 3 else "HW"] * 2]
        (rows,) = agree(NAME, videos, *columns, layout=layout, largest=1)
        assert rows[0].shape == (2, 17, 23, 3)


@pytest.mark.parametrize("shapes", [((3, 4), (4, 3)), ((3,), (3,)), ((3, 4, 2), (3, 4, 2))])
def test_maps_that_are_refused(device, shapes):
    columns = [[np.zeros(shape, np.float32)] for shape in shapes]
    with pytest.raises(ArgumentError, match=r"both must be \(height, width\)"):
        on_device(device, NAME, [IMAGES[0]], *columns, layout=["HWC", "", ""])
    ones = [[np.zeros((3, 4, 1), np.float64)]] * 2
    (rows,), _ = on_device(device, NAME, [IMAGES[0]], *ones, layout=["HWC", "", ""])
    assert rows[0].shape == (3, 4, 3)
