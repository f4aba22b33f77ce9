"""`fn.flip`: which axes are mirrored."""

import numpy as np
import pytest

from penstock import fn, types
from penstock.engine.errors import ArgumentError
from penstock.engine.run.pipeline import Pipeline

from ..running import pixels, run


@pytest.mark.parametrize(
    "layout", ["HW", "HWC", "CHW", "DHWC", "FHWC", "FCHW", "CDHW", "FDHWC", "FCDHW"]
)
def test_axes_of_every_layout(layout):
    sample = pixels(*range(2, 2 + len(layout)))
    for argument, letter in (("horizontal", "W"), ("vertical", "H"), ("depthwise", "D")):
        others = {"horizontal": 0} if argument != "horizontal" else {}
        (result,) = run("flip", [sample], layout, **{argument: 1}, **others)
        wanted = np.flip(sample, layout.index(letter)) if letter in layout else sample
        np.testing.assert_array_equal(result, wanted)
        assert np.shares_memory(result, sample)


def test_arguments_vary_by_sample():
    sample = pixels(4, 5, 3)
    nodes = {"horizontal": [0, 1], "vertical": [1, 1]}
    first, second = run("flip", [sample, sample], "HWC", per_sample=nodes)
    np.testing.assert_array_equal(first, sample[::-1])
    np.testing.assert_array_equal(second, sample[::-1, ::-1])


def test_without_a_layout_four_dimensions_are_a_video():
    sample = pixels(2, 3, 4, 3)
    (result,) = run("flip", [sample], depthwise=1, horizontal=0)
    np.testing.assert_array_equal(result, sample)


def test_a_layout_without_width():
    with pytest.raises(ArgumentError, match="the layout 'HC' has no W"):
        run("flip", [pixels(3, 4)], "HC")


def test_in_a_pipeline():
    image = pixels(4, 5, 3)
    pipe = Pipeline(batch_size=2, num_threads=1)
    with pipe:
        pipe.set_outputs(fn.flip(types.Constant(image, layout="HWC")))
        (out,) = pipe.run()
        np.testing.assert_array_equal(out.as_array(), [image[:, ::-1]] * 2)
