"""Windows of a signal: their number, and samples beyond the ends."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.engine.errors import ArgumentError
from penstock.engine.graph.context import HeapWorkspace
from penstock.operators.audio.framing import Framing

from .made import noise


@pytest.mark.parametrize("samples", [1, 2, 5, 17, 40])
@pytest.mark.parametrize(("length", "step"), [(8, 3), (9, 9), (1, 1), (16, 40)])
def test_samples_of_the_windows(length, step, samples):
    framing = Framing(length, step, centered=True, reflect=True)
    windows = framing.count(samples)
    signal = noise(samples)
    covered = framing.extended(HeapWorkspace(), signal, windows)
    wanted = np.pad(signal, 2 * length, mode="reflect")[2 * length - length // 2 :]
    np.testing.assert_array_equal(covered, wanted[: (windows - 1) * step + length])


@pytest.mark.parametrize(("samples", "windows"), [(8, 1), (10, 1), (11, 2), (40, 11)])
def test_windows_within_the_signal(samples, windows):
    assert Framing(8, 3, centered=False, reflect=True).count(samples) == windows


@pytest.mark.parametrize("centered", [True, False])
def test_no_windows(centered):
    framing = Framing(8, 3, centered=centered, reflect=True)
    with pytest.raises(ArgumentError, match="signal is empty"):
        framing.count(0)
    assert framing.counts(np.array([0, -1, 7])).tolist() == [0, 0, 3 * centered]
