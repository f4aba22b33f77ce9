"""Several inputs become one: `stack` and `cat`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import DTypeLike

from ...engine.errors import ArgumentError
from ...engine.layouts import check_exclusive, find_axis
from ...engine.operator import Array, Row, SampleOperator, register
from ...engine.params import INT, STR, param
from ...engine.tensors import TensorList, TensorListCPU, TensorListGPU
from .._rows import try_rows
from .moves import copied
from .strided import Views

if TYPE_CHECKING:
    from ...engine.batch import Batch


Shape = tuple[int, ...]


class _Join(SampleOperator):
    devices = ("cpu", "gpu")
    inputs = ("data", "*others")
    axis_name: str | None

    def prepare(self) -> None:
        layouts = [layout for layout in self.layouts if layout]
        self._layout = layouts[0] if layouts else ""
        if self.axis_name is not None and len(self.axis_name) != 1:
            raise ArgumentError(f"axis_name must be a single letter, not {self.axis_name!r}")
        self._agree = len(set(layouts)) < 2

    def _check(self, shapes: Sequence[Shape], dtypes: Sequence[np.dtype[Any]]) -> None:
        for i, (shape, dtype) in enumerate(zip(shapes, dtypes, strict=True)):
            if dtype != dtypes[0] or len(shape) != len(shapes[0]):
                raise ArgumentError(
                    "inputs must agree in type and number of dimensions, but the first is "
                    f"{dtypes[0]} of shape {shapes[0]} and number {i} is {dtype} of "
                    f"shape {shape}; cast or reshape one"
                )

    def _shape(self, shapes: Sequence[Shape]) -> Shape:
        """Return the shape of the output for inputs that agree in type and dimensions."""
        raise NotImplementedError

    def _shared(self, extents: Array) -> Array:
        """Return the extents that the inputs must share, of theirs: (batch, ndim)."""
        return extents

    def _parts(self, views: Sequence[Views]) -> tuple[Array, list[Views]]:
        """Return the shapes of the outputs, and each input as it lies in them."""
        raise NotImplementedError

    def gpu(self, batch: Batch, *columns: TensorListGPU) -> TensorListGPU:
        views = [Views.of(column) for column in columns]
        inputs = [column.shape() for column in columns]
        self._check([shapes[0] for shapes in inputs], [view.dtype for view in views])
        shapes, parts = self._parts(views)
        kept = [self._shared(view.shapes) for view in views]
        differ = np.any([extents != kept[0] for extents in kept], axis=(0, 2))
        checked = np.flatnonzero(differ)
        for i in try_rows(batch, checked, lambda i: self._shape([each[i] for each in inputs])):
            shapes[i] = 0
        return copied(batch, *parts, shapes=shapes)


class _BatchRow(Row):
    """Memory from the batch, for samples that are not computed by the workers."""

    def __init__(self, batch: Batch) -> None:
        self._batch = batch

    def empty(self, shape: tuple[int, ...], dtype: DTypeLike, output: int = 0) -> Array:
        return self._batch.empty(shape, dtype)


@register
class Stack(_Join):
    """Joins inputs of one shape along a new axis.

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
        "Place of the new axis in the output; a negative one counts from the end, so that -1 "
        "interleaves the inputs' numbers.",
    )
    axis_name = param(STR, None, "The new axis's letter in the layout; without it there is none.")

    def output_layouts(self) -> tuple[str, ...]:
        if self.axis_name is None:
            return ("",)
        if not self._agree:
            raise ArgumentError(f"fn.stack: the inputs' layouts differ: {self.layouts}")
        place = self._place(len(self._layout))
        return (self._layout[:place] + self.axis_name + self._layout[place:],)

    def sample(self, row: Row, *arrays: Array) -> Array:
        shapes, dtypes = [array.shape for array in arrays], [array.dtype for array in arrays]
        self._check(shapes, dtypes)
        out = row.empty(self._shape(shapes), dtypes[0])
        return np.stack(arrays, self._place(len(shapes[0])), out=out)

    def batch(self, batch: Batch, *columns: TensorList) -> TensorListCPU:
        """Stack a whole batch: at once where it is dense."""
        layout = self.output_layouts()[0]
        if all(column.is_dense_tensor() for column in columns):
            arrays = [column.dense() for column in columns]
            if len({(array.shape, array.dtype) for array in arrays}) == 1:
                return TensorListCPU(np.stack(arrays, self._place(arrays[0].ndim - 1) + 1), layout)
        row = _BatchRow(batch)
        rows = [self.sample(row, *(c.row(i) for c in columns)) for i in range(batch.size)]
        return TensorListCPU(rows, layout)

    def _shape(self, shapes: Sequence[Shape]) -> Shape:
        shape = shapes[0]
        if any(other != shape for other in shapes):
            raise ArgumentError(f"inputs must have one shape to be stacked, not {list(shapes)}")
        place = self._place(len(shape))
        return (*shape[:place], len(shapes), *shape[place:])

    def _parts(self, views: Sequence[Views]) -> tuple[Array, list[Views]]:
        extents, size = views[0].shapes, views[0].dtype.itemsize
        place = self._place(extents.shape[1])
        step = extents[:, place:].prod(axis=1) * size
        parts = []
        for i, view in enumerate(views):
            parts.append(
                Views(
                    view.first - i * step,
                    np.insert(view.strides, place, step, axis=1),
                    np.insert(view.shapes, place, 1, axis=1),
                    np.insert(view.low, place, i, axis=1),
                    np.insert(view.high, place, i + 1, axis=1),
                    view.dtype,
                )
            )
        return np.insert(extents, place, len(views), axis=1), parts

    def _place(self, ndim: int) -> int:
        if not -ndim <= self.axis <= ndim:
            raise ArgumentError(
                f"fn.stack: axis {self.axis} is not from {-ndim} to {ndim}, the places in inputs "
                f"of {ndim} dimensions"
            )
        place: int = self.axis + ndim + 1 if self.axis < 0 else self.axis
        return place


@register
class Cat(_Join):
    """Joins inputs along an axis that they have; the other extents must agree.

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
        check_exclusive("fn.cat", self.given, "axis", "axis_name")
        if self.axis_name is not None:
            if not self._agree:
                raise ArgumentError(f"fn.cat: the inputs' layouts differ: {self.layouts}")
            self.axis = find_axis(self._layout, self.axis_name)

    def output_layouts(self) -> tuple[str, ...]:
        return (self._layout if self._agree else "",)

    def sample(self, row: Row, *arrays: Array) -> Array:
        shapes, dtypes = [array.shape for array in arrays], [array.dtype for array in arrays]
        self._check(shapes, dtypes)
        out = row.empty(self._shape(shapes), dtypes[0])
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

    def _shared(self, extents: Array) -> Array:
        return np.delete(extents, self._axis(extents.shape[1]), axis=1)

    def _parts(self, views: Sequence[Views]) -> tuple[Array, list[Views]]:
        axis = self._axis(views[0].shapes.shape[1])
        shapes = views[0].shapes.copy()
        shapes[:, axis] = sum(view.shapes[:, axis] for view in views)
        parts, start = [], np.zeros_like(shapes)
        for view in views:
            parts.append(view.window(start.copy(), shapes))
            start[:, axis] -= view.shapes[:, axis]
        return shapes, parts

    def _axis(self, ndim: int) -> int:
        if not -ndim <= self.axis < ndim:
            raise ArgumentError(
                f"fn.cat: axis {self.axis} is not from {-ndim} to {ndim - 1}, the axes of inputs "
                f"of {ndim} dimensions"
            )
        axis: int = self.axis % ndim
        return axis
