"""Separable filters on the CPU, with OpenCV.

Elements beyond the border are those of the mirrored sample, without the border element twice
(OpenCV's BORDER_REFLECT_101). From bytes to bytes OpenCV rounds once, at the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import cv2
import numpy as np
from numpy.typing import NDArray

from ...engine.graph.context import Workspace
from ...engine.graph.operator import Array
from ..common.opencv_images import by_channels
from ..elementwise.promotion import exact_type

Weights = NDArray[np.float32]

_ONE = np.ones(1, np.float32)


def filter_sample(
    workspace: Workspace, source: Array, kernels: Sequence[Weights], out: Array
) -> None:
    """Write a sample filtered along its axes.

    Args:
        source: contiguous; the filtered axes, and then one of channels.
        kernels: the weights of one to three axes.
        out: the result: contiguous, of the shape of `source`.
    """
    *outer, last = kernels
    width, channels = source.shape[-2:]
    if len(outer) == 2:
        plain = workspace.scratch(source.shape, exact_type(source.dtype))
        for plane, result in zip(source, plain, strict=True):
            _filter_plane(plane, outer[1], last, width, channels, result)
        depth = len(source)
        _filter_plane(plain, outer[0], _ONE, prod(source.shape) // depth, 1, out)
    else:
        _filter_plane(source, outer[0] if outer else _ONE, last, width, channels, out)


def _filter_plane(
    source: Array, down: Weights, right: Weights, width: int, channels: int, out: Array
) -> None:
    """Filter lines and columns; the elements are (height, width, channels)."""

    def compute(image: Array, target: Array | None) -> object:
        border = cv2.BORDER_REFLECT_101
        return cv2.sepFilter2D(image, -1, right, down, dst=target, borderType=border)

    shape = (-1, width, channels)
    by_channels(source.reshape(shape), out.reshape(shape), compute)
