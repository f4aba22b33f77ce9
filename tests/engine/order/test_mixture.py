"""Mixtures against an independent list of who got what, over random checkpoints."""

import json
import random
from itertools import pairwise

import numpy as np
import pytest

from penstock.engine.errors import ArgumentError
from penstock.engine.order.block_permutation import Blocks
from penstock.engine.order.cursor import Cursor
from penstock.engine.order.mixture import Mixture
from penstock.engine.order.mixture_state import MixtureState
from penstock.engine.order.shares import (
    shares_of_batches,
    shares_of_choice,
    shares_of_repeats,
    shares_of_weights,
)

KINDS = ("weights", "repeats", "choose", "per_batch")


def _shares(rng, kind, sizes, batch_size):
    if kind == "weights":
        weights = {name: rng.random() + 0.05 for name in sizes}
        return shares_of_weights(sizes, weights, rng.choice(["longest", rng.randint(400, 3000)]))
    if kind == "repeats":
        return shares_of_repeats(sizes, {name: rng.choice([0.5, 1, 2, 0.3]) for name in sizes})
    if kind == "choose":
        return shares_of_choice(sizes, {name: rng.randint(1, 400) for name in [*sizes][1:]})
    cuts = [0, *sorted(rng.randint(0, batch_size) for _ in [*sizes][1:]), batch_size]
    counts = [stop - start for start, stop in pairwise(cuts)]
    return shares_of_batches(sizes, dict(zip(sizes, counts, strict=True)), batch_size, "shortest")


