"""The sizes that relative translations refer to: the argument `shape`, or those of the images."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...engine.errors import ArgumentError
from ..common.batch_arguments import padded_numbers
from .effects import Ints

_HEIGHT_AND_WIDTH = 2


def given_reference(shape: Sequence[float]) -> tuple[float, float] | None:
    """Return the height and the width that the argument `shape` gives, or None."""
    numbers = np.ravel(shape).tolist()
    if not numbers:
        return None
    if len(numbers) < _HEIGHT_AND_WIDTH or not np.isfinite(numbers[:2]).all():
        raise ArgumentError(f"shape is {tuple(numbers)}; give (height, width)")
    return numbers[0], numbers[1]


def references(shape: object, extents: Ints) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the height and the width for each sample, and which samples have them.

    Args:
        shape: the argument: a `TensorList`, or one value for all samples.
        extents: height and width of the images: (batch, 2).
    """
    reference = extents.astype(np.float64)
    if isinstance(shape, tuple) and not shape:
        return reference, np.ones(len(extents), bool)
    sizes, counts = padded_numbers(shape, len(extents))
    if sizes.shape[1] < _HEIGHT_AND_WIDTH:
        return reference, np.asarray(counts != 1)
    reference = np.where((counts == 0)[:, np.newaxis], reference, sizes[:, :2])
    known = (counts != 1) & np.isfinite(reference).all(axis=1)
    return np.where(known[:, np.newaxis], reference, 1.0), np.asarray(known)
