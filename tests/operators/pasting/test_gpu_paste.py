"""`fn.paste` on the GPU: arguments that differ by sample, and samples with errors."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import Pipeline, fn
from penstock.engine.errors import ArgumentError
from penstock.testing.agreement import agree, source

from ..running import pixels

IMAGES = [pixels(6 + i, 9 - i, 3, seed=i) for i in range(4)]
NODES = {
    "ratio": np.float32([1.0, 2.3, 1.7, 3.9]),
    "paste_x": np.float32([0.0, 1.0, 0.37, 0.99]),
    "paste_y": np.float32([0.3, 0.0, 1.0, 0.7]),
    "min_canvas_size": np.float32([0, 30.7, -2.5, 12]),
}


def pipeline(images, nodes, **options):
    pipe = Pipeline(batch_size=len(images), num_threads=2, seed=1, **options)
    with pipe:
        given = {name: source(values) for name, values in nodes.items()}
        pipe.set_outputs(fn.paste(source(images, "HWC").gpu(), fill_value=(7, 8, 9), **given))
    return pipe


def test_every_argument_by_sample(device_stage):
    agree("paste", IMAGES, layout="HWC", per_sample=NODES, arguments={"fill_value": (7, 8, 9)})


@pytest.mark.parametrize(
    ("name", "bad", "message"),
    [
        ("ratio", 0.9, "ratio must be at least 1"),
        ("ratio", np.nan, "'ratio' .*not finite"),
        ("ratio", np.inf, "'ratio' .*not finite"),
        ("ratio", 1e9, "larger than 16777216 on an axis"),
        ("paste_x", 1.1, "positions from 0 to 1"),
        ("paste_y", np.nan, "'paste_y' .*not finite"),
        ("min_canvas_size", 1e9, "canvas of 1000000000x1000000000 pixels"),
        ("min_canvas_size", -np.inf, "'min_canvas_size' .*not finite"),
    ],
)
def test_one_bad_number(device_stage, name, bad, message):
    ((first, *_, last),) = agree(
        "paste", IMAGES, layout="HWC", per_sample=NODES, arguments={"fill_value": (7, 8, 9)}
    )
    nodes = NODES | {name: NODES[name].copy()}
    nodes[name][1] = bad
    with pipeline(IMAGES, nodes) as pipe, pytest.raises(ArgumentError, match=message):
        pipe.run()
    with pipeline(IMAGES, nodes, on_error="replace") as pipe:
        (out,) = pipe.run()
        assert out.valid.tolist() == [True, False, True, True]
        rows = out.as_cpu().rows()
        np.testing.assert_array_equal(rows[0], first)
        np.testing.assert_array_equal(rows[3], last)