class _Run:
    """A run of random worlds, batch sizes and shares, and the list of what each rank was given."""

    def __init__(self, seed):
        self.rng = rng = random.Random(seed)
        self.kind = rng.choice(KINDS)
        self.names = [f"source {i}" for i in range(rng.randint(1, 20))]
        self.all = {name: rng.randint(60, 500) for name in self.names}
        blocks = Blocks(rng.randint(1, 30), rng.randint(1, 4)) if rng.random() < 0.2 else None
        shuffle = blocks is not None or rng.random() < 0.5
        self.options = {"seed": seed, "shuffle": shuffle, "blocks": blocks}
        self.rows = []
        self.batch_size = rng.randint(1, 64)
        self.sizes, self.state = self.all, None
        self.shares = _shares(rng, self.kind, self.sizes, self.batch_size)
        self.pad = rng.random() < 0.3

    def part(self):
        """Let all ranks read some batches, and continue from a state of one of them."""
        rng = self.rng
        world = rng.choice([1, 2, rng.randint(1, 8), rng.randint(1, 60)])
        plan = Mixture(self.sizes, self.shares, state=self.state, **self.options)
        ranks = [
            Cursor(plan, self.batch_size, shard_id=i, num_shards=world, pad_last_batch=self.pad)
            for i in range(world)
        ]
        batches = rng.randint(1, 3)
        first = np.cumsum([0, *self.sizes.values()])
        number = np.array([self.names.index(name) for name in self.sizes])
        for rank in ranks:
            found = rank.select(0, batches)
            own = found.index - first[found.source]
            row = np.stack([found.epoch, found.position, number[found.source], own], 1)
            self.rows.append(row[found.valid])
            self._check_shares(plan, found, batches)
        saved = {json.dumps(rank.saved_after(batches)) for rank in ranks[:: max(1, world // 3)]}
        assert len(saved) == 1, "ranks differ in their state"
        (text,) = saved
        assert len(text) <= 1024
        self.state = MixtureState.from_json(json.loads(text))

    def _check_shares(self, plan, found, batches):
        for rows in np.array_split(np.arange(len(found.index)), batches):
            epochs = found.epoch[rows]
            if not found.valid[rows].all() or epochs[0] != epochs[-1]:
                continue
            counts = np.bincount(found.source[rows], minlength=len(self.sizes))
            if self.kind == "per_batch":
                assert counts.tolist() == [*self.shares.per_batch]
            elif epochs[0] > plan.start.epoch:
                whole = np.array(plan.shares.counts(int(epochs[0])))
                assert np.abs(counts - len(rows) * whole / whole.sum()).max() < 2

    def change(self):
        """Change batch size, shares and sources, each now and then."""
        rng = self.rng
        changes = rng.random() < 1 / 3
        if self.kind != "per_batch" or changes:
            self.batch_size = rng.randint(1, 64)
        if changes:
            few = {name: n for name, n in self.all.items() if rng.random() < 0.8}
            self.sizes = few or self.all
            self.shares = _shares(rng, self.kind, self.sizes, self.batch_size)

    def check(self):
        """Compare the list with what must be: each position once, each source epoch by epoch."""
        rows = np.concatenate(self.rows)
        epoch, position, source, own = rows[np.lexsort((rows[:, 1], rows[:, 0]))].T
        follows = (np.diff(epoch) == 0) & (np.diff(position) == 1)
        begins = (np.diff(epoch) == 1) & (position[1:] == 0)
        assert (follows | begins).all()
        for i, name in enumerate(self.names):
            given, size = own[source == i], self.all[name]
            for start in range(0, len(given), size):
                part = given[start : start + size]
                assert len(np.unique(part)) == len(part), f"{name} gave a sample twice"
                if not self.options["shuffle"]:
                    assert part.tolist() == [*range(len(part))]


@pytest.mark.parametrize("seed", range(24))
def test_no_sample_is_lost_or_doubled_within_its_source(seed):
    run = _Run(seed)
    for _ in range(12):
        run.part()
        run.change()
    run.check()


@pytest.mark.parametrize("world", [1, 3])
def test_an_epoch_has_exact_counts(world):
    sizes = {"a": 70, "b": 31}
    plan = Mixture(sizes, shares_of_weights(sizes, {"a": 0.7, "b": 0.3}, 90), shuffle=True)
    found = [Cursor(plan, 5, shard_id=i, num_shards=world).select(0, 60) for i in range(world)]
    epochs = np.concatenate([each.epoch for each in found])
    sources = np.concatenate([each.source for each in found])
    for epoch in range(epochs.max()):
        assert np.bincount(sources[epochs == epoch]).tolist() == [63, 27]


def test_two_sources_of_one_size_have_orders_of_their_own():
    sizes = {"a": 50, "b": 50}
    found = Cursor(Mixture(sizes, shares_of_repeats(sizes, {}), shuffle=True), 100).select(0)
    assert (found.index[found.source == 0] != found.index[found.source == 1] - 50).any()


def test_replacements_are_of_the_same_source():
    sizes = {"a": 3, "b": 40}
    plan = Mixture(sizes, shares_of_repeats(sizes, {}), shuffle=True)
    for position in range(43):
        index, _, source = plan.select(0, np.array([position]))
        own = range(3) if source[0] == 0 else range(3, 43)
        *others, none = (plan.replacement(0, position, i) for i in range(len(own)))
        assert (sorted([*others, int(index[0])]), none) == ([*own], None)


def test_padding_fills_up_a_step():
    sizes = {"a": 3, "b": 2}
    ranks = [
        Cursor(
            Mixture(sizes, shares_of_repeats(sizes, {})),
            2,
            shard_id=rank,
            num_shards=2,
            pad_last_batch=True,
        )
        for rank in range(2)
    ]
    assert [rank.select(1).valid.tolist() for rank in ranks] == [[True, False], [False, False]]
    assert ranks[0].epoch_size_padded == 8
    assert [rank.select(2).epoch.tolist() for rank in ranks] == [[1, 1], [1, 1]]
    assert ranks[0].sizes(0) == ranks[1].sizes(1) == (3, 2)


def test_a_source_without_samples_is_refused():
    with pytest.raises(ArgumentError, match="'b' has no samples"):
        Mixture({"a": 1, "b": 0}, shares_of_repeats({"a": 1}, {}))
