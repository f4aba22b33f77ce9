"""`fn.random_resized_crop`: a random window of each image, resized to one size."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...engine import random_crop
from ...engine.errors import ArgumentError
from ...engine.operator import Array, Row, register
from ...engine.params import FLOATS, INT, INTS, REQUIRED, param
from .resampler import Axes, Resampler
from .size import Plan
from .sizes import Plans

if TYPE_CHECKING:
    from ...engine.batch import Batch


@register
class RandomResizedCrop(Resampler):
    """Takes a window of random area, aspect ratio and place out of each image, and resizes it.

    Szegedy et al., "Going Deeper with Convolutions" (2014), section 6. A video's frames all
    show the same window. The windows are those of `fn.decoders.image_random_crop` with the
    same random numbers, but pixels just outside of one count at its edges here.

    Inputs:
        images: HWC, CHW, HW, FHWC, FCHW or CFHW; uint8, int8, uint16, int16, uint32, int32 or a
            float type. Without a layout, by the number of dimensions: HW, HWC, FHWC.

    The result is as the input, of the height and width `size`.
    """

    name = "random_resized_crop"

    size = param(
        INTS, REQUIRED, "(height, width) of the result in pixels; one number stands for both."
    )
    random_area = param(
        FLOATS, (0.08, 1.0), "Range of the window's area, relative to the image's; uniform."
    )
    random_aspect_ratio = param(
        FLOATS, (3 / 4, 4 / 3), "Range of the window's width / height; its logarithm is uniform."
    )
    num_attempts = param(INT, 10, "How often a window that does not fit is drawn anew.")

    def prepare(self) -> None:
        super().prepare()
        size = self.size * 2 if len(self.size) == 1 else self.size
        if len(size) != 2 or min(size) < 1:
            raise ArgumentError(
                f"{self.owner}: size must be (height, width) in pixels, each at least 1, but is "
                f"{self.size}"
            )
        self._size = size
        random_crop.check_ranges(
            self.owner, self.random_area, self.random_aspect_ratio, self.num_attempts
        )
        self.draws = random_crop.draws_needed(self.num_attempts)

    def sample(self, row: Row, image: Array, **arguments: Any) -> Array:
        axes = self.axes(image.ndim)
        extents = self.extents(axes, image)
        _check_spatial(self.owner, axes.spatial)
        height, width = extents
        window = random_crop.random_window(
            height, width, self.random_area, self.random_aspect_ratio, row.random
        )
        plan = Plan(self._size, window[:2], window[2:])
        return self.resample(row, image, axes, plan, self.filters(**arguments))

    def plan_batch(
        self, batch: Batch, axes: Axes, extents: NDArray[np.int64], **arguments: Any
    ) -> Plans:
        _check_spatial(self.owner, axes.spatial)
        windows = random_crop.random_windows(
            extents,
            self.random_area,
            self.random_aspect_ratio,
            self.num_attempts,
            lambda count: batch.random(self, count),
        ).astype(np.float64)
        size = np.broadcast_to(np.array(self._size), extents.shape)
        return Plans(size, windows[:, :2], windows[:, 2:], np.ones(len(extents), bool))


def _check_spatial(owner: str, spatial: int) -> None:
    if spatial != 2:
        raise ArgumentError(f"{owner} takes images and videos, but no volumes")
