"""What all storage formats share."""

from __future__ import annotations

import numpy as np

from penstock.datasets.formats.base import grouped_rows, joined, numbered_key, probes


def test_probes_are_spread_and_unique():
    assert probes(0).tolist() == []
    assert probes(3).tolist() == [0, 1, 2]
    assert len(probes(10**6)) == 8
    assert probes(10**6)[[0, -1]].tolist() == [0, 10**6 - 1]


def test_rows_of_groups():
    groups = grouped_rows(np.array([0, 2, 2, 5]), np.array([2, 1, 0]))
    assert joined(groups).tolist() == [2, 3, 4, 0, 1]
    assert joined([]).tolist() == []


def test_keys_of_samples_without_a_name():
    assert numbered_key("/x/a.b.rec", 3) == "a/00000003"
