"""`fn._conditional`: batches that a definition splits and merges itself."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import fn, pipeline_def
from penstock.engine.errors import ArgumentError

SIZE = 6
SCALED = [0, 1, 2, 30, 40, 50]


def numbers():
    return fn.external_source(lambda: [np.array(i, np.int32) for i in range(SIZE)])


def test_batches_that_are_split_and_merged_by_hand():
    def define():
        x = numbers()
        large, small = fn._conditional.split(x, predicate=x > 2)
        return fn._conditional.merge(large * 10, small, predicate=x > 2), large, small

    def together():
        x = numbers()
        condition = x > 2
        large, small = fn._conditional.split(x, predicate=condition)
        factor, _ = fn._conditional.split(x + 1, predicate=condition)
        merged = fn._conditional.merge(large * factor, small, predicate=condition)
        return merged, fn._conditional.not_(x)

    with pipeline_def(batch_size=SIZE, num_threads=1)(define)() as pipe:
        merged, large, small = pipe.run()
        assert merged.as_array().tolist() == SCALED
        assert large.as_array().tolist() == [3, 4, 5]
        assert small.as_array().tolist() == [0, 1, 2]
    with pipeline_def(batch_size=SIZE, num_threads=1)(together)() as pipe:
        merged, negated = pipe.run()
        assert merged.as_array().tolist() == [0, 1, 2, 12, 20, 30]
        assert negated.as_array().tolist() == [True, *[False] * 5]


def test_parts_that_have_other_samples():
    def define():
        x = numbers()
        large, small = fn._conditional.split(x, predicate=x > 2)
        return large + small

    with pytest.raises(ArgumentError, match="only some samples have its input"):
        pipeline_def(batch_size=SIZE, num_threads=1)(define)()


def test_values_that_are_not_of_type_bool():
    def define():
        return fn._conditional.validate_logical(
            numbers(), expression_name="and", expression_side="left"
        )

    with (
        pipeline_def(batch_size=SIZE, num_threads=1)(define)() as pipe,
        pytest.raises(ArgumentError, match="type `int32` as the left argument"),
    ):
        pipe.run()
