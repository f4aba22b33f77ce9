"""fn.flip: mirrors images, videos and volumes."""

from __future__ import annotations

from ..engine.layouts import VIDEO_LAYOUTS, find_axis, layout_of
from ..engine.operator import Array, Row, SampleOperator, register
from ..engine.params import INT, param


@register
class Flip(SampleOperator):
    """Mirrors each sample along the axes that are chosen.

    Inputs:
        data: HWC, CHW, HW, DHWC, CDHW, or with F before them; any type. Without a layout HW,
            HWC, FHWC or FDHWC is assumed.

    The result has the shape, layout and type of the input.
    """

    name = "flip"
    inputs = ("data",)

    horizontal = param(INT, 1, "Mirror left to right unless 0.", per_sample=True)
    vertical = param(INT, 0, "Mirror top to bottom unless 0.", per_sample=True)
    depthwise = param(
        INT,
        0,
        "Mirror front to back unless 0; without effect where there is no depth.",
        per_sample=True,
    )

    def sample(
        self, row: Row, image: Array, *, horizontal: int, vertical: int, depthwise: int
    ) -> Array:
        layout = layout_of(self.layouts[0], image.ndim, VIDEO_LAYOUTS)
        index = [slice(None)] * image.ndim
        if horizontal:
            index[find_axis(layout, "W")] = slice(None, None, -1)
        if vertical:
            index[find_axis(layout, "H")] = slice(None, None, -1)
        if depthwise and "D" in layout:
            index[layout.index("D")] = slice(None, None, -1)
        return image[tuple(index)]
