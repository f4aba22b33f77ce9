"""The byte budget for device memory, and what `stats` says of it."""

from __future__ import annotations

import numpy as np

from penstock import Pipeline, fn, types

SIDE = 64
ONE = 2 * (4 * SIDE * SIDE + 4 * SIDE * SIDE * 4)  # what two samples take: bytes, then floats


def numbered(**options):
    """Return a pipeline of which batch k is k everywhere."""
    pipe = Pipeline(batch_size=2, num_threads=2, **options)
    with pipe:
        source = (np.full((2, 4, SIDE, SIDE), k, np.uint8) for k in range(100))
        pipe.set_outputs(fn.cast(fn.external_source(source).gpu(), dtype=types.FLOAT))
    return pipe


def test_the_device_budget_holds_batches_back(device_stage):
    budget = 4 * ONE
    with numbered(prefetch_queue_depth=8, prefetch_device_bytes=budget) as pipe:
        for k in range(30):
            (batch,) = pipe.run()
            assert (batch.as_cpu().as_array() == k).all()
            stats = pipe.stats()
            assert 0 < stats.device_lent_bytes <= budget
        assert "GPU memory: " in str(stats)


def test_a_consumer_that_holds_everything_still_gets_batches(device_stage):
    with numbered(prefetch_queue_depth=4, prefetch_device_bytes=1) as pipe:
        kept = [pipe.run()[0] for _ in range(10)]
        assert [batch.as_cpu().at(0)[0, 0, 0] for batch in kept] == list(range(10))
        assert pipe.stats().memory_wait_s > 0
