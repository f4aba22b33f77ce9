from __future__ import annotations

import json
from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import count

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.engine.errors import ArgumentError, CheckpointError
from penstock.engine.order.block_permutation import Blocks
from penstock.engine.order.sampler import Sampler, restored_state
from penstock.engine.order.sampler_state import SamplerState

FIELDS = ("index", "epoch", "position", "valid")


def ranks(size, batch_size, num_shards, **options):
    return [
        Sampler(size, batch_size, shard_id=rank, num_shards=num_shards, **options)
        for rank in range(num_shards)
    ]


def joined(draws):
    """The entries of the batches one after another, field by field."""
    return {name: [x for draw in draws for x in getattr(draw, name).tolist()] for name in FIELDS}


def begun(sampler, epoch):
    """Return how many batches begin in this epoch or before it."""
    return next(batch for batch in count() if sampler.select(batch).epoch[0] > epoch)


@dataclass(frozen=True)
class Run:
    """A run of all ranks from one checkpoint to the next."""

    batch_size: int
    num_shards: int
    batches: int
    pad: bool
    stick: bool


orders = st.one_of(
    st.just({}),
    st.just({"shuffle": True}),
    st.builds(
        lambda size, window: {"shuffle": True, "blocks": Blocks(size, window)},
        st.integers(1, 8),
        st.integers(1, 4),
    ),
)


@st.composite
def run_chains(draw):
    size = draw(st.integers(1, 30))
    run = st.builds(
        Run,
        batch_size=st.integers(1, 5),
        num_shards=st.integers(1, min(size, 6)),
        batches=st.integers(0, 12),
        pad=st.booleans(),
        stick=st.booleans(),
    )
    return size, draw(st.lists(run, min_size=1, max_size=5))


def positions_left(state, epoch):
    """What the state says is left of `epoch`, counted out."""
    if epoch < state.epoch:
        return []
    intervals = state.remaining.get(epoch, ((0, state.size),))
    return [position for start, stop in intervals for position in range(start, stop)]


@given(run_chains())
def test_through_any_chain_of_checkpoints_each_sample_comes_once(chain):
    size, runs = chain
    consumed = defaultdict(list)
    state = None
    for run in runs:
        samplers = ranks(
            size,
            run.batch_size,
            run.num_shards,
            pad_last_batch=run.pad,
            stick_to_shard=run.stick,
            state=state,
        )
        for sampler in samplers:
            for batch in range(run.batches):
                drawn = sampler.select(batch)
                assert drawn.valid.all() or run.pad
                for epoch, position in zip(
                    drawn.epoch[drawn.valid].tolist(),
                    drawn.position[drawn.valid].tolist(),
                    strict=True,
                ):
                    consumed[epoch].append(position)
        states = [sampler.state_after(run.batches).to_json() for sampler in samplers]
        assert all(other == states[0] for other in states)
        state = SamplerState.from_json(states[0])
        for epoch in range(max([state.epoch, *consumed]) + 2):
            everything = consumed.get(epoch, []) + positions_left(state, epoch)
            assert sorted(everything) == list(range(size)), epoch


@pytest.mark.slow
@given(run_chains(), st.integers(0, 10), orders)
def test_restored_alike_every_rank_goes_on_with_its_own_batches(chain, more, order):
    size, runs = chain
    state = None
    for run in runs:
        options = {
            "pad_last_batch": run.pad,
            "stick_to_shard": run.stick,
            "seed": 5,
            **order,
        }
        straight = ranks(size, run.batch_size, run.num_shards, **options, state=state)
        state = straight[0].state_after(run.batches)
        restored = ranks(size, run.batch_size, run.num_shards, **options, state=state)
        assert restored[0].state_after(0) == state
        assert restored[0].state_after(more) == straight[0].state_after(run.batches + more)
        for once, again in zip(straight, restored, strict=True):
            for batch in range(3):
                expected, drawn = once.select(run.batches + batch), again.select(batch)
                # Of what only pads, the sample may differ, where a shard has none left.
                for name in FIELDS:
                    both = getattr(drawn, name), getattr(expected, name)
                    if name in ("index", "position"):
                        both = both[0][drawn.valid], both[1][expected.valid]
                    np.testing.assert_array_equal(*both)


