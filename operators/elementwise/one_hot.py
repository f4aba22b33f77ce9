"""`fn.one_hot`: class numbers as vectors."""

from __future__ import annotations

import numpy as np

from ...engine.errors import LayoutError
from ...engine.gpu.kernels import c_type
from ...engine.graph.context import BatchContext, Workspace
from ...engine.graph.operator import Array, SampleOperator, register
from ...engine.graph.params import DTYPE, FLOAT, INT, STR, param
from ...engine.tensors import TensorListGPU
from ...engine.tensors.dtypes import DALIDataType, to_numpy_type
from ..kernels import Pointers, kernel, launch_elements, struct_table
from .target_dtype import cut_off


@register
class OneHot(SampleOperator):
    """Turns each class number into a vector that is `on_value` there, and else `off_value`.

    The vectors are a new axis. Numbers outside of the classes give vectors of `off_value`;
    fractions are cut off. Without `axis`, a sample of one element and without a layout is a
    scalar, whatever its number of dimensions: its result is one vector.

    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.one_hot(2, num_classes=5))
    ...     (result,) = pipe.run()
    ...     print(result.at(0))
    [0. 0. 1. 0. 0.]

    Inputs:
        data: any samples of numbers.

    Outputs:
        the vectors: of dtype `dtype`, with the axis of `num_classes` elements.
    """

    name = "one_hot"
    devices = ("cpu", "gpu")
    inputs = ("data",)

    axis = param(INT, -1, "Index of the new axis in the result; -1 is the last.", minimum=-1)
    axis_name = param(STR, None, "Letter of the new axis. Without it the result has no layout.")
    dtype = param(DTYPE, DALIDataType.FLOAT, "Type of the result.")
    num_classes = param(INT, 0, "Number of classes: the extent of the new axis.", minimum=0)
    off_value = param(FLOAT, 0.0, "Number for the other classes; integers lose its fraction.")
    on_value = param(FLOAT, 1.0, "Number for the class; integers lose its fraction.")

    def prepare(self) -> None:
        if self.axis_name is not None and len(self.axis_name) != 1:
            self.refuse(f"axis_name is {self.axis_name!r}; give a single letter")
        if self.axis_name and self.axis_name in self.layouts[0]:
            self.refuse(
                f"the layout {self.layouts[0]!r} of the input has an axis {self.axis_name!r} "
                "already; give another axis_name"
            )
        numbers = np.array([self.off_value, self.on_value])
        self._values = np.empty(2, to_numpy_type(self.dtype))
        cut_off(numbers, self._values)

    def output_layouts(self) -> tuple[str, ...]:
        layout = self.layouts[0]
        if not self.axis_name:
            return ("",)
        if not layout:
            return (self.axis_name,)  # of the vectors of scalars
        axis = self._axis(len(layout))
        return (layout[:axis] + self.axis_name + layout[axis:],)

    def _axis(self, ndim: int) -> int:
        """Return the index of the new axis in the results of samples of `ndim` dimensions."""
        if self.axis > ndim:
            self.refuse(
                f"axis is {self.axis}, but the result of a sample of {ndim} dimensions has "
                f"{ndim + 1}; give an axis from -1 to {ndim}"
            )
        return ndim if self.axis == -1 else self.axis

    def _check_name(self, ndim: int) -> None:
        if ndim and self.axis_name and not self.layouts[0]:
            raise LayoutError(
                f"{self.called}: axis_name is {self.axis_name!r}, so samples of {ndim} dimensions "
                "need a layout; name it where the data enter the pipeline, or leave axis_name out"
            )

    def _is_scalar(self, elements: int) -> bool:
        return elements == 1 and "axis" not in self.given and not self.layouts[0]

    def sample(self, workspace: Workspace, data: Array) -> Array:
        if self._is_scalar(data.size):
            data = data.reshape(())
        self._check_name(data.ndim)
        axis = self._axis(data.ndim)
        shape = (*data.shape[:axis], self.num_classes, *data.shape[axis:])
        out = workspace.empty(shape, self._values.dtype)
        np.copyto(out, self._values[0])
        classes = data.astype(np.int64)
        known = (classes >= 0) & (classes < self.num_classes)
        before, after = np.prod(data.shape[:axis], dtype=int), np.prod(data.shape[axis:], dtype=int)
        grid = classes.reshape(before, after)
        rows, columns = np.nonzero(known.reshape(before, after))
        vectors = out.reshape(before, self.num_classes, after)
        vectors[rows, grid[rows, columns], columns] = self._values[1]
        return out

    def batch_gpu(self, batch: BatchContext, data: TensorListGPU) -> TensorListGPU:
        shapes = data.extents()
        scalars = [self._is_scalar(n) for n in shapes.prod(axis=1).tolist()]
        if all(scalars):
            shapes = shapes[:, :0]
        elif any(scalars):
            self.refuse(
                "some samples of the batch have one element, and some have more; give axis, or a "
                "layout"
            )
        self._check_name(shapes.shape[1])
        axis = self._axis(shapes.shape[1])
        classes = np.full(len(shapes), self.num_classes)
        extents = np.column_stack([shapes[:, :axis], classes, shapes[:, axis:]])
        out = batch.device.empty(extents, self._values.dtype)
        table = struct_table(
            "Sample",
            batch.size,
            data=Pointers(data.pointers(), "const In*"),
            out=Pointers(out.pointers(), "Out*"),
            elements=extents.prod(axis=1),
            after=shapes[:, axis:].prod(axis=1),
            classes=self.num_classes,
            off_value=self._values[0],
            on_value=self._values[1],
        )
        macros = {"In": c_type(to_numpy_type(data.dtype)), "Out": c_type(self._values.dtype)}
        function = kernel("elementwise/one_hot", "one_hot", **macros)
        launch_elements(batch.device, function, table, extents.prod(axis=1))
        return out
