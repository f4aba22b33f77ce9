"""`fn.segmentation.random_mask_pixel`: the index of a random element of a mask."""

from __future__ import annotations

import numpy as np

from ...engine.graph.context import Workspace
from ...engine.graph.operator import Array, SampleOperator, register
from ...engine.graph.params import ANY_FLOAT, INT, param


@register
class RandomMaskPixel(SampleOperator):
    """Draws an element of a mask: one of the foreground, or any.

    If the foreground is asked for, but there is none, any element is drawn.

    >>> import numpy as np
    >>> from penstock import Pipeline, fn
    >>> mask = np.zeros((4, 4), np.uint8)
    >>> mask[2, 3] = 1
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.segmentation.random_mask_pixel(mask, foreground=1))
    ...     (result,) = pipe.run()
    ...     print(result.at(0))
    [2 3]

    Inputs:
        mask: numbers or bool, of any shape, not empty.

    Outputs:
        the element's index: int64, shape (dimensions,).
    """

    name = "segmentation.random_mask_pixel"
    inputs = ("mask",)
    random_count = 1

    foreground = param(
        INT, 0, "Draw an element of the foreground unless 0, else any.", per_sample=True
    )
    threshold = param(ANY_FLOAT, 0.0, "Elements above it are foreground.", per_sample=True)
    value = param(
        INT, None, "Elements that equal it are foreground, instead of `threshold`.", per_sample=True
    )

    def prepare(self) -> None:
        if {"threshold", "value"} <= self.given:
            self.refuse("give either threshold or value")

    def output_layouts(self) -> tuple[str, ...]:
        return ("",)

    def sample(
        self,
        workspace: Workspace,
        mask: Array,
        *,
        foreground: int,
        threshold: float,
        value: int | None,
    ) -> Array:
        if mask.size == 0 or mask.ndim == 0:
            self.refuse(f"a mask of the shape {mask.shape} has no elements to draw from")
        number = float(workspace.random[0])
        flat = int(number * mask.size)
        if foreground:
            chosen = mask == value if value is not None else mask > np.float32(threshold)
            candidates = np.flatnonzero(chosen)
            if len(candidates):
                flat = int(candidates[int(number * len(candidates))])
        return np.array(np.unravel_index(flat, mask.shape), np.int64)
