"""`fn.transpose` against DALI."""

import itertools

import numpy as np
import pytest

pytest.importorskip("nvidia.dali")

from ..operators.running import make, pixels, run
from .oracle import run_dali


@pytest.mark.parametrize("perm", [*itertools.permutations(range(3)), None])
@pytest.mark.parametrize("layout", ["HWC", ""])
@pytest.mark.parametrize("transpose_layout", [True, False])
def test_order_and_layout(transpose_layout, layout, perm):
    samples = [pixels(2, 3, 4), pixels(5, 6, 7)]
    arguments = {"transpose_layout": transpose_layout}
    if perm is not None:
        arguments["perm"] = perm
    ours = run("transpose", samples, layout, **arguments)
    theirs, their_layout = run_dali("transpose", samples, layout, **arguments)
    for a, b in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(a, b)
    assert make("transpose", layout, **arguments).output_layouts() == (their_layout,)


def test_output_layout():
    arguments = {"perm": (2, 0, 1), "output_layout": "ABC"}
    _, their_layout = run_dali("transpose", [pixels(2, 3, 4)], "HWC", **arguments)
    assert make("transpose", "HWC", **arguments).output_layouts() == (their_layout,)
