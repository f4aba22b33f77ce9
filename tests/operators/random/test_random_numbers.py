import math

import numpy as np
import pytest

from penstock.engine.errors import ArgumentError
from penstock.engine.graph.context import Placement
from penstock.engine.graph.operator import OPERATORS
from penstock.engine.tensors import dtypes as types
from penstock.operators.random.random_numbers import CoinFlip, Normal, Uniform
from penstock.tests.operators.goodness import chi_square, kolmogorov
from penstock.tests.operators.running import array, batch_of, dense, per_batch, tensors


def draw(kind, size=2000, shape_like=None, key=1, number=0, **arguments):
    data = {k: v for k, v in arguments.items() if hasattr(v, "row")}
    constants = {k: v for k, v in arguments.items() if k not in data}
    layouts = () if shape_like is None else ("",)
    operator = kind("cpu", tuple(data), layouts, **constants)
    operator.placement = Placement(random_key=key)
    inputs = () if shape_like is None else (shape_like,)
    return operator.batch(batch_of(size, number=number), *inputs, **per_batch(operator, data))


def test_uniform_is_uniform():
    numbers = draw(Uniform, range=(2, 5)).as_array()
    assert numbers.dtype == np.float32
    assert numbers.shape == (2000,)
    assert kolmogorov(numbers, lambda x: (x - 2) / 3) < 1.95


def test_uniform_default_range():
    numbers = draw(Uniform, shape=(3, 2)).as_array()
    assert numbers.shape == (2000, 3, 2)
    assert kolmogorov(numbers, lambda x: (x + 1) / 2) < 1.95


def test_uniform_never_reaches_its_end():
    start = np.float32(16777216)
    numbers = draw(Uniform, range=(start, start + 2)).as_array()
    assert set(numbers.tolist()) == {start}


def test_uniform_values():
    numbers = draw(Uniform, values=[1, 5, 7.5]).as_array()
    counts = [int((numbers == v).sum()) for v in (1, 5, 7.5)]
    assert sum(counts) == 2000
    assert chi_square(counts, [2000 / 3] * 3) < 13.8


def test_uniform_values_by_sample():
    numbers = draw(
        Uniform,
        3,
        values=tensors(array("float32", [1]), array("float32", [2, 3]), array("float32", [4])),
    )
    assert numbers.as_array()[0] == 1
    assert numbers.as_array()[1] in (2, 3)
    assert numbers.as_array()[2] == 4


def test_uniform_range_by_sample():
    numbers = draw(Uniform, 2, range=dense([[0.0, 1.0], [10.0, 11.0]]), shape=[100]).as_array()
    assert 0 <= numbers[0].min() < numbers[0].max() < 1
    assert 10 <= numbers[1].min() < numbers[1].max() < 11


def test_integers_are_rounded_and_clamped():
    numbers = draw(Uniform, range=(-300, 500), dtype=types.UINT8).as_array()
    assert numbers.dtype == np.uint8
    assert {0, 255} <= set(numbers.tolist())
    assert np.mean(numbers == 0) == pytest.approx(300.5 / 800, abs=0.04)


def test_normal_is_normal():
    numbers = draw(Normal, mean=3, stddev=2).as_array()
    assert numbers.dtype == np.float32
    assert kolmogorov(numbers, lambda x: (1 + math.erf((x - 3) / 2 / math.sqrt(2))) / 2) < 1.95


def test_normal_by_sample():
    numbers = draw(Normal, 2, mean=dense([0.0, 100.0]), stddev=dense([1.0, 0.0]), shape=50)
    assert numbers.as_array()[0].std() > 0.5
    assert set(numbers.as_array()[1].tolist()) == {100}


def test_coin():
    flips = draw(CoinFlip, probability=0.25).as_array()
    assert flips.dtype == np.int32
    assert set(flips.tolist()) == {0, 1}
    assert flips.sum() == pytest.approx(500, abs=3.3 * math.sqrt(2000 * 0.25 * 0.75))


def test_coin_by_sample():
    flips = draw(CoinFlip, 2, probability=dense([0.0, 1.0]), shape=(20,), dtype=types.BOOL)
    assert flips.as_array().tolist() == [[False] * 20, [True] * 20]


def test_shape_of_an_input():
    like = tensors(np.zeros((2, 3)), np.zeros(4))
    numbers = draw(Uniform, 2, like)
    assert numbers.shape() == [(2, 3), (4,)]
    assert draw(Normal, 2, dense(np.zeros((2, 5)))).shape() == [(5,), (5,)]


def test_shape_by_sample():
    numbers = draw(Uniform, 2, shape=dense([[2, 3], [1, 1]]))
    assert numbers.shape() == [(2, 3), (1, 1)]


def test_numbers_belong_to_the_sample():
    whole = draw(Uniform, 8).as_array()
    halves = [draw(Uniform, 4, number=n).as_array() for n in (0, 1)]
    np.testing.assert_array_equal(whole, np.concatenate(halves))
    assert not np.array_equal(whole, draw(Uniform, 8, key=2).as_array())


def test_many_numbers_a_sample_are_drawn_in_pieces():
    big = draw(Uniform, 3, shape=(300, 1000)).as_array()
    one = draw(Uniform, 3, shape=(5,)).as_array()
    np.testing.assert_array_equal(big.reshape(3, -1)[:, :5], one)


def test_empty_batch():
    assert len(draw(Uniform, 0)) == 0


@pytest.mark.parametrize(
    ("kind", "arguments", "text"),
    [
        (Uniform, {"range": (1, 1)}, "is empty"),
        (Uniform, {"range": (1,)}, "two numbers"),
        (Uniform, {"range": (0, 1), "values": (1,)}, "range and values exclude one another"),
        (Uniform, {"values": ()}, "at least one number"),
        (Uniform, {"shape": (-1,)}, "at least 0"),
        (CoinFlip, {"probability": 1.5}, "from 0 to 1"),
        (Normal, {"mean": dense(np.zeros((2, 2)))}, "one number a sample"),
    ],
)
def test_bad_arguments(kind, arguments, text):
    with pytest.raises(ArgumentError, match=text):
        draw(kind, 2, **arguments)


def test_shape_twice():
    with pytest.raises(ArgumentError, match="either shape or the input"):
        draw(Uniform, 2, dense(np.zeros((2, 5))), shape=(1,))


def test_older_names():
    assert OPERATORS["uniform"] is OPERATORS["random.uniform"] is Uniform
    assert OPERATORS["coin_flip"] is CoinFlip
    assert OPERATORS["normal_distribution"] is Normal
