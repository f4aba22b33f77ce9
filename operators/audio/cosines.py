"""Matrices of the discrete cosine transform."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ...engine.errors import ArgumentError
from .axis_matrix import AxisMatrix

TYPES = (1, 2, 3, 4)


@dataclass(frozen=True)
class CosineTransform:
    """A discrete cosine transform, followed by liftering.

    Attributes:
        type: one of `TYPES`: the formulas DCT-I to DCT-IV of
            https://en.wikipedia.org/wiki/Discrete_cosine_transform
        most: number of coefficients, if the vectors have as many numbers.
        orthonormal: whether the matrix of all coefficients is orthogonal.
        lifter: coefficient i is multiplied by 1 + lifter / 2 * sin(pi * (i + 1) / lifter), unless
            the lifter is 0.
    """

    type: int
    most: int
    orthonormal: bool
    lifter: float

    def factors(self, numbers: int) -> NDArray[np.float64]:
        """Return the matrix for vectors of `numbers` numbers: (coefficients, numbers)."""
        k = np.arange(min(self.most, numbers))[:, np.newaxis]
        n = np.arange(numbers)
        factors = self._cosines(k, n, max(numbers, 1))
        if self.lifter:
            factors = factors * (1 + self.lifter / 2 * np.sin(np.pi * (k + 1) / self.lifter))
        return factors

    def _cosines(
        self, k: NDArray[np.int64], n: NDArray[np.int64], numbers: int
    ) -> NDArray[np.float64]:
        if self.type == 1:
            ends = np.where((n == 0) | (n == numbers - 1), 0.5, 1.0)
            return ends * np.cos(np.pi * n * k / (numbers - 1))
        half_k, half_n = (0.5 if self.type in types else 0 for types in ((3, 4), (2, 4)))
        cosines = np.cos(np.pi / numbers * (n + half_n) * (k + half_k))
        root = np.sqrt(0.5)
        if self.type == 3:
            cosines *= np.where(n == 0, root if self.orthonormal else 0.5, 1.0)
        if self.type == 2 and self.orthonormal:
            cosines *= np.where(k == 0, root, 1.0)
        return cosines * (np.sqrt(2 / numbers) if self.orthonormal else 1.0)


@cache
def cosine_matrix(transform: CosineTransform, numbers: int) -> AxisMatrix:
    """Return the matrix for vectors of `numbers` numbers.

    Raises:
        ArgumentError: DCT-I needs two numbers.
    """
    if transform.type == 1 and numbers == 1:
        raise ArgumentError("the axis has 1 number; with dct_type=1 it must have at least 2")
    return AxisMatrix(transform.factors(numbers))
