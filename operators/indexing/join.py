"""Several inputs become one: `stack` and `cat`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from ...engine.arrays import DType, Shape
from ...engine.errors import ArgumentError, LayoutError
from ...engine.graph.context import BatchContext, HeapWorkspace, Workspace
from ...engine.graph.operator import Array, SampleOperator, register
from ...engine.graph.params import INT, STR, param
from ...engine.graph.row_arguments import try_rows
from ...engine.graph.rules import Input
from ...engine.tensors import TensorList, TensorListCPU, TensorListGPU
from ...geometry.layouts import check_exclusive, find_axis
from .gpu_copies import copy_views
from .strided_views import StridedViews


class _Join(SampleOperator, ABC):
    devices = ("cpu", "gpu")
    inputs = ("data", Input("others", many=True))
    axis_name: str | None

    def prepare(self) -> None:
        layouts = [layout for layout in self.layouts if layout]
        self._layout = layouts[0] if layouts else ""
        if self.axis_name is not None and len(self.axis_name) != 1:
            raise ArgumentError(f"axis_name must be a single letter, not {self.axis_name!r}")
        self._agree = len(set(layouts)) < 2

    def _check(self, shapes: Sequence[Shape], dtypes: Sequence[DType]) -> None:
        for i, (shape, dtype) in enumerate(zip(shapes, dtypes, strict=True)):
            if dtype != dtypes[0] or len(shape) != len(shapes[0]):
                raise ArgumentError(
                    "inputs must agree in dtype and number of dimensions, but input 0 is "
                    f"{dtypes[0]} of shape {shapes[0]} and input {i} is {dtype} of "
                    f"shape {shape}; cast or reshape one input"
                )

    @abstractmethod
    def _shape(self, shapes: Sequence[Shape]) -> Shape:
        """Return the output's shape for inputs that agree in dtype and number of dimensions."""

    def _common_extents(self, extents: Array) -> Array:
        """Return the extents on the axes on which all inputs must agree: (batch, axes)."""
        return extents

    @abstractmethod
    def _arranged(self, views: Sequence[StridedViews]) -> tuple[Array, list[StridedViews]]:
        """Return the outputs' shapes, and a view of each input at its offset in the output."""

    def batch_gpu(self, batch: BatchContext, *columns: TensorListGPU) -> TensorListGPU:
        views = [StridedViews.of(column) for column in columns]
        inputs = [column.shape() for column in columns]
        self._check([shapes[0] for shapes in inputs], [view.dtype for view in views])
        shapes, arranged = self._arranged(views)
        kept = [self._common_extents(view.shapes) for view in views]
        differ = np.any([extents != kept[0] for extents in kept], axis=(0, 2))
        checked = np.flatnonzero(differ)
        for i in try_rows(batch, checked, lambda i: self._shape([column[i] for column in inputs])):
            shapes[i] = 0
        return copy_views(batch, *arranged, shapes=shapes)


@register
class Stack(_Join):
    """Joins inputs of one shape along a new axis.

    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.stack([1, 2], [3, 4]))
    ...     (result,) = pipe.run()
    ...     print(result.at(0))
    [[1 2]
     [3 4]]

    Inputs:
        data, others: samples of one type and shape.

    Outputs:
        the joined samples: of the inputs' type, with one dimension more.

    Raises:
        ArgumentError: the inputs differ in type, shape or layout, or the axis does not exist.
    """

    name = "stack"
    axis = param(
        INT,
        0,
        "Index of the new axis in the output; a negative one counts from the end, so that -1 "
        "interleaves the inputs' numbers.",
    )
    axis_name = param(STR, None, "The new axis's letter in the layout; without it there is none.")

    def output_layouts(self) -> tuple[str, ...]:
        if self.axis_name is None:
            return ("",)
        if not self._agree:
            raise LayoutError(f"{self.called}: the inputs' layouts differ: {self.layouts}")
        if not self._layout:
            return (self.axis_name if self.axis in (0, -1) else "",)  # of scalars
        axis = self._new_axis(len(self._layout))
        return (self._layout[:axis] + self.axis_name + self._layout[axis:],)

    def sample(self, workspace: Workspace, *arrays: Array) -> Array:
        shapes, dtypes = [array.shape for array in arrays], [array.dtype for array in arrays]
        self._check(shapes, dtypes)
        out = workspace.empty(self._shape(shapes), dtypes[0])
        return np.stack(arrays, self._new_axis(len(shapes[0])), out=out)

    def batch(self, batch: BatchContext, *columns: TensorList) -> TensorListCPU:
        """Stack a whole batch, in one call where it is dense."""
        layout = self.output_layouts()[0]
        if all(column.is_dense_tensor() for column in columns):
            arrays = [column.dense() for column in columns]
            if len({(array.shape, array.dtype) for array in arrays}) == 1:
                self._check_name(arrays[0].ndim - 1)
                return TensorListCPU(
                    np.stack(arrays, self._new_axis(arrays[0].ndim - 1) + 1), layout
                )
        row = HeapWorkspace(batch.empty)
        rows = [self.sample(row, *(c.row(i) for c in columns)) for i in range(batch.size)]
        return TensorListCPU(rows, layout)

    def _shape(self, shapes: Sequence[Shape]) -> Shape:
        shape = shapes[0]
        self._check_name(len(shape))
        if any(other != shape for other in shapes):
            raise ArgumentError(f"inputs must have one shape to be stacked, not {list(shapes)}")
        axis = self._new_axis(len(shape))
        return (*shape[:axis], len(shapes), *shape[axis:])

    def _arranged(self, views: Sequence[StridedViews]) -> tuple[Array, list[StridedViews]]:
        extents, size = views[0].shapes, views[0].dtype.itemsize
        self._check_name(extents.shape[1])
        axis = self._new_axis(extents.shape[1])
        step = extents[:, axis:].prod(axis=1) * size
        arranged = []
        for i, view in enumerate(views):
            arranged.append(
                StridedViews(
                    view.first - i * step,
                    np.insert(view.strides, axis, step, axis=1),
                    np.insert(view.shapes, axis, 1, axis=1),
                    np.insert(view.low, axis, i, axis=1),
                    np.insert(view.high, axis, i + 1, axis=1),
                    view.dtype,
                )
            )
        return np.insert(extents, axis, len(views), axis=1), arranged

    def _check_name(self, ndim: int) -> None:
        if ndim and self.axis_name is not None and not self._layout:
            raise LayoutError(
                f"{self.called}: axis_name is {self.axis_name!r}, so inputs of {ndim} dimensions "
                "need a layout; name it where the data enter the pipeline, or leave axis_name out"
            )

    def _new_axis(self, ndim: int) -> int:
        if not -ndim <= self.axis <= ndim:
            self.refuse(
                f"axis {self.axis} is not from {-ndim} to {ndim}, the axes that inputs of {ndim} "
                "dimensions can get"
            )
        axis: int = self.axis + ndim + 1 if self.axis < 0 else self.axis
        return axis


