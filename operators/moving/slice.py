"""fn.slice: takes a part out of each sample, given by where it starts and ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...engine.errors import ArgumentError
from ...engine.operator import Array, Row, register
from ...engine.params import STR, param
from ...engine.slices import SliceArguments
from ...engine.tensors import TensorList, TensorListCPU, TensorListGPU
from ...engine.windows import bounded
from .extract import extract
from .extract_batch import extract_batch, slices
from .window import WindowOperator

if TYPE_CHECKING:
    from ...engine.batch import Batch


@register
class Slice(SliceArguments, WindowOperator):
    """Takes a part out of each sample.

    The part is given by named arguments, a start (`start` or `rel_start`) with an end (`end`,
    `rel_end`) or a shape (`shape`, `rel_shape`), or by the inputs `anchor` and `shape`. What
    starts with "rel" is in fractions of the extent of its axis. Without a start the part begins
    at 0, without end and shape it reaches to the sample's end. Fractions of an element are
    rounded, halves away from zero: the start, and the end (start plus shape) before rounding.

    Inputs:
        data: any sample.
        anchor, shape_input: one number for each of the axes, on the CPU. Integers are elements,
            floats fractions of the extent, if `normalized_anchor` and `normalized_shape` do not
            say otherwise. Both are of the same type.

    The result has the layout and, if `dtype` is not given, the type of the data.
    """

    name = "slice"
    devices = ("cpu", "gpu")
    inputs = ("data", "anchor?", "shape_input?")
    policies = (
        *("error", "constant", "pad", "trim_to_shape", "edge", "clamp"),
        *("reflect", "reflect_1001", "reflect_101", "wrap"),
    )

    out_of_bounds_policy = param(
        STR,
        "error",
        'What to do if the part reaches out of the sample: "error" raises; "constant" or "pad" '
        'fill with `fill_values`; "edge" or "clamp" repeat the edge; "reflect" or '
        '"reflect_1001" mirror, with the edge twice; "reflect_101" mirror, with the edge once; '
        '"wrap" repeats the sample; "trim_to_shape" takes what there is.',
    )

    def sample(
        self,
        row: Row,
        data: Array,
        anchor: Array | None = None,
        shape_input: Array | None = None,
        **arguments: Any,
    ) -> Array:
        layout = self.layouts[0]
        window = self.window(layout, data.shape, anchor, shape_input, **arguments)
        window = bounded(window, data.shape, self.out_of_bounds_policy)
        return extract(row, data, window, self, layout)

    def gpu(
        self, batch: Batch, data: TensorListGPU, *ends: TensorList, **arguments: Any
    ) -> TensorListGPU:
        if not all(isinstance(end, TensorListCPU) for end in ends):
            raise ArgumentError("the inputs anchor and shape must be on the CPU; use .cpu()")
        layout = self.layouts[0]
        windows = slices(self, batch, layout, data.extents(), arguments, *ends)
        return extract_batch(batch, data, windows, self, layout)
