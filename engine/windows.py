"""Which part of a sample an operator takes: windows, and how the arguments of a crop become one.

Nothing here touches pixels.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .errors import ArgumentError
from .layouts import check_exclusive
from .operator import Operator
from .params import FLOAT, FLOATS, STR, param


class Window(NamedTuple):
    """A box in a sample: where it begins and how large it is, in elements, one number an axis.

    It may reach beyond the sample, and begin before it.
    """

    start: tuple[int, ...]
    shape: tuple[int, ...]

    def fits(self, extents: Sequence[int]) -> bool:
        """Return whether the window lies in a sample of the shape `extents`."""
        return all(
            a >= 0 and a + n <= size
            for a, n, size in zip(self.start, self.shape, extents, strict=True)
        )

    def trimmed(self, extents: Sequence[int]) -> Window:
        """Return the part of the window that lies in a sample of the shape `extents`."""
        start = tuple(min(max(a, 0), size) for a, size in zip(self.start, extents, strict=True))
        ends = (
            min(max(a + n, 0), size)
            for a, n, size in zip(self.start, self.shape, extents, strict=True)
        )
        return Window(start, tuple(b - a for a, b in zip(start, ends, strict=True)))

    def slices(self) -> tuple[slice, ...]:
        """Return the index of a window that lies in the sample."""
        return tuple(slice(a, a + n) for a, n in zip(self.start, self.shape, strict=True))


class Windows(NamedTuple):
    """The windows of a batch: where they begin, and how large they are: (batch, ndim) int64."""

    start: NDArray[np.int64]
    shape: NDArray[np.int64]

    def fit(self, extents: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which windows lie in samples of the shapes `extents`: (batch,)."""
        inside: NDArray[np.bool_] = (self.start >= 0) & (self.start + self.shape <= extents)
        every: NDArray[np.bool_] = np.all(inside, axis=1)
        return every

    def trimmed(self, extents: NDArray[np.int64]) -> Windows:
        """Return the parts of the windows that lie in samples of the shapes `extents`."""
        start = self.start.clip(0, extents)
        return Windows(start, (self.start + self.shape).clip(0, extents) - start)

    def row(self, i: int) -> Window:
        """Return the window of one sample."""
        return Window(tuple(self.start[i].tolist()), tuple(self.shape[i].tolist()))


def round_away(value: float) -> int:
    """Round to the nearest integer, halves away from zero."""
    return math.floor(value + 0.5) if value >= 0 else -math.floor(0.5 - value)


def all_rounded_away(values: NDArray[Any]) -> NDArray[np.int64]:
    """Round to the nearest integers, halves away from zero."""
    rounded: NDArray[np.int64] = np.copysign(np.floor(abs(values) + 0.5), values).astype(np.int64)
    return rounded


def bounded(window: Window, extents: Sequence[int], policy: str) -> Window:
    """Apply the policies that concern the window itself, "error" and "trim_to_shape"."""
    if policy == "trim_to_shape":
        return window.trimmed(extents)
    if policy == "error" and not window.fits(extents):
        raise ArgumentError(
            f"the window that starts at {window.start} with the shape {window.shape} reaches out "
            f"of the sample, whose shape is {tuple(extents)}; choose another window, or set "
            'out_of_bounds_policy to "pad" or "trim_to_shape"'
        )
    return window