@given(
    size=st.integers(1, 60),
    data=st.data(),
    batch_size=st.integers(1, 7),
    pad=st.booleans(),
    stick=st.booleans(),
    order=orders,
)
def test_the_shards_of_an_epoch_cover_it_once(size, data, batch_size, pad, stick, order):
    num_shards = data.draw(st.integers(1, min(size, 8)))
    samplers = ranks(
        size,
        batch_size,
        num_shards,
        pad_last_batch=pad,
        stick_to_shard=stick,
        **order,
    )
    seen = defaultdict(Counter)
    for sampler in samplers:
        entries = joined([sampler.select(batch) for batch in range(begun(sampler, 2))])
        for index, epoch, valid in zip(
            entries["index"], entries["epoch"], entries["valid"], strict=True
        ):
            seen[epoch][index] += valid
    for epoch in range(3):
        assert seen[epoch] == Counter(range(size))
    if pad:
        assert len({begun(sampler, 4) for sampler in samplers}) == 1


def test_a_batch_is_a_slice_of_the_stream_whatever_its_size():
    whole = joined([Sampler(23, 1000, shard_id=1, num_shards=3, shuffle=True).select(0)])
    for batch_size in (1, 2, 7, 50):
        sampler = Sampler(23, batch_size, shard_id=1, num_shards=3, shuffle=True)
        backwards = [sampler.select(batch) for batch in reversed(range(1000 // batch_size))]
        parts = joined(backwards[::-1])
        for name in FIELDS:
            assert parts[name] == whole[name][: len(parts[name])]


@pytest.mark.parametrize("options", [{}, {"shuffle": True}, {"pad_last_batch": True}])
def test_batches_drawn_at_once_lie_end_to_end(options):
    for sampler in ranks(23, 4, 3, **options):
        for first in range(5):
            one_by_one = joined([sampler.select(batch) for batch in range(first, first + 7)])
            assert joined([sampler.select(first, 7)]) == one_by_one


def test_types_and_shapes():
    for shuffle in (False, True):
        drawn = Sampler(5, 3, shuffle=shuffle).select(1)
        for name in ("index", "epoch", "position"):
            assert getattr(drawn, name).dtype == np.int64
            assert getattr(drawn, name).shape == (3,)
        assert drawn.valid.dtype == np.bool_
        assert drawn.epoch.tolist() == [0, 0, 1]
        assert drawn.position.tolist() == [3, 4, 0]
        drawn.index[:] = -1
        assert drawn.position.tolist() == [3, 4, 0]


def test_padding_repeats_the_last_sample_of_the_shard():
    sampler = Sampler(7, 3, shard_id=0, num_shards=2, pad_last_batch=True, shuffle=True)
    drawn = joined([sampler.select(batch) for batch in range(4)])
    assert drawn["position"] == [0, 1, 2, 2, 2, 2, 3, 4, 5, 6, 6, 6]
    assert drawn["epoch"] == [0] * 6 + [1] * 6
    assert drawn["valid"] == [True] * 3 + [False] * 3 + [True] * 4 + [False] * 2
    assert drawn["index"][2:6] == [drawn["index"][2]] * 4
    assert (sampler.epoch_size, sampler.epoch_size_padded, begun(sampler, 0)) == (7, 8, 2)


def test_a_selection_knows_whether_a_sample_comes_twice():
    sampler = Sampler(5, 4, shuffle=True, pad_last_batch=True)
    assert [sampler.select(batch).has_repeats for batch in range(2)] == [False, True]
    assert not sampler.select(0).cut(slice(0)).has_repeats


def test_an_empty_shard_of_a_restored_epoch_is_padded_as_if_it_were_whole():
    state = SamplerState(size=9, shuffle=False, seed=0, epoch=2, remaining={2: ((4, 5), (7, 8))})
    samplers = ranks(9, 2, 3, pad_last_batch=True, state=state)
    drawn = [joined([sampler.select(0)]) for sampler in samplers]
    # Epoch 2: rank 0 has shard 2, rank 1 shard 0, rank 2 shard 1 of the two positions left.
    # Shard 0 was positions 0, 1 and 2.
    assert [draw["index"] for draw in drawn] == [[7, 7], [2, 2], [4, 4]]
    assert [draw["valid"] for draw in drawn] == [[True, False], [False, False], [True, False]]
    assert all(sampler.select(1).epoch.tolist() == [3, 3] for sampler in samplers)


def test_an_empty_shard_of_a_restored_epoch_is_passed_over():
    state = SamplerState(size=9, shuffle=False, seed=0, epoch=2, remaining={2: ((4, 5),)})
    samplers = ranks(9, 2, 3, state=state)
    assert [begun(sampler, 2) for sampler in samplers] == [1, 0, 0]
    assert samplers[0].select(0).index.tolist() == [4, 0]
    assert samplers[1].select(0).index.tolist() == [3, 4]


def test_every_epoch_has_its_own_order_and_the_seed_decides():
    def order(epoch, seed, **options):
        return Sampler(200, 200, shuffle=True, seed=seed, **options).select(epoch).index.tolist()

    assert order(0, 1) == order(0, 1)
    assert order(0, 1) != order(1, 1)
    assert order(0, 1) != order(0, 2)
    assert order(0, 1) != list(range(200))
    state = Sampler(200, 100, shuffle=True, seed=1).state_after(2)
    assert order(0, 2, state=state) == order(1, 1)


def test_a_trillion_samples():
    size, num_shards = 10**12, 1000
    options = {"shuffle": True, "seed": 3}
    sampler = Sampler(size, 256, shard_id=7, num_shards=num_shards, **options)
    shard = size // num_shards
    steps = -(-shard // 256)
    drawn = sampler.select(steps - 1)
    assert drawn.epoch.tolist() == [0] * 128 + [1] * 128 if shard % 256 else [0] * 256
    assert drawn.position[0] == 7 * shard + (steps - 1) * 256
    late = sampler.select(10**15)
    assert late.epoch[0] == 10**15 * 256 // shard
    state = sampler.state_after(10**6)
    assert sum(stop - start for start, stop in state.remaining[0]) == size - 256 * 10**9
    restored = Sampler(size, 64, shard_id=2, num_shards=3, state=state, **options)
    assert len(restored.state_after(10**5).remaining[0]) <= num_shards + 3
    assert restored.select(0).valid.all()


def test_the_largest_size():
    sampler = Sampler(2**62, 4, shard_id=9, num_shards=10, shuffle=True)
    drawn = sampler.select(0)
    assert drawn.position[0] == 2**62 * 9 // 10
    state = sampler.state_after(1)
    assert sum(stop - start for start, stop in state.remaining[0]) == 2**62 - 40


def test_ranks_that_stick_to_unequal_shards_may_be_epochs_apart():
    samplers = ranks(5, 1, 2, stick_to_shard=True)
    state = samplers[0].state_after(12)  # shards of 2 and of 3: epochs 6 and 4
    assert state.epoch == 4
    assert state.remaining == {4: ((2, 5),), 5: ((2, 5),)}
    restored = ranks(5, 1, 2, stick_to_shard=True, state=state)
    assert [sampler.select(0).epoch[0] for sampler in restored] == [6, 4]


def test_uneven_cuts_of_an_epoch_that_nobody_began_are_kept():
    state = SamplerState(
        size=5, shuffle=False, seed=0, epoch=1, remaining={1: ((0, 5),)}, cuts={1: (0, 1, 5)}
    )
    samplers = ranks(5, 2, 2, stick_to_shard=True, state=state)
    assert samplers[0].state_after(0) == state
    assert samplers[1].select(0).index.tolist() == [1, 2]


def test_spares_are_all_the_others_in_an_order_of_their_own():
    for shuffle in (False, True):
        sampler = Sampler(12, 12, shuffle=shuffle, seed=4)
        drawn = sampler.select(1)
        orders = set()
        for index, position in zip(drawn.index.tolist(), drawn.position.tolist(), strict=True):
            spares = [sampler.replacement(1, position, attempt) for attempt in range(11)]
            assert sorted([*spares, index]) == list(range(12))
            orders.add(tuple(spares))
        assert len(orders) == 12
    assert sampler.replacement(0, 0, 11) is None
    assert Sampler(1, 1).replacement(0, 0, 0) is None


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"size": 0}, "0 samples"),
        ({"size": 2**62 + 1}, "expected 1 to 2"),
        ({"batch_size": 0}, "batch_size=0: expected 1 or more"),
        ({"shard_id": 2, "num_shards": 2}, "expected 0 to num_shards - 1 = 1"),
        ({"shard_id": -1}, "shard_id=-1"),
        ({"num_shards": 0}, "shard_id=0"),
        (
            {"num_shards": 5},
            "num_shards=5, but the data set has 4 samples, .* lower num_shards to 4",
        ),
    ],
)
def test_bad_arguments(arguments, complaint):
    with pytest.raises(ArgumentError, match=complaint):
        Sampler(**({"size": 4, "batch_size": 1} | arguments))  # type: ignore[arg-type]


