"""`fn.transpose`: dimensions in another order."""

from __future__ import annotations

from ...engine.errors import ArgumentError
from ...engine.graph.context import BatchContext, Workspace
from ...engine.graph.operator import Array, SampleOperator, register
from ...engine.graph.params import BOOL, INTS, LAYOUT, param
from ...engine.tensors import TensorListGPU
from .gpu_copies import copy_views
from .strided_views import StridedViews


@register
class Transpose(SampleOperator):
    """Reorders the dimensions: dimension i of the result is dimension `perm[i]` of the input.

    Inputs:
        data: any sample.

    The result has the type of the input; see `transpose_layout` for its layout.
    """

    name = "transpose"
    devices = ("cpu", "gpu")
    inputs = ("data",)

    perm = param(INTS, None, "The new order, as in (2, 0, 1); reversed by default.")
    transpose_layout = param(
        BOOL, True, "Whether the letters of the layout move with their dimensions."
    )
    output_layout = param(
        LAYOUT, None, "Layout of the result; `transpose_layout` has no effect then."
    )

    def prepare(self) -> None:
        if self.perm is not None and sorted(self.perm) != list(range(len(self.perm))):
            self.refuse(
                f"perm is {self.perm}, but must hold each of {list(range(len(self.perm)))} once"
            )
        layout = self.layouts[0]
        if self.perm is not None:
            for name, letters in (("input's", layout), ("output", self.output_layout)):
                if letters and len(letters) != len(self.perm):
                    self.refuse(
                        f"the {name} layout is {letters!r}, but perm orders {len(self.perm)} "
                        "dimensions; give as many of one as of the other"
                    )

    def output_layouts(self) -> tuple[str, ...]:
        layout = self.layouts[0]
        if self.output_layout is not None:
            return (self.output_layout,)
        if not self.transpose_layout or not layout:
            return (layout,)
        order = range(len(layout))[::-1] if self.perm is None else self.perm
        return ("".join(layout[axis] for axis in order),)

    def sample(self, workspace: Workspace, data: Array) -> Array:
        self._check(data.shape)
        return data.transpose(self.perm)

    def batch_gpu(self, batch: BatchContext, data: TensorListGPU) -> TensorListGPU:
        self._check(data.shape()[0])
        order = range(data.ndim)[::-1] if self.perm is None else self.perm
        return copy_views(batch, StridedViews.of(data).axes(order))

    def _check(self, shape: tuple[int, ...]) -> None:
        for name, letters in (("perm", self.perm), ("output_layout", self.output_layout)):
            if letters is not None and len(letters) != len(shape):
                raise ArgumentError(
                    f"{name} is {letters!r}, but the sample has {len(shape)} dimensions: its shape "
                    f"is {shape}"
                )
