"""What a pipeline tells about its external sources and the batches under way."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import ArgumentError, Pipeline, fn
from penstock.engine.order.selection import Selection


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


# One batch at a time


def numbers(*values):
    return {"numbers": np.array(values, np.float32)}


def noisy(**options):
    """A pipeline whose samples come with a random number each."""
    pipe = Pipeline(batch_size=2, num_threads=1, seed=3, **options)
    source = fn.external_source(name="numbers")
    pipe.set_outputs(source, fn.random.uniform(range=[0, 1]))
    return pipe


def test_batches_start_and_end_one_by_one():
    with noisy() as pipe:
        assert pipe.fed_names() == ["numbers"]
        assert (pipe.ahead, pipe.feeder) == (2, None)
        for i in range(2):
            pipe.start_batch(numbers(i, i + 10), owned=True)
        assert pipe.feeder.is_alive()
        assert [pipe.take_batch()[0].as_array().tolist() for _ in range(2)] == [[0, 10], [1, 11]]


def test_known_samples_key_the_random_numbers():
    def noise(pipe, *positions):
        index = np.array(positions)
        samples = Selection(index, np.full(len(index), 7), index, np.ones(len(index), bool))
        pipe.start_batch(numbers(*positions), samples, owned=True)
        return pipe.take_batch()[1].as_array().tolist()

    with noisy() as pipe, noisy() as other:
        first, second = noise(pipe, 5, 9)
        assert noise(pipe, 9, 1)[0] == second
        assert noise(other, 5) == [first]


def test_data_that_others_use_are_copied_unless_the_source_says_no():
    for no_copy, owned, seen in ((False, False, 1), (False, True, 2), (True, False, 2)):
        with Pipeline(batch_size=1, num_threads=1) as pipe:
            pipe.set_outputs(fn.external_source(name="numbers", no_copy=no_copy))
        memory = np.ones(32)
        data = memory[-memory.ctypes.data % 64 // 8 :][:8].reshape(1, 8)  # aligned as outputs are
        pipe.start_batch({"numbers": data}, owned=owned)
        (output,) = pipe.take_batch()
        data[:] = 2
        assert output.as_array().tolist() == [[seen] * 8]
        pipe.close()


def test_an_error_ends_its_batch_alone():
    def checked(x):
        if x == 3:
            raise KeyError("three")
        return x

    with Pipeline(batch_size=1, num_threads=1) as pipe:
        pipe.set_outputs(fn.python_function(fn.external_source(name="numbers"), function=checked))
    for i in (2, 3, 4):
        pipe.start_batch(numbers(i), owned=True)
    results = [pipe.take_batch() for _ in range(3)]
    assert [type(result) for result in results] == [tuple, KeyError, tuple]
    assert results[2][0].as_array().tolist() == [4]
    pipe.close()


def test_batches_can_be_discarded_also_if_some_sources_are_fed():
    with Pipeline(batch_size=1, num_threads=1) as pipe:
        one, two = fn.external_source(name="numbers"), fn.external_source(name="more")
        pipe.set_outputs(one, two)
    pipe.start_batch(numbers(1) | {"more": np.ones(1)}, owned=True)
    with pytest.raises(ArgumentError, match="no external source named 'others'"):
        pipe.start_batch(numbers(2) | {"others": np.ones(1)}, owned=True)
    pipe.discard_batches()
    pipe.start_batch(numbers(3) | {"more": np.full(1, 4)}, owned=True)
    outputs = pipe.take_batch()
    assert [output.as_array().tolist() for output in outputs] == [[3], [4]]
    pipe.close()
