"""Copies of single pixels on the GPU: the plans that `operators/indexing/move_pixels.cu` can do."""

from __future__ import annotations

import numpy as np

from ...engine.graph.operator import Array
from .gather_plan import PIECE, GatherPlan

_MOST_PIXEL = 32  # bytes of a pixel
_MOST_SOURCES = 8
_MOST_SPAN = 64  # bytes that a thread reads for a piece


def pixels_of(gather: GatherPlan, size: int) -> tuple[GatherPlan, dict[str, str]] | None:
    """Return the plan whose last dimension consists of pixels, and the macros that describe pixels.

    None if pixels differ among samples, or lie too far apart to be read together.
    """
    extents, ends = gather.extents, gather.extents[:, None]
    if gather.ndim > 1 and extents[0, -1] * size <= _MOST_PIXEL:
        low, high = gather.low.clip(0, ends), gather.high.clip(0, ends)
        offset, counts = low[..., -1], (high - low)[..., -1]
        alike = all((values == values[0]).all() for values in (extents[:, -1], offset, counts))
        others_whole = (low[..., :-1] == 0).all() and (high == ends)[..., :-1].all()
        if alike and others_whole and counts.min() > 0 and offset[0, 0] == 0:
            pixels = _split_pixels(gather, offset, counts[0].tolist(), size)
            if pixels is not None:
                return pixels
    long = gather.ndim == 1 or extents[:, -1].min() * size >= PIECE
    if gather.sources > 1 or not gather.whole or not long:
        return None
    return _of_pixels(extents, [gather.first[:, 0]], [gather.strides[:, 0]], [size], size, size)


def _split_pixels(
    gather: GatherPlan, offset: Array, counts: list[int], size: int
) -> tuple[GatherPlan, dict[str, str]] | None:
    """Return the plan of pixels that are the last dimension; each source has `counts` elements."""
    first, strides, widths = [], [], []
    for source, count in enumerate(counts):
        step = gather.strides[:, source, -1]
        together = count if (step == size).all() else 1
        for i in range(0, count, together):
            first.append(gather.first[:, source] + (offset[:, source] + i) * step)
            strides.append(gather.strides[:, source, :-1])
            widths.append(together * size)
    pixel = int(gather.extents[0, -1]) * size
    return _of_pixels(gather.extents[:, :-1], first, strides, widths, pixel, size)


def _of_pixels(
    extents: Array,
    first: list[Array],
    strides: list[Array],
    widths: list[int],
    pixel: int,
    size: int,
) -> tuple[GatherPlan, dict[str, str]] | None:
    """Return the plan of pixels whose sources have these widths in bytes; None if unfit."""
    if pixel > _MOST_PIXEL or len(widths) > _MOST_SOURCES:
        return None
    along = np.stack(strides, 1)
    steps = abs(along[0, :, -1])
    seen = (pixel - size + PIECE - 1) // pixel + 1
    if (
        (abs(along[..., -1]) != steps).any()
        or (len(widths) > 1 and (along[..., -1] < 0).any())
        or (steps < widths).any()
        or ((seen - 1) * steps + widths).sum() > _MOST_SPAN
        or (abs(along[..., :-1]) < steps[:, None]).any()
    ):
        return None
    lengths = extents.copy()
    lengths[:, -1] *= pixel
    low = np.zeros_like(lengths)[:, None]
    ones = np.ones_like(lengths)
    macros = {"PARTS": str(len(widths)), "BOUNDS": "WHOLE", "GRAIN": str(size)}
    macros |= {"PIXEL": str(pixel), "WIDTHS": _packed(widths), "STEPS": _packed(steps.tolist())}
    return GatherPlan(lengths, np.stack(first, 1), along, low, lengths[:, None], ones), macros


def _packed(numbers: list[int]) -> str:
    """Return a C number that has a byte for each of these numbers."""
    return f"{int.from_bytes(bytes(numbers), 'little')}ull"
