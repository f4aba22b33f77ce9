"""What `penstock bench` and `penstock tune` advise: the same, from the same figures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from ...engine.errors import PenstockError
from .measure import Speed, Tick
from .others import OtherPrograms, is_busy
from .pipeline_library import Runnable
from .turns import Comparison, compare

Setting = dict[str, Any]
"""Keyword arguments of a pipeline; {} leaves the pipeline as it is."""

CLEAR = 1.02
"""What is less than 2% faster may be noise."""


def advised(setting: Setting, comparison: Comparison | None, other_cores: float) -> Setting:
    """Return the setting to advise: {} unless it is clearly faster on a machine at rest.

    Args:
        setting: that the limit names, or that a search has found.
        comparison: of the setting with the pipeline as it is; None if that was not measured, or
            if the pipeline fails as it is.
        other_cores: how many cores other programs used meanwhile.
    """
    if is_busy(other_cores) or (comparison is not None and comparison.ratio <= CLEAR):
        return {}
    return setting


@dataclass(frozen=True)
class Tried:
    """A setting that the limit of a pipeline names, and what it has brought.

    Attributes:
        comparison: with the pipeline as it is; None if the pipeline fails with the setting.
        error: with which it fails.
        other_cores: as for `advised`.
    """

    setting: Setting
    comparison: Comparison | None
    error: Exception | None = None
    other_cores: float = 0.0

    @property
    def advised(self) -> Setting:
        """The setting, if it is to be advised; else {}."""
        return {} if self.error else advised(self.setting, self.comparison, self.other_cores)


def try_setting(
    opened: Callable[[Setting], Runnable], speed: Speed, seconds: float, tick: Tick
) -> Tried | None:
    """Compare the setting that the limit names with the pipeline as it is, for `seconds`.

    Args:
        opened: makes the pipeline with a setting.
        speed: of the pipeline as it is, with its limit.
        seconds: for both together.
        tick: as for `measure`.

    Returns:
        None if the limit names no setting, or if other programs use the cores.
    """
    setting = dict(speed.figures.limit.setting)
    if not setting or is_busy(speed.other_cores):
        return None
    others = OtherPrograms()
    try:
        comparison = compare(partial(opened, setting), partial(opened, {}), seconds / 2, tick)
    except (PenstockError, OSError) as error:
        return Tried(setting, None, error)
    return Tried(setting, comparison, other_cores=others.cores())


def as_arguments(setting: Setting) -> str:
    """Return a setting as keyword arguments of Python.

    >>> as_arguments({"num_threads": 4, "exec_processes": True})
    'num_threads=4, exec_processes=True'
    """
    return ", ".join(f"{name}={value!r}" for name, value in setting.items())
