from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.engine.errors import ArgumentError
from penstock.engine.order.block_permutation import BlockPermutation, Blocks
from penstock.engine.order.permutation import LARGEST


@given(st.integers(1, 300), st.integers(1, 40), st.integers(1, 9), st.integers())
def test_every_sample_comes_once_and_blocks_stay_in_their_window(size, block, window, key):
    order = BlockPermutation(size, Blocks(block, window), key)(np.arange(size))
    assert order.dtype == np.int64
    np.testing.assert_array_equal(np.sort(order), np.arange(size))
    blocks = order // block
    begin = 0
    seen = set()
    while begin < size:
        # A window's blocks come before those of any other, so their sizes tell where it ends.
        first = []
        for number in blocks[begin:].tolist():
            if number not in first and len(first) < window:
                first.append(number)
        end = begin + sum(min(block, size - number * block) for number in first)
        assert set(blocks[begin:end].tolist()) == set(first)
        assert not seen & set(first)
        seen |= set(first)
        begin = end


@given(
    st.integers(1, LARGEST),
    st.integers(1, 2**40),
    st.integers(1, 2**20),
    st.integers(),
    st.data(),
)
def test_any_position_is_computed_alone(size, block, window, key, data):
    numbers = data.draw(st.lists(st.integers(0, size - 1), max_size=8, unique=True))
    order = BlockPermutation(size, Blocks(block, window), key)
    together = order(np.array(numbers, np.int64))
    assert len(set(together.tolist())) == len(numbers)
    assert all(0 <= index < size for index in together.tolist())
    alone = [int(order(np.array([number]))[0]) for number in numbers]
    assert together.tolist() == alone


def test_one_window_over_everything_mixes_everything():
    order = BlockPermutation(10_000, Blocks(10, 1000), 3)(np.arange(10_000))
    assert abs(np.corrcoef(np.arange(10_000), order)[0, 1]) < 0.04
    assert abs(np.corrcoef(order[:-1], order[1:])[0, 1]) < 0.04


def test_blocks_and_what_is_in_them_are_ordered_anew_for_each_key():
    orders = [BlockPermutation(1000, Blocks(10, 4), key)(np.arange(1000)) for key in range(30)]
    first_blocks = {tuple(sorted(set((order[:40] // 10).tolist()))) for order in orders}
    assert len(first_blocks) == 30
    inside = {tuple((order[:40] % 10).tolist()) for order in orders}
    assert len(inside) == 30
    windows = orders[0].reshape(-1, 40) % 10
    assert len({tuple(window.tolist()) for window in windows}) == len(windows)


def test_every_block_comes_evenly_at_every_place():
    places = np.zeros((20, 20))
    for key in range(200):
        order = BlockPermutation(100, Blocks(5, 1), key)(np.arange(100))
        places[np.arange(20), order[::5] // 5] += 1
    surplus = ((places - 10) ** 2 / 10).sum()
    assert surplus < 361 + 5 * (2 * 361) ** 0.5


@pytest.mark.parametrize(("size", "window"), [(0, 1), (1, 0), (-3, 4)])
def test_wrong_blocks(size, window):
    with pytest.raises(ArgumentError, match="expected 1 or more"):
        Blocks(size, window)


@pytest.mark.parametrize("position", [-1, 10])
def test_positions_out_of_range(position):
    with pytest.raises(ArgumentError, match="expected 0 to 9"):
        BlockPermutation(10, Blocks(2, 2), 0)(np.array([0, position]))