@register
class Cat(_Join):
    """Joins inputs along an axis that they have; the other extents must agree.

    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.cat([1, 2], [3, 4, 5]))
    ...     (result,) = pipe.run()
    ...     print(result.at(0))
    [1 2 3 4 5]

    Inputs:
        data, others: samples of one type and number of dimensions.

    Outputs:
        the joined samples: of the inputs' type, and their layout if they have one in common.

    Raises:
        ArgumentError: the inputs differ in type or in another extent, or the axis does not exist.
    """

    name = "cat"
    axis = param(INT, 0, "The axis; a negative one counts from the end.")
    axis_name = param(STR, None, "The axis's letter in the layout, in place of `axis`.")

    def prepare(self) -> None:
        super().prepare()
        check_exclusive(self.called, self.given, "axis", "axis_name")
        if self.axis_name is not None:
            if not self._agree:
                raise LayoutError(f"{self.called}: the inputs' layouts differ: {self.layouts}")
            self.axis = find_axis(self._layout, self.axis_name)

    def output_layouts(self) -> tuple[str, ...]:
        return (self._layout if self._agree else "",)

    def sample(self, workspace: Workspace, *arrays: Array) -> Array:
        shapes, dtypes = [array.shape for array in arrays], [array.dtype for array in arrays]
        self._check(shapes, dtypes)
        out = workspace.empty(self._shape(shapes), dtypes[0])
        return np.concatenate(arrays, self._axis(len(shapes[0])), out=out)

    def _shape(self, shapes: Sequence[Shape]) -> Shape:
        axis = self._axis(len(shapes[0]))
        rest = {shape[:axis] + shape[axis + 1 :] for shape in shapes}
        if len(rest) > 1:
            raise ArgumentError(
                f"inputs may differ in their extent along axis {axis} only, but have the shapes "
                f"{list(shapes)}"
            )
        total = sum(shape[axis] for shape in shapes)
        return (*shapes[0][:axis], total, *shapes[0][axis + 1 :])

    def _common_extents(self, extents: Array) -> Array:
        return np.delete(extents, self._axis(extents.shape[1]), axis=1)

    def _arranged(self, views: Sequence[StridedViews]) -> tuple[Array, list[StridedViews]]:
        axis = self._axis(views[0].shapes.shape[1])
        shapes = views[0].shapes.copy()
        shapes[:, axis] = sum(view.shapes[:, axis] for view in views)
        arranged, start = [], np.zeros_like(shapes)
        for view in views:
            arranged.append(view.window(start.copy(), shapes))
            start[:, axis] -= view.shapes[:, axis]
        return shapes, arranged

    def _axis(self, ndim: int) -> int:
        if not -ndim <= self.axis < ndim:
            self.refuse(
                f"axis {self.axis} is not from {-ndim} to {ndim - 1}, the axes of inputs of {ndim} "
                "dimensions"
            )
        axis: int = self.axis % ndim
        return axis
