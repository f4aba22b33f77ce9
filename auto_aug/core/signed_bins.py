"""Bins of magnitudes with the signs of the magnitudes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ... import fn
from ...engine.errors import ArgumentError
from ...engine.graph.nodes import DataNode
from ...engine.tensors.dtypes import DALIDataType


class SignedMagnitudeBin:
    """A bin of a magnitude, and whether the magnitude is negated; `signed_bin` makes it.

    Attributes:
        bin: the bin: an int, or a node of integers.
        random_sign: a node of integers: 1 if the magnitude is negated, else 0.
        index: a node of `2 * bin + random_sign`.
    """

    def __init__(self, bin: int | DataNode, random_sign: DataNode, index: DataNode) -> None:
        self.bin, self.random_sign, self.index = bin, random_sign, index

    def __getitem__(self, key: int) -> SignedMagnitudeBin:
        """Return one bin of several that each sample has."""
        chosen = self.bin if isinstance(self.bin, int) else self.bin[key]
        return SignedMagnitudeBin(chosen, self.random_sign[key], self.index[key])


def signed_bin(
    magnitude_bin: int | DataNode,
    random_sign: DataNode | None = None,
    seed: int | None = None,
    shape: Sequence[int] | None = None,
) -> SignedMagnitudeBin:
    """Join a bin of a magnitude with a sign.

    An augmentation with `randomly_negate=True` negates the magnitude if the sign is 1.

    Args:
        magnitude_bin: from 0 to the number of bins - 1; the same for all samples, or a node.
        random_sign: a node of 0 and 1; by default the signs are drawn.
        seed: of the draw.
        shape: of a sample's signs, if it has several; an index then selects one.

    Raises:
        ArgumentError: `magnitude_bin` is something else, or `random_sign` is given together with
            `seed` or `shape`.

    >>> import numpy as np
    >>> from penstock import pipeline_def, types
    >>> from penstock.auto_aug.augmentations import shear_x
    >>> @pipeline_def(batch_size=1, num_threads=1)
    ... def sheared():
    ...     image = types.Constant(np.eye(4, dtype=np.uint8)[..., None] * 100, layout="HWC")
    ...     bin = signed_bin(30, random_sign=types.Constant(1))
    ...     return shear_x(image, magnitude_bin=bin, num_magnitude_bins=31)
    >>> with sheared() as pipe:
    ...     pipe.run()[0].at(0).shape
    (4, 4, 1)
    """
    if isinstance(magnitude_bin, bool) or not isinstance(magnitude_bin, int | DataNode):
        raise ArgumentError(
            f"The `magnitude_bin` must be an int or a DataNode of ints, but is {magnitude_bin!r}."
        )
    if random_sign is None:
        values: Any = [0, 1]
        random_sign = fn.random.uniform(
            values=values, dtype=DALIDataType.INT32, seed=seed, shape=shape
        )
    elif seed is not None or shape is not None:
        raise ArgumentError("Give either `random_sign`, or the `seed` and `shape` of a draw.")
    return SignedMagnitudeBin(magnitude_bin, random_sign, 2 * magnitude_bin + random_sign)
