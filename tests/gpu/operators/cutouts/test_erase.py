"""`erase` on the GPU: samples with different numbers of regions, and samples with errors."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import Pipeline, fn
from penstock.testing.agreement import agree, source

from ....operators.running import pixels

ROWS = [pixels(10, 12 + i, 3, seed=i) for i in range(4)]
SHAPES = [np.float32(each) for each in ([4, 3], [], [2, 3, 5, 4], [9, 9, 2, 2, 1, 3])]
ANCHORS = [np.float32(each) for each in ([], [], [1, 2, 6, 6], [-3, 4, 5, 5, 0, 9])]
COLORS = [np.float32(each) for each in ([7], [1, 2, 3], [300, -5, 0.9], [9])]


@pytest.mark.parametrize("options", [{}, {"centered_anchor": True}, {"axes": (1, 0)}])
def test_numbers_of_regions_and_of_colors_that_differ(device_stage, options):
    nodes = {"shape": SHAPES, "anchor": ANCHORS, "fill_value": COLORS}
    agree("erase", ROWS, layout="HWC", per_sample=nodes, arguments=options)


def test_samples_without_anchors(device_stage):
    nodes = {"shape": SHAPES, "anchor": [*ANCHORS[:2], ANCHORS[0], ANCHORS[0]]}
    agree("erase", ROWS, layout="HWC", per_sample=nodes)


@pytest.mark.parametrize(
    ("name", "bad", "message"),
    [
        ("shape", [1, 2, 3], "anchor has 4 values and shape 3"),
        ("anchor", [1, 2], "anchor has 2 values and shape 4"),
        ("anchor", [1, 2, 3, np.inf], "all numbers must be finite"),
        ("fill_value", [1, 2], "give one, or one for each of the channels .3 here"),
        ("fill_value", [np.nan], "not finite"),
    ],
)
def test_one_bad_sample(device_stage, name, bad, message):
    nodes = {"shape": SHAPES, "anchor": ANCHORS, "fill_value": COLORS}
    (wanted,) = agree("erase", ROWS, layout="HWC", per_sample=nodes)
    nodes[name] = [*nodes[name]]
    nodes[name][2] = np.float32(bad)

    def pipeline(**options):
        pipe = Pipeline(batch_size=len(ROWS), num_threads=2, seed=1, **options)
        with pipe:
            given = {key: source(values) for key, values in nodes.items()}
            pipe.set_outputs(fn.erase(source(ROWS, "HWC").gpu(), **given))
        return pipe

    with pipeline() as pipe, pytest.raises(ValueError, match=message) as caught:
        pipe.run()
    assert "sample 2" in " ".join(caught.value.__notes__)
    with pipeline(on_error="replace") as pipe:
        (out,) = pipe.run()
        rows = out.as_cpu().rows()
        assert out.valid.tolist() == [True, True, False, True]
        for i in (0, 1, 3):
            np.testing.assert_array_equal(rows[i], wanted[i])
