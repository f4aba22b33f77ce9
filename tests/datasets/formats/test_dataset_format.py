"""Rows of formats travel to other processes."""

from __future__ import annotations

import pickle

from penstock.datasets import FORMATS
from penstock.datasets.formats.dataset_format import begins_with


def test_first_bytes_also_after_pickling():
    for recognize in (begins_with(b"PAR1", b"ARROW1"), FORMATS["parquet"].recognize):
        copy = pickle.loads(pickle.dumps(recognize))
        assert copy(b"PAR1...", None)
        assert not copy(b"PAR", None)


def test_every_row_is_pickled_by_reference():
    for name, row in FORMATS.items():
        copy = pickle.loads(pickle.dumps(row))
        assert (copy.name, pickle.dumps(copy)) == (name, pickle.dumps(row))
