"""Signals of one channel, in any shape with a single extent above 1."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...engine.errors import ArgumentError
from ...engine.graph.operator import Array


def signal_of(data: Array) -> Array:
    """Return a sample's signal: (samples,).

    Raises:
        ArgumentError: the sample has more than one channel.
    """
    if sum(extent != 1 for extent in data.shape) > 1:
        raise ArgumentError(
            f"the sample has the shape {data.shape}, but the operator takes one channel: "
            "(samples,), (samples, 1) or (1, samples). Mix the channels with "
            "fn.decoders.audio(downmix=True), or take one with [:, 0]"
        )
    return data.reshape(-1)


def signal_lengths(extents: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the lengths of the signals of shapes (batch, ndim), and -1 if `signal_of` raises.

    >>> signal_lengths(np.array([[5, 1], [1, 7], [2, 3]])).tolist()
    [5, 7, -1]
    """
    has_one_channel = (extents != 1).sum(axis=1) <= 1
    return np.where(has_one_channel, extents.prod(axis=1), -1)
