"""`fn.random_crop_generator`: random windows of image classification, as numbers."""

from __future__ import annotations

import numpy as np

from ...engine.graph.context import Workspace
from ...engine.graph.operator import Array, SampleOperator, register
from ...geometry.random_crop import RandomCropArguments, random_window


@register
class RandomCropGenerator(RandomCropArguments, SampleOperator):
    """Draws a window of random area and aspect ratio in each image, for `fn.slice`.

    Szegedy et al., "Going Deeper with Convolutions" (2014), section 6. The windows are those of
    `fn.random_resized_crop` with the same random numbers.

    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=1, num_threads=1, seed=1) as pipe:
    ...     pipe.set_outputs(*fn.random_crop_generator([480, 640]))
    ...     for output in pipe.run():
    ...         print(output.at(0).tolist())
    [87, 182]
    [340, 305]

    Inputs:
        shapes: integers, (height, width) or (height, width, channels) of an image in pixels.

    Outputs:
        anchor: int32, (y, x) of the window's first pixel.
        shape: int32, (height, width).
    """

    name = "random_crop_generator"
    inputs = ("shapes",)
    outputs = 2

    def output_layouts(self) -> tuple[str, ...]:
        return ("", "")

    def sample(self, workspace: Workspace, shape: Array) -> tuple[Array, Array]:
        if shape.dtype.kind not in "iu" or shape.shape not in ((2,), (3,)):
            self.refuse(
                "the input must be the shape of an image, (height, width) or (height, width, "
                f"channels), but has {shape.dtype} of the shape {shape.shape}"
            )
        height, width = shape[:2].tolist()
        if min(height, width) < 1:
            self.refuse(f"an image of {height}x{width} pixels has no windows")
        y0, x0, y1, x1 = random_window(height, width, self.crop_ranges, workspace.random)
        return np.array([y0, x0], np.int32), np.array([y1 - y0, x1 - x0], np.int32)
