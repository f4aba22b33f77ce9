"""Which axes are filtered."""

from __future__ import annotations

import numpy as np

from penstock.operators.filters.filtered_axes import filter_axes, parts_of


def test_axes():
    assert filter_axes("blur", "FHWC", 4) == (1, 2)
    assert filter_axes("blur", "CDHW", 4) == (1, 2, 3)
    assert filter_axes("blur", "", 2) == (0, 1)


def test_parts():
    sample = np.arange(2 * 3 * 4 * 5).reshape(2, 3, 4, 5)
    assert parts_of(sample, (1, 2)).shape == (2, 3, 4, 5)
    assert parts_of(sample, (2, 3)).shape == (6, 4, 5, 1)
    np.testing.assert_array_equal(parts_of(sample[:, ::2], (2, 3))[1, ..., 0], sample[0, 2])