def test_numbers_before_the_start():
    sampler = Sampler(4, 1, state=Sampler(4, 1).state_after(6))
    with pytest.raises(ArgumentError, match="batch -1"):
        sampler.select(-1)
    with pytest.raises(ArgumentError, match="after -1"):
        sampler.state_after(-1)


@given(run_chains(), orders)
def test_through_any_chain_of_checkpoints_each_index_comes_once_in_any_order(chain, order):
    size, runs = chain
    seen = defaultdict(Counter)
    state = None
    for run in runs:
        samplers = ranks(size, run.batch_size, run.num_shards, state=state, **order)
        for sampler in samplers:
            entries = joined([sampler.select(batch) for batch in range(run.batches)])
            for epoch, index in zip(entries["epoch"], entries["index"], strict=True):
                seen[epoch][index] += 1
        state = SamplerState.from_json(samplers[0].state_after(run.batches).to_json())
    assert state is not None
    for epoch, indices in seen.items():
        assert max(indices.values()) == 1
        assert epoch >= state.epoch or len(indices) == size


def test_a_state_of_other_data_is_refused():
    state = Sampler(10, 2, shuffle=True).state_after(1)
    with pytest.raises(CheckpointError, match="with 10 samples, but this run has 11"):
        Sampler(11, 2, shuffle=True, state=state)
    with pytest.raises(CheckpointError, match="shuffle=True, but this run has shuffle=False"):
        Sampler(10, 2, state=state)
    blocks = Blocks(2, 3)
    with pytest.raises(CheckpointError, match=r"shuffle=True, but this run has Blocks\(size=2, w"):
        Sampler(10, 2, shuffle=True, blocks=blocks, state=state)
    with pytest.raises(ArgumentError, match="need shuffle=True"):
        Sampler(10, 2, blocks=blocks)


