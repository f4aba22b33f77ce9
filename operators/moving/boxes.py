"""Boxes: how the kernels that move elements are told what lies where."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ...engine.kernels import descriptors
from ...engine.operator import Array
from .strided import Views

PIECE = 16  # bytes: what a thread makes at a time
_FEW = 1 << 28


@dataclass(frozen=True)
class Boxes:
    """Results and what they are made of; see `operators/kernels/strided.cuh`.

    Attributes:
        extents: of the results: (batch, ndim).
        first: addresses of the parts: (batch, parts).
        strides: of the parts, in bytes: (batch, parts, ndim).
        low, high: where the parts have elements: (batch, parts, ndim).
        units: of how many elements a step on an axis consists: (batch, ndim).
    """

    extents: Array
    first: Array
    strides: Array
    low: Array
    high: Array
    units: Array

    @property
    def ndim(self) -> int:
        return int(self.extents.shape[1])

    @property
    def parts(self) -> int:
        return int(self.first.shape[1])

    @cached_property
    def whole(self) -> bool:
        """Whether each part has all elements."""
        return bool(((self.low <= 0) & (self.high >= self.extents[:, None])).all())

    @property
    def steps(self) -> Array:
        """Strides of the results, in elements: (batch, ndim)."""
        steps = np.ones_like(self.extents)
        steps[:, :-1] = self.extents[:, :0:-1].cumprod(axis=1)[:, ::-1]
        return steps

    @property
    def index(self) -> str:
        """The C type of positions: 32 bits where nothing comes near to what they hold."""
        most = max(self.extents.prod(1).max(), abs(self.low).max(), abs(self.high).max())
        return "int" if most < _FEW else "long long"

    def in_bytes(self, size: int) -> Boxes:
        """Return the boxes with bytes for elements on the last axis."""
        scale = np.ones(self.ndim, np.int64)
        scale[-1] = size
        bounds = {"low": self.low * scale, "high": self.high * scale, "units": self.units * scale}
        return replace(self, extents=self.extents * scale, **bounds)

    def table(self, out: Array, out_strides: Array, fills: Array) -> Array:
        """Return descriptors.

        Args:
            out: addresses of the results: (batch,).
            out_strides: theirs, in bytes: (batch, ndim).
            fills: an element each, of any type.
        """
        fill = np.repeat(fills[:, None], 8 // fills.itemsize, 1).view(np.uint64)[:, 0]
        return descriptors(
            len(out),
            out=out.astype(np.int64),
            fill=fill,
            extent=self.extents,
            out_stride=out_strides,
            low=self.low[:, 0],
            high=self.high[:, 0],
            unit=self.units,
            first=self.first,
            stride=self.strides,
        )


def boxes_of(shapes: Array, parts: Sequence[Views]) -> Boxes:
    """Return results of these shapes as they are made of views."""
    first, strides, low, high = (
        np.stack(column, 1)
        for column in zip(*((p.first, p.strides, p.low, p.high) for p in parts), strict=True)
    )
    return Boxes(shapes, first, strides, low, high, np.ones_like(shapes))


def collapsed(boxes: Boxes, size: int) -> Boxes:
    """Return boxes of elements of `size` bytes with as few axes as describe all samples."""
    shapes = boxes.extents
    full = np.all((boxes.low <= 0) & (boxes.high >= shapes[:, None]), (0, 1))
    axes: list[list[Array]] = []
    for axis in range(boxes.ndim):
        extent, step = shapes[:, axis], boxes.strides[..., axis]
        low, high, unit = boxes.low[..., axis], boxes.high[..., axis], boxes.units[:, axis]
        if full[axis] and (extent == 1).all():
            continue
        if axes and full[axis] and (axes[-1][1] == step * extent[:, None]).all():
            before, _, low, high, unit = axes.pop()
            low, high, unit = low * extent[:, None], high * extent[:, None], unit * extent
            extent = before * extent
        axes.append([extent, step, low, high, unit])
    if not axes:
        one = np.ones_like(boxes.first)
        axes = [[one[:, 0], one * size, 0 * one, one, one[:, 0]]]
    extents, strides, low, high, units = (np.stack(c, -1) for c in zip(*axes, strict=True))
    return Boxes(extents, boxes.first, strides, low, high, units)
