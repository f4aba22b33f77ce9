"""Several inputs become one: `stack` and `cat`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import DTypeLike

from ..engine.errors import ArgumentError
from ..engine.layouts import check_exclusive, find_axis
from ..engine.operator import Array, Row, SampleOperator, register
from ..engine.params import INT, STR, param
from ..engine.tensors import TensorList, TensorListCPU

if TYPE_CHECKING:
    from ..engine.batch import Batch


class _Join(SampleOperator):
    inputs = ("data", "*others")
    axis_name: str | None

    def prepare(self) -> None:
        layouts = [layout for layout in self.layouts if layout]
        self._layout = layouts[0] if layouts else ""
        if self.axis_name is not None and len(self.axis_name) != 1:
            raise ArgumentError(f"axis_name must be a single letter, not {self.axis_name!r}")
        self._agree = len(set(layouts)) < 2

    def _check(self, arrays: tuple[Array, ...]) -> None:
        first = arrays[0]
        for i, array in enumerate(arrays):
            if array.dtype != first.dtype or array.ndim != first.ndim:
                raise ArgumentError(
                    "inputs must agree in type and number of dimensions, but the first is "
                    f"{first.dtype} of shape {first.shape} and number {i} is {array.dtype} of "
                    f"shape {array.shape}; cast or reshape one"
                )


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
        self._check(arrays)
        shape = arrays[0].shape
        if any(array.shape != shape for array in arrays):
            raise ArgumentError(
                f"inputs must have one shape to be stacked, not {[a.shape for a in arrays]}"
            )
        place = self._place(len(shape))
        out = row.empty((*shape[:place], len(arrays), *shape[place:]), arrays[0].dtype)
        return np.stack(arrays, place, out=out)

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
        self._check(arrays)
        shapes = [array.shape for array in arrays]
        ndim = len(shapes[0])
        if not -ndim <= self.axis < ndim:
            raise ArgumentError(
                f"fn.cat: axis {self.axis} is not from {-ndim} to {ndim - 1}, the axes of inputs "
                f"of {ndim} dimensions"
            )
        axis = self.axis % ndim
        rest = {shape[:axis] + shape[axis + 1 :] for shape in shapes}
        if len(rest) > 1:
            raise ArgumentError(
                f"inputs may differ in their extent along axis {axis} only, but have the shapes "
                f"{shapes}"
            )
        total = sum(shape[axis] for shape in shapes)
        out = row.empty((*shapes[0][:axis], total, *shapes[0][axis + 1 :]), arrays[0].dtype)
        return np.concatenate(arrays, axis, out=out)
