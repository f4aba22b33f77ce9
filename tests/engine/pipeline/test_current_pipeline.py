"""`Pipeline.current`, `push_current` and `pop_current`."""

from __future__ import annotations

import threading

import pytest

from penstock import Pipeline, fn, pipeline_def


def new():
    return Pipeline(batch_size=1, num_threads=1)


def test_the_current_pipeline_is_the_innermost_that_is_being_defined():
    outer, inner = new(), new()
    assert Pipeline.current() is None
    with outer:
        assert Pipeline.current() is outer
        with inner:
            assert Pipeline.current() is inner
        assert Pipeline.current() is outer
    assert Pipeline.current() is None


def test_a_definition_knows_its_pipeline():
    seen = []

    @pipeline_def(batch_size=1, num_threads=1)
    def definition():
        seen.append(Pipeline.current())
        return fn.random.uniform()

    pipe = definition()
    assert seen == [pipe]


def test_operators_belong_to_the_pipeline_that_was_pushed():
    one, two = new(), new()
    assert Pipeline.push_current(one) is None
    assert Pipeline.push_current(two) is one
    second = fn.random.coin_flip(name="second")
    Pipeline.pop_current()
    assert Pipeline.current() is one
    first = fn.random.coin_flip(name="first")
    Pipeline.pop_current()
    assert Pipeline.current() is None
    Pipeline.pop_current()  # none is left
    assert one._definition.graph.holds(first.node)
    assert two._definition.graph.holds(second.node)


def test_a_block_ends_what_was_pushed_in_it():
    one, two = new(), new()
    with one:
        Pipeline.push_current(two)
    assert Pipeline.current() is None


def test_none_can_be_pushed():
    with new():
        Pipeline.push_current(None)
        assert Pipeline.current() is None
        Pipeline.pop_current()
        assert Pipeline.current() is not None


def test_each_thread_has_a_current_pipeline_of_its_own():
    seen = []
    with new():
        thread = threading.Thread(target=lambda: seen.append(Pipeline.current()))
        thread.start()
        thread.join()
    assert seen == [None]


def test_a_sink_runs_though_no_output_needs_it():
    seen = []

    def look(value):
        seen.append(int(value))
        return value

    with new() as pipe:
        number = fn.random.coin_flip(probability=1.0)
        pipe.add_sink(fn.python_function(number, function=look))
        pipe.set_outputs(number)
    pipe.run()
    pipe.close()
    assert seen
    assert set(seen) == {1}


def test_a_sink_may_be_made_outside_but_not_after_the_pipeline_was_built():
    pipe = new()
    pipe.set_outputs(fn.random.coin_flip())
    pipe.add_sink(fn.random.uniform(name="sink"))
    pipe.build()
    assert "sink" in {node.name for node in pipe._as_built().plan.nodes}
    with pytest.raises(ValueError, match="before the pipeline is built"):
        pipe.add_sink(fn.random.uniform())
    pipe.close()
