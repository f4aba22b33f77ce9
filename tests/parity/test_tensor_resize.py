"""Arrays of other sizes against DALI."""

import numpy as np
import pytest

pytest.importorskip("nvidia.dali")

from penstock import types

from ..operators.running import pixels, run
from .oracle import dali_types, run_dali


def same(sample, layout="", interp=None, **arguments):
    """Check that both give the same."""
    mine, other = {}, {}
    if interp:
        mine, other = (
            {"interp_type": getattr(types_module, interp)} for types_module in (types, dali_types())
        )
    (ours,) = run("tensor_resize", [sample], layout, **arguments, **mine)
    (theirs,), _ = run_dali("tensor_resize", [sample], layout, **arguments, **other)
    assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
    np.testing.assert_allclose(ours.astype(float), theirs, atol=1e-2)


@pytest.mark.parametrize(
    "arguments",
    [
        {"sizes": (2, 3)},
        {"sizes": (2.5, 3.3)},
        {"sizes": 5},
        {"sizes": (3,), "axes": (1,)},
        {"sizes": (3, 2), "axes": (1, 0)},
        {"sizes": (2.5, 3.3), "alignment": 0.0},
        {"sizes": (2.5, 3.3), "subpixel_scale": False},
        {"sizes": (-2, 3)},
        {"sizes": (2, 0)},
        {"sizes": (2, 0), "mode": "stretch"},
        {"sizes": (2, 4), "mode": "not_larger"},
        {"sizes": (2, 4), "mode": "not_smaller"},
        {"sizes": (2, 4), "mode": "not_smaller", "max_size": (3, 3)},
        {"sizes": (8,), "axes": (0,), "mode": "not_larger"},
        {"sizes": (8,), "axes": (0,), "mode": "not_smaller"},
        {"sizes": (9,), "axes": (0,), "max_size": 3},
        {"scales": (0.4, 0.4)},
        {"scales": 0.4},
        {"scales": (0.4,), "axes": (0,)},
        {"scales": (0.4, 0.4), "size_rounding": "ceil"},
        {"scales": (0.4, 0.4), "size_rounding": "truncate"},
        {"scales": (0.4, 0.4), "alignment": (0.0, 1.0)},
        {"scales": (0.05, 1), "size_rounding": "truncate"},
        {"scales": (-0.5, 1)},
        {"scales": (0.625, 1.5)},
        {"scales": (1.5, 1.5), "roi_start": (1, 1), "roi_end": (3, 4)},
        {"sizes": (3,), "axes": (1,), "roi_start": (1,), "roi_end": (4,)},
        {"sizes": (2, 3), "roi_start": (0.25, 0.2), "roi_end": (0.75, 0.9), "roi_relative": True},
        {"sizes": (2.4, 3.3), "roi_start": (3, 1), "roi_end": (1, 4), "alignment": 0.2},
    ],
)
def test_planes(arguments):
    same(pixels(4, 6).astype(np.float32), **arguments)
    same(pixels(4, 6).astype(np.float32), interp="INTERP_NN", **arguments)


@pytest.mark.parametrize(
    ("shape", "layout", "arguments"),
    [
        ((7,), "", {"sizes": (5,)}),
        ((7, 8, 3), "HWC", {"sizes": (5, 11), "axis_names": "HW"}),
        ((7, 8, 3), "HWC", {"sizes": (5, 0), "axis_names": "HW"}),
        ((7, 8, 3), "HWC", {"sizes": (5, 11), "axis_names": "HW", "mode": "not_smaller"}),
        ((5, 6, 7), "", {"sizes": (3, 9, 4)}),
        ((2, 3, 4, 5, 2), "", {"sizes": (4,), "axes": (0,)}),
        ((2, 3, 4, 5, 2), "", {"sizes": (4, 6), "axes": (1, 2)}),
        ((2, 3, 4, 5, 2), "", {"scales": (2, 2, 1, 1, 1)}),
        ((2, 3, 4, 5, 2), "", {"scales": (3, 2), "axes": (-1, -2)}),
    ],
)
def test_axes(shape, layout, arguments):
    same(pixels(*shape).astype(np.float32), layout, **arguments)
