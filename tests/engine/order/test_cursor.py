"""The cursor of a plan: its arguments, its line of positions, and the first epoch after a batch."""

import numpy as np
import pytest

from penstock.engine.errors import ArgumentError, CheckpointError
from penstock.engine.order.cursor import Cursor, state_of
from penstock.engine.order.mixture import Mixture
from penstock.engine.order.mixture_state import MixtureState
from penstock.engine.order.sampler import Sampler, restored_state
from penstock.engine.order.shares import shares_of_repeats

SIZES = {"a": 5, "b": 2}


def _cursor(batch_size=2, repeats=None, **options):
    return Cursor(Mixture(SIZES, shares_of_repeats(SIZES, repeats or {})), batch_size, **options)


@pytest.mark.parametrize("pad", [False, True])
@pytest.mark.parametrize("repeats", [{}, {"a": 0.5}])
def test_many_batches_at_once_are_single_batches(pad, repeats):
    cursor = _cursor(3, repeats, shard_id=1, num_shards=2, pad_last_batch=pad)
    together = cursor.select(0, 40)
    single = [
        _cursor(3, repeats, shard_id=1, num_shards=2, pad_last_batch=pad).select(i)
        for i in range(40)
    ]
    for name in ("index", "epoch", "position", "valid", "source"):
        parts = np.concatenate([getattr(each, name) for each in single])
        assert getattr(together, name).tolist() == parts.tolist()


@pytest.mark.parametrize("pad", [False, True])
@pytest.mark.parametrize("repeats", [{}, {"a": 0.5}])
def test_ranks_have_as_many_samples_of_an_epoch_as_they_say(pad, repeats):
    ranks = [
        _cursor(3, repeats, shard_id=rank, num_shards=3, pad_last_batch=pad) for rank in range(3)
    ]
    found = [rank.select(0, 12) for rank in ranks]
    for epoch in range(4):
        counts = [int(((each.epoch == epoch) & each.valid).sum()) for each in found]
        assert list(ranks[0].sizes(epoch)) == counts


def test_the_first_epoch_of_which_nothing_was_read():
    cursor = _cursor()
    assert (cursor.next_epoch_after(3).epoch, cursor.next_epoch_after(4).epoch) == (1, 2)
    with pytest.raises(ArgumentError, match="after 0 batches"):
        cursor.next_epoch_after(0)


def test_wrong_arguments_are_refused():
    with pytest.raises(ArgumentError, match="batch_size=0"):
        _cursor(0)
    with pytest.raises(ArgumentError, match="num_shards=8"):
        _cursor(num_shards=8)
    with pytest.raises(ArgumentError, match="batch -1"):
        _cursor().select(-1)
    with pytest.raises(ArgumentError, match="after -1 batches"):
        _cursor().state_after(-1)


def test_states_of_the_two_kinds_of_order_are_told_apart():
    mixed, plain = _cursor().saved_after(1), Sampler(7, 2).saved_after(1)
    assert state_of(mixed) == MixtureState.from_json(mixed)
    assert state_of(plain) == restored_state(plain)
    with pytest.raises(CheckpointError, match="a reader that mixes sources"):
        restored_state(mixed)
    with pytest.raises(CheckpointError, match="a reader of one source"):
        MixtureState.from_json(plain)
