"""Displaced pixels against DALI."""

import numpy as np
import pytest

pytest.importorskip("nvidia.dali")

from penstock import types

from ..operators.pictures import picture
from ..operators.running import run
from .oracle import dali_types, run_dali

WAVES = {"ampl_x": 7.0, "ampl_y": 4.0, "freq_x": 0.11, "freq_y": 0.2, "phase_x": 1.0}


@pytest.mark.parametrize("dtype", ["u1", "f4"])
@pytest.mark.parametrize("interp", ["INTERP_NN", "INTERP_LINEAR"])
@pytest.mark.parametrize(
    ("name", "arguments"),
    [("water", {}), ("water", WAVES), ("sphere", {}), ("sphere", {"fill_value": 77.0})],
)
@pytest.mark.parametrize("extent", [(60, 70), (71, 40), (1, 5)])
def test_images(name, arguments, interp, dtype, extent):
    image = np.resize(picture(60, 70), (*extent, 3)).astype(dtype)
    mine, other = (
        {"interp_type": getattr(types_module, interp)} for types_module in (types, dali_types())
    )
    (ours,) = run(name, [image], "HWC", **arguments, **mine)
    (theirs,), layout = run_dali(name, [image], "HWC", **arguments, **other)
    assert (ours.dtype, ours.shape, layout) == (theirs.dtype, theirs.shape, "HWC")
    difference = np.abs(ours.astype(float) - theirs)
    assert (difference > (1 if dtype == "u1" else 1e-2)).mean() < 0.002  # positions on an edge
    assert (difference > 0).mean() < (0.05 if interp == "INTERP_LINEAR" else 0.002) or dtype == "f4"


def test_masks():
    images = [picture(20, 30)] * 2
    arguments = {"per_sample": {"mask": [np.int32(0), np.int32(1)]}}
    theirs, _ = run_dali("water", images, "HWC", **arguments)
    for ours, other in zip(run("water", images, "HWC", **arguments), theirs, strict=True):
        assert (ours != other).mean() < 0.002
