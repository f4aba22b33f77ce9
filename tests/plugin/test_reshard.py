"""Ranks that come and go within an epoch, without a restart or by way of states."""

from __future__ import annotations

import json
import random

import numpy as np
import pytest

from penstock import ArgumentError, Pipeline, fn
from penstock.engine.order.sampler import Sampler
from penstock.plugin.arrays import GenericIterator

from ..engine.toys import Numbers, call


def one_rank(size, batch_size, rank=0, ranks=1, policy="partial", **options):
    """Return an iterator over the numbers 0 to size - 1."""
    pipeline = Pipeline(batch_size, num_threads=1, exec_processes=False)
    shard = {"shard_id": rank, "num_shards": ranks}
    pipeline.define(lambda: call(Numbers, name="numbers", size=size, side=1, **shard, **options))
    return GenericIterator(
        pipeline,
        ["x", "label"],
        reader_name="numbers",
        last_batch_policy=policy,
        prepare_first_batch=False,
    )


def all_ranks(size, batch_size, ranks, policy="partial", **options):
    return [one_rank(size, batch_size, rank, ranks, policy, **options) for rank in range(ranks)]


def close(iterators):
    for iterator in iterators:
        iterator.close()


def step(iterators):
    """Return the labels of the next batch of each rank."""
    return [n for iterator in iterators for n in next(iterator)[0]["label"].ravel().tolist()]


def common(values):
    """Return the value that all ranks have."""
    first, *others = values
    assert all(other == first for other in others)
    return first


@pytest.mark.slow
@pytest.mark.parametrize("pad", [False, True])
@pytest.mark.parametrize("shuffle", [False, True])
@pytest.mark.parametrize("batch_size", [1, 3])
def test_hundreds_of_changes_in_an_epoch_of_samplers(pad, shuffle, batch_size):
    rng = random.Random(f"{pad} {shuffle}")
    size = 300 * 16 * batch_size
    options = {"shuffle": shuffle, "pad_last_batch": pad}
    ranks, state, seen = 8, None, []
    for _ in range(300):
        samplers = [
            Sampler(size, batch_size, shard_id=rank, num_shards=ranks, state=state, **options)
            for rank in range(ranks)
        ]
        for sampler in samplers:
            seen += sampler.select(0).index.tolist()
        state = samplers[rng.randrange(ranks)].state_after(1)
        ranks = rng.randint(1, 16)
        state = state.dealt_to(ranks, batch_size)
        assert len(state.remaining[0]) <= 8
    assert list(state.remaining) == [0]
    rest = Sampler(size, size, state=state, shuffle=shuffle, pad_last_batch=True).select(0)
    seen += rest.index[rest.valid].tolist()
    assert sorted(seen) == list(range(size))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("size", "batch_size", "fewest_changes", "options"),
    [
        (100, 1, 75, {"random_shuffle": True}),
        (101, 2, 30, {"pad_last_batch": True, "shuffle_after_epoch": True}),
        (102, 2, 30, {"pad_last_batch": True, "random_shuffle": True, "stick_to_shard": True}),
    ],
)
def test_ranks_join_and_leave_at_any_step(size, batch_size, fewest_changes, options):
    rng = random.Random(size)
    away = [one_rank(size, batch_size, rank % 3, 3, **options) for rank in range(16)]
    live, seen, changes = [away.pop()], [], 0
    live[0].reshard(0, 1)
    while not live[0]._all_taken:
        ranks = rng.randint(1, 16)
        state = json.dumps(rng.choice(live).state_dict())
        assert len(state) < 800
        rng.shuffle(live)
        stay = rng.randint(1, ranks)
        left, live, away = live[stay:], live[:stay], away + live[stay:]
        joined = [away.pop(rng.randrange(len(away))) for _ in range(ranks - len(live))]
        for iterator in joined:
            iterator.load_state_dict(json.loads(state))
        live, changes = live + joined, changes + len(left) + len(joined)
        for rank, iterator in enumerate(live):
            iterator.reshard(rank, ranks)
        common([len(iterator) for iterator in live])
        common([iterator.state_dict() for iterator in live])
        seen += step(live)
    assert changes >= fewest_changes
    assert sorted(seen) == list(range(size))
    if "pad_last_batch" in options:  # the next epoch is whole, too
        for iterator in live:
            iter(iterator)
        seen = [n for _ in range(common([len(iterator) for iterator in live])) for n in step(live)]
        assert sorted(seen) == list(range(size))
    close(live + away)


