"""Gather plans: from which addresses the kernels take the elements of each result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ...engine.graph.operator import Array
from ..elementwise.gpu_expression import contiguous_steps
from ..kernels import StructTable, struct_table
from .strided_views import StridedViews

PIECE = 16
"""Bytes that a thread makes at a time."""

MAX_SHORT_ELEMENTS = 1 << 28
"""Number of elements below which positions are computed in 32 bits."""


@dataclass(frozen=True)
class GatherPlan:
    """The results of a batch, and the sources of their elements; see `strided.cuh`.

    The element of a result at `index` lies at `first + sum(index * strides)` of the source whose
    bounds hold the index: `low <= index < high` on every axis.

    Attributes:
        extents: shapes of the results: (batch, ndim).
        first: addresses of the sources' elements at index 0: (batch, sources).
        strides: strides of the sources in bytes: (batch, sources, ndim).
        low, high: bounds of the sources: (batch, sources, ndim).
        units: number of elements of a step on an axis: (batch, ndim).
    """

    extents: Array
    first: Array
    strides: Array
    low: Array
    high: Array
    units: Array

    @property
    def ndim(self) -> int:
        """Number of dimensions of the results."""
        return int(self.extents.shape[1])

    @property
    def sources(self) -> int:
        """Number of sources of each result."""
        return int(self.first.shape[1])

    @cached_property
    def whole(self) -> bool:
        """Whether each source has all elements."""
        return bool(((self.low <= 0) & (self.high >= self.extents[:, None])).all())

    @property
    def steps(self) -> Array:
        """Strides of the results in elements: (batch, ndim)."""
        return contiguous_steps(self.extents)

    @property
    def index(self) -> str:
        """The C type of positions: 32 bits where they suffice by far."""
        most = max(self.extents.prod(1).max(), abs(self.low).max(), abs(self.high).max())
        return "int" if most < MAX_SHORT_ELEMENTS else "long long"

    def in_bytes(self, size: int) -> GatherPlan:
        """Return the plan with bytes for elements on the last axis."""
        scale = np.ones(self.ndim, np.int64)
        scale[-1] = size
        bounds = {"low": self.low * scale, "high": self.high * scale, "units": self.units * scale}
        return replace(self, extents=self.extents * scale, **bounds)

    def table(self, out: Array, out_strides: Array, fills: Array) -> StructTable:
        """Return the structs of the kernels: see `operators/indexing/strided.cuh`.

        Args:
            out: addresses of the results: (batch,).
            out_strides: strides of the results in bytes: (batch, ndim).
            fills: an element for each result, of any type.
        """
        fill = np.repeat(fills[:, None], 8 // fills.itemsize, 1).view(np.uint64)[:, 0]
        return struct_table(
            "Box",
            len(out),
            out=out.astype(np.uint64),
            fill=fill,
            extent=self.extents,
            out_stride=out_strides,
            low=self.low[:, 0],
            high=self.high[:, 0],
            unit=self.units,
            first=self.first.astype(np.uint64),
            stride=self.strides,
        )


def plan_gather(shapes: Array, sources: Sequence[StridedViews]) -> GatherPlan:
    """Return the plan of results of these shapes whose elements the views have."""
    first, strides, low, high = (
        np.stack(column, 1)
        for column in zip(*((p.first, p.strides, p.low, p.high) for p in sources), strict=True)
    )
    return GatherPlan(shapes, first, strides, low, high, np.ones_like(shapes))


def collapsed(gather: GatherPlan, size: int) -> GatherPlan:
    """Return the plan with as few axes as describe all samples; elements have `size` bytes."""
    shapes = gather.extents
    full = np.all((gather.low <= 0) & (gather.high >= shapes[:, None]), (0, 1))
    axes: list[list[Array]] = []
    for axis in range(gather.ndim):
        extent, step = shapes[:, axis], gather.strides[..., axis]
        low, high, unit = gather.low[..., axis], gather.high[..., axis], gather.units[:, axis]
        if full[axis] and (extent == 1).all():
            continue
        if axes and full[axis] and (axes[-1][1] == step * extent[:, None]).all():
            before, _, low, high, unit = axes.pop()
            low, high, unit = low * extent[:, None], high * extent[:, None], unit * extent
            extent = before * extent
        axes.append([extent, step, low, high, unit])
    if not axes:
        one = np.ones_like(gather.first)
        axes = [[one[:, 0], one * size, 0 * one, one, one[:, 0]]]
    extents, strides, low, high, units = (np.stack(c, -1) for c in zip(*axes, strict=True))
    return GatherPlan(extents, gather.first, strides, low, high, units)