class CropArguments(Operator):
    """Base of the operators with the arguments of a crop."""

    crop = param(
        FLOATS,
        None,
        "Shape of the window in pixels, (height, width) or (depth, height, width). Fractions "
        "are cut off; what is not positive takes the whole axis.",
        per_sample=True,
    )
    crop_d = param(
        FLOAT, 0.0, "Depth of the window, or number of frames; needs the others.", per_sample=True
    )
    crop_h = param(FLOAT, 0.0, "Height of the window, with `crop_w`.", per_sample=True)
    crop_w = param(FLOAT, 0.0, "Width of the window, with `crop_h`.", per_sample=True)
    crop_pos_x = param(
        FLOAT, 0.5, "Where the window lies: 0 at the left, 1 at the right.", per_sample=True
    )
    crop_pos_y = param(
        FLOAT, 0.5, "Where the window lies: 0 at the top, 1 at the bottom.", per_sample=True
    )
    crop_pos_z = param(
        FLOAT, 0.5, "Where the window lies: 0 in front, 1 at the back.", per_sample=True
    )
    rounding = param(
        STR,
        "round",
        'How the position becomes whole pixels: "round" (halves away from zero) or "truncate".',
    )

    def prepare(self) -> None:
        super().prepare()
        owner, given = f"fn.{self.name}", self.given
        if self.rounding not in ("round", "truncate"):
            raise ArgumentError(
                f'{owner}: rounding is {self.rounding!r}; use "round" or "truncate"'
            )
        for extent in ("crop_d", "crop_h", "crop_w"):
            check_exclusive(owner, given, "crop", extent)
        if ("crop_h" in given) != ("crop_w" in given) or given & {"crop_d", "crop_h"} == {"crop_d"}:
            raise ArgumentError(
                f"{owner}: crop_h and crop_w go together, and crop_d needs both of them; give "
                "them all, or use `crop`"
            )

    def window(
        self,
        layout: str,
        extents: tuple[int, ...],
        *,
        crop: tuple[float, ...] | None,
        crop_d: float,
        crop_h: float,
        crop_w: float,
        crop_pos_x: float,
        crop_pos_y: float,
        crop_pos_z: float,
    ) -> Window:
        """Return the window of a sample whose shape is `extents`."""
        if crop is not None:
            crop_d, crop_h, crop_w = _depth_height_width(crop)
        sizes, position = (crop_d, crop_h, crop_w), (crop_pos_z, crop_pos_y, crop_pos_x)
        return crop_window(layout, extents, sizes, position, self.rounding == "truncate")


@lru_cache(maxsize=1024)  # with fixed arguments, most samples have a shape seen before
def crop_window(
    layout: str,
    extents: tuple[int, ...],
    sizes: tuple[float, ...],
    position: tuple[float, ...],
    truncate: bool,
) -> Window:
    """Return the window of a crop.

    Args:
        layout: of the sample.
        extents: shape of the sample.
        sizes: depth (number of frames, where there is no depth), height and width; below 1 the
            whole axis is taken. Fractions are cut off.
        position: of the window along depth, height and width, each from 0 to 1.
        truncate: whether fractions of the start are cut off, too, and not rounded.
    """
    start, shape = [0] * len(extents), list(extents)
    letters = ("D" if "D" in layout else "F", "H", "W")
    for letter, size, where in zip(letters, sizes, position, strict=True):
        axis = layout.find(letter)
        if size >= 1 and axis >= 0:
            shape[axis] = int(size)
            start[axis] = _start(letter, extents[axis] - int(size), where, truncate)
    return Window(tuple(start), tuple(shape))


def crop_windows(
    layout: str,
    extents: NDArray[np.int64],
    sizes: NDArray[np.float64],
    position: NDArray[np.float64],
    truncate: bool,
) -> tuple[Windows, NDArray[np.bool_]]:
    """Return the windows of a batch's crops, and for which samples `crop_window` raises.

    The arguments are those of `crop_window`, with a first axis for the samples.
    """
    start, shape = np.zeros_like(extents), extents.copy()
    wrong: NDArray[np.bool_] = np.any(~np.isfinite(sizes), axis=1)
    sizes = np.where(wrong[:, None], 0, sizes)
    outside = ~((position >= 0) & (position <= 1))
    position = np.where(outside, 0, position)
    for i, letter in enumerate(("D" if "D" in layout else "F", "H", "W")):
        axis = layout.find(letter)
        if axis < 0:
            continue
        given = sizes[:, i] >= 1
        size = sizes[:, i].astype(np.int64)
        exact = np.float64(np.float32(position[:, i])) * (extents[:, axis] - size)
        first = exact.astype(np.int64) if truncate else all_rounded_away(exact)
        shape[given, axis], start[given, axis] = size[given], first[given]
        wrong |= given & outside[:, i]
    return Windows(start, shape), wrong


def _start(letter: str, room: int, position: float, truncate: bool) -> int:
    if not 0 <= position <= 1:
        raise ArgumentError(
            f"the crop's position along {letter} is {position}; it must lie in [0, 1], where 0 "
            "is the first place that the window may take and 1 the last"
        )
    exact = float(np.float32(position)) * room  # as in DALI: decides where halves are rounded to
    return int(exact) if truncate else round_away(exact)


def _depth_height_width(crop: tuple[float, ...]) -> tuple[float, ...]:
    if len(crop) == 2:
        return (0.0, *crop)
    if len(crop) != 3:
        raise ArgumentError(
            f"`crop` is {crop}; give (height, width), or (depth, height, width) for volumes"
        )
    return crop
