"""Masks of pixels as masks of the pixels' channels."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np

from ...engine.graph.operator import Array

_OPENCV_CHANNELS = 4


def spread(mask: Array, channels: int) -> Array:
    """Return a mask in which each element of a line is repeated for all channels.

    Args:
        mask: (height, width) bool or uint8.
        channels: number of channels of a pixel.

    Returns:
        uint8 of shape (height, width * channels); it may be the mask itself.
    """
    plane: Any = mask.view(np.uint8)
    if channels == 1:
        return plane  # type: ignore[no-any-return]
    if channels <= _OPENCV_CHANNELS and plane.size:
        repeated: Any = cv2.merge([plane] * channels)
        return repeated.reshape(len(mask), -1)  # type: ignore[no-any-return]
    return np.repeat(plane, channels, axis=1)
