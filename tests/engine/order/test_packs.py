"""Packing by the histogram of lengths: each sample once, rows well filled, any row alone."""

import numpy as np
import pytest

from penstock.engine.errors import ArgumentError
from penstock.engine.order.packs import Packs, packed, parts_of
from penstock.engine.order.sampler import Sampler, restored_state


def test_templates_hold_all_samples():
    rng = np.random.default_rng(0)
    lengths = np.clip(rng.lognormal(5.6, 0.9, 100_000).astype(int), 1, 2048)
    histogram = np.bincount(lengths, minlength=2049)
    found = np.zeros(2049, int)
    templates = packed(histogram.tolist(), 2048)
    for template, count in templates:
        assert sum(template) <= 2048
        np.add.at(found, list(template), count)
    assert (found == histogram).all()
    rows = sum(count for _, count in templates)
    assert lengths.sum() / (rows * 2048) > 0.995


@pytest.mark.parametrize("align", [1, 4])
@pytest.mark.parametrize("shuffle", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_each_sample_comes_once_an_epoch(align, shuffle, seed):
    rng = np.random.default_rng(seed)
    row = int(rng.integers(4, 200))
    lengths = rng.integers(1, row // align * align + 1, int(rng.integers(1, 400)))
    packs = Packs(lengths, row, align=align, shuffle=shuffle, seed=seed)
    epochs = []
    for epoch in range(2):
        rows = [packs.samples(int(i)) for i in packs.at(epoch, np.arange(packs.size))]
        for own in rows:
            assert (-(-lengths[own] // align) * align).sum() <= row
        assert sorted(np.concatenate(rows).tolist()) == [*range(len(lengths))]
        epochs.append([own.tolist() for own in rows])
    assert shuffle or epochs[0] == epochs[1]


def test_random_checkpoints_lose_nothing():
    rng = np.random.default_rng(3)
    for trial in range(12):
        lengths = rng.integers(1, 60, int(rng.integers(200, 900)))
        packs = Packs(lengths, 64, shuffle=True, seed=trial)
        state, seen, epoch = None, [], 0
        while epoch == 0:
            world = int(rng.integers(1, min(20, packs.size)))
            size = int(rng.integers(1, 9))
            ranks = [
                Sampler(
                    packs.size,
                    size,
                    shard_id=i,
                    num_shards=world,
                    shuffle=True,
                    subset=packs,
                    state=state,
                )
                for i in range(world)
            ]
            for rank in ranks:
                found = rank.select(0)
                now = found.index[(found.epoch == 0) & found.valid]
                seen += [s for i in now.tolist() for s in packs.samples(i).tolist()]
            state = restored_state(ranks[0].saved_after(1))
            epoch = state.epoch
        assert sorted(seen) == [*range(len(lengths))]


def test_wrong_lengths_are_refused():
    with pytest.raises(ArgumentError, match="which a row must hold"):
        Packs(np.array([1, 9]), 8)
    with pytest.raises(ArgumentError, match="must be 1 or more"):
        Packs(np.array([1, 0]), 8)
    with pytest.raises(ArgumentError, match="must be 1 or more"):
        Packs(np.array([], np.int64), 8)


def test_the_digest_stands_for_all_that_decides_the_rows():
    lengths = np.array([1, 2, 2])
    digests = {
        Packs(lengths, 8).digest,
        Packs(lengths, 9).digest,
        Packs(lengths[::-1], 8).digest,
        Packs(lengths, 8, align=2).digest,
        Packs(lengths, 8, shuffle=True, seed=1).digest,
        Packs(lengths, 8, shuffle=True, seed=2).digest,
    }
    assert len(digests) == 6
    assert Packs(lengths, 8, seed=5).digest == Packs(lengths, 8).digest


def test_parts_are_whole_rows_and_what_is_left():
    lengths = np.random.default_rng(3).integers(1, 50, 40)
    found = [part.tolist() for part in parts_of(lengths, 7, "split")]
    expected = [
        (sample, first, min(7, length - first))
        for sample, length in enumerate(lengths.tolist())
        for first in range(0, length, 7)
    ]
    assert list(zip(*found, strict=True)) == expected
    assert parts_of(lengths, 7, "truncate")[2].tolist() == [min(7, n) for n in lengths.tolist()]
    with pytest.raises(ArgumentError, match="long='drop', expected one of error, truncate"):
        parts_of(lengths, 7, "drop")