@pytest.mark.parametrize("blocks", [None, Blocks(3, 2)])
@pytest.mark.parametrize("size", [10, 23, 101])
def test_a_shuffle_stays_within_shards_that_ranks_stick_to(size, blocks):
    options = {"shuffle": True, "blocks": blocks, "stick_to_shard": True}
    for rank, sampler in enumerate(ranks(size, 1, 4, **options)):
        own = list(range(size * rank // 4, size * (rank + 1) // 4))
        epochs = [
            [int(sampler.select(epoch * len(own) + i).index[0]) for i in range(len(own))]
            for epoch in range(6)
        ]
        assert all(sorted(epoch) == own for epoch in epochs)
        assert len({tuple(epoch) for epoch in epochs}) > 1


def test_shards_that_ranks_stick_to_survive_another_number_of_ranks():
    options = {"shuffle": True, "stick_to_shard": True}
    first = ranks(20, 2, 2, **options)
    taken = [int(i) for sampler in first for b in range(3) for i in sampler.select(b).index]
    state = SamplerState.from_json(first[0].state_after(3).to_json())
    rest = ranks(20, 1, 4, **options, state=state)
    taken += [int(sampler.select(b).index[0]) for sampler in rest for b in range(2)]
    assert sorted(taken) == list(range(20))


def test_states_of_earlier_versions_name_all_values():
    state = Sampler(9, 2, shuffle=True).state_after(1)
    value = state.to_json() | {"blocks": None, "cuts": {}}
    assert SamplerState.from_json(value) == state
    assert SamplerState.from_json(value | {"parts": 1}) == state


@pytest.mark.parametrize("pad", [False, True])
@pytest.mark.parametrize("stick", [False, True])
@pytest.mark.parametrize("batches", [0, 1, 5, 60])
def test_the_state_of_many_ranks_is_short_and_the_same(pad, stick, batches):
    options = {"shuffle": True, "pad_last_batch": pad, "stick_to_shard": stick}
    samplers = ranks(5000, 7, 100, **options)
    for _ in range(3):
        values = [sampler.saved_after(batches) for sampler in (samplers[0], samplers[-1])]
        assert values[0] == values[1]
        text = json.dumps(values[0])
        assert len(text) < 400
        state = restored_state(json.loads(text))
        assert state == samplers[7].state_after(batches)
        samplers = ranks(5000, 7, 100, **options, state=state)
        if state.remaining:
            break  # the next state has these intervals, too


@pytest.mark.parametrize(
    "change",
    [
        {"ranks": 0},
        {"ranks": 101},
        {"ranks": 1 << 60},
        {"ranks": True},
        {"batch_size": 0},
        {"batches": -1},
        {"batches": 1 << 62},
        {"batches": 1.5},
        {"batches": None},
    ],
)
def test_damaged_steps_are_refused(change):
    value = Sampler(100, 1, num_shards=50, stick_to_shard=True).saved_after(1)
    assert restored_state(value).remaining
    for damaged in (value["steps"] | change, {}, 3, []):
        with pytest.raises(CheckpointError, match="The checkpoint is damaged"):
            restored_state(value | {"steps": damaged})