@pytest.mark.parametrize("seed", range(8))
def test_states_through_any_ranks_and_batches(seed):
    rng = random.Random(seed)
    size, pad = rng.randint(5, 40), seed % 4 > 0
    orders = [{}, {"stick_to_shard": True}, {"random_shuffle": True}, {"shuffle_after_epoch": True}]
    options = rng.choice(orders) | {"pad_last_batch": pad}
    state, seen, epoch, shape = None, [], 0, (1, 1)
    while epoch < (2 if pad else 1):
        if rng.random() < 0.6:  # else the same ranks and batches once more
            shape = rng.randint(1, 5), rng.randint(1, 6)
        live = all_ranks(size, shape[1], shape[0], **options)
        for iterator in live:
            if state is not None:
                iterator.load_state_dict(json.loads(state))
            iter(iterator)
        left = common([len(iterator) for iterator in live]) - live[0]._progress.step
        for _ in range(rng.randint(0, min(4, left))):
            seen += step(live)
        if live[0]._all_taken:
            assert sorted(seen) == list(range(size)), (seed, epoch)
            seen, epoch = [], epoch + 1
        state = json.dumps(common([iterator.state_dict() for iterator in live]))
        close(live)


def test_the_rest_of_an_epoch_that_was_divided_anew_is_restored_with_the_same_ranks():
    (first,) = all_ranks(14, 2, 1)
    seen = step([first])
    live = all_ranks(14, 3, 2)
    for iterator in live:
        iterator.load_state_dict(first.state_dict())
    seen += step(live)
    again = all_ranks(14, 3, 2)
    for iterator in again:
        iterator.load_state_dict(live[0].state_dict())
    assert [len(iterator) for iterator in again] == [len(iterator) for iterator in live] == [3, 3]
    seen += step(again)
    assert sorted(seen) == list(range(14))
    close([first, *live, *again])


@pytest.mark.parametrize("policy", ["partial", "fill", "drop"])
def test_the_end_of_an_epoch_leads_other_ranks_to_the_next_one(policy):
    options = {"pad_last_batch": True, "random_shuffle": True}
    live = all_ranks(20, 3, 2, policy, **options)
    for _ in range(len(live[0])):
        step(live)
    (other,) = all_ranks(20, 4, 1, policy, **options)
    other.load_state_dict(live[1].state_dict())
    assert sorted(n for _ in range(5) for n in step([other])) == list(range(20))
    close([*live, other])


def test_a_loop_goes_on_or_ends():
    (iterator,) = all_ranks(12, 2, 1, pad_last_batch=True)
    seen = []
    for number, (batch,) in enumerate(iterator):
        seen += batch["label"].ravel().tolist()
        if number == 1:
            iterator.reshard(0, 2)
            assert len(iterator) == 2 + 2
        if len(seen) == 8:
            iterator.reshard(1, 3)  # nothing is left of the epoch
    assert seen == [0, 1, 2, 3, 4, 5, 8, 9]  # another rank has read the others
    assert [n for (batch,) in iterator for n in batch["label"].ravel().tolist()] == [8, 9, 10, 11]
    iterator.reset()
    assert len(step([iterator])) == 2
    iterator.close()


def test_the_shards_of_several_pipelines():
    iterator = GenericIterator(
        [one_rank(12, 2, shard, 2)._pipelines[0] for shard in range(2)],
        ["x", "label"],
        reader_name="numbers",
    )
    iterator.reshard(1, 2)
    assert [batch["label"].ravel().tolist() for batch in next(iterator)] == [[6, 7], [9, 10]]
    iterator.close()


def test_sources_go_on_beside_readers():
    def define():
        labels = call(Numbers, name="numbers", size=12, side=1)[1]
        source = fn.external_source(lambda n: np.full((2, 1), n), batch=True, name="source")
        return labels, source

    with Pipeline(2, num_threads=1) as pipe:
        pipe.define(define)
        for _ in range(2):
            pipe.run()
        pipe.reshard(1, 2)
        labels, numbers = (output.as_array().ravel().tolist() for output in pipe.run())
        assert (labels, numbers) == ([6, 7], [2, 2])


@pytest.mark.parametrize(("rank", "ranks"), [(2, 2), (-1, 2), (0, 0), (5, 13)])
def test_a_shard_that_is_none_changes_nothing(rank, ranks):
    iterator = one_rank(12, 2)
    step([iterator])
    state = iterator.state_dict()
    with pytest.raises(ArgumentError, match=r"shard_id=|num_shards="):
        iterator.reshard(rank, ranks)
    assert iterator.state_dict() == state
    assert step([iterator]) == [2, 3]
    iterator.close()


def test_what_cannot_be_resharded_says_so():
    with Pipeline(2, num_threads=1) as pipe:
        pipe.define(lambda: fn.external_source(name="fed"))
        with pytest.raises(ArgumentError, match="'fed' gets its batches from feed_input"):
            pipe.reshard(0, 2)
        with pytest.raises(ArgumentError, match="reshard needs an iterator with reader_name"):
            GenericIterator(pipe, ["x"], prepare_first_batch=False).reshard(0, 2)
