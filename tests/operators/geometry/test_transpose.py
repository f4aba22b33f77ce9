"""`fn.transpose`: order of dimensions, and layouts."""

import numpy as np
import pytest

from penstock import fn, types
from penstock.engine.errors import ArgumentError
from penstock.engine.run.pipeline import Pipeline

from ..running import make, pixels, run

SAMPLE = pixels(2, 3, 4)


@pytest.mark.parametrize("perm", [(2, 0, 1), (0, 1, 2), (1, 0, 2), None])
def test_dimensions(perm):
    (result,) = run("transpose", [SAMPLE], perm=perm)
    np.testing.assert_array_equal(result, SAMPLE.transpose(perm))
    assert np.shares_memory(result, SAMPLE)


@pytest.mark.parametrize(
    ("arguments", "layout"),
    [
        ({"perm": (2, 0, 1)}, "CHW"),
        ({}, "CWH"),
        ({"perm": (2, 0, 1), "transpose_layout": False}, "HWC"),
        ({"perm": (2, 0, 1), "output_layout": "ABC"}, "ABC"),
        ({"output_layout": "", "transpose_layout": True}, ""),
    ],
)
def test_layout(arguments, layout):
    assert make("transpose", "HWC", **arguments).output_layouts() == (layout,)


@pytest.mark.parametrize(
    ("layout", "arguments", "message"),
    [
        ("HWC", {"perm": (1, 0)}, "input's layout is 'HWC', but perm orders 2"),
        ("", {"perm": (2, 0, 0)}, r"each of \[0, 1, 2\] once"),
        ("", {"perm": (-1, 0, 1)}, "once"),
        ("", {"perm": (1, 0)}, "3 dimensions"),
        ("", {"output_layout": "AB"}, "3 dimensions"),
        ("HWC", {"perm": (2, 0, 1), "output_layout": "AB"}, "output layout is 'AB'"),
    ],
)
def test_bad_arguments(layout, arguments, message):
    with pytest.raises(ArgumentError, match=message):
        run("transpose", [SAMPLE], layout, **arguments)


def test_in_a_pipeline():
    pipe = Pipeline(batch_size=2, num_threads=1)
    with pipe:
        pipe.set_outputs(fn.transpose(types.Constant(SAMPLE, layout="HWC"), perm=[2, 0, 1]))
        (out,) = pipe.run()
        assert out.layout() == "CHW"
        np.testing.assert_array_equal(out.as_array(), [SAMPLE.transpose(2, 0, 1)] * 2)
