"""`fn.flip` against DALI."""

import itertools

import numpy as np
import pytest

pytest.importorskip("nvidia.dali")

from ..operators.running import pixels, run
from .oracle import run_dali


@pytest.mark.parametrize("layout", ["HWC", "CHW", "DHWC", "FHWC", "FCHW", "CDHW", "FDHWC", "FCDHW"])
def test_all_directions(layout):
    samples = [pixels(*range(2, 2 + len(layout)))] * 8
    nodes = dict(
        zip(
            ("horizontal", "vertical", "depthwise"),
            np.int32(list(itertools.product((0, 1), repeat=3))).T,
            strict=True,
        )
    )
    ours = run("flip", samples, layout, per_sample=nodes)
    theirs, _ = run_dali("flip", samples, layout, per_sample=nodes)
    np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("ndim", [3, 4, 5])
def test_without_a_layout(ndim):
    sample = pixels(*range(2, 2 + ndim))
    arguments = {"depthwise": 1, "vertical": 1}
    np.testing.assert_array_equal(
        run("flip", [sample], **arguments), run_dali("flip", [sample], **arguments)[0]
    )
