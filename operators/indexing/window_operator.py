"""The base of the operators whose result is a window of a sample."""

from __future__ import annotations

from ...engine.arrays import DType
from ...engine.graph.operator import SampleOperator
from ...engine.graph.params import ANY_FLOATS, DTYPE, IMAGE_TYPE, LEAVE_OUT, NO_EFFECT, STR, param
from ..elementwise.target_dtype import target_type


class WindowOperator(SampleOperator):
    """Base of the operators that take a window out of a sample.

    Attributes:
        target: element type of the result; None keeps the input's.
    """

    dtype = param(
        DTYPE,
        None,
        "Element type of the result, by default the input's. Values out of its range become "
        "the nearest value of the type. Conversion to integers cuts fractions off.",
        aliases=("output_dtype",),
    )
    image_type = param(IMAGE_TYPE, None, NO_EFFECT, deprecated=LEAVE_OUT)
    out_of_bounds_policy = param(
        STR,
        "error",
        'What to do if the window reaches out of the sample: "error" raises; "constant" or '
        '"pad" fill with `fill_values`; "trim_to_shape" takes what there is.',
        choices=("error", "constant", "pad", "trim_to_shape"),
    )
    fill_values = param(
        ANY_FLOATS,
        (0.0,),
        "The value outside of the sample if it is padded: one, or one a channel.",
    )

    target: DType | None

    def prepare(self) -> None:
        self.target = target_type(self)
