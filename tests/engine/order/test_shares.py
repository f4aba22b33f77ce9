"""How many samples of each source an epoch has."""

import json
from fractions import Fraction

import pytest

from penstock.engine.errors import ArgumentError
from penstock.engine.order.shares import (
    Shares,
    apportioned,
    shares_of_batches,
    shares_of_choice,
    shares_of_repeats,
    shares_of_weights,
)

SIZES = {"hand": 30, "web": 300}


@pytest.mark.parametrize(
    ("epoch_size", "counts"),
    [("longest", (700, 300)), ("shortest", (29, 13)), (10, (7, 3)), (1001, (701, 300))],
)
def test_weights(epoch_size, counts):
    shares = shares_of_weights(SIZES, {"hand": 0.7, "web": 0.3}, epoch_size)
    assert shares.counts(0) == shares.counts(5) == counts


def test_weights_are_taken_as_they_are_written():
    sizes = {"a": 30, "b": 30, "c": 30}
    assert sum(shares_of_weights(sizes, {"a": 0.6, "b": 0.3, "c": 0.1}, "longest").counts(0)) == 300


def test_a_weight_of_zero_leaves_a_source_out():
    assert shares_of_weights(SIZES, {"hand": 0, "web": 2}, "longest").counts(0) == (0, 300)


def test_half_of_a_source_alternates():
    shares = shares_of_repeats({"a": 3, "b": 2}, {"a": 0.5})
    assert [shares.counts(epoch) for epoch in range(4)] == [(2, 2), (1, 2), (2, 2), (1, 2)]
    assert shares.before(4) == [6, 8]


def test_without_numbers_each_sample_comes_once():
    assert shares_of_repeats(SIZES, {}).counts(0) == (30, 300)


def test_a_number_of_samples_is_chosen():
    assert shares_of_choice(SIZES, {"web": 50}).counts(0) == (30, 50)


def test_numbers_of_a_batch():
    shares = shares_of_batches(SIZES, {"hand": 1, "web": 3}, 4, "longest")
    assert shares.counts(0) == (100, 300)
    assert shares_of_batches(SIZES, {"hand": 1, "web": 3}, 4, "shortest").counts(0) == (30, 90)
    assert shares_of_batches(SIZES, {"hand": 1, "web": 3}, 4, 9).counts(0) == (3, 9)


def test_largest_remainders():
    assert apportioned(7, [1, 1, 2]) == (2, 2, 3)
    assert apportioned(0, [1, 2]) == (0, 0)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: shares_of_weights(SIZES, {"hand": -1, "web": 1}, "longest"), "is negative"),
        (lambda: shares_of_weights(SIZES, {"hand": 0, "web": 0}, "longest"), "all are 0"),
        (lambda: shares_of_weights(SIZES, {"hand": float("nan"), "web": 0}, 5), "not finite"),
        (lambda: shares_of_weights(SIZES, {"hand": "x", "web": 0}, 5), "'hand' is 'x'"),
        (lambda: shares_of_weights(SIZES, {"hand": 1}, 5), "no number for the source 'web'"),
        (lambda: shares_of_weights(SIZES, {"hand": 1, "webb": 1}, 5), "did you mean 'web'"),
        (lambda: shares_of_weights(SIZES, {"hand": 1, "web": 1}, "long"), 'expected "longest"'),
        (lambda: shares_of_weights(SIZES, {"hand": 1, "web": 1e9}, 9), "has none of 'hand'"),
        (lambda: shares_of_weights(SIZES, {"hand": 1, "web": 1e-12}, "longest"), "epoch_size"),
        (lambda: shares_of_repeats({"a": 1}, {"a": 0.5}), "no sample"),
        (lambda: shares_of_choice(SIZES, {"web": 1.5}), "a whole number"),
        (lambda: shares_of_choice({"a": 2}, {"a": 0}), "no sample"),
        (lambda: shares_of_batches(SIZES, {"hand": 1, "web": 3}, 5, 9), "a batch has 5"),
    ],
)
def test_wrong_numbers_are_refused(make, message):
    with pytest.raises(ArgumentError, match=message):
        make()


def test_shares_as_json():
    for shares in (
        Shares((Fraction(3), Fraction(7, 2))),
        shares_of_batches(SIZES, {"hand": 1, "web": 3}, 4, "longest"),
    ):
        assert Shares.from_json(json.loads(json.dumps(shares.to_json()))) == shares


@pytest.mark.parametrize(
    "value",
    [
        {"counts": []},
        {"counts": ["1/0"]},
        {"counts": [-1, 5]},
        {"counts": [1 << 50]},
        {"counts": [1], "per_batch": [1, 2]},
        {"counts": [1], "per_batch": [0]},
    ],
)
def test_damaged_shares_are_no_shares(value):
    with pytest.raises((ValueError, ZeroDivisionError)):
        Shares.from_json(value)
