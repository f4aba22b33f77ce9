"""`reshard(..., keep_global_batch=True)`: the samples of a step stay as many while ranks change."""

import json
import random

import numpy as np
import pytest

from penstock import ArgumentError, Pipeline, fn
from penstock.plugin.arrays import GenericIterator

from ..engine.toys import Numbers, call
from .test_reshard import close, common, one_rank, step

WHOLE = 12


def _mixed(folder, rank=0, ranks=1, **options):
    paths = [str(folder / f"{i:03}") for i in range(90)]
    pipeline = Pipeline(3, num_threads=1, exec_processes=False)
    with pipeline:
        _, label, source = fn.readers.mix(
            {"a": fn.readers.file(files=paths[:60]), "b": fn.readers.file(files=paths[60:])},
            random_shuffle=True,
            pad_last_batch=True,
            shard_id=rank,
            num_shards=ranks,
            name="mix",
            **options,
        )
        pipeline.set_outputs(label + 60 * fn.cast_like(source, label), source)
    return GenericIterator(
        pipeline, ["label", "source"], reader_name="mix", last_batch_policy="partial"
    )


@pytest.fixture
def folder(tmp_path):
    for i in range(90):
        (tmp_path / f"{i:03}").write_bytes(bytes([i]))
    return tmp_path


def _an_epoch(live, away, rng, changes):
    """Take what is left of an epoch while ranks join and leave; return samples and step sizes."""
    seen, sizes = [], []
    while not live[0]._all_taken:
        if rng.random() < changes:
            ranks = rng.randint(1, 6)
            state = json.dumps(rng.choice(live).state_dict())
            assert len(state) < 1024
            rng.shuffle(live)
            stay = rng.randint(1, ranks)
            live, away = live[:stay], away + live[stay:]
            joined = [away.pop() for _ in range(ranks - len(live))]
            for iterator in joined:
                iterator.load_state_dict(json.loads(state))
            live += joined
            for rank, iterator in enumerate(live):
                iterator.reshard(rank, ranks, keep_global_batch=True)
            common([len(iterator) for iterator in live])
            common([iterator.state_dict() for iterator in live])
        got = step(live)
        seen += got
        sizes.append(len(got))
    return seen, sizes, live, away


@pytest.mark.parametrize("kind", ["numbers", "shuffled", "mixture"])
def test_ranks_join_and_leave_and_the_step_stays(kind, folder):
    rng = random.Random(kind)
    size, options = 90, {"pad_last_batch": True, "random_shuffle": kind == "shuffled"}
    if kind == "mixture":
        every = [_mixed(folder, i % 4, 4) for i in range(7)]
    else:
        every = [one_rank(size, 3, i % 4, 4, **options) for i in range(7)]
    live, away = every[:4], every[4:]
    for number in range(3):
        seen, sizes, live, away = _an_epoch(live, away, rng, 0.6 if number < 2 else 0)
        assert sorted(seen) == list(range(size))
        assert sizes[:-1] == [WHOLE] * (size // WHOLE)
        assert sizes[-1] == size % WHOLE
        for iterator in live:
            assert (
                iterator._pipelines[0].reader_meta(iterator._counted.reader)["global_batch"]
                == WHOLE
            )
            iter(iterator)
    close(every)


def test_without_padding_steps_go_on_in_the_next_epoch():
    live = [one_rank(50, 4, rank, 2, "fill") for rank in range(2)]
    seen = step(live)
    third = one_rank(50, 4, policy="fill")
    third.load_state_dict(live[0].state_dict())
    live.append(third)
    for rank, iterator in enumerate(live):
        iterator.reshard(rank, 3, keep_global_batch=True)
    for _ in range(24):
        if live[0].at_end:
            for iterator in live:
                iter(iterator)
        got = step(live)
        assert len(got) == 8
        seen += got
        common([len(iterator) for iterator in live])
    assert sorted(seen) == sorted([*range(50)] * 4)
    close(live)


def test_a_state_goes_on_and_a_number_says_the_step():
    (first,) = live = [one_rank(40, 4, pad_last_batch=True)]
    first.reshard(0, 1, keep_global_batch=10)
    seen = step(live)
    assert len(seen) == 10
    assert first.size == 40
    again = [one_rank(40, 4, rank, 3, pad_last_batch=True) for rank in range(3)]
    for iterator in again:
        iterator.load_state_dict(first.state_dict())
    assert [len(iterator) for iterator in again] == [4] * 3
    seen += step(again)
    assert len(seen) == 20
    for rank, iterator in enumerate(again):
        iterator.reshard(rank, 3)  # batches of 4 again
    seen += step(again)
    assert len(seen) == 32
    assert "global_batch" not in again[0]._pipelines[0].reader_meta("numbers")
    seen += step(again)
    assert sorted(seen) == list(range(40))
    close([*live, *again])


def _refused(iterator, match, **options):
    state = iterator.state_dict()
    with pytest.raises(ArgumentError, match=match):
        iterator.reshard(0, 2, **({"keep_global_batch": True} | options))
    assert iterator.state_dict() == state


def test_what_cannot_be_kept_is_refused(folder):
    paths = [str(folder / f"{i:03}") for i in range(90)]
    plain = one_rank(40, 4)
    _refused(plain, "PARTIAL would lose samples")
    sticks = one_rank(40, 4, pad_last_batch=True, stick_to_shard=True)
    _refused(sticks, "stick_to_shard gives each rank a part of the data")
    small = one_rank(40, 1, pad_last_batch=True)
    _refused(small, "has 1 samples, and there are 2 ranks")
    _refused(small, "keep_global_batch=-3", keep_global_batch=-3)
    batches = _mixed(folder, per_batch=[2, 1])
    _refused(batches, "per_batch needs whole batches on each rank")
    with Pipeline(9, 1) as pipe:
        cost = {"by": np.ones(90), "budget": 9}
        pipe.set_outputs(*fn.readers.file(files=paths, name="files", batch_cost=cost))
    costed = GenericIterator(pipe, ["data", "label"], reader_name="files")
    _refused(costed, "batch_cost bounds the cost of each rank's batch")
    close([plain, sticks, small, batches, costed])


def test_external_sources_are_refused():
    def define():
        labels = call(Numbers, name="numbers", size=12, side=1)[1]
        return labels, fn.external_source(lambda n: np.full((2, 1), n), batch=True, name="more")

    with Pipeline(2, num_threads=1) as pipe:
        pipe.define(define)
        with pytest.raises(ArgumentError, match="'more' is an external source"):
            pipe.reshard(0, 1, keep_global_batch=True)
