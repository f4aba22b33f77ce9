"""`Pipeline.executor_statistics`."""

from __future__ import annotations

import numpy as np

from penstock import Pipeline, fn, types


def run(definition, batches=3, **options):
    with Pipeline(batch_size=4, num_threads=2, **options) as pipe:
        pipe.set_outputs(*definition())
    for _ in range(batches):
        pipe.run()
    figures = pipe.executor_statistics()
    pipe.close()
    return figures


def ragged():
    rows = fn.external_source(lambda i: [np.zeros(1 + i + k, np.float32) for k in range(4)])
    halves = fn.cast(rows * 2, dtype=types.FLOAT16, name="halves")
    return rows, halves, fn.random.uniform(name="uniform", shape=[3])


def test_results_are_measured_by_operator_and_output():
    figures = run(ragged, enable_memory_stats=True, prefetch_queue_depth=1)
    assert set(figures["halves"]) == {
        "real_memory_size",
        "max_real_memory_size",
        "reserved_memory_size",
        "max_reserved_memory_size",
    }
    largest = figures["halves"]
    # Batch 2, at least, has rows of 3, 4, 5 and 6 elements; a batch more may have started.
    assert largest["real_memory_size"][0] in (2 * 18, 2 * 22)
    assert largest["max_real_memory_size"][0] in (2 * 6, 2 * 7)
    assert largest["reserved_memory_size"][0] >= largest["real_memory_size"][0]
    assert figures["uniform"]["real_memory_size"] == [4 * 3 * 4]
    assert figures["uniform"]["max_real_memory_size"] == [3 * 4]


def test_nothing_is_measured_unless_asked_for():
    assert run(ragged) == {}
    pipe = Pipeline(batch_size=1, num_threads=1, enable_memory_stats=True)
    pipe.set_outputs(fn.random.uniform())
    assert pipe.executor_statistics() == {}
    pipe.run()
    assert pipe.executor_statistics() != {}
    pipe.close()
