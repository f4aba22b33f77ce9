"""Indices of one's own, in the sampler and in its state."""

import json

import numpy as np
import pytest

from penstock.engine.errors import ArgumentError, CheckpointError
from penstock.engine.order.sampler import Sampler, restored_state
from penstock.engine.order.subset import Subset


def _read(subset, count, batch_size=2, **options):
    sampler = Sampler(subset.size, batch_size, subset=subset, **options)
    return sampler, sampler.select(0, count).index.tolist()


def test_samples_come_in_the_order_of_the_indices():
    assert _read(Subset([5, 2, 9], 10), 3)[1] == [5, 2, 9, 5, 2, 9]


def test_a_shuffle_permutes_them():
    _, index = _read(Subset([5, 2, 9, 9], 10), 2, shuffle=True, seed=3)
    assert sorted(index) == [2, 5, 9, 9]


def test_ranks_share_them():
    parts = [
        _read(Subset(np.arange(10, 20), 30), 1, 5, shard_id=rank, num_shards=2)[1]
        for rank in range(2)
    ]
    assert parts == [[*range(10, 15)], [*range(15, 20)]]


def test_a_function_has_indices_for_each_epoch():
    assert _read(Subset(lambda epoch: [epoch, epoch + 1], 9), 3)[1] == [0, 1, 1, 2, 2, 3]
    growing = Subset(lambda epoch: range(epoch + 1), 9)
    with pytest.raises(ArgumentError, match="returned 2 for epoch 1, but 1 for epoch 0"):
        growing.at(1, np.array([0]))


@pytest.mark.parametrize(
    ("indices", "message"),
    [
        ([10], "no sample 10; the data set has 10"),
        ([-1], "no sample -1"),
        ([], "expected an array of whole numbers"),
        ([[1]], "shape \\(1, 1\\)"),
        ([0.5], "of float64"),
    ],
)
def test_wrong_indices_are_refused(indices, message):
    with pytest.raises(ArgumentError, match=message):
        Subset(indices, 10)


def test_replacements_are_of_the_subset():
    subset = Subset([5, 2, 9], 10)
    sampler = Sampler(3, 1, subset=subset)
    assert sorted(sampler.replacement(0, 0, attempt) for attempt in range(2)) == [2, 9]
    assert sampler.replacement(0, 0, 2) is None


@pytest.mark.parametrize("world", [1, 3])
def test_a_resumed_run_has_the_rest(world):
    indices = np.random.default_rng(1).permutation(100)[:40]
    options = {"shuffle": True, "seed": 2, "subset": Subset(indices, 100)}
    first = [Sampler(40, 3, shard_id=rank, num_shards=2, **options) for rank in range(2)]
    seen = [i for sampler in first for i in sampler.select(0, 4).index.tolist()]
    state = restored_state(json.loads(json.dumps(first[0].saved_after(4))))
    for rank in range(world):
        rest = Sampler(40, 1, shard_id=rank, num_shards=world, state=state, **options)
        found = rest.select(0, 40)
        seen += found.index[found.epoch == 0].tolist()
    assert sorted(seen) == sorted(indices.tolist())


def test_a_state_of_other_indices_is_refused():
    state = Sampler(2, 1, subset=Subset([1, 2], 9)).state_after(1)
    with pytest.raises(CheckpointError, match="but this run has all samples"):
        Sampler(2, 1, state=state)
    with pytest.raises(CheckpointError, match="with indices= \\(digest"):
        Sampler(2, 1, state=state, subset=Subset([1, 3], 9))


def test_a_state_of_many_ranks_keeps_the_digest():
    subset = Subset(np.arange(1000), 1000)
    sampler = Sampler(1000, 2, num_shards=100, subset=subset)
    saved = sampler.saved_after(2)
    assert "steps" in saved
    assert restored_state(saved).indices == subset.digest
