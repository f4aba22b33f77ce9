"""Benchmarks look at batches on the GPU behind queued work."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import fn, pipeline_def, types
from penstock.benchmarks.looking import ONE_IN, Watched, WrongSamplesError

BATCH, BATCHES = 16, 40


@pipeline_def(batch_size=BATCH, num_threads=2, device_id=0, seed=1)
def numbers(random, shapes, low):
    data = fn.external_source(lambda: [random.random(shape) + low for shape in shapes])
    return data.gpu(), fn.cast(data, dtype=types.INT32).gpu()


def watched(cupy, shapes, make):
    """Take batches while the stream that sums them is far behind."""
    seen = Watched(object(), make)
    far_behind = cupy.zeros(1 << 26)
    for _ in range(BATCHES):
        far_behind += 1
        seen.run()
    return seen.looked(1.0)


DENSE, RAGGED = [(64, 64)] * BATCH, [(64 + i, 64) for i in range(BATCH)]


@pytest.mark.parametrize(
    ("shapes", "compared"),
    [(DENSE, BATCH * BATCHES), (RAGGED, len(range(0, BATCH * BATCHES, ONE_IN)))],
)
def test_batches_are_those_of_the_pipeline_alone(cupy, shapes, compared):
    looked = watched(cupy, shapes, lambda: numbers(np.random.default_rng(1), shapes, 1.0))
    assert (looked.compared, looked.wrong) == (compared, 0)


@pytest.mark.parametrize("shapes", [DENSE, RAGGED])
def test_other_samples_are_noticed(cupy, shapes):
    lows = iter((1.0, 1.1))
    with pytest.raises(WrongSamplesError):
        watched(cupy, shapes, lambda: numbers(np.random.default_rng(1), shapes, next(lows)))
