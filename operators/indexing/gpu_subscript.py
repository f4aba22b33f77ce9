"""NumPy's basic indexing, for a whole batch of samples in device memory."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ...engine.graph.operator import Array
from .strided_views import StridedViews


def indexed_views(view: StridedViews, key: tuple[object, ...]) -> tuple[StridedViews, Array]:
    """Return the views that a key selects, and for which samples the key is out of range.

    Args:
        view: samples that have all their elements.
        key: integers, slices, None and at most one Ellipsis, with no more integers and slices
            than a sample has dimensions. Integers may be arrays with one a sample.
    """
    count, ndim = view.shapes.shape
    first, wrong = view.first.copy(), np.zeros(count, bool)
    columns: list[tuple[Array, Array]] = []  # extents and strides of the result
    axis = 0
    for item in _expanded(key, ndim):
        if item is None:
            columns.append((np.ones(count, np.int64), np.zeros(count, np.int64)))
            continue
        extent, stride = view.shapes[:, axis], view.strides[:, axis]
        axis += 1
        if isinstance(item, slice):
            start, step, length, unusable = _indices(item, extent)
            columns.append((length, stride * step))
            wrong |= unusable
        else:
            start = np.where(item < 0, item + extent, item)
            wrong |= (start < 0) | (start >= extent)
        first += start * stride
    shapes = strides = view.shapes[:, :0]
    if columns:
        shapes, strides = (np.stack(column, 1) for column in zip(*columns, strict=True))
    shapes = np.where(wrong[:, None], 0, shapes)
    low = np.zeros_like(shapes)
    return replace(view, first=first, strides=strides, shapes=shapes, low=low, high=shapes), wrong


def _expanded(key: tuple[object, ...], ndim: int) -> tuple[Any, ...]:
    """Return the key with whole slices for all dimensions that it leaves out."""
    named = sum(item is not None and item is not Ellipsis for item in key)
    whole = (slice(None),) * (ndim - named)
    if not any(item is Ellipsis for item in key):
        return (*key, *whole)
    at = next(i for i, item in enumerate(key) if item is Ellipsis)
    return (*key[:at], *whole, *key[at + 1 :])


def _indices(item: slice, extent: Array) -> tuple[Array, Array, Array, Array]:
    """Return start, step and length of a slice, as `slice.indices` does, and where step is 0."""
    step = np.broadcast_to(1 if item.step is None else np.asarray(item.step), extent.shape)
    back = step < 0
    least, most = np.where(back, -1, 0), np.where(back, extent - 1, extent)

    def end(value: Any, default: Array) -> Array:
        if value is None:
            return default
        from_front: Array = np.where(value < 0, value + extent, value)
        return from_front.clip(least, most)

    start = end(item.start, np.where(back, most, least))
    stop = end(item.stop, np.where(back, least, most))
    unusable = step == 0
    divisor = np.where(unusable, 1, step)
    length = ((stop - start + divisor - np.sign(divisor)) // divisor).clip(0)
    return start, divisor, length, unusable
