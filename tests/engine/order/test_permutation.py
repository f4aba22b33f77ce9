from __future__ import annotations

from collections import Counter
from itertools import permutations
from math import factorial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.engine.errors import ArgumentError
from penstock.engine.order.permutation import LARGEST, Permutation


@pytest.mark.parametrize("size", [*range(1, 66), 100, 257, 1000, 4096, 65537, 300_000])
def test_every_number_comes_once_and_finds_back(size):
    shuffle = Permutation(size, key=size * 17)
    images = shuffle(np.arange(size))
    assert images.dtype == np.int64
    np.testing.assert_array_equal(np.sort(images), np.arange(size))
    np.testing.assert_array_equal(shuffle.inverse(images), np.arange(size))


@given(st.integers(1, LARGEST), st.integers(), st.data())
def test_any_size_and_key_in_both_directions(size, key, data):
    numbers = data.draw(st.lists(st.integers(0, size - 1), max_size=20, unique=True))
    shuffle = Permutation(size, key)
    positions = np.array(numbers, np.int64)
    images = shuffle(positions)
    assert len(set(images.tolist())) == len(numbers)
    assert all(0 <= image < size for image in images.tolist())
    np.testing.assert_array_equal(shuffle.inverse(images), positions)
    np.testing.assert_array_equal(shuffle(shuffle.inverse(positions)), positions)


def test_a_position_does_not_depend_on_its_neighbours():
    shuffle = Permutation(1_281_167, key=1)
    positions = np.arange(0, 1_281_167, 5003)
    together = shuffle(positions)
    for place in (0, 100, len(positions) - 1):
        assert shuffle(positions[place : place + 1])[0] == together[place]


def test_the_argument_is_left_as_it_is():
    positions = np.arange(257)
    Permutation(257, key=1)(positions)
    np.testing.assert_array_equal(positions, np.arange(257))


@pytest.mark.parametrize("size", [0, -1, LARGEST + 1])
def test_sizes_out_of_range(size):
    with pytest.raises(ArgumentError, match="expected 1 to 2"):
        Permutation(size, key=0)


@pytest.mark.parametrize("position", [-1, 10, 2**62])
def test_positions_out_of_range(position):
    with pytest.raises(ArgumentError, match="expected 0 to 9"):
        Permutation(10, key=0)(np.array([0, position]))


@pytest.mark.parametrize("size", [2, 3, 4, 5])
def test_all_orders_of_few_items_come_about_evenly(size):
    orders = factorial(size)
    keys = 30 * orders
    items = np.arange(size)
    counts = Counter(tuple(Permutation(size, key)(items).tolist()) for key in range(keys))
    assert set(counts) == set(permutations(range(size)))
    surplus = sum((count - 30) ** 2 / 30 for count in counts.values())
    assert_plausible(surplus, orders - 1)


@pytest.mark.parametrize("size", [2, 3, 8, 20, 50, 64, 65, 257])
def test_every_place_takes_every_number_evenly_over_keys(size):
    keys = 1000
    shuffled = np.array([Permutation(size, key)(np.arange(size)) for key in range(keys)])
    expected = keys / size
    surplus = 0.0
    for place in range(size):
        counts = np.bincount(shuffled[:, place], minlength=size)
        surplus += ((counts - expected) ** 2 / expected).sum()
    assert_plausible(surplus, (size - 1) ** 2)
    fixed = (shuffled == np.arange(size)).sum(axis=1)  # one a permutation, on average
    assert abs(fixed.mean() - 1) < 0.16


@pytest.mark.parametrize("size", [7, 16, 50, 100, 1000])
def test_steps_between_neighbours_are_even(size):
    steps = np.zeros(size)
    for key in range(400):
        shuffled = Permutation(size, key)(np.arange(size))
        steps += np.bincount(np.diff(shuffled) % size, minlength=size)
    assert steps[0] == 0
    expected = steps.sum() / (size - 1)
    assert_plausible(((steps[1:] - expected) ** 2 / expected).sum(), size - 2)


@pytest.mark.parametrize("size", [10_007, 1_000_000, 10**12, LARGEST])
def test_neighbours_in_large_sets_do_not_correlate(size):
    positions = np.arange(10_000)
    images = Permutation(size, key=3)(positions) / size
    assert abs(np.corrcoef(images[:-1], images[1:])[0, 1]) < 0.04
    assert abs(np.corrcoef(positions, images)[0, 1]) < 0.04
    counts = np.histogram(images, bins=50, range=(0, 1))[0]
    assert_plausible(((counts - 200) ** 2 / 200).sum(), 49)


def test_neighbouring_keys_give_unrelated_orders():
    images = [Permutation(10_000, key)(np.arange(10_000)) for key in range(4)]
    correlations = np.corrcoef(images) - np.eye(4)
    assert np.abs(correlations).max() < 0.05


def assert_plausible(chi_square, freedom):
    """Fail where chance would land less than once in some 10,000 times (Wilson and Hilferty)."""
    spread = 2 / (9 * freedom)
    assert ((chi_square / freedom) ** (1 / 3) - (1 - spread)) / spread**0.5 < 3.7
