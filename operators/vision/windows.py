"""Windows of images as torchvision draws them, and bounding boxes in such windows."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from ...engine.graph.context import Workspace
from ...engine.graph.operator import Array, SampleOperator, register
from ...engine.graph.params import BOOL, FLOATS, INT, INTS, REQUIRED, STR, param

_ATTEMPTS = 10  # torchvision's own number
_CORNERS = 4

CENTER, CROP, RESIZED_CROP, ERASE = "center", "crop", "resized_crop", "erase"
ZOOM_OUT = "zoom_out"


@register
class VisionWindow(SampleOperator):
    """Chooses a window of each image by the rules of one of torchvision's transforms.

    Inputs:
        extents: height, width, and any others: (2 or more,).

    Outputs:
        the window: (top, left, height, width) int64, which may reach out of the image. With
        `kind="erase"` it has no pixels if no window fits.

    Raises:
        ArgumentError: an image is smaller than the window of `kind="crop"`.
    """

    name = "_vision_window"
    called = "RandomCrop"
    inputs = ("extents",)

    kind = param(
        STR,
        REQUIRED,
        "The transform: CenterCrop, RandomCrop, RandomResizedCrop, RandomErasing or RandomZoomOut.",
        choices=(CENTER, CROP, RESIZED_CROP, ERASE, ZOOM_OUT),
    )
    size = param(INTS, (0, 0), "(height, width) of `center` and `crop`.")
    padding = param(INTS, (0, 0, 0, 0), "Pixels left, top, right and bottom that `crop` adds.")
    pad_if_needed = param(BOOL, False, "Whether `crop` adds pixels to images that are too small.")
    scale = param(
        FLOATS,
        (0.08, 1.0),
        "Range of the window's part of the area, or of its sides for `zoom_out`; uniform.",
    )
    ratio = param(FLOATS, (3 / 4, 4 / 3), "Range of the sides' ratio; its logarithm is uniform.")

    def prepare(self) -> None:
        attempts = 2 + 2 * _ATTEMPTS
        drawn = {CENTER: 0, CROP: 2, RESIZED_CROP: attempts, ERASE: attempts, ZOOM_OUT: 3}
        self.random_count = drawn[self.kind]

    def sample(self, workspace: Workspace, extents: Array) -> Array:
        height, width = extents[:2].tolist()
        if self.kind == CENTER:
            window = self._center(height, width)
        elif self.kind == CROP:
            window = self._crop(height, width, *workspace.random.tolist())
        elif self.kind == ZOOM_OUT:
            window = self._canvas(height, width, workspace.random)
        else:
            window = self._drawn(height, width, workspace.random.tolist())
        return np.array(window, np.int64)

    def _center(self, height: int, width: int) -> tuple[int, ...]:
        rows, columns = self.size
        return _centered(height, rows), _centered(width, columns), rows, columns

    def _crop(self, height: int, width: int, v: float, u: float) -> tuple[int, ...]:
        left, top, right, bottom = self.padding
        rows, columns = self.size
        more_rows = rows - (height + top + bottom)
        more_columns = columns - (width + left + right)
        if max(more_rows, more_columns) > 0 and not self.pad_if_needed:
            self.refuse(
                f"the size {self.size} is larger than the image, which is {height} x {width} with "
                f"the padding {self.padding}; set pad_if_needed=True"
            )
        more_rows, more_columns = max(more_rows, 0), max(more_columns, 0)
        spare_rows = height + top + bottom + 2 * more_rows - rows
        spare_columns = width + left + right + 2 * more_columns - columns
        y = int(v * (spare_rows + 1)) - top - more_rows
        x = int(u * (spare_columns + 1)) - left - more_columns
        return y, x, rows, columns

    def _canvas(self, height: int, width: int, numbers: Array) -> tuple[int, ...]:
        """Return a window around the image. torchvision computes with tensors, of float32."""
        least, most = self.scale
        side, u, v = numbers.astype(np.float32)
        side = side * np.float32(most - least) + np.float32(least)
        rows, columns = int(height * side), int(width * side)
        return -int((rows - height) * v), -int((columns - width) * u), rows, columns

    def _drawn(self, height: int, width: int, numbers: list[float]) -> tuple[int, ...]:
        v, u, *attempts = numbers
        for rows, columns in self._sides(height * width, attempts):
            if self.kind == ERASE:
                fits = rows < height and columns < width
            else:
                fits = 0 < rows <= height and 0 < columns <= width
            if fits:
                y, x = int(v * (height - rows + 1)), int(u * (width - columns + 1))
                return y, x, rows, columns
        if self.kind == ERASE:
            return 0, 0, 0, 0
        low, high = self.ratio
        rows, columns = height, width
        if width / height < low:
            rows = round(width / low)
        elif width / height > high:
            columns = round(height * high)
        return (height - rows) // 2, (width - columns) // 2, rows, columns

    def _sides(self, area: int, numbers: list[float]) -> Iterator[tuple[int, int]]:
        """Yield the rows and columns of each attempt."""
        (least, most), (low, high) = self.scale, map(math.log, self.ratio)
        for a, r in zip(numbers[::2], numbers[1::2], strict=True):
            target = area * (least + (most - least) * a)
            ratio = math.exp(low + (high - low) * r)
            long, short = round(math.sqrt(target * ratio)), round(math.sqrt(target / ratio))
            # The ratio is width / height for crops, and height / width for erased regions.
            yield (long, short) if self.kind == ERASE else (short, long)


def _centered(extent: int, size: int) -> int:
    """Return where torchvision's CenterCrop starts: before the image if that is too small."""
    return round((extent - size) / 2) if size <= extent else -((size - extent) // 2)


@register
class VisionBoxes(SampleOperator):
    """Takes bounding boxes into a window, to another size, and flips them, as torchvision does.

    Boxes are cut off at the window's edges; those outside of it keep a place in the result.

    Inputs:
        boxes: left, top, right and bottom in pixels: (boxes, 4), integers or floats.
        canvas: height, width, and any others, of the image: (2 or more,).

    Outputs:
        the boxes: of the input's shape and type.
    """

    name = "_vision_boxes"
    called = "boxes of a transform"
    inputs = ("boxes", "canvas")

    window = param(INTS, (), "(top, left, height, width) that becomes the image.", per_sample=True)
    size = param(INTS, (), "Height, width, and any others, of the new image.", per_sample=True)
    horizontal = param(INT, 0, "Mirror left to right unless 0.", per_sample=True)
    vertical = param(INT, 0, "Mirror top to bottom unless 0.", per_sample=True)

    def sample(
        self,
        workspace: Workspace,
        boxes: Array,
        canvas: Array,
        *,
        window: Any,
        size: Any,
        horizontal: int,
        vertical: int,
    ) -> Array:
        if boxes.ndim != 2 or boxes.shape[1] != _CORNERS:
            self.refuse(
                f"boxes must have the shape (boxes, 4), with left, top, right and bottom in "
                f"pixels, but have {boxes.shape}"
            )
        moved = boxes.astype(np.float64)
        height, width = canvas[:2].tolist()
        if np.size(window):
            top, left, height, width = np.asarray(window).tolist()
            moved -= (left, top, left, top)
            np.clip(moved, 0, (width, height, width, height), out=moved)
        if np.size(size):
            rows, columns = np.asarray(size)[:2].tolist()
            moved *= np.tile((columns / width, rows / height), 2)
            height, width = rows, columns
        if horizontal:
            moved[:, [0, 2]] = width - moved[:, [2, 0]]
        if vertical:
            moved[:, [1, 3]] = height - moved[:, [3, 1]]
        return moved.astype(boxes.dtype)
