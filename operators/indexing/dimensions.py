"""Dimensions of extent 1, removed and inserted: `squeeze` and `expand_dims`."""

from __future__ import annotations

from math import prod
from typing import Any

from ...engine.arrays import Shape
from ...engine.errors import ArgumentError, LayoutError
from ...engine.graph.context import BatchContext, Workspace
from ...engine.graph.operator import Array, SampleOperator, register
from ...engine.graph.params import INTS, REQUIRED, STR, param
from ...engine.graph.row_arguments import arguments_of_row
from ...engine.tensors import TensorList, TensorListGPU
from ...geometry.layouts import chosen_axes
from .same_memory import in_shapes


@register
class Squeeze(SampleOperator):
    """Removes dimensions, all of extent 1 (or any, if the sample is empty before and after).

    Axes count from the end where they are negative.

    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.squeeze([[[1], [2], [3]]], axes=[0, 2]))
    ...     (result,) = pipe.run()
    ...     print(result.at(0))
    [1 2 3]

    Inputs:
        data: any samples.

    Outputs:
        the same numbers: of the input's type, without these dimensions and their letters.

    Raises:
        ArgumentError: an axis does not exist, is named twice, or is not of extent 1.
    """

    name = "squeeze"
    devices = ("cpu", "gpu")
    inputs = ("data",)
    axes = param(INTS, None, "The dimensions to remove.", per_sample=True)
    axis_names = param(STR, None, "Their letters in the layout, in place of `axes`.")

    def prepare(self) -> None:
        if len(self.given & {"axes", "axis_names"}) != 1:
            self.refuse("give either axes or axis_names")
        if self.axis_names is not None:
            layout = self.layouts[0]
            self.axes = chosen_axes(layout, len(layout), None, self.axis_names)

    def output_layouts(self) -> tuple[str, ...]:
        layout = self.layouts[0]
        if "axes" in self.per_sample or not layout:
            return ("",)
        gone = chosen_axes(layout, len(layout), self.axes, None)
        return ("".join(letter for i, letter in enumerate(layout) if i not in gone),)

    def sample(self, workspace: Workspace, data: Array, *, axes: object) -> Array:
        return data.reshape(self._squeezed(data.shape, axes))

    def batch_gpu(self, batch: BatchContext, data: TensorListGPU, *, axes: Any) -> TensorListGPU:
        varies = isinstance(axes, TensorList)

        def shape_of(i: int, shape: Shape) -> Shape:
            return self._squeezed(shape, **arguments_of_row(self, {"axes": axes}, i))

        return in_shapes(batch, data, shape_of, alike=not varies)

    def _squeezed(self, shape: Shape, axes: Any) -> Shape:
        gone = chosen_axes(self.layouts[0], len(shape), axes, None)
        result = tuple(extent for i, extent in enumerate(shape) if i not in gone)
        if prod(result) != prod(shape):
            raise ArgumentError(
                f"dimensions {sorted(gone)} of a sample of shape {shape} cannot be removed: "
                "they are not of extent 1"
            )
        return result


_NAMES_ALONE = (
    "fn.expand_dims: new_axis_names needs an input with a layout, or single numbers; name the "
    "layout where the data enter the pipeline, or leave new_axis_names out"
)


@register
class ExpandDims(SampleOperator):
    """Inserts dimensions of extent 1.

    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.expand_dims([1, 2, 3], axes=[0, 2]))
    ...     (result,) = pipe.run()
    ...     print(result.shape())
    [(1, 3, 1)]

    Inputs:
        data: any samples.

    Outputs:
        the same numbers: of the input's type, with more dimensions; without a layout unless
            `new_axis_names` is given, or `axes` is empty.

    Raises:
        ArgumentError: an axis is named twice, or lies beyond the output's dimensions.
    """

    name = "expand_dims"
    devices = ("cpu", "gpu")
    inputs = ("data",)
    axes = param(INTS, REQUIRED, "Where the new dimensions stand in the output.")
    new_axis_names = param(
        STR, "", "Their letters in the layout, in the order of `axes`; without it there is none."
    )

    def prepare(self) -> None:
        names, axes = self.new_axis_names, self.axes
        if len(set(axes)) < len(axes) or min(axes, default=0) < 0:
            self.refuse(f"axes must be distinct and from 0, not {axes}")
        if names and len(names) != len(axes):
            self.refuse(f"new_axis_names {names!r} must have a letter for each of {axes}")
        if names and not self.layouts[0] and max(axes) >= len(axes):
            raise LayoutError(_NAMES_ALONE)

    def output_layouts(self) -> tuple[str, ...]:
        if self.axes and not self.new_axis_names:
            return ("",)
        letters = list(self.layouts[0])
        for axis, name in sorted(zip(self.axes, self.new_axis_names, strict=True)):
            letters.insert(axis, name)
        return ("".join(letters),)

    def sample(self, workspace: Workspace, data: Array) -> Array:
        return data.reshape(self._expanded(data.shape))

    def batch_gpu(self, batch: BatchContext, data: TensorListGPU) -> TensorListGPU:
        return in_shapes(batch, data, lambda i, shape: self._expanded(shape), alike=True)

    def _expanded(self, shape: Shape) -> Shape:
        if shape and self.new_axis_names and not self.layouts[0]:
            raise LayoutError(_NAMES_ALONE)
        ndim = len(shape) + len(self.axes)
        if max(self.axes, default=0) >= ndim:
            raise ArgumentError(
                f"a sample of shape {shape} has {ndim} dimensions with those that are "
                f"inserted, so none can stand at {max(self.axes)}"
            )
        extents = iter(shape)
        return tuple(1 if i in self.axes else next(extents) for i in range(ndim))
