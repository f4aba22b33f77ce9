"""A warning of means of images from 0 to 1, such as torchvision's, for bytes."""

from __future__ import annotations

import warnings
from contextlib import suppress
from typing import Any

import numpy as np

_CHANNELS = 3
"""Fewer numbers below 1 may be meant: masks of 0 and 1 are bytes, too."""


class UnitRange:
    """Warns once if bytes get the mean and deviation of images from 0 to 1.

    The numbers may be meant if the result is scaled or shifted, or if samples have their own.

    Args:
        operator: it has the arguments `scale` and `shift`.
        names: of its arguments that are mean and deviation.
    """

    def __init__(self, operator: Any, *names: str) -> None:
        doubtful = (
            not set(names) & set(operator.per_sample)
            and (operator.scale, operator.shift) == (1, 0)
            and all(_below_one(getattr(operator, name)) for name in names)
        )
        self._warnings = [_WARNING.format(operator.called)] if doubtful else []

    def look_at(self, dtype: object) -> None:
        """Warn if the data have this type, and may be from 0 to 255."""
        if self._warnings and dtype == np.uint8:
            with suppress(IndexError):  # another thread was first
                warnings.warn(self._warnings.pop(), RuntimeWarning, stacklevel=3)


_WARNING = (
    "{}: mean and deviation are those of images from 0 to 1, but the data are bytes, from 0 to "
    "255. Multiply both by 255, as in mean=[0.485 * 255, 0.456 * 255, 0.406 * 255]"
)


def _below_one(values: Any) -> bool:
    numbers = np.ravel(values if values is not None else 0.0)
    return bool(len(numbers) >= _CHANNELS and (numbers > 0).all() and (numbers < 1).all())
