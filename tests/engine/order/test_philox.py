from __future__ import annotations

import numpy as np
import pytest

from penstock.engine.order.philox import mix, mixes, normal, philox4x32, uniform

# The published known answers of Random123 (kat_vectors, philox4x32 with 10 rounds):
# four counter words, two key words, four words of output.
KNOWN_ANSWERS = [
    "00000000 00000000 00000000 00000000 00000000 00000000 6627e8d5 e169c58d bc57ac4c 9b00dbd8",
    "ffffffff ffffffff ffffffff ffffffff ffffffff ffffffff 408f276d 41c83b0e a20bc7c6 6d5451fd",
    "243f6a88 85a308d3 13198a2e 03707344 a4093822 299f31d0 d16cfe09 94fdcceb 5001e420 24126ea1",
]

KEY = mix(1, 2)


def rows(count, epoch=3):
    return np.full(count, epoch, np.int64), np.arange(count, dtype=np.int64)


@pytest.mark.parametrize("line", KNOWN_ANSWERS)
def test_known_answers(line):
    words = [int(word, 16) for word in line.split()]
    counter = np.array(words[:4], np.uint64)
    even, odd = counter[0::2, None].copy(), counter[1::2, None].copy()
    even, odd = philox4x32(even, odd, words[4] | words[5] << 32)
    assert [int(even[0, 0]), int(odd[0, 0]), int(even[1, 0]), int(odd[1, 0])] == words[6:]


def test_splitmix_known_answers():
    # The first outputs of SplitMix64 from seeds 0 and 1234567, as its reference code gives them.
    assert mix(0) == 0xE220A8397B1DCDAF
    assert mix(1234567) == 6457827717110365317


def test_many_sub_seeds_are_single_ones():
    assert mixes(7, 16) == [mix(7, i) for i in range(16)]


def test_mix_separates_its_inputs():
    small = range(-20, 20)
    seeds = [mix(a) for a in small] + [mix(a, b) for a in small for b in small]
    assert len(set(seeds)) == len(seeds)
    assert all(0 <= seed < 2**64 for seed in seeds)


def test_counter_holds_position_epoch_and_block():
    position, epoch = 0x0123456789ABCDEF, 0x42
    drawn = uniform(mix(5, 6), np.array([epoch]), np.array([position]), 4)
    for block in range(2):
        even = np.array([[0x89ABCDEF], [epoch]], np.uint64)
        odd = np.array([[0x01234567], [block]], np.uint64)
        even, odd = philox4x32(even, odd, mix(5, 6))
        words = (odd[:, 0].astype(np.uint64) << np.uint64(32)) | even[:, 0]
        expected = (words >> np.uint64(11)) * 2.0**-53
        assert drawn[0, 2 * block : 2 * block + 2].tolist() == expected.tolist()


@pytest.mark.parametrize("draw", [uniform, normal])
def test_a_row_depends_on_its_own_place_alone(draw):  # type: ignore[no-untyped-def]
    epoch, position = rows(50)
    epoch[25:] += 1
    together = draw(KEY, epoch, position, 7)
    assert together.shape == (50, 7)
    assert together.flags.c_contiguous
    order = np.random.default_rng(0).permutation(50)
    np.testing.assert_array_equal(draw(KEY, epoch[order], position[order], 7), together[order])
    for row in (0, 24, 25, 49):
        alone = draw(KEY, epoch[row : row + 1], position[row : row + 1], 3)
        np.testing.assert_array_equal(alone[0], together[row, :3])


@pytest.mark.parametrize("count", [1, 16, 17])
@pytest.mark.parametrize("first", [0, 2000, 5 * 2048, (1 << 40) - 7])
def test_positions_that_follow_one_another(first, count):
    epoch, position = rows(5000)
    position += first
    together = uniform(KEY, epoch, position, count)
    together[0] = 2  # whoever asks may write
    again = uniform(KEY, epoch, position, count)
    order = np.random.default_rng(0).permutation(5000)
    apart = uniform(KEY, epoch[order], position[order], count)
    np.testing.assert_array_equal(apart, again[order])
    assert again.flags.c_contiguous


@pytest.mark.parametrize(
    "other",
    [(2, 2, 0, 0), (1, 3, 0, 0), (1, 2, 1, 0), (1, 2, 0, 1), (2, 1, 0, 0), (1, 2, 0, 1 << 32)],
)
def test_key_epoch_and_position_each_matter(other):
    seed, stream, epochs_on, positions_on = other
    epoch, position = rows(200)
    ours = uniform(KEY, epoch, position, 4)
    others = uniform(mix(seed, stream), epoch + epochs_on, position + positions_on, 4)
    assert (ours == others).mean() < 0.01


@pytest.mark.parametrize("draw", [uniform, normal])
@pytest.mark.parametrize(("count", "columns"), [(0, 4), (3, 0), (3, 1)])
def test_empty_and_narrow(draw, count, columns):  # type: ignore[no-untyped-def]
    assert draw(KEY, *rows(count), columns).shape == (count, columns)


def test_uniform_fills_the_unit_interval_evenly():
    numbers = uniform(KEY, *rows(20_000), 10)
    assert numbers.dtype == np.float64
    assert numbers.min() >= 0.0
    assert numbers.max() < 1.0
    counts = np.histogram(numbers, bins=100, range=(0, 1))[0]
    assert chi_square(counts) < 160  # 99 degrees of freedom: one in 10,000
    # All 53 bits are used: some number is no multiple of 2**-52.
    assert ((numbers * 2.0**52) % 1 != 0).any()


def test_neighbours_do_not_correlate():
    numbers = uniform(KEY, *rows(20_000), 4)
    by_column = np.corrcoef(numbers.T) - np.eye(4)
    assert np.abs(by_column).max() < 0.03
    assert abs(np.corrcoef(numbers[:-1, 0], numbers[1:, 0])[0, 1]) < 0.03


def test_normal_has_the_moments_of_a_normal_distribution():
    numbers = normal(KEY, *rows(50_000), 4).ravel()
    moments = [np.mean(numbers**power) for power in (1, 2, 3, 4)]
    np.testing.assert_allclose(moments, [0, 1, 0, 3], atol=0.06)
    assert abs(np.mean(np.abs(numbers) < 1.959964) - 0.95) < 0.003


def chi_square(counts):
    expected = counts.sum() / len(counts)
    return float(((counts - expected) ** 2 / expected).sum())
