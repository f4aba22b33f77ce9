"""`fn.element_extract`: some frames of sequences, each as an output."""

from __future__ import annotations

import numpy as np

from ...engine.errors import ArgumentError
from ...engine.graph.context import BatchContext, Workspace
from ...engine.graph.operator import Array, SampleOperator, register
from ...engine.graph.params import INTS, REQUIRED, param
from ...engine.graph.row_arguments import try_rows
from ...engine.tensors import TensorListGPU
from .gpu_copies import copy_views
from .gpu_subscript import indexed_views
from .strided_views import StridedViews


@register
class ElementExtract(SampleOperator):
    """Returns elements of the first axis of sequences, each as an output of its own.

    Inputs:
        data: sequences, of a layout that starts with F, or of none.

    Outputs:
        an output for each index in `element_map`: of the input's layout without the F.
    """

    name = "element_extract"
    devices = ("cpu", "gpu")
    inputs = ("data",)

    element_map = param(INTS, REQUIRED, "Indices of the elements, from 0 on.", minimum=0)

    def prepare(self) -> None:
        if self.layouts[0] and not self.layouts[0].startswith("F"):
            raise ArgumentError(
                f"{self.called} needs sequences, but the layout is {self.layouts[0]!r}, which "
                "does not start with F"
            )
        if not self.element_map:
            self.refuse("element_map is empty; give at least one index")

    def num_outputs(self) -> int:
        return len(self.element_map)

    def output_layouts(self) -> tuple[str, ...]:
        return (self.layouts[0][1:],) * len(self.element_map)

    def _check(self, shape: tuple[int, ...]) -> None:
        if not shape or shape[0] <= max(self.element_map):
            self.refuse(f"a sample of the shape {shape} has no element {max(self.element_map)}")

    def sample(self, workspace: Workspace, data: Array) -> tuple[Array, ...]:
        self._check(data.shape)
        return tuple(data[index, ...] for index in self.element_map)

    def batch_gpu(self, batch: BatchContext, data: TensorListGPU) -> tuple[TensorListGPU, ...]:
        views = StridedViews.of(data)
        shapes = data.shape()
        try_rows(batch, range(len(shapes)), lambda row: self._check(shapes[row]))
        results = []
        for index in self.element_map:
            chosen, _ = indexed_views(views, (np.int64(index),))
            results.append(copy_views(batch, chosen))
        return tuple(results)
