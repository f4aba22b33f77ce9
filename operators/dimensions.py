"""Dimensions of extent 1, removed and inserted: `squeeze` and `expand_dims`."""

from __future__ import annotations

from typing import Any

from ..engine.errors import ArgumentError
from ..engine.layouts import chosen_axes
from ..engine.operator import Array, Row, SampleOperator, register
from ..engine.params import INTS, REQUIRED, STR, param


@register
class Squeeze(SampleOperator):
    """Removes dimensions, all of extent 1 (or any, if the sample is empty before and after).

    Axes count from the end where they are negative.

    Inputs:
        data: any samples.

    Outputs:
        the same numbers: of the input's type, without these dimensions and their letters.

    Raises:
        ArgumentError: an axis does not exist, is named twice, or is not of extent 1.
    """

    name = "squeeze"
    inputs = ("data",)
    axes = param(INTS, None, "The dimensions to remove.", per_sample=True)
    axis_names = param(STR, None, "Their letters in the layout, in place of `axes`.")

    def prepare(self) -> None:
        if len(self.given & {"axes", "axis_names"}) != 1:
            raise ArgumentError("fn.squeeze: give either axes or axis_names")
        if self.axis_names is not None:
            layout = self.layouts[0]
            self.axes = chosen_axes(layout, len(layout), None, self.axis_names)

    def output_layouts(self) -> tuple[str, ...]:
        layout = self.layouts[0]
        if "axes" in self.per_sample or not layout:
            return ("",)
        gone = chosen_axes(layout, len(layout), self.axes, None)
        return ("".join(letter for i, letter in enumerate(layout) if i not in gone),)

    def sample(self, row: Row, data: Array, *, axes: Any) -> Array:
        gone = chosen_axes(self.layouts[0], data.ndim, axes, None)
        shape = tuple(extent for i, extent in enumerate(data.shape) if i not in gone)
        try:
            return data.reshape(shape)
        except ValueError:
            raise ArgumentError(
                f"dimensions {sorted(gone)} of a sample of shape {data.shape} cannot be removed: "
                "they are not of extent 1"
            ) from None


@register
class ExpandDims(SampleOperator):
    """Inserts dimensions of extent 1.

    Inputs:
        data: any samples.

    Outputs:
        the same numbers: of the input's type, with more dimensions; without a layout unless
            `new_axis_names` is given.

    Raises:
        ArgumentError: an axis is named twice, or lies beyond the output's dimensions.
    """

    name = "expand_dims"
    inputs = ("data",)
    axes = param(INTS, REQUIRED, "Where the new dimensions stand in the output.")
    new_axis_names = param(
        STR, "", "Their letters in the layout, in the order of `axes`; without it there is none."
    )

    def prepare(self) -> None:
        names, axes = self.new_axis_names, self.axes
        if len(set(axes)) < len(axes) or min(axes, default=0) < 0:
            raise ArgumentError(f"fn.expand_dims: axes must be distinct and from 0, not {axes}")
        if names and len(names) != len(axes):
            raise ArgumentError(
                f"fn.expand_dims: new_axis_names {names!r} must have a letter for each of {axes}"
            )
        if names and not self.layouts[0]:
            raise ArgumentError("fn.expand_dims: new_axis_names needs an input with a layout")

    def output_layouts(self) -> tuple[str, ...]:
        if not self.new_axis_names:
            return ("",)
        letters = list(self.layouts[0])
        for axis, name in sorted(zip(self.axes, self.new_axis_names, strict=True)):
            letters.insert(axis, name)
        return ("".join(letters),)

    def sample(self, row: Row, data: Array) -> Array:
        ndim = data.ndim + len(self.axes)
        if max(self.axes, default=0) >= ndim:
            raise ArgumentError(
                f"a sample of shape {data.shape} has {ndim} dimensions with those that are "
                f"inserted, so none can stand at {max(self.axes)}"
            )
        extents = iter(data.shape)
        return data.reshape([1 if i in self.axes else next(extents) for i in range(ndim)])
