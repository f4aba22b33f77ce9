"""The samples that the frames of an audio track hold, by time stamps that are rounded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

_LONGEST_SLIP = 0.005
"""Seconds that a time stamp may differ from the samples counted so far; else there is a gap."""


class Grid(NamedTuple):
    """The places where frames of equal length begin, in samples: `phase` + n * `length`.

    An encoder's delay may be cut off the first frame:

        0    phase        phase + length
        |####|#############|#############|#####
    """

    phase: int
    length: int


@dataclass(frozen=True)
class Stamps:
    """The rules by which a track states times.

    Attributes:
        rate: samples a second.
        tick: unit of the time stamps, in samples.
    """

    rate: int
    tick: float

    def positions(
        self, stamps: Sequence[float | None], lengths: Sequence[int], grid: Grid | None = None
    ) -> list[int]:
        """Return the number of the first sample of each frame.

        Frames without a gap between them get one shift, which agrees with all their time stamps.

        Args:
            stamps: times of the frames in samples, rounded to ticks; the first is not None.
            lengths: lengths of the frames in samples.
            grid: grid of the track. It counts where the stamps agree with it to a tick.
        """
        counts: list[int] = []
        for run in self._runs(stamps, lengths):
            shift = self._shift(run, grid)
            counts += [shift + count for count in run.counts]
        return counts

    def grid(self, stamps: Sequence[float | None], lengths: Sequence[int]) -> Grid | None:
        """Return the grid of a track from its first frames; None if there is none.

        The first frame may be shorter: encoders' delays are cut off. Its time stamp counts as
        exact if the others allow.
        """
        if len(lengths) < 3 or len({*lengths[1:-1]}) != 1:
            return None
        run = self._runs(stamps, lengths)[0]
        start = min(max(stamps[0] or 0.0, run.low), run.high)
        return Grid(round(start) + lengths[0], lengths[1])

    def _runs(self, stamps: Sequence[float | None], lengths: Sequence[int]) -> list[_Run]:
        half, most = self.tick / 2, max(2 * self.tick, _LONGEST_SLIP * self.rate)
        runs: list[_Run] = []
        count = 0
        for stamp, length in zip(stamps, lengths, strict=True):
            if stamp is not None:
                start = stamp - count
                if not runs or abs(start - (runs[-1].low + runs[-1].high) / 2) > most:
                    count, start = 0, stamp
                    runs.append(_Run(start - half, start + half))
                runs[-1].low = max(runs[-1].low, start - half)
                runs[-1].high = min(runs[-1].high, start + half)
            runs[-1].counts.append(count)
            count += length
        return runs

    def _shift(self, run: _Run, grid: Grid | None) -> int:
        middle = (run.low + run.high) / 2
        if grid is not None and len(run.counts) > 1:
            second = middle + run.counts[1] - grid.phase
            nearest = round(second / grid.length) * grid.length
            if abs(nearest - second) <= self.tick:
                return nearest + grid.phase - run.counts[1]
        return round(middle)


@dataclass
class _Run:
    """Frames that follow one another.

    Attributes:
        low, high: limits of the first sample's number.
        counts: samples of the run before each frame.
    """

    low: float
    high: float
    counts: list[int] = field(default_factory=list)
