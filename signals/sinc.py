"""The filter of audio resampling: a sinc in a Hann window, tabulated.

DALI's filter, so that features of a model that was trained with DALI stay what they were. The
filter is the same for all rates: its lobes are as wide as the distance of two input samples.
Frequencies above the half of a lower output rate are folded back, as in DALI. A `cutoff` below 1
makes the lobes wider, so that the filter removes these frequencies.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ..engine.arrays import Array

PER_UNIT = 32
"""Entries of the table for the distance of two input samples."""


@dataclass(frozen=True, eq=False)
class SincWindow:
    """The tabulated filter; between two entries it is linear.

    Attributes:
        lobes: input samples on each side of an output sample that count.
        table: the filter from `-lobes` to `lobes`, in steps of 1 / `PER_UNIT`; zeros around it.
            Entry `center` is at 0. float32.
        center: see `table`.
    """

    lobes: int
    table: NDArray[np.float32]
    center: int


@cache
def sinc_window(lobes: int) -> SincWindow:
    """Return the filter with `lobes` lobes on each side."""
    entries = 2 * PER_UNIT * lobes + 1
    steps = np.arange(entries) - entries // 2
    hann = 0.5 * (1 + np.cos(2 * np.pi / entries * steps))
    table = np.zeros(entries + 5, np.float32)
    table[1 : entries + 1] = np.sinc(steps / PER_UNIT) * hann
    table.flags.writeable = False
    return SincWindow(lobes, table, entries // 2 + 1)


@dataclass(frozen=True)
class SincFilter:
    """The filter of one resampling.

    Attributes:
        lobes: number of lobes on each side.
        cutoff: highest frequency that passes, as a fraction of half the input's rate: 1 at most.
    """

    lobes: int
    cutoff: float = 1.0

    @property
    def reach(self) -> int:
        """Input samples on each side of an output sample that count."""
        return math.ceil(self.lobes / self.cutoff)

    def taps(self, fractions: Array) -> NDArray[np.float32]:
        """Return the weights of the input samples around output samples.

        Args:
            fractions: distance from each output sample to the next input sample at or after it,
                in input samples: 0 to 1, shape (n,).

        Returns:
            (n, 2 * reach): tap k belongs to the input sample `k - reach` after that one.
        """
        window = sinc_window(self.lobes)
        steps = np.arange(-self.reach, self.reach) + np.asarray(fractions, np.float64)[:, None]
        beyond = self.lobes + 1 / PER_UNIT
        entries = (steps * self.cutoff).clip(-beyond, beyond) * PER_UNIT + window.center
        whole = np.floor(entries).astype(np.intp)
        low, high = window.table[whole], window.table[whole + 1]
        taps: NDArray[np.float32] = low + (entries - whole) * (high - low)
        return (taps * self.cutoff).astype(np.float32, copy=False)


def filter_of(lobes: int, in_rate: float, out_rate: float, *, antialias: bool) -> SincFilter:
    """Return the filter for two rates above 0, which are in any unit."""
    return SincFilter(lobes, min(1.0, out_rate / in_rate) if antialias else 1.0)


def lobes_of(quality: float) -> int:
    """Return DALI's number of lobes for a quality from 0 to 100: 3 for 0, 16 for 50, 64 for 100."""
    return round(0.007 * quality * quality - 0.09 * quality + 3)
