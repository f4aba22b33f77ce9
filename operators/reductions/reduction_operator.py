"""The base of operators that reduce samples along axes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ...engine.errors import ArgumentError
from ...engine.graph.context import Workspace
from ...engine.graph.operator import Array, SampleOperator
from ...engine.graph.params import BOOL, DTYPE, INTS, LAYOUT, param
from ...engine.tensors import TensorListGPU
from ...engine.tensors.dtypes import to_numpy_type
from ...geometry.layouts import check_exclusive, chosen_axes
from ..elementwise.saturation import saturate
from .gpu_reduce import GpuReduction, reduce_batch

if TYPE_CHECKING:
    from ...engine.graph.context import BatchContext

DType = np.dtype[Any]
Axes = tuple[int, ...]

DTYPE_PARAM = param(
    DTYPE,
    None,
    "Type of the result. Integers are rounded and clamped to its range; DALI sums in this type.",
)


class ReductionOperator(SampleOperator, ABC):
    """Base of operators that reduce samples along axes."""

    devices = ("cpu", "gpu")
    inputs: ClassVar[tuple[str, ...]] = ("data",)

    axes = param(
        INTS, None, "Axes to reduce; negative ones count from the back. By default all axes."
    )
    axis_names = param(LAYOUT, None, "The axes, as letters of the layout, instead of `axes`.")
    keep_dims = param(BOOL, False, "Whether reduced axes stay, with the extent 1.")

    def prepare(self) -> None:
        check_exclusive(self.called, self.given, "axes", "axis_names")
        dtype = getattr(self, "dtype", None)
        self._target = None if dtype is None else to_numpy_type(dtype)

    @abstractmethod
    def result_type(self, source: DType) -> DType:
        """Return the result's dtype if the user gives none."""

    @abstractmethod
    def computed(
        self, workspace: Workspace, data: Array, axes: Axes, divisor: int, mean: Array | None
    ) -> Array:
        """Return the results; reduced axes have the extent 1.

        Args:
            workspace: the sample's workspace, for scratch memory.
            data: the sample.
            axes: to reduce.
            divisor: number of elements of a statistic, less `ddof`, and at least 0.
            mean: what `std_dev` and `variance` subtract; it broadcasts with the sample.
        """

    @abstractmethod
    def gpu_reduction(self, source: DType) -> GpuReduction:
        """Return what the GPU computes for samples of a dtype."""

    def output_layouts(self) -> tuple[str, ...]:
        layout = self.layouts[0]
        if self.keep_dims or not layout:
            return (layout,)
        axes = self._axes(len(layout))
        return ("".join(letter for i, letter in enumerate(layout) if i not in axes),)

    def _axes(self, ndim: int) -> Axes:
        if "axes" in self.given or "axis_names" in self.given:
            return chosen_axes(self.layouts[0], ndim, self.axes, self.axis_names)
        return tuple(range(ndim))

    def _shape(self, shape: tuple[int, ...], axes: Axes) -> tuple[int, ...]:
        if self.keep_dims:
            return tuple(1 if i in axes else extent for i, extent in enumerate(shape))
        return tuple(extent for i, extent in enumerate(shape) if i not in axes)

    def _divisors(self, shapes: Array, axes: Axes) -> Array:
        """Return the divisor of each sample: (batch,)."""
        count = shapes[:, list(axes)].prod(axis=1)
        divisors: Array = np.maximum(count - getattr(self, "ddof", 0), 0)
        return divisors

    def sample(self, workspace: Workspace, data: Array, mean: Array | None = None) -> Array:
        axes = self._axes(data.ndim)
        out = workspace.empty(
            self._shape(data.shape, axes), self._target or self.result_type(data.dtype)
        )
        divisor = int(self._divisors(np.array([data.shape], np.int64), axes)[0])
        if mean is not None:
            mean = _broadcastable(mean, data.shape, axes)
        with np.errstate(divide="ignore", invalid="ignore"):
            result = self.computed(workspace, data, axes, divisor, mean)
            saturate(result.reshape(out.shape), out)
        return out

    def batch_gpu(
        self, batch: BatchContext, data: TensorListGPU, mean: TensorListGPU | None = None
    ) -> TensorListGPU:
        source = to_numpy_type(data.dtype)
        axes = self._axes(data.ndim)
        shapes = data.extents()
        self._check_batch(batch, shapes, axes, mean)
        made = [self._shape(tuple(shape), axes) for shape in shapes.tolist()]
        extents = np.array(made, np.int64).reshape(batch.size, -1)
        out = batch.device.empty(extents, self._target or self.result_type(source))
        divisors = self._divisors(shapes, axes)
        reduce_batch(batch, data, axes, self.gpu_reduction(source), out, divisors, mean)
        return out

    def _check_batch(
        self, batch: BatchContext, shapes: Array, axes: Axes, mean: TensorListGPU | None
    ) -> None:
        """Enter errors of samples in the batch."""
        if mean is None:
            return
        for row, (shape, given) in enumerate(zip(shapes.tolist(), mean.shape(), strict=True)):
            try:
                _mean_shape(given, tuple(shape), axes)
            except ArgumentError as error:
                batch.errors.setdefault(row, error)


def _broadcastable(mean: Array, shape: tuple[int, ...], axes: Axes) -> Array:
    """Return the mean in a shape that broadcasts with the sample."""
    return mean.reshape(_mean_shape(mean.shape, shape, axes))


def _mean_shape(given: tuple[int, ...], shape: tuple[int, ...], axes: Axes) -> tuple[int, ...]:
    wanted = tuple(1 if i in axes else extent for i, extent in enumerate(shape))
    short = tuple(extent for i, extent in enumerate(shape) if i not in axes)
    if given in (wanted, short):
        return wanted
    if int(np.prod(given)) == 1:
        return (1,) * len(shape)
    raise ArgumentError(
        f"mean has the shape {tuple(given)}; a sample of the shape {shape} that is reduced along "
        f"the axes {axes} needs one number, {short} or {wanted}"
    )
