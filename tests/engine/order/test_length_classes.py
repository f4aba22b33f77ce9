"""Classes by length, and the sizes of their batches."""

from itertools import combinations

import numpy as np
import pytest

from penstock.engine.errors import ArgumentError
from penstock.engine.order.length_classes import LengthClasses

LENGTHS = np.random.default_rng(1).uniform(1, 20, 2000)


@pytest.mark.parametrize("quadratic", [None, 30.0])
def test_batches_cost_the_budget_at_most(quadratic):
    classes = LengthClasses(LENGTHS, budget=100, most=64, quadratic=quadratic)
    assert len(classes.sizes) == 30
    assert sum(classes.sizes) == 2000
    low = 0.0
    for number, (bound, size, batch) in enumerate(
        zip(classes.bounds, classes.sizes, classes.batch_sizes, strict=True)
    ):
        own = LENGTHS[classes.indices(number, np.arange(size))]
        assert low < own.min()
        assert own.max() == bound
        low = bound
        cost = bound + (bound**2 / quadratic if quadratic else 0)
        assert batch * cost <= 100 < (batch + 1) * cost or batch == 64


def test_bounds_are_those_of_the_least_padding():
    lengths = np.random.default_rng(2).integers(1, 12, 40).astype(float)

    def paid(bounds):
        return bounds[np.searchsorted(bounds, lengths, "left")].sum()

    ends = np.unique(lengths)
    for buckets in (1, 2, 3, 4):
        classes = LengthClasses(lengths, budget=100, most=64, buckets=buckets)
        least = min(
            paid(np.array([*others, ends[-1]]))
            for others in combinations(ends[:-1].tolist(), buckets - 1)
        )
        assert paid(np.array(classes.bounds)) == least
        assert len(classes.bounds) == buckets


def test_bounds_of_ones_own():
    classes = LengthClasses([1, 2, 3, 9], budget=20, buckets=[2, 5, 7], most=64)
    assert classes.bounds == (2, 5, 9)
    assert classes.sizes == (2, 1, 1)
    assert classes.batch_sizes == (10, 4, 2)


def test_sizes_are_rounded_and_limited():
    classes = LengthClasses([1, 3, 9], budget=20, buckets=[1, 3], most=14, multiple_of=4)
    assert classes.batch_sizes == (12, 4, 2)


def test_equal_lengths_are_one_class():
    assert LengthClasses([5] * 100, budget=20, most=64).sizes == (100,)


def test_samples_that_are_too_long():
    with pytest.raises(ArgumentError, match="sample 2 costs 50, more than the budget of 20"):
        LengthClasses([1, 2, 50, 40], budget=20, most=64)
    alone = LengthClasses([1, 2, 50], budget=20, most=64, long="alone")
    assert alone.batch_sizes[-1] == 1
    dropped = LengthClasses([1, 50, 2], budget=20, buckets=1, most=64, long="drop")
    assert (dropped.sizes, dropped.dropped) == ((2,), 1)
    assert dropped.indices(0, np.arange(2)).tolist() == [0, 2]


@pytest.mark.parametrize(
    ("lengths", "options", "message"),
    [
        ([], {}, "each sample needs a length"),
        ([1, np.nan], {}, "a finite number"),
        ([-1], {}, "0 or more"),
        ([1], {"budget": 0}, "budget and quadratic positive"),
        ([1], {"buckets": 0}, "buckets=0"),
        ([1], {"multiple_of": 0}, "multiple_of 1 or more"),
        ([1], {"long": "cut"}, "expected one of error, alone, drop"),
        ([50], {"long": "drop"}, "no sample costs less"),
    ],
)
def test_wrong_arguments_are_refused(lengths, options, message):
    with pytest.raises(ArgumentError, match=message):
        LengthClasses(lengths, **{"budget": 20, "most": 64, **options})
