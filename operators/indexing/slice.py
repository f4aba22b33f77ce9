"""`fn.slice`: a region of each sample, given by its start and its end or shape."""

from __future__ import annotations

from typing import Any

from ...engine.graph.context import BatchContext, Workspace
from ...engine.graph.operator import Array, register
from ...engine.graph.params import STR, param
from ...engine.graph.rules import Input
from ...engine.tensors import TensorList, TensorListGPU
from ...geometry.slices import SliceArguments
from ...geometry.windows import bounded
from .extract import extract
from .gpu_extract import extract_batch
from .window_operator import WindowOperator


@register
class Slice(SliceArguments, WindowOperator):
    """Takes a region out of each sample.

    Named arguments give the region: a start (`start` or `rel_start`), with an end (`end`,
    `rel_end`) or a shape (`shape`, `rel_shape`). Alternatively the inputs `anchor` and `shape` give
    the region. What starts with "rel" is in fractions of the extent of its axis. Without a start
    the region starts at 0, without end and shape it reaches to the sample's end. Fractions of an
    element are
    rounded, halves away from zero: the start, and the end (start plus shape) before rounding.

    Inputs:
        data: any sample.
        anchor, shape_input: one number for each of the axes. Integers are elements, floats
            fractions of the extent, if `normalized_anchor` and `normalized_shape` do not say
            otherwise. Both are of the same type. If they are on the GPU, they are copied to the
            CPU, for which the operator's work on the GPU waits.

    The result has the layout and, if `dtype` is not given, the type of the data.
    """

    name = "slice"
    devices = ("cpu", "gpu")
    inputs = (
        "data",
        Input("anchor", optional=True, device="cpu"),
        Input("shape_input", optional=True, device="cpu"),
    )
    out_of_bounds_policy = param(
        STR,
        "error",
        'Action for a region that reaches out of the sample. "error": raise. "constant" or '
        '"pad": fill with `fill_values`. "edge" or "clamp": repeat the edge. "reflect" or '
        '"reflect_1001": mirror, with the edge twice. "reflect_101": mirror, with the edge once. '
        '"wrap": repeat the sample. "trim_to_shape": return only the part inside.',
        choices=(
            *("error", "constant", "pad", "trim_to_shape", "edge", "clamp"),
            *("reflect", "reflect_1001", "reflect_101", "wrap"),
        ),
    )

    def sample(
        self,
        workspace: Workspace,
        data: Array,
        anchor: Array | None = None,
        shape_input: Array | None = None,
        **arguments: Any,
    ) -> Array:
        layout = self.layouts[0]
        window = self.window(layout, data.shape, anchor, shape_input, **arguments)
        window = bounded(window, data.shape, self.out_of_bounds_policy)
        return extract(workspace, data, window, self, layout)

    def batch_gpu(
        self, batch: BatchContext, data: TensorListGPU, *ends: TensorList, **arguments: object
    ) -> TensorListGPU:
        layout = self.layouts[0]
        windows = self.windows(batch, layout, data.extents(), *ends, **arguments)
        return extract_batch(batch, data, windows, self, layout)
