"""The decorator `pipeline_def`."""

from __future__ import annotations

import pytest

from penstock import ArgumentError, Pipeline, fn, pipeline_def
from penstock.pipeline import do_not_convert

from ..toys import Affine, Numbers, call


def test_options_of_the_decorator_and_of_the_call():
    @pipeline_def(batch_size=2, num_threads=1, seed=1)
    def define(factor, *, summand=0):
        """What it does."""
        return call(Affine, call(Numbers)[0], a=factor, b=summand)

    assert (define.__name__, define.__doc__) == ("define", "What it does.")
    with define(2, summand=1, batch_size=3) as pipe:
        assert isinstance(pipe, Pipeline)
        assert (pipe.batch_size, pipe.num_threads, pipe.seed) == (3, 1, 1)
        assert pipe.run()[0].as_array()[:, 0].tolist() == [1, 3, 5]
    with define(factor=1) as pipe:
        assert pipe.batch_size == 2


def test_without_options_they_come_with_the_call():
    @pipeline_def
    def define():
        return call(Numbers)

    with define(batch_size=5, num_threads=1) as pipe:
        assert len(pipe.run()) == 2
    with pytest.raises(ArgumentError, match="batch_size"):
        define()


def test_an_argument_of_the_function_comes_first():
    @pipeline_def(batch_size=2, num_threads=1, seed=5)
    def define(seed):
        return call(Affine, call(Numbers)[0], b=seed)

    with define(seed=3) as pipe:
        assert pipe.seed == 5
        assert pipe.run()[0].as_array()[:, 0].tolist() == [3, 4]


def test_each_call_makes_a_pipeline_of_its_own():
    @pipeline_def(batch_size=2, num_threads=1)
    def define():
        return call(Numbers)

    with define() as one, define() as other:
        one.run()
        assert one.run()[1].as_array().tolist() == [2, 3]
        assert other.run()[1].as_array().tolist() == [0, 1]


def test_what_is_not_supported_is_explained():
    with pytest.raises(ArgumentError, match="no argument 'colour'; there are"):

        @pipeline_def(batch_size=2, colour="red")
        def define():
            return 1


def test_the_function_may_be_given_by_its_name_in_dali():
    made = pipeline_def(fn=lambda: fn.random.uniform(), batch_size=1, num_threads=1)
    with made() as pipe:
        assert len(pipe.run()) == 1
    assert do_not_convert(func=len)([1, 2]) == 2
