"""The base of operators that reduce samples along axes."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ...engine.arrays import DType
from ...engine.errors import ArgumentError
from ...engine.graph.context import BatchContext, Workspace
from ...engine.graph.operator import Array, SampleOperator
from ...engine.graph.params import BOOL, DTYPE, INTS, LAYOUT, param
from ...engine.graph.row_arguments import try_rows
from ...engine.tensors import TensorListGPU
from ...engine.tensors.dtypes import DALIDataType, to_numpy_type
from ...geometry.layouts import check_exclusive, chosen_axes
from ..elementwise.saturation import saturate
from .functions import REDUCTIONS, Axes
from .gpu_reduce import reduce_batch

DTYPE_PARAM = param(
    DTYPE,
    None,
    "Type of the result. Integers are rounded and clamped to its range; DALI sums in this type.",
)


class ReductionOperator(SampleOperator):
    """Base of operators that reduce samples along axes, by the row of their name in the table.

    Attributes:
        ddof: what is subtracted from the number of elements by which a total is divided.
        dtype: type of the result, if the user gives one.
    """

    devices = ("cpu", "gpu")
    inputs: ClassVar[tuple[str, ...]] = ("data",)

    axes = param(
        INTS, None, "Axes to reduce; negative ones count from the back. By default all axes."
    )
    axis_names = param(LAYOUT, None, "The axes, as letters of the layout, instead of `axes`.")
    keep_dims = param(BOOL, False, "Whether reduced axes stay, with the extent 1.")
    ddof: int = 0
    dtype: DALIDataType | None = None

    def prepare(self) -> None:
        check_exclusive(self.called, self.given, "axes", "axis_names")
        self._reduction = REDUCTIONS[self.name.rpartition(".")[2]]
        self._target = None if self.dtype is None else to_numpy_type(self.dtype)

    def _result_type(self, source: DType) -> DType:
        return self._target or self._reduction.result_type(source)

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
        divisors: Array = np.maximum(count - self.ddof, 0)
        return divisors

    def sample(self, workspace: Workspace, data: Array, *mean: Array) -> Array:
        axes = self._axes(data.ndim)
        self._check(data.shape, axes)
        mean = tuple([m.reshape(_mean_shape(m.shape, data.shape, axes)) for m in mean])
        out = workspace.empty(self._shape(data.shape, axes), self._result_type(data.dtype))
        divisor = int(self._divisors(np.array([data.shape], np.int64), axes)[0])
        with np.errstate(divide="ignore", invalid="ignore"):
            result = self._reduction.compute(workspace, data, axes, divisor, *mean)
            saturate(result.reshape(out.shape), out)
        return out

    def batch_gpu(
        self, batch: BatchContext, data: TensorListGPU, *mean: TensorListGPU
    ) -> TensorListGPU:
        source, axes, shapes = to_numpy_type(data.dtype), self._axes(data.ndim), data.extents()
        self._check_batch(batch, shapes, axes, *mean)
        results = [self._shape(tuple(shape), axes) for shape in shapes.tolist()]
        extents = np.array(results, np.int64).reshape(batch.size, -1)
        out = batch.device.empty(extents, self._result_type(source))
        divisors = self._divisors(shapes, axes)
        reduce_batch(batch, data, axes, self._reduction.on_gpu(source), out, divisors, *mean)
        return out

    def _check(self, shape: tuple[int, ...], axes: Axes) -> None:
        if self._reduction.selects and any(shape[axis] == 0 for axis in axes):
            self.refuse(
                f"a sample of the shape {shape} has no elements along the axes {axes}, so it has "
                "no extremes"
            )

    def _check_batch(
        self, batch: BatchContext, shapes: Array, axes: Axes, *mean: TensorListGPU
    ) -> None:
        """Enter errors of samples in the batch."""
        empty = np.flatnonzero((shapes[:, list(axes)] == 0).any(axis=1))
        given = [data.shape() for data in mean]

        def check(row: int) -> None:
            shape = tuple(shapes[row].tolist())
            self._check(shape, axes)
            for means in given:
                _mean_shape(means[row], shape, axes)

        try_rows(batch, range(batch.size) if mean else empty.tolist(), check)


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
