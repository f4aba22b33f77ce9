"""Tables of the 256 levels of a channel, for the effects that map each level alone.

Pillow's results are those of its `ImageEnhance` and `ImageOps`, to the last digit: it computes in
float32, or in Python's float64, and drops the digits after the point.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import cv2
import numpy as np
from numpy.typing import NDArray

from ...engine.graph.operator import Array
from ..elementwise.saturation import saturate
from .effects import Floats, Ints, number_of

LEVELS = np.arange(256)
_EXACT = LEVELS.astype(np.float32)
_STRIP = 1 << 24
"""Pixels that are counted together: `cv2.calcHist` counts in float32."""
LUMA = np.array([0.299, 0.587, 0.114], np.float32)
PILLOW_LUMA = np.array([19595, 38470, 7471])  # of 65536
_HALF_SCALE = 128  # levels below it are the dark half


def given_tables(effects: Ints, values: Floats, *, pillow: bool) -> NDArray[np.uint8]:
    """Return the tables of effects that do not depend on the levels of an image: (count, 256).

    Args:
        effects: their numbers: (count,). Other effects get the identity.
        values: the first number of each parameter: (count,).
        pillow: whether results are Pillow's.
    """
    tables = np.broadcast_to(LEVELS.astype(np.uint8), (len(effects), 256)).copy()
    for name, make in _GIVEN.items():
        rows = np.flatnonzero(effects == number_of(name))
        if rows.size:
            tables[rows] = make(values[rows, np.newaxis], pillow)
    return tables


def _brightness(factor: Floats, pillow: bool) -> Array:
    return as_bytes(factor * _EXACT, pillow)


def _posterize(mask: Floats, pillow: bool) -> Array:
    return LEVELS & mask.clip(0, 255).astype(np.int64)


def _solarize(threshold: Floats, pillow: bool) -> Array:
    return np.where(threshold > _EXACT, LEVELS, 255 - LEVELS)


def _solarize_add(shift: Floats, pillow: bool) -> Array:
    return np.where(LEVELS < _HALF_SCALE, as_bytes(_EXACT + shift, pillow), LEVELS)


def _invert(_: Floats, pillow: bool) -> Array:
    return 255 - LEVELS


_GIVEN: Mapping[str, Callable[[Floats, bool], Array]] = MappingProxyType(
    {
        "brightness": _brightness,
        "posterize": _posterize,
        "solarize": _solarize,
        "solarize_add": _solarize_add,
        "invert": _invert,
    }
)


def as_bytes(values: Floats, pillow: bool) -> NDArray[np.uint8]:
    """Return values as bytes: rounded with halves away from zero, or as Pillow converts them."""
    out = np.empty(values.shape, np.uint8)
    saturate(np.trunc(values) if pillow else values, out)
    return out


def counted_levels(frame: Array) -> Ints:
    """Return how often each level occurs in each channel: (channels, 256).

    Args:
        frame: (height, width, channels) uint8.
    """
    height, width, channels = frame.shape
    lines = max(1, _STRIP // max(1, width))
    total = np.zeros((channels, 256), np.int64)
    for top in range(0, height, lines):
        strip = [frame[top : top + lines]]
        for channel in range(channels):
            counts = cv2.calcHist(strip, [channel], None, [256], [0, 256])
            total[channel] += counts.reshape(-1).astype(np.int64)
    return total


def table_of_levels(
    effect: int, factor: np.float32, frame: Array, *, pillow: bool
) -> NDArray[np.uint8]:
    """Return the table of an effect that depends on the levels: (256,), or (channels, 256).

    Args:
        effect: its number.
        factor: its parameter, if it has one.
        frame: (height, width, channels) uint8.
        pillow: whether results are Pillow's.
    """
    if effect == number_of("contrast"):
        center = _pillow_center(frame) if pillow else _center(frame)
        return as_bytes(center + factor * (_EXACT - center), pillow)
    make = _auto_contrast if effect == number_of("auto_contrast") else _equalize
    if pillow:
        make = _pillow_auto_contrast if make is _auto_contrast else _pillow_equalize
    return np.stack([make(counts) for counts in counted_levels(frame)]).astype(np.uint8)


def _center(frame: Array) -> np.float32:
    """Return the mean luma of an image."""
    channels = frame.shape[2]
    means = np.array(cv2.mean(frame)[:channels], np.float32)
    return np.float32(means[0] if channels == 1 else (means * LUMA).sum(dtype=np.float32))


def _pillow_center(frame: Array) -> np.float32:
    """Return the mean of an image's luma in whole levels, rounded."""
    return np.float32(int(pillow_luma(frame).mean() + 0.5))


def pillow_luma(frame: Array) -> Ints:
    """Return the luma of each pixel in whole levels: (height, width)."""
    if frame.shape[2] == 1:
        return frame[..., 0].astype(np.int64)
    luma: Ints = (frame @ PILLOW_LUMA + (1 << 15)) >> 16
    return luma


def _equalize(counts: Ints) -> Array:
    """Return the table of OpenCV's `equalizeHist`."""
    first = int(np.argmax(counts > 0))
    rest = int(counts.sum()) - int(counts[first])
    if not rest:
        return np.full(256, first)
    sums = np.cumsum(counts) - counts[: first + 1].sum()
    scaled = sums.astype(np.float32) * (np.float32(255) / np.float32(rest))
    return np.where(first >= LEVELS, 0, np.rint(scaled)).clip(0, 255)


def _pillow_equalize(counts: Ints) -> Array:
    present = counts[counts > 0]
    step = int(present[:-1].sum()) // 255
    if len(present) <= 1 or not step:
        return LEVELS
    return ((step // 2 + np.cumsum(counts) - counts) // step).clip(0, 255)


def _auto_contrast(counts: Ints) -> Array:
    present = np.flatnonzero(counts)
    low, high = int(present[0]), int(present[-1])
    if low == high:
        return LEVELS
    scale = np.float32(255) / np.float32(high - low)
    return as_bytes((_EXACT - low) * scale, pillow=False)


def _pillow_auto_contrast(counts: Ints) -> Array:
    present = np.flatnonzero(counts)
    low, high = int(present[0]), int(present[-1])
    if low == high:
        return LEVELS
    scale = 255.0 / (high - low)
    return (LEVELS * scale + -low * scale).astype(np.int64).clip(0, 255)
