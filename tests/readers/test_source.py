"""The contract of storage formats."""

import numpy as np
import pytest

from penstock.readers.source import checked_indices


@pytest.mark.parametrize("indices", [[], [0], [4, 0, 4]])
def test_indices_of_samples_come_back(indices):
    given = np.array(indices, np.int64)
    assert checked_indices(given, 5) is given


@pytest.mark.parametrize(("indices", "wrong"), [([5], 5), ([0, -1, 9], -1)])
def test_the_first_index_outside_is_named(indices, wrong):
    with pytest.raises(IndexError, match=f"no sample {wrong}: the source holds 5"):
        checked_indices(np.array(indices), 5)
