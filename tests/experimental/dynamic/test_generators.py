"""Generators of random numbers: sequences, states, and operators that draw from them."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from penstock.experimental import dynamic as ndd

RNG = ndd.random.RNG


def uniform(rng=None):
    return np.asarray(ndd.random.uniform(range=[0, 1], shape=[4], rng=rng)).tolist()


def test_the_words_are_those_of_philox():
    rng = RNG(5)  # from the reference implementation of Philox4x32-10
    words = [rng() for _ in range(5)]
    assert words == [3289868317, 299389332, 4225117243, 4147765880, 1491303360]


@pytest.mark.parametrize("count", [0, 1, 3, 4, 1000])
def test_advance_leaves_words_out(count):
    one, other = RNG(1 << 63), RNG(1 << 63)
    for _ in range(count):
        one()
    other.advance(count)
    assert one.state == other.state
    assert one() == other()


def test_states():
    rng = RNG(3)
    uniform(rng)
    state = rng.get_state()
    expected = uniform(rng)
    for other in (RNG(state=state), RNG(state=str(state))):
        assert uniform(other) == expected
    rng.state = state
    assert uniform(rng.clone()) == uniform(rng) == expected
    rng.seed = 3
    assert uniform(rng) == uniform(RNG(3))
    assert (
        repr(RNG(5)) == "RNG(state='Philox_0000000000000005_0000000000000000:0000000000000000_0')"
    )


def test_wrong_seeds_and_states():
    with pytest.raises(ValueError, match="both `seed` and `state`"):
        RNG(seed=1, state=RNG(1).state)
    with pytest.raises(ValueError, match="no state"):
        RNG(state="Philox_5")
    with pytest.raises(ValueError, match="negative"):
        RNG(1).advance(-1)
    with pytest.raises(TypeError):
        RNG(1.5)
    with pytest.raises(AttributeError):
        _ = RNG(1).seed


def test_each_call_draws_other_numbers():
    ndd.random.set_seed(7)
    first = [uniform() for _ in range(3)]
    ndd.random.set_seed(7)
    assert [uniform() for _ in range(3)] == first
    assert len({str(number) for number in first}) == 3
    assert ndd.random.get_default_rng() is ndd.random.get_default_rng()


def test_samples_of_a_batch_differ():
    batch = ndd.random.normal(batch_size=50, rng=RNG(1))
    assert len({tensor.item() for tensor in batch}) == 50


def test_only_random_operators_draw():
    rng = ndd.random.get_default_rng()
    before = rng.state
    ndd.flip(ndd.tensor(np.zeros((2, 2, 1), np.uint8), layout="HWC"))
    assert rng.state == before
    ndd.random.coin_flip()
    assert rng.state != before


def test_each_thread_has_its_own_generator():
    found = []

    def draw():
        ndd.random.set_seed(9)
        found.append([uniform() for _ in range(5)])

    threads = [threading.Thread(target=draw) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found[0] == found[1] == found[2]


def test_numbers_are_spread_evenly():
    numbers = np.asarray(ndd.random.uniform(range=[0, 1], shape=[20000], rng=RNG(2)))
    counts = np.histogram(numbers, 20, (0, 1))[0]
    assert ((counts - 1000) ** 2 / 1000).sum() < 45  # chi-square of 19 degrees: 1 in 1,400
