"""Windows for searches, and the random numbers of their attempts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from penstock.operators.boxes.window_shapes import RandomExtents

PROPOSALS = RandomExtents((0.3, 1.0), ((0.5, 2.0),))
APART = np.float32([[0.1, 0.1, 0.2, 0.2], [0.8, 0.8, 0.9, 0.9]]).T
"""Corners of two boxes with a large gap between them."""


def draw(samples: Sequence[int] | Any, start: int, attempts: int) -> tuple[Any, Any]:
    """Return random numbers: those of an attempt follow from sample and attempt."""
    rows = [np.random.default_rng(int(k)).random((start + attempts, 5))[start:] for k in samples]
    numbers = np.stack(rows).transpose(2, 0, 1)
    return numbers[1:].astype(np.float32), numbers[0]
