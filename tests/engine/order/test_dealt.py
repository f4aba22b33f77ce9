"""Steps that hold their samples while ranks change, against an independent list of who got what."""

import json
import random
from dataclasses import replace

import numpy as np
import pytest

from penstock.engine.errors import ArgumentError, CheckpointError
from penstock.engine.order.block_permutation import Blocks
from penstock.engine.order.cursor import Cursor, state_of
from penstock.engine.order.dealt import Dealt
from penstock.engine.order.mixture import Mixture
from penstock.engine.order.sampler import Sampler, restored_state
from penstock.engine.order.shares import shares_of_repeats

ORDERS = [{}, {"shuffle": True, "seed": 5}, {"shuffle": True, "blocks": Blocks(3, 2)}]


def _begun(rng, size, **order):
    """Return the state of shards, whose ranks stand in different places."""
    ranks, batch_size = rng.randint(1, 6), rng.randint(1, 6)
    sampler = Sampler(size, batch_size, num_shards=ranks, **order)
    steps = rng.randint(0, 3 * size // (ranks * batch_size))
    read = {}
    for rank in range(ranks):
        own = Sampler(size, batch_size, shard_id=rank, num_shards=ranks, **order)
        if steps:
            found = own.select(0, steps)
            for epoch, index in zip(found.epoch.tolist(), found.index.tolist(), strict=True):
                read.setdefault(epoch, []).append(index)
    return restored_state(sampler.saved_after(steps)), read


@pytest.mark.parametrize("pad", [False, True])
@pytest.mark.parametrize("seed", range(30))
def test_each_sample_once_and_as_many_in_each_step(seed, pad):
    rng = random.Random(seed)
    size, whole, order = rng.randint(20, 300), rng.randint(1, 20), rng.choice(ORDERS)
    state, read = _begun(rng, size, **order)
    state = replace(state.dealt_to(1, 1), global_batch=whole)
    for _ in range(40):
        world, steps = rng.randint(1, min(whole, size)), rng.randint(1, 4)
        ranks = [
            Cursor(
                Dealt(Sampler(size, 1, state=state, **order)),
                rng.randint(1, 9),
                shard_id=rank,
                num_shards=world,
                pad_last_batch=pad,
            )
            for rank in range(world)
        ]
        for step in range(steps):
            found = [rank.select(step) for rank in ranks]
            counts = [len(each.index) for each in found]
            assert sum(counts) == whole
            assert max(counts) - min(counts) <= 1
            for each in found:
                for epoch, index in zip(
                    each.epoch[each.valid].tolist(), each.index[each.valid].tolist(), strict=True
                ):
                    read.setdefault(epoch, []).append(index)
        saved = {json.dumps(rank.saved_after(steps)) for rank in ranks}
        assert len(saved) == 1, "ranks differ in their state"
        state = state_of(json.loads(saved.pop()))
    for epoch, indices in read.items():
        assert len(set(indices)) == len(indices)
        assert epoch == max(read) or len(indices) == size


@pytest.mark.parametrize("seed", range(10))
def test_positions_are_those_of_shards(seed):
    rng = random.Random(seed)
    state, _ = _begun(rng, 100, shuffle=True)
    left = {e: own for e, own in state.remaining.items() if own}
    state = replace(state.dealt_to(1, 1), global_batch=7)
    sampler = Sampler(100, 1, shuffle=True)
    found = Cursor(Dealt(Sampler(100, 1, state=state, shuffle=True)), 7).select(0, 40)
    keys = list(zip(found.epoch.tolist(), found.position.tolist(), strict=True))
    last = keys[-1][0]
    expected = [
        (epoch, position)
        for epoch in range(state.epoch, last + 1)
        for start, stop in left.get(epoch, ((0, 100),))
        for position in range(start, stop)
    ]
    assert keys == expected[: len(keys)]
    for (epoch, position), index in zip(keys, found.index.tolist(), strict=True):
        assert sampler.of_epochs.indices(epoch, np.array([position]))[0] == index


@pytest.mark.parametrize("pad", [False, True])
@pytest.mark.parametrize("seed", range(10))
def test_a_mixture_holds_its_steps(seed, pad):
    rng = random.Random(seed)
    sizes = {name: rng.randint(5, 60) for name in "abc"}
    shares = shares_of_repeats(sizes, {"a": rng.choice([1, 2, 0.5])})
    firsts = {"a": 0, "b": sizes["a"], "c": sizes["a"] + sizes["b"]}
    whole = rng.randint(1, 16)
    state = replace(Mixture(sizes, shares, shuffle=True).start, global_batch=whole)
    entries, done = {name: [] for name in sizes}, 0
    while done < 60:
        world, steps = rng.randint(1, whole), rng.randint(1, 5)
        plan = Mixture(sizes, shares, shuffle=True, state=state)
        ranks = [
            Cursor(plan, 3, shard_id=i, num_shards=world, pad_last_batch=pad) for i in range(world)
        ]
        for step in range(steps):
            found = [rank.select(step) for rank in ranks]
            assert sum(len(each.index) for each in found) == whole
            for each in found:
                for source, index, valid in zip(each.source, each.index, each.valid, strict=True):
                    name = "abc"[source]
                    if valid:
                        entries[name].append(int(index) - firsts[name])
        state, done = state_of(json.loads(json.dumps(ranks[-1].saved_after(steps)))), done + steps
        assert ranks[0].saved_after(steps) == state.to_json()
    for name, size in sizes.items():  # a source gives all of its samples before one comes again
        own = entries[name]
        for start in range(0, len(own), size):
            turn = own[start : start + size]
            assert len(set(turn)) == len(turn)


def test_sizes_count_whole_batches_alike():
    state = replace(Sampler(20, 1).state, global_batch=8)
    ranks = {"num_shards": 3, "pad_last_batch": True}
    cursor = Cursor(Dealt(Sampler(20, 1, state=state)), 1, shard_id=2, **ranks)
    # batches of 2, 3 and 3; of the last step 4 samples are left: 2, 2 and none
    assert cursor.batch_size == cursor.largest_batch == 3
    assert cursor.sizes(0) == cursor.sizes(5) == (9, 8, 6)
    assert cursor.sizes_left(1) == (6, 5, 3)
    assert cursor.select(2).valid.tolist() == [False] * 3
    cursor = Cursor(Dealt(Sampler(20, 1, state=state)), 1, num_shards=3)
    assert [cursor.sizes(epoch) for epoch in range(3)] == [(9,) * 3, (6,) * 3, (9,) * 3]


def test_more_ranks_than_samples_of_a_step_are_refused():
    state = replace(Sampler(20, 1).state, global_batch=2)
    with pytest.raises(ArgumentError, match="2 samples, and there are 3 ranks"):
        Cursor(Dealt(Sampler(20, 1, state=state)), 1, num_shards=3)


@pytest.mark.parametrize("number", [0, -1, 1.5, "8", True])
def test_damaged_states_are_refused(number):
    for saved in (
        Sampler(20, 1).saved_after(1),
        Cursor(Mixture({"a": 3}, shares_of_repeats({"a": 3}, {})), 1).saved_after(1),
    ):
        with pytest.raises(CheckpointError, match="damaged or was edited"):
            state_of(saved | {"global_batch": number})
