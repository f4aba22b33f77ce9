"""Two libraries side by side: each runs the same work in turn, so that both see one machine."""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

from .measure import Speed, Tick, measure
from .pipeline_library import Runnable

ROUNDS = 3


@dataclass(frozen=True)
class Comparison:
    """The speeds of two libraries.

    Attributes:
        ours, theirs: samples a second, the median of the rounds.
        ratio: the median of the rounds' ratios; above 1, ours is faster.
        lowest, highest: of the rounds' ratios.
        their_first_batch_s: as `Speed.first_batch_s`, of their first round.
        speed: our last round.
    """

    ours: float
    theirs: float
    ratio: float
    lowest: float
    highest: float
    their_first_batch_s: float
    speed: Speed


def compare(
    ours: Callable[[], Runnable], theirs: Callable[[], Runnable], seconds: float, tick: Tick
) -> Comparison:
    """Let two pipelines take turns for `seconds` each, all rounds together."""
    pairs = []
    for number in range(ROUNDS):
        tick(f"round {number + 1} of {ROUNDS}")
        mine = _turn(ours, seconds / ROUNDS)
        pairs.append((mine, _turn(theirs, seconds / ROUNDS)))
    ratios = [mine.steady / other.steady for mine, other in pairs]
    return Comparison(
        median(mine.steady for mine, _ in pairs),
        median(other.steady for _, other in pairs),
        median(ratios),
        min(ratios),
        max(ratios),
        pairs[0][1].first_batch_s,
        pairs[-1][0],
    )


def _turn(open_: Callable[[], Runnable], seconds: float) -> Speed:
    gc.collect()  # ends the threads of the pipeline before
    return measure(open_, seconds)
