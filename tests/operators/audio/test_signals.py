"""Signals of one channel: which shapes have one."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.engine.errors import ArgumentError
from penstock.operators.audio.signals import signal_lengths, signal_of


@pytest.mark.parametrize("shape", [(5,), (5, 1), (1, 5), (0,), (0, 1), (1, 1), (), (1, 1, 4)])
def test_one_channel(shape):
    data = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    np.testing.assert_array_equal(signal_of(data), data.reshape(-1))
    assert signal_lengths(np.array([shape], np.int64)).tolist() == [data.size]


@pytest.mark.parametrize("shape", [(5, 2), (2, 2, 1), (0, 2)])
def test_several_channels(shape):
    with pytest.raises(ArgumentError, match="takes one channel"):
        signal_of(np.zeros(shape))
    assert signal_lengths(np.array([shape])).tolist() == [-1]
