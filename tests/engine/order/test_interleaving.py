"""Turns among sources: exact counts, even spread, any position alone."""

import random

import numpy as np
import pytest

from penstock.engine.errors import ArgumentError
from penstock.engine.order import interleaving as module
from penstock.engine.order.interleaving import Interleaving


def _weights(rng, count):
    kinds = [
        lambda i: rng.random() + 0.01,
        lambda i: rng.uniform(1.2, 3) ** -i,
        lambda i: rng.lognormvariate(0, 1.5),
        lambda i: 9.0 if i == 0 else 1 / count,
    ]
    kind = rng.choice(kinds)
    return [kind(i) for i in range(count)]


def _drawn(seed):
    rng = random.Random(seed)
    weights = _weights(rng, rng.randint(1, 20))
    length = rng.randint(200, 3000)
    return tuple(1 + int(weight / sum(weights) * length) for weight in weights)


@pytest.mark.parametrize("seed", range(20))
def test_each_source_counts_its_own_items(seed):
    counts = _drawn(seed)
    order = Interleaving(counts)
    sources, numbers = order.at(np.arange(sum(counts)))
    for source, count in enumerate(counts):
        assert numbers[sources == source].tolist() == list(range(count))


@pytest.mark.parametrize("seed", range(20))
def test_every_stretch_has_each_source_within_two_of_its_share(seed):
    counts = _drawn(seed)
    total, kinds = sum(counts), len(counts)
    sources, _ = Interleaving(counts).at(np.arange(total))
    share = np.array(counts) / total
    excess = np.zeros((total + 1, kinds))
    excess[1:] = np.cumsum(sources[:, None] == np.arange(kinds), axis=0)
    excess -= np.arange(total + 1)[:, None] * share
    for length in (1, 7, 16, 33, 64):
        assert np.abs(excess[length:] - excess[:-length]).max(initial=0) < 2


def test_positions_are_counted_as_they_are_passed():
    counts = (50, 0, 7, 3)
    order = Interleaving(counts)
    sources, _ = order.at(np.arange(60))
    for position in range(61):
        assert order.before(position) == np.bincount(sources[:position], minlength=4).tolist()


def test_long_epochs_are_exact(tuned):
    counts = _drawn(3)
    positions = np.arange(sum(counts))
    expected = Interleaving(counts).at(positions)
    tuned(module, _SHORT=1)
    for found, wanted in zip(Interleaving(counts).at(positions), expected, strict=True):
        assert found.tolist() == wanted.tolist()


def test_a_position_of_a_very_long_epoch():
    order = Interleaving((3 << 37, 1 << 37, 5, 1 << 30))
    position = (1 << 38) + 12345
    source, number = (int(values[0]) for values in order.at(np.array([position])))
    before, after = order.before(position), order.before(position + 1)
    assert number == before[source]
    assert after[source] == before[source] + 1
    assert sum(before) == position


def test_many_sources_share_the_turns():
    counts = tuple(range(1, 101))
    sources, _ = Interleaving(counts).at(np.arange(sum(counts)))
    assert np.bincount(sources).tolist() == list(counts)


def test_an_epoch_may_be_too_long():
    with pytest.raises(ArgumentError, match="expected 2\\*\\*40 at most"):
        Interleaving((1 << 40, 1))
