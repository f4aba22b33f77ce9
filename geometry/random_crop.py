"""The random window of image classification: an area and an aspect ratio drawn at random.

The method is that of Szegedy et al., "Going Deeper with Convolutions" (2014), section 6, in the
form of DALI and torchvision. It draws an area and an aspect ratio until the window fits into the
image, up to `num_attempts` times. Then it draws the window's offset.

The rule has two forms with the same windows, for one image on the CPU and for a batch on the GPU.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..engine.errors import ArgumentError
from ..engine.graph.operator import Operator
from ..engine.graph.params import FLOATS, INT, param

BATCH_ATTEMPTS = 6
"""Number of attempts that are made for a whole batch at once; few images need more."""


def draws_needed(num_attempts: int) -> int:
    """Return how many random numbers `random_window` takes."""
    return 2 * num_attempts + 2


class CropRanges(NamedTuple):
    """The ranges of random windows.

    Attributes:
        area: range of the window's area, as a fraction of the image's; uniform. Areas above 1 do
            not fit.
        aspect_ratio: range of width / height; its logarithm is uniform.
        num_attempts: number of windows that are drawn until one fits; then the largest is taken.
    """

    area: tuple[float, float]
    aspect_ratio: tuple[float, float]
    num_attempts: int


def crop_ranges(
    owner: str, area: tuple[float, ...], aspect_ratio: tuple[float, ...], num_attempts: int
) -> CropRanges:
    """Return the ranges that arguments give; one number stands for both ends.

    Raises:
        ArgumentError: a range makes no sense.
    """
    area, aspect_ratio = (
        values * 2 if len(values) == 1 else values for values in (area, aspect_ratio)
    )
    if len(area) != 2 or not 0 <= area[0] <= area[1]:
        raise ArgumentError(
            f"{owner}: random_area must be (least, largest) with 0 <= least <= largest, as a "
            f"fraction of the image's area, but is {area}"
        )
    if len(aspect_ratio) != 2 or not 0 < aspect_ratio[0] <= aspect_ratio[1]:
        raise ArgumentError(
            f"{owner}: random_aspect_ratio must be (least, largest) width / height with "
            f"0 < least <= largest, but is {aspect_ratio}"
        )
    if num_attempts < 1:
        raise ArgumentError(f"{owner}: num_attempts must be at least 1, but is {num_attempts}")
    return CropRanges((area[0], area[1]), (aspect_ratio[0], aspect_ratio[1]), num_attempts)


class RandomCropArguments(Operator):
    """Base of the operators with the arguments of a random window.

    Attributes:
        crop_ranges: the ranges that the arguments give.
    """

    is_random = True

    random_area = param(
        FLOATS,
        (0.08, 1.0),
        "Range of the window's area, relative to the image's; uniform. Windows that do not fit, as "
        "all with areas above 1, are drawn again.",
        minimum=0,
    )
    random_aspect_ratio = param(
        FLOATS, (3 / 4, 4 / 3), "Range of the window's width / height; its logarithm is uniform."
    )
    num_attempts = param(
        INT, 10, "Number of windows that are drawn until one fits; then the largest is taken."
    )

    crop_ranges: CropRanges

    def prepare(self) -> None:
        super().prepare()
        self.crop_ranges = crop_ranges(
            self.called, self.random_area, self.random_aspect_ratio, self.num_attempts
        )
        self.random_count = draws_needed(self.num_attempts)


def random_window(
    height: int, width: int, ranges: CropRanges, numbers: NDArray[np.float64]
) -> tuple[int, int, int, int]:
    """Return the window (y0, x0, y1, x1) that `numbers` choose.

    Args:
        height, width: extents of the image in pixels, at least 1.
        ranges: ranges of the windows' areas and aspect ratios.
        numbers: `draws_needed(num_attempts)` numbers in [0, 1): the position, then the attempts.

    >>> random_window(100, 200, CropRanges((1.0, 1.0), (2.0, 2.0), 1), np.zeros(4))
    (0, 0, 100, 200)
    """
    area = ranges.area
    position_y, position_x, *attempts = numbers.tolist()
    size = None
    for u, v in zip(attempts[::2], attempts[1::2], strict=True):
        ratio = float(_ratios(v, ranges.aspect_ratio))
        wanted = (area[0] + (area[1] - area[0]) * u) * height * width
        w = max(1, round(math.sqrt(wanted * ratio)))
        h = max(1, round(math.sqrt(wanted / ratio)))
        if h <= height and w <= width:
            size = h, w
            break
    h, w = size or _fallback(height, width, area[1], ranges.aspect_ratio)
    y, x = int(position_y * (height - h + 1)), int(position_x * (width - w + 1))
    return y, x, y + h, x + w


def random_windows(
    sizes: NDArray[np.int64], ranges: CropRanges, draw: Callable[[int], NDArray[np.float64]]
) -> NDArray[np.int64]:
    """Return the result of `random_window` for each image of a batch: (batch, 4).

    Args:
        sizes: height and width of each image: (batch, 2).
        ranges: ranges of the windows' areas and aspect ratios.
        draw: returns the random numbers, (batch, count), for the count of numbers an image.

    >>> sizes = np.array([[100, 200]])
    >>> ranges = CropRanges((1.0, 1.0), (2.0, 2.0), 10)
    >>> random_windows(sizes, ranges, lambda count: np.zeros((1, count)))
    array([[  0,   0, 100, 200]])
    """
    area, attempts = ranges.area, min(ranges.num_attempts, BATCH_ATTEMPTS)
    numbers = draw(draws_needed(attempts))
    wanted = (area[0] + (area[1] - area[0]) * numbers[:, 2::2]) * sizes[:, :1] * sizes[:, 1:]
    ratio = _ratios(numbers[:, 3::2], ranges.aspect_ratio)
    heights, widths = np.rint(np.sqrt(wanted / ratio)), np.rint(np.sqrt(wanted * ratio))
    fits = (heights <= sizes[:, :1]) & (widths <= sizes[:, 1:])
    first = fits.argmax(axis=1) + np.arange(0, fits.size, attempts)
    chosen = np.empty_like(sizes)
    chosen[:, 0], chosen[:, 1] = heights.take(first), widths.take(first)
    np.maximum(chosen, 1, out=chosen)
    windows = np.empty((len(sizes), 4), np.int64)
    windows[:, :2] = numbers[:, :2] * (sizes - chosen + 1)
    windows[:, 2:] = windows[:, :2] + chosen
    others = (~fits.take(first)).nonzero()[0].tolist()
    numbers = draw(draws_needed(ranges.num_attempts)) if others else numbers
    for i in others:
        height, width = sizes[i].tolist()
        windows[i] = random_window(height, width, ranges, numbers[i])
    return windows


def _ratios(numbers: Any, aspect_ratio: tuple[float, float]) -> Any:
    """Return the aspect ratios that numbers in [0, 1) choose: an array of numbers, or one.

    One image takes NumPy's exponential, as a batch does: Python's may differ in the last bit.
    """
    low, high = math.log(aspect_ratio[0]), math.log(aspect_ratio[1])
    return np.exp(low + (high - low) * numbers)


def _fallback(
    height: int, width: int, largest: float, aspect_ratio: tuple[float, float]
) -> tuple[int, int]:
    """Return the largest window of an allowed aspect ratio and area."""
    ratio = min(max(width / height, aspect_ratio[0]), aspect_ratio[1])
    h, w = min(height, width / ratio), min(width, height * ratio)
    scale = min(1.0, math.sqrt(largest * height * width / (h * w)))
    return max(1, int(h * scale)), max(1, int(w * scale))
