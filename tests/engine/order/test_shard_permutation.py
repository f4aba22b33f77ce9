import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.engine.errors import ArgumentError, CheckpointError
from penstock.engine.order.sampler import Sampler, restored_state
from penstock.engine.order.shard_permutation import ShardPermutation, Walk

COUNTS = st.lists(st.integers(0, 30), min_size=1, max_size=12).filter(any)


@given(COUNTS, st.integers(1, 4), st.integers(0, 1 << 40))
def test_a_window_holds_whole_shards(counts, window, key):
    counts = np.array(counts)
    order = ShardPermutation(counts, window, key)
    indices = order(np.arange(counts.sum()))
    assert sorted(indices.tolist()) == list(range(counts.sum()))
    shards = np.searchsorted(np.cumsum(counts), indices, "right")
    position, seen = 0, []
    while position < len(indices):
        inside = [shard for shard in order.shards_from(position, 1) if counts[shard]]
        size = counts[inside].sum()
        assert set(shards[position : position + size].tolist()) == set(inside)
        seen += inside
        position += size
    assert sorted(seen) == np.flatnonzero(counts).tolist()
    for position in range(0, len(indices), 7):  # each alone
        assert order(np.array([position]))[0] == indices[position]


def test_positions_out_of_range_are_refused():
    with pytest.raises(ArgumentError, match="positions 4 to 5: expected 0 to 4"):
        ShardPermutation(np.array([2, 3]), 2, 0)(np.array([4, 5]))


@given(
    COUNTS.filter(lambda counts: sum(counts) >= 8),
    st.integers(1, 3),
    st.integers(1, 4),
    st.integers(1, 4),
    st.integers(1, 5),
    st.integers(0, 9),
    st.booleans(),
)
def test_a_walk_goes_on_with_other_ranks(counts, window, ranks, later, batch_size, batches, stick):
    walk = Walk(np.array(counts), window)
    size = sum(counts)
    options = {"shuffle": True, "walk": walk, "seed": 3, "stick_to_shard": stick}

    def sampler(rank, world, state=None):
        return Sampler(size, batch_size, shard_id=rank, num_shards=world, **options, state=state)

    read = []
    for rank in range(ranks):
        selection = sampler(rank, ranks).select(0, max(batches, 1)).cut(slice(batches * batch_size))
        read += selection.index[selection.epoch == 0].tolist()
    saved = sampler(0, ranks).saved_after(batches)
    state = restored_state(saved)
    for rank in range(later):
        after = sampler(rank, later, state).select(0, size)
        read += after.index[after.epoch == 0].tolist()
    assert sorted(read) == list(range(size))
    assert all(sampler(r, ranks).saved_after(batches) == saved for r in range(ranks))


def test_later_epochs_are_shuffled_as_a_whole():
    walk = Walk(np.array([5, 5, 5, 5]), 2)
    walked = Sampler(20, 20, shuffle=True, walk=walk, seed=1)
    plain = Sampler(20, 20, shuffle=True, seed=1)
    assert walked.of_epochs.walks(0)
    assert walked.select(0).index.tolist() != plain.select(0).index.tolist()
    assert walked.select(1).index.tolist() == plain.select(1).index.tolist()
    assert walked.of_epochs.shards_from(1, 0, 2) == []


@pytest.mark.parametrize("stick", [False, True])
def test_replacements_are_first_of_the_same_window(stick):
    walk = Walk(np.array([5, 1, 7, 3]), 2)
    sampler = Sampler(16, 4, shuffle=True, walk=walk, seed=1, num_shards=2, stick_to_shard=stick)
    indices = [sampler.of_epochs.indices(0, np.array([position]))[0] for position in range(16)]
    for position in range(16):
        order, shift = sampler.of_epochs.walk_at(0, position)
        start, end = (bound + shift for bound in order.window_at(position - shift))
        others = [sampler.replacement(0, position, attempt) for attempt in range(15)]
        assert sorted([*others, indices[position]]) == list(range(16))
        window = set(indices[start:end]) - {indices[position]}
        assert set(others[: len(window)]) == window


def test_other_counts_are_another_order():
    state = Sampler(6, 2, shuffle=True, walk=Walk(np.array([3, 3]), 2)).state_after(1)
    same = Sampler(6, 2, shuffle=True, walk=Walk(np.array([3, 3]), 7), state=state)
    assert same.state_after(0) == state
    with pytest.raises(CheckpointError, match="shards with other numbers of samples"):
        Sampler(6, 2, shuffle=True, walk=Walk(np.array([2, 4]), 2), state=state)


def test_the_first_window_comes_from_the_front_of_its_shards():
    counts = np.array([1000, 500, 2000, 700])
    order = ShardPermutation(counts, 3, key=4)
    size = counts[order.shards_from(0, 1)].sum()
    indices = order(np.arange(size))
    shards = np.searchsorted(np.cumsum(counts), indices, "right")
    depths = (indices - (np.cumsum(counts) - counts)[shards]) / counts[shards]
    for end in (64, 128, 256, 512, 1024):
        assert depths[: end - 3].max() <= end / size
        assert set(shards[:end]) == set(order.shards_from(0, 1))
    assert (np.diff(depths[64:128]) < 0).sum() > 15  # mixed
    second = order(np.arange(size, counts.sum()))
    assert (np.diff(second) < 0).sum() > 100
