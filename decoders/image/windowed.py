"""The decoders of a region of each image: `image_crop`, `image_random_crop` and `image_slice`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...engine.errors import ArgumentError
from ...engine.graph.context import Workspace
from ...engine.graph.operator import Array, register
from ...engine.graph.row_arguments import try_rows
from ...engine.graph.rules import Input
from ...geometry.random_crop import RandomCropArguments, random_window, random_windows
from ...geometry.slices import SliceArguments
from ...geometry.windows import CropArguments, Window, WindowBatch, bounded
from .formats.base import Box
from .image_decoder import ImageDecoder

if TYPE_CHECKING:
    from ...engine.graph.context import RowsContext


class WindowedDecoder(ImageDecoder):
    """Base of the decoders whose arguments name a window of each image."""

    window: Callable[..., Window]
    """`window("HW", (height, width), *inputs, **arguments)` returns the window of one sample."""

    windows: Callable[..., WindowBatch]
    """`windows(rows, "HW", sizes, *inputs, **arguments)` returns the windows of a batch."""

    def sample(
        self, workspace: Workspace, encoded: Array, *inputs: Array, **arguments: Any
    ) -> Array:
        def box(height: int, width: int) -> Box:
            window = self.window("HW", (height, width), *inputs, **arguments)
            return _box(window, (height, width))

        return self.decoded(workspace, encoded, box)

    def boxes(
        self, rows: RowsContext, sizes: NDArray[np.int64], *inputs: object, **arguments: object
    ) -> NDArray[np.int64]:
        windows = self.windows(rows, "HW", sizes, *inputs, **arguments)
        doubtful = ~windows.fit(sizes) | (windows.shape == 0).any(axis=1)

        def check(i: int) -> None:
            _box(windows.window_at(i), tuple(sizes[i].tolist()))

        windows.drop(try_rows(rows, np.flatnonzero(doubtful), check))
        return np.hstack([windows.start, windows.start + windows.shape])


def _box(window: Window, size: tuple[int, int]) -> Box:
    """Return the box of a window; raise ArgumentError unless it holds pixels of the image."""
    (y, x), (lines, columns) = bounded(window, size, "error")
    if lines == 0 or columns == 0:
        raise ArgumentError(
            f"the window of {lines} x {columns} pixels (height x width) holds nothing to decode"
        )
    return y, x, y + lines, x + columns


@register
class ImageCrop(CropArguments, WindowedDecoder):
    """Decodes a window of given size and position out of each image.

    >>> import cv2
    >>> import numpy as np
    >>> from penstock import Pipeline, fn
    >>> _, file = cv2.imencode(".png", np.zeros((60, 80, 3), np.uint8))
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.decoders.image_crop(file, crop=(20, 30)))
    ...     (result,) = pipe.run()
    ...     print(result.shape())
    [(20, 30, 3)]

    Inputs:
        encoded: a whole encoded file a sample; uint8, one dimension.

    Raises:
        DecodeError: the bytes are no supported image, or pixels are damaged or missing.
        ArgumentError: the window reaches out of the image.
    """

    name = "decoders.image_crop"
    aliases = ("image_decoder_crop", "experimental.decoders.image_crop")
    devices = ("cpu", "mixed")


@register
class ImageSlice(SliceArguments, WindowedDecoder):
    """Decodes a region of each image, given by its start and its end.

    The region is given as for `fn.slice`: by named arguments, or by the inputs `anchor` and
    `shape`.

    >>> import cv2
    >>> import numpy as np
    >>> from penstock import Pipeline, fn
    >>> _, file = cv2.imencode(".png", np.zeros((60, 80, 3), np.uint8))
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     output = fn.decoders.image_slice(file, start=(10, 20), end=(50, 70), axes=(0, 1))
    ...     pipe.set_outputs(output)
    ...     (result,) = pipe.run()
    ...     print(result.shape())
    [(40, 50, 3)]

    Inputs:
        encoded: a whole encoded file a sample; uint8, one dimension.
        anchor, shape_input: one number for each of the axes, as for `fn.slice`.

    Raises:
        DecodeError: the bytes are no supported image, or pixels are damaged or missing.
        ArgumentError: the region reaches out of the image.
    """

    name = "decoders.image_slice"
    aliases = ("image_decoder_slice", "experimental.decoders.image_slice")
    devices = ("cpu", "mixed")
    inputs = ("encoded", Input("anchor", optional=True), Input("shape_input", optional=True))


@register
class ImageRandomCrop(RandomCropArguments, ImageDecoder):
    """Decodes a window of each image, of random area, aspect ratio and position.

    This is the usual first step of training a classifier, before a resize to one size.

    >>> import cv2
    >>> import numpy as np
    >>> from penstock import Pipeline, fn
    >>> _, file = cv2.imencode(".png", np.zeros((60, 80, 3), np.uint8))
    >>> with Pipeline(batch_size=1, num_threads=1, seed=1) as pipe:
    ...     pipe.set_outputs(fn.decoders.image_random_crop(file))
    ...     (result,) = pipe.run()
    ...     print(result.shape())
    [(43, 38, 3)]

    Inputs:
        encoded: a whole encoded file a sample; uint8, one dimension.
    """

    name = "decoders.image_random_crop"
    aliases = ("image_decoder_random_crop", "experimental.decoders.image_random_crop")
    devices = ("cpu", "mixed")

    def sample(self, workspace: Workspace, encoded: Array) -> Array:
        numbers = workspace.random

        def box(height: int, width: int) -> Box:
            return random_window(height, width, self.crop_ranges, numbers)

        return self.decoded(workspace, encoded, box)

    def boxes(
        self, rows: RowsContext, sizes: NDArray[np.int64], *inputs: object, **arguments: object
    ) -> NDArray[np.int64]:
        return random_windows(sizes, self.crop_ranges, lambda count: rows.random(self, count))
