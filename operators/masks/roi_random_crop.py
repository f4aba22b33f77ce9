"""`fn.roi_random_crop`: a random window that holds as much as possible of a region of interest."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...engine.graph.context import Workspace
from ...engine.graph.operator import Array, SampleOperator, register
from ...engine.graph.params import INTS, REQUIRED, param
from ...engine.graph.rules import Input

_MOST_AXES = 8


@register
class RoiRandomCrop(SampleOperator):
    """Draws the start of a window of given shape around a region of interest.

    On each axis, a window that is larger than the region holds all of the region, and a smaller
    window lies in the region. If the shape of the data is known, the window lies in the data.

    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=1, num_threads=1, seed=1) as pipe:
    ...     output = fn.roi_random_crop(crop_shape=[4, 4], roi_start=[10, 10], roi_shape=[8, 8])
    ...     pipe.set_outputs(output)
    ...     (result,) = pipe.run()
    ...     print(result.at(0))
    [13 13]

    Inputs:
        data: anything; only the shape counts. Give either data or `in_shape`, or neither.

    Outputs:
        the first index of the window: int64, shape (axes,).

    Raises:
        ArgumentError: arguments have different numbers of axes, or window or region do not fit
            into the data.
    """

    name = "roi_random_crop"
    inputs = (Input("data", optional=True),)
    random_count = _MOST_AXES

    crop_shape = param(INTS, REQUIRED, "Shape of the window.", per_sample=True)
    roi_start = param(INTS, REQUIRED, "First index of the region.", per_sample=True)
    roi_end = param(INTS, None, "End of the region.", per_sample=True)
    roi_shape = param(INTS, None, "Shape of the region, instead of its end.", per_sample=True)
    in_shape = param(INTS, None, "Shape of the data.", per_sample=True)

    def prepare(self) -> None:
        if len({"roi_end", "roi_shape"} & self.given) != 1:
            self.refuse("give either roi_end or roi_shape")
        if "in_shape" in self.given and self.layouts:
            self.refuse("give either an input or in_shape")

    def output_layouts(self) -> tuple[str, ...]:
        return ("",)

    def sample(
        self,
        workspace: Workspace,
        data: Array | None = None,
        *,
        crop_shape: Sequence[int],
        roi_start: Sequence[int],
        roi_end: Sequence[int] | None,
        roi_shape: Sequence[int] | None,
        in_shape: Sequence[int] | None,
    ) -> Array:
        crop, start = np.atleast_1d(crop_shape), np.atleast_1d(roi_start)
        size = roi_end if roi_end is not None else roi_shape
        end = np.atleast_1d(np.asarray(size))
        shape = in_shape if data is None else data.shape
        limits = None if shape is None else np.atleast_1d(np.asarray(shape))
        known = [crop, start, end] if limits is None else [crop, start, end, limits]
        if len({numbers.shape for numbers in known}) > 1 or len(crop) > _MOST_AXES:
            sizes = " and ".join(str(numbers.size) for numbers in known)
            self.refuse(f"window, region and data have {sizes} axes; give one number for each axis")
        if roi_end is None:
            end = start + end
        if (end < start).any() or (crop < 0).any():
            self.refuse(
                f"the region ends at {end.tolist()} and starts at {start.tolist()}, and the window "
                f"has the shape {crop.tolist()}; extents cannot be negative"
            )
        lowest, highest = np.minimum(start, end - crop), np.maximum(start, end - crop)
        if limits is not None:
            self._check_limits(crop, start, end, limits)
            lowest, highest = np.maximum(lowest, 0), np.minimum(highest, limits - crop)
        drawn = workspace.random[: len(crop)] * (highest - lowest + 1)
        chosen: Array = lowest + drawn.astype(np.int64)
        return chosen

    def _check_limits(self, crop: Array, start: Array, end: Array, limits: Array) -> None:
        if (crop > limits).any():
            self.refuse(f"a window of {crop.tolist()} does not fit into data of {limits.tolist()}")
        if (start < 0).any() or (end > limits).any():
            self.refuse(
                f"the region from {start.tolist()} to {end.tolist()} reaches out of data of "
                f"{limits.tolist()}"
            )
