"""Views of a batch on the GPU: windows, other orders of axes and of elements, other samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...engine.arrays import DType
from ...engine.graph.operator import Array
from ...engine.tensors import TensorListGPU
from ...engine.tensors.dtypes import to_numpy_type
from ..elementwise.gpu_expression import contiguous_steps


@dataclass(frozen=True)
class StridedViews:
    """The addresses of the samples of a batch.

    The element at `index` lies at `first + sum(index * strides)`, if `low <= index < high` on every
    axis; elsewhere the view has no element.

    Attributes:
        first: addresses of the elements at index 0: (batch,) int64.
        strides: strides in bytes: (batch, ndim) int64.
        shapes: shapes of the samples: (batch, ndim) int64.
        low, high: bounds of the elements that exist: (batch, ndim) int64.
        dtype: type of the elements.
    """

    first: Array
    strides: Array
    shapes: Array
    low: Array
    high: Array
    dtype: DType

    @staticmethod
    def of(data: TensorListGPU) -> StridedViews:
        """Return the views of a batch that is not empty."""
        first = data.pointers().astype(np.int64)
        return StridedViews.at(first, data.extents(), to_numpy_type(data.dtype))

    @staticmethod
    def at(first: Any, shapes: Array, dtype: DType) -> StridedViews:
        """Return contiguous samples at addresses: (batch,) int64, or one number for all."""
        strides = contiguous_steps(shapes) * dtype.itemsize
        return StridedViews(first, strides, shapes, np.zeros_like(shapes), shapes, dtype)

    def window(self, start: Array, shapes: Array) -> StridedViews:
        """Return windows, which may reach beyond the samples.

        Args:
            start: first index of each window: (batch, ndim).
            shapes: shapes of the windows: (batch, ndim).
        """
        first = self.first + (start * self.strides).sum(1)
        return replace(
            self, first=first, shapes=shapes, low=self.low - start, high=self.high - start
        )

    def flipped(self, mirrored: Array) -> StridedViews:
        """Return samples, which have all their elements, mirrored.

        Args:
            mirrored: whether each axis is mirrored: (batch, ndim) bool.
        """
        turned = np.where(mirrored, self.strides, 0)
        first = self.first + (turned * (self.shapes - 1)).sum(1)
        return replace(self, first=first, strides=self.strides - 2 * turned)

    def axes(self, order: Sequence[int]) -> StridedViews:
        """Return the samples with these of their axes in this order."""
        order = list(order)
        columns = (self.strides, self.shapes, self.low, self.high)
        strides, shapes, low, high = (column[:, order] for column in columns)
        return replace(self, strides=strides, shapes=shapes, low=low, high=high)

    def rows(self, indices: Array) -> StridedViews:
        """Return the samples with these numbers, in this order."""
        return StridedViews(
            self.first[indices],
            self.strides[indices],
            self.shapes[indices],
            self.low[indices],
            self.high[indices],
            self.dtype,
        )
