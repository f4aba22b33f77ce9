"""Rounds of one class, against an independent list of who got what, over random checkpoints."""

import json
import random

import numpy as np
import pytest

from penstock.engine.errors import ArgumentError, CheckpointError
from penstock.engine.order.cursor import state_of
from penstock.engine.order.length_classes import LengthClasses
from penstock.engine.order.rounds import Rounds, RoundsState


def _drawn(rng):
    numbers = np.random.default_rng(rng.randint(0, 1 << 30))
    lengths = numbers.uniform(0.5, 20, rng.randint(30, 1500))
    classes = LengthClasses(
        lengths,
        budget=rng.uniform(20, 200),
        buckets=rng.choice([1, 6, 30, [3, 8]]),
        most=rng.randint(1, 64),
        multiple_of=rng.choice([1, 4]),
        long="alone",
    )
    return lengths, classes


@pytest.mark.parametrize("seed", range(16))
def test_no_sample_is_lost_or_doubled(seed):
    rng = random.Random(seed)
    lengths, classes = _drawn(rng)
    options = {"shuffle": bool(seed % 2), "seed": seed}
    state, world, given, positions = None, rng.randint(1, 8), {}, []
    for _ in range(14):
        ranks = [
            Rounds(classes, 64, shard_id=i, num_shards=world, state=state, **options)
            for i in range(world)
        ]
        steps = rng.randint(1, 3)
        for step in range(steps):
            found = [rank.select(step) for rank in ranks]
            assert len({len(each.index) for each in found}) == 1
            assert ranks[0].batch_sizes(step, 1) == [len(found[0].index)]
            assert len({number for each in found for number in each.source.tolist()}) == 1
            for each in found:
                assert lengths[each.index].max() <= classes.bounds[each.source[0]]
                given.setdefault(int(each.epoch[0]), []).append(each.index[each.valid])
                positions.append((each.epoch * len(lengths) + each.position)[each.valid])
        saved = {json.dumps(rank.saved_after(steps)) for rank in ranks}
        assert len(saved) == 1, "ranks differ in their state"
        (text,) = saved
        assert len(text) <= 1024
        state = RoundsState.from_json(json.loads(text))
        again = Rounds(classes, 64, num_shards=world, state=state, **options)
        assert again.select(0, 2).index.tolist() == ranks[0].select(steps, 2).index.tolist()
        world = rng.choice([world, rng.randint(1, 30)])
    flat = np.concatenate(positions)
    assert len(np.unique(flat)) == len(flat)
    for epoch, parts in given.items():
        indices = np.concatenate(parts)
        assert len(np.unique(indices)) == len(indices)
        assert epoch == max(given) or len(indices) == len(lengths)


def test_steps_are_those_of_all_ranks():
    classes = LengthClasses([1] * 10 + [2] * 5, budget=2, buckets=[1, 2], most=9)
    rank = Rounds(classes, 9, num_shards=2)
    assert rank.sizes(0) == rank.sizes(7) == (54, 54)
    assert rank.sizes_left(2) == (36, 36)
    assert rank.sizes_left(6) == (54, 54)
    assert rank.next_epoch_after(6).epoch == 1
    assert rank.next_epoch_after(7).epoch == 2
    assert rank.epoch_size == rank.epoch_size_padded == 15


def test_the_last_round_is_left_out():
    classes = LengthClasses([1] * 7, budget=2, most=9)
    rank = Rounds(classes, 9, num_shards=2, drop_last=True)
    assert rank.sizes(0) == (9, 9)
    with pytest.raises(ArgumentError, match="drop_last leaves no batch"):
        Rounds(classes, 9, num_shards=4, drop_last=True)
    with pytest.raises(ArgumentError, match="num_shards=8"):
        Rounds(classes, 9, num_shards=8)


def test_replacements_are_of_the_same_class():
    classes = LengthClasses([1, 1, 1, 5, 5], budget=9, buckets=[1, 5], most=9)
    rounds = Rounds(classes, 9, shuffle=True)
    batches = [rounds.select(step) for step in range(len(rounds.sizes(0)) + 1)]
    for batch in batches:
        for index, position in zip(batch.index, batch.position.tolist(), strict=True):
            own = [0, 1, 2] if index < 3 else [3, 4]
            *others, none = (rounds.replacement(0, position, n) for n in range(len(own)))
            assert (sorted([*others, int(index)]), none) == (own, None)


def test_states_of_other_runs_are_refused():
    classes = LengthClasses([1] * 7, budget=2, most=9)
    state = Rounds(classes, 9).state_after(1)
    assert state_of(state.to_json()) == state
    with pytest.raises(CheckpointError, match=r"lengths and batch_cost .digest .* but this run"):
        Rounds(LengthClasses([1] * 8, budget=2, most=9), 9, state=state)
    with pytest.raises(CheckpointError, match="but this run has random_shuffle=True"):
        Rounds(classes, 9, shuffle=True, state=state)
    with pytest.raises(CheckpointError, match="without batch_cost"):
        RoundsState.from_json({"size": 7})


@pytest.mark.parametrize(
    "damage",
    [
        {"epoch": -1},
        {"epoch": 1 << 40},
        {"step": "1"},
        {"ranks": 0},
        {"shuffle": 1},
        {"rest": [1]},
        {"rest": {"0": [[3, 1]]}},
        {"rest": {"-1": [[0, 1]]}},
        {"rest": {"0": [[0, 1.5]]}},
    ],
)
def test_damaged_states_are_refused(damage):
    classes = LengthClasses([1] * 7, budget=2, most=9)
    value = Rounds(classes, 9).saved_after(1) | damage
    with pytest.raises(CheckpointError, match="damaged or was edited"):
        RoundsState.from_json(value)


@pytest.mark.parametrize(
    "damage", [{"step": 99}, {"rest": {"0": [[0, 8]]}}, {"rest": {"5": [[0, 1]]}}]
)
def test_states_of_rounds_that_are_not_there_are_refused(damage):
    classes = LengthClasses([1] * 7, budget=2, most=9)
    state = RoundsState.from_json(Rounds(classes, 9).saved_after(1) | damage)
    with pytest.raises(CheckpointError, match="these classes do not have"):
        Rounds(classes, 9, state=state)
