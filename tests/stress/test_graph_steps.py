"""Each step of the random graphs works by itself: a graph that is refused tests nothing."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from penstock import Pipeline, fn

from .attacks.operator_graphs import KINDS

KIND_OF = {step: kind for kind in KINDS for step in kind[2]}  # several kinds share steps
STEPS = [
    pytest.param(kind, step, id=f"{kind[1].__name__}-{number}")
    for number, (step, kind) in enumerate(KIND_OF.items())
]


@pytest.mark.parametrize(("kind", "step"), STEPS)
def test_a_step_runs(kind, step):
    layout, make, _, _ = kind
    data = make(Random(1), np.random.default_rng(1))
    with Pipeline(3, num_threads=1, seed=7) as pipeline:
        source = fn.external_source(
            source=lambda info: data[info.idx_in_epoch], batch=False, layout=layout
        )
        pipeline.set_outputs(step(source, Random(2)))
        (output,) = pipeline.run()
    assert len(output) == 3
