import numpy as np

from penstock.operators.noise.random_bits import bits_in_chunks, high_and_low, keys_of, normal


def test_chunks_continue_one_sequence():
    key = keys_of(np.array([0.25, 0.75]))
    count = 100_001
    chunks = list(bits_in_chunks(key, count))
    assert [chunk.stop for chunk, _ in chunks][-1] == count
    whole = np.concatenate([bits for _, bits in chunks])
    np.testing.assert_array_equal(whole, np.random.Philox(key=key).random_raw(count))


def test_other_keys_give_other_bits():
    first, second = (
        next(bits_in_chunks(keys_of(np.array([0.5, number])), 8))[1] for number in (0.1, 0.2)
    )
    assert not (first == second).any()


def test_halves_of_bits():
    high, low = high_and_low(np.array([0x0123456789ABCDEF], np.uint64))
    assert (int(high[0]), int(low[0])) == (0x01234567, 0x89ABCDEF)


def test_normal_numbers_are_finite_at_the_extremes():
    numbers = normal(np.array([0, 2**64 - 1, 2**63], np.uint64))
    assert np.isfinite(numbers).all()
    assert abs(numbers).max() < 6
