"""A search for the fastest setting of a pipeline, on a machine whose speed changes meanwhile.

Settings are compared in contests. The settings of a contest take turns, so that all of them see the
same changes, and the slower half leaves again and again (successive halving).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

from ...engine.errors import PenstockError
from .advice import CLEAR, Setting

WORKERS = ("num_threads", "exec_processes")
"""The arguments that are tried together, because the best of one depends on the other."""

_POLISHES = 5
_TURNS, _QUIET = 50, 0.04
"""So many turns end within 5% of the fastest setting in 95 of 100 searches, up to this noise.

Twice the noise needs four times the turns, as a mean does. The tests measure both.
"""
_SEVERAL = 3  # the residuals of fewer turns are 0, because a median meets one of two or none
_DEVIATION = 1.4826  # standard deviations of the normal distribution in a median deviation


@dataclass(eq=False)
class Trial:
    """What the turns of a setting showed.

    Attributes:
        setting: that was tried.
        rates: samples a second of each turn.
        speed: what the turns tell, compared with the other settings of the contest.
        residuals: logarithms of the rates, less those of the speed and of the machine.
        error: that ended the pipeline, if it failed.
    """

    setting: Setting
    rates: list[float] = field(default_factory=list)
    speed: float = 0.0
    residuals: list[float] = field(default_factory=list)
    error: Exception | None = None

    @property
    def rate(self) -> float:
        """The median of the rates; 0 without any."""
        return median(self.rates) if self.rates else 0.0


class Search:
    """Finds the fastest setting.

    Attributes:
        trials: of all contests.
    """

    def __init__(self, turn: Callable[[Setting], float]) -> None:
        """Take a function that runs a pipeline with a setting, and returns samples a second."""
        self._turn = turn
        self.trials: list[Trial] = []

    @property
    def failures(self) -> list[Trial]:
        """The trials that failed."""
        return [trial for trial in self.trials if trial.error is not None]

    @property
    def noise(self) -> float:
        """By how much a turn of a setting differs from the next one, as a part of its rate.

        The standard deviation of the logarithms, by their median, so a few turns count little. 0
        if no setting has had several turns.
        """
        found = [r for t in self.trials if len(t.rates) >= _SEVERAL for r in map(abs, t.residuals)]
        return math.expm1(_DEVIATION * median(found)) if found else 0.0

    def fastest(self, choices: Sequence[Sequence[Setting]], seconds: float) -> Setting:
        """Return the fastest setting: the best of each choice, one choice after the other.

        Args:
            choices: settings that exclude each other, for each choice.
            seconds: for all contests together.

        Raises:
            PenstockError, OSError: the pipeline fails with every setting.
        """
        weights = [math.log2(1 + len(settings)) for settings in choices]  # rounds of halving
        best: Setting = {}
        for settings, weight in zip(choices, weights, strict=True):
            others = [best | setting for setting in settings]
            best = self._contest([best, *others], seconds * weight / sum(weights))
        return best

    def _contest(self, settings: Iterable[Setting], seconds: float) -> Setting:
        """Return the fastest of some settings; the first one, unless another is clearly faster."""
        trials = [Trial(setting) for setting in settings]
        self.trials += trials
        end, alive = perf_counter() + seconds, trials
        for level in range(math.ceil(math.log2(len(trials))), 0, -1):
            self._take_turns(alive, perf_counter() + (end - perf_counter()) / level)
            ranked = _ranked(trials)
            alive = [trial for trial in ranked if trial in alive][: math.ceil(len(alive) / 2)]
        if not alive:
            raise next(trial.error for trial in trials if trial.error is not None)
        first, best = trials[0], alive[0]
        is_clear = first not in ranked or best.speed > CLEAR * first.speed
        return best.setting if is_clear else first.setting

    def _take_turns(self, trials: Sequence[Trial], deadline: float) -> None:
        """Run settings by turns until a time, and at least until one of them has run."""
        while True:
            for trial in trials:
                if perf_counter() >= deadline and any(other.rates for other in trials):
                    return
                if trial.error is None:
                    self._take_turn(trial)
            if sum(trial.error is None for trial in trials) < 2:
                return

    def _take_turn(self, trial: Trial) -> None:
        try:
            trial.rates.append(self._turn(trial.setting))
        except (PenstockError, OSError) as error:
            trial.error = error


def _ranked(trials: Sequence[Trial]) -> list[Trial]:
    """Set the speeds of the trials that ran and did not fail; return them, the fastest first.

    The logarithm of a rate is that of the setting's speed, plus that of the machine's in that round
    of turns. Medians of rows and columns by turns tell both, whatever a few turns suffered
    (Tukey's median polish).
    """
    ran = [trial for trial in trials if trial.rates and trial.error is None]
    if not ran:
        return []
    rates = np.full((len(ran), max(len(trial.rates) for trial in ran)), np.nan)
    for row, trial in zip(rates, ran, strict=True):
        row[: len(trial.rates)] = np.log(trial.rates)
    speeds = np.zeros(len(ran))
    for _ in range(_POLISHES):
        machine = np.nanmedian(rates - speeds[:, np.newaxis], axis=0)
        speeds = np.nanmedian(rates - machine, axis=1)
    residuals = rates - machine - speeds[:, np.newaxis]
    for trial, speed, row in zip(ran, np.exp(speeds).tolist(), residuals, strict=True):
        trial.speed, trial.residuals = speed, row[: len(trial.rates)].tolist()
    return sorted(ran, key=lambda trial: -trial.speed)


def enough_turns(noise: float) -> int:
    """Return how many turns a search needs to end within 5% of the fastest setting.

    Args:
        noise: as `Search.noise`.

    >>> enough_turns(0.01), enough_turns(0.08)
    (50, 200)
    """
    return round(_TURNS * max(1.0, noise / _QUIET) ** 2)


def choices_of(
    cores: int,
    tried: Mapping[str, Sequence[object]],
    *,
    present: Mapping[str, object],
    has_python_workers: bool,
) -> list[list[Setting]]:
    """Return what to choose from: the settings of each choice that differ from the present one.

    Args:
        cores: that the process may use.
        tried: values of arguments by name, in addition or instead.
        present: arguments of the pipeline as it is.
        has_python_workers: whether the pipeline has sources or functions with `parallel=True`.

    >>> present = {"num_threads": 2, "prefetch_queue_depth": 2}
    >>> choices = choices_of(
    ...     2, {"prefetch_queue_depth": [2, 3]}, present=present, has_python_workers=False
    ... )
    >>> len(choices[0]), choices[0][-1], choices[1]
    (8, {'num_threads': 4, 'exec_processes': True}, [{'prefetch_queue_depth': 3}])
    """
    numbers = {1, 2 * cores, cores + cores // 2, *(2**i for i in range(cores.bit_length())), cores}
    near_first = sorted(numbers, key=lambda number: abs(math.log(number / cores)))
    values: dict[str, Sequence[Any]] = {
        "num_threads": near_first,
        "exec_processes": [False, True],
        "prefetch_queue_depth": [2, 4, 8, 1],
    }
    if has_python_workers:
        values["py_num_workers"] = near_first
    values |= tried
    pairs = product(*(values.pop(name) for name in WORKERS))
    workers = [dict(zip(WORKERS, pair, strict=True)) for pair in pairs]
    choices = [
        workers,
        *([{name: value} for value in values_of_name] for name, values_of_name in values.items()),
    ]
    changes = [
        [
            setting
            for setting in choice
            if any(present.get(name) != value for name, value in setting.items())
        ]
        for choice in choices
    ]
    return [settings for settings in changes if settings]
