"""What a pipeline tells about its external sources and the batches under way."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import ArgumentError, Pipeline, fn


def fed(**options):
    pipe = Pipeline(batch_size=2, num_threads=1, **options)
    pipe.set_outputs(fn.external_source(name="numbers"))
    return pipe


@pytest.mark.parametrize(
    ("options", "count"),
    [({}, 2), ({"prefetch_queue_depth": 5}, 5), ({"exec_pipelined": False}, 1)],
)
def test_a_source_is_fed_as_many_batches_as_start_ahead(options, count):
    with fed(**options) as pipe:
        assert pipe.input_feed_count("numbers") == count
        for i in range(count):
            pipe.feed_input("numbers", np.full((2, 1), i))
        for i in range(count):
            assert pipe.run()[0].as_array().tolist() == [[i], [i]]


def test_an_unknown_source_is_refused():
    with fed() as pipe, pytest.raises(ArgumentError, match="no external source named 'images'"):
        pipe.input_feed_count("images")


def test_a_pipeline_is_empty_until_batches_start_and_once_they_are_taken():
    with fed() as pipe:
        assert pipe.empty()
        pipe.feed_input("numbers", np.zeros((2, 1)))
        pipe.schedule_run()
        assert not pipe.empty()
        pipe.share_outputs()
        assert pipe.empty()
        assert pipe.output_stream() is None
        assert pipe.enable_api_check(False) is None
        assert pipe.external_source_shm_statistics() == {
            "capacities": [],
            "per_sample_capacities": [],
        }
