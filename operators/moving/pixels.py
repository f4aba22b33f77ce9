"""Copies of pixels in other places, on the GPU: how `operators/kernels/move_pixels.cu` is told."""

from __future__ import annotations

import numpy as np

from ...engine.operator import Array
from .boxes import PIECE, Boxes

_MOST_PIXEL = 32  # bytes
_MOST_PARTS = 8
_MOST_SPAN = 64  # bytes: what a thread reads for a piece


def pixels_of(boxes: Boxes, size: int) -> tuple[Boxes, dict[str, str]] | None:
    """Return boxes whose last dimension is made of pixels, and the macros that describe these.

    None where they are not alike in all samples, or too far apart to be read together.
    """
    extents, ends = boxes.extents, boxes.extents[:, None]
    if boxes.ndim > 1 and extents[0, -1] * size <= _MOST_PIXEL:
        low, high = boxes.low.clip(0, ends), boxes.high.clip(0, ends)
        begin, counts = low[..., -1], (high - low)[..., -1]
        alike = all((values == values[0]).all() for values in (extents[:, -1], begin, counts))
        others_whole = (low[..., :-1] == 0).all() and (high == ends)[..., :-1].all()
        if alike and others_whole and counts.min() > 0 and begin[0, 0] == 0:
            found = _parted(boxes, begin, counts[0].tolist(), size)
            if found is not None:
                return found
    long = boxes.ndim == 1 or extents[:, -1].min() * size >= PIECE
    if boxes.parts > 1 or not boxes.whole or not long:
        return None
    return _joined(extents, [boxes.first[:, 0]], [boxes.strides[:, 0]], [size], size, size)


def _parted(
    boxes: Boxes, begin: Array, counts: list[int], size: int
) -> tuple[Boxes, dict[str, str]] | None:
    """Return boxes of pixels that the last dimension makes up; each part has `counts` of it."""
    first, strides, widths = [], [], []
    for part, count in enumerate(counts):
        step = boxes.strides[:, part, -1]
        together = count if (step == size).all() else 1
        for i in range(0, count, together):
            first.append(boxes.first[:, part] + (begin[:, part] + i) * step)
            strides.append(boxes.strides[:, part, :-1])
            widths.append(together * size)
    pixel = int(boxes.extents[0, -1]) * size
    return _joined(boxes.extents[:, :-1], first, strides, widths, pixel, size)


def _joined(
    extents: Array,
    first: list[Array],
    strides: list[Array],
    widths: list[int],
    pixel: int,
    size: int,
) -> tuple[Boxes, dict[str, str]] | None:
    """Return boxes of pixels whose parts have some widths in bytes; None if they are unfit."""
    if pixel > _MOST_PIXEL or len(widths) > _MOST_PARTS:
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
    return Boxes(lengths, np.stack(first, 1), along, low, lengths[:, None], ones), macros


def _packed(numbers: list[int]) -> str:
    """Return a C number that has a byte for each of these."""
    return f"{int.from_bytes(bytes(numbers), 'little')}ull"
