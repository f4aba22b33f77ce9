"""The frames that a clip has."""

from __future__ import annotations

import numpy as np

from ...engine.arrays import Int64s

PAD_MODES = (
    "none",
    "constant",
    "edge",
    "repeat",
    "reflect_1001",
    "symmetric",
    "reflect_101",
    "reflect",
)


def padded(numbers: Int64s, count: int, mode: str) -> Int64s:
    """Replace numbers of frames that a video lacks.

    Args:
        numbers: numbers of frames, 0 or more.
        count: number of the video's frames.
        mode: "none" leaves these numbers out; "constant" replaces them by -1; "edge" or "repeat"
            by the last frame; "reflect_1001" or "symmetric" goes back from there, and repeats the
            last frame; "reflect_101" or "reflect" goes back without repeating it.

    >>> padded(np.arange(2, 7), 4, "reflect_101").tolist()
    [2, 3, 2, 1, 0]
    """
    if mode == "none":
        return numbers[numbers < count]
    if mode == "constant":
        return np.where(numbers < count, numbers, -1)
    if mode in ("edge", "repeat"):
        return np.minimum(numbers, count - 1)
    if mode in ("reflect_1001", "symmetric"):
        phase = numbers % (2 * count)
        return np.minimum(phase, 2 * count - 1 - phase)
    phase = numbers % max(1, 2 * count - 2)
    return np.minimum(phase, 2 * count - 2 - phase)
