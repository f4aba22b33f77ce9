"""Selections out of many at once are those of the sampler."""

import numpy as np

from penstock.engine.order.sampler import Sampler
from penstock.readers import selections
from penstock.readers.selections import Selections


def test_they_are_those_of_the_sampler(monkeypatch):
    monkeypatch.setattr(selections, "SAMPLES_AT_ONCE", 20)
    sampler = Sampler(23, 3, shuffle=True, seed=5)
    made = Selections(sampler, 3)
    for batch, batches in ((0, 1), (1, 1), (2, 4), (6, 1), (7, 1), (30, 9), (2, 2), (33, 1)):
        found, expected = made.select(batch, batches), sampler.select(batch, batches)
        for name in ("index", "epoch", "position", "valid"):
            np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))


def test_a_change_of_one_changes_no_other():
    made = Selections(Sampler(10, 5), 5)
    made.select(0).index[:] = -1
    assert made.select(0).index.tolist() == [0, 1, 2, 3, 4]
