"""Windows of samples, and how the arguments of a crop become a window.

Nothing here touches pixels. If a rule has two forms, the first form serves one sample on the CPU,
and the second form a batch on the GPU. Both give the same windows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..engine.arrays import Array
from ..engine.errors import ArgumentError
from ..engine.graph.context import RowsContext
from ..engine.graph.operator import Operator
from ..engine.graph.params import FLOAT, FLOATS, STR, param
from ..engine.graph.row_arguments import arguments_of_row, array_of, try_rows
from .layouts import check_exclusive
from .rounding import MOST, round_all_away, round_away

MOST_ELEMENTS = 1 << 40
"""Maximum number of elements of a window, because no machine has memory for more."""


class Window(NamedTuple):
    """A box in a sample: its first element and its shape, one number an axis.

    A window may start before the sample, and reach beyond the sample.
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
        """Return the intersection of the window with a sample of the shape `extents`."""
        start = tuple(min(max(a, 0), size) for a, size in zip(self.start, extents, strict=True))
        ends = (
            min(max(a + n, 0), size)
            for a, n, size in zip(self.start, self.shape, extents, strict=True)
        )
        return Window(start, tuple(b - a for a, b in zip(start, ends, strict=True)))

    def slices(self) -> tuple[slice, ...]:
        """Return the index of a window that lies in the sample."""
        return tuple(slice(a, a + n) for a, n in zip(self.start, self.shape, strict=True))


class WindowBatch(NamedTuple):
    """The windows of a batch: their first elements and their shapes, (batch, ndim) int64 each."""

    start: NDArray[np.int64]
    shape: NDArray[np.int64]

    def fit(self, extents: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which windows lie in samples of the shapes `extents`: (batch,)."""
        inside: NDArray[np.bool_] = (self.start >= 0) & (self.start + self.shape <= extents)
        every: NDArray[np.bool_] = np.all(inside, axis=1)
        return every

    def too_large(self) -> NDArray[np.bool_]:
        """Return which windows have more than `MOST_ELEMENTS`: (batch,)."""
        beyond: NDArray[np.bool_] = self.shape.prod(axis=1, dtype=np.float64) > MOST_ELEMENTS
        return beyond

    def trimmed(self, extents: NDArray[np.int64]) -> WindowBatch:
        """Return the intersections of the windows with samples of the shapes `extents`."""
        start = self.start.clip(0, extents)
        return WindowBatch(start, (self.start + self.shape).clip(0, extents) - start)

    def drop(self, rows: Sequence[int]) -> None:
        """Make the windows of these samples empty."""
        self.start[rows] = self.shape[rows] = 0

    def window_at(self, i: int) -> Window:
        """Return the window of one sample."""
        return Window(tuple(self.start[i].tolist()), tuple(self.shape[i].tolist()))


def bounded(window: Window, extents: Sequence[int], policy: str) -> Window:
    """Apply the policies that concern the window itself, "error" and "trim_to_shape".

    Raises:
        ArgumentError: the policy is "error", and the window reaches out of the sample; or the
            window has more elements than `MOST_ELEMENTS`.
    """
    if policy == "trim_to_shape":
        return window.trimmed(extents)
    if policy == "error" and not window.fits(extents):
        raise ArgumentError(
            f"the window that starts at {window.start} with the shape {window.shape} reaches out "
            f"of the sample, whose shape is {tuple(extents)}; choose another window, or set "
            'out_of_bounds_policy to "pad" or "trim_to_shape"'
        )
    if prod(window.shape) > MOST_ELEMENTS:
        raise ArgumentError(
            f"the window of the shape {window.shape} has more than {MOST_ELEMENTS} elements, for "
            "which there is no memory; choose a smaller one, or set out_of_bounds_policy to "
            '"trim_to_shape"'
        )
    return window


def windows_of_batch(
    batch: RowsContext,
    extents: NDArray[np.int64],
    together: Callable[[], tuple[WindowBatch, NDArray[np.bool_]]],
    alone: Callable[[int], Window],
) -> WindowBatch:
    """Compute windows together, and one by one those that cannot be computed together.

    Args:
        batch: gets the errors of rows, whose windows are empty.
        extents: shapes of the samples: (batch, ndim).
        together: returns the windows, and for which rows they are wrong; raises TypeError or
            ValueError if the arguments are not alike.
        alone: returns the window of one row, or raises the row's error.
    """
    try:
        windows, left = together()
    except (TypeError, ValueError):
        windows = WindowBatch(np.zeros_like(extents), np.zeros_like(extents))
        left = np.ones(len(extents), bool)

    def settle(i: int) -> None:
        windows.start[i], windows.shape[i] = alone(i)

    windows.drop(try_rows(batch, np.flatnonzero(left), settle))
    return windows


class CropArguments(Operator):
    """Base of the operators with the arguments of a crop."""

    crop = param(
        FLOATS,
        None,
        "Shape of the window in pixels, (height, width) or (depth, height, width). Fractions "
        "are cut off; 0 and negative numbers take the whole axis.",
        per_sample=True,
    )
    crop_d = param(
        FLOAT, 0.0, "Depth of the window, or number of frames; needs the others.", per_sample=True
    )
    crop_h = param(FLOAT, 0.0, "Height of the window, with `crop_w`.", per_sample=True)
    crop_w = param(FLOAT, 0.0, "Width of the window, with `crop_h`.", per_sample=True)
    crop_pos_x = param(
        FLOAT, 0.5, "Position of the window: 0 at the left, 1 at the right.", per_sample=True
    )
    crop_pos_y = param(
        FLOAT, 0.5, "Position of the window: 0 at the top, 1 at the bottom.", per_sample=True
    )
    crop_pos_z = param(
        FLOAT, 0.5, "Position of the window: 0 in front, 1 at the back.", per_sample=True
    )
    rounding = param(
        STR,
        "round",
        'How the position becomes whole pixels: "round" (halves away from zero) or "truncate".',
        choices=("round", "truncate"),
    )

    def prepare(self) -> None:
        super().prepare()
        owner, given = self.called, self.given
        for extent in ("crop_d", "crop_h", "crop_w"):
            check_exclusive(owner, given, "crop", extent)
        if ("crop_h" in given) != ("crop_w" in given) or given & {"crop_d", "crop_h"} == {"crop_d"}:
            raise ArgumentError(
                f"{owner}: crop_h and crop_w go together, and crop_d needs both of them; give "
                "them all, or use `crop`"
            )
        self._check_constants()

    def _check_constants(self) -> None:
        """Raise ArgumentError if a constant extent is a fraction of a pixel."""
        constants = [n for n in ("crop_d", "crop_h", "crop_w") if n not in self.per_sample]
        sizes = [getattr(self, name) for name in constants]
        if "crop" not in self.per_sample:
            sizes += self.crop or ()
        try:
            _check_extents(sizes)
        except ArgumentError as error:
            raise ArgumentError(f"{self.called}: {error}") from None

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

    def windows(
        self, batch: RowsContext, layout: str, extents: NDArray[np.int64], **arguments: Any
    ) -> WindowBatch:
        """Return the windows of a batch; errors of rows go to the batch.

        Args:
            batch: the batch.
            layout: layout of the samples.
            extents: shapes of the samples: (batch, ndim).
            arguments: those of `window`; each may be a `TensorList`.
        """

        def values(name: str) -> Array:
            return array_of(self, name, arguments[name], len(extents))

        def together() -> tuple[WindowBatch, NDArray[np.bool_]]:
            position = np.hstack([values(f"crop_pos_{axis}") for axis in "zyx"])
            if arguments["crop"] is None:
                sizes = np.hstack([values(f"crop_{axis}") for axis in "dhw"])
            else:
                sizes = values("crop")
                if sizes.shape[1] == 2:
                    sizes = np.hstack([np.zeros((len(sizes), 1)), sizes])
            if sizes.shape[1] != 3 or position.shape[1] != 3:
                raise ValueError("not three values a sample")
            return crop_windows(layout, extents, sizes, position, self.rounding == "truncate")

        def alone(i: int) -> Window:
            shape = tuple(extents[i].tolist())
            return self.window(layout, shape, **arguments_of_row(self, arguments, i))

        return windows_of_batch(batch, extents, together, alone)


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
        layout: layout of the sample.
        extents: shape of the sample.
        sizes: depth (number of frames, where there is no depth), height and width; 0 and negative
            numbers take the whole axis. Fractions are cut off.
        position: position of the window along depth, height and width, each from 0 to 1.
        truncate: whether fractions of the start are cut off, too, and not rounded.

    Raises:
        ArgumentError: a size is between 0 and 1 or beyond `MOST`, or a position is not in [0, 1].
    """
    _check_extents(sizes)
    start, shape = [0] * len(extents), list(extents)
    letters = ("D" if "D" in layout else "F", "H", "W")
    for letter, size, relative in zip(letters, sizes, position, strict=True):
        axis = layout.find(letter)
        if size >= 1 and axis >= 0:
            shape[axis] = int(size)
            start[axis] = _start(letter, extents[axis] - int(size), relative, truncate)
    return Window(tuple(start), tuple(shape))


def crop_windows(
    layout: str,
    extents: NDArray[np.int64],
    sizes: NDArray[np.float64],
    position: NDArray[np.float64],
    truncate: bool,
) -> tuple[WindowBatch, NDArray[np.bool_]]:
    """Return the windows of a batch's crops, and for which samples `crop_window` raises.

    The arguments are those of `crop_window`, with a first axis for the samples.
    """
    start, shape = np.zeros_like(extents), extents.copy()
    wrong: NDArray[np.bool_] = np.any(((sizes > 0) & (sizes < 1)) | ~(sizes <= MOST), axis=1)
    sizes = np.where(wrong[:, None], 0, sizes.clip(0))
    outside = ~((position >= 0) & (position <= 1))
    position = np.where(outside, 0, position)
    for i, letter in enumerate(("D" if "D" in layout else "F", "H", "W")):
        axis = layout.find(letter)
        if axis < 0:
            continue
        given = sizes[:, i] >= 1
        size = sizes[:, i].astype(np.int64)
        exact = np.float64(np.float32(position[:, i])) * (extents[:, axis] - size)
        first = exact.astype(np.int64) if truncate else round_all_away(exact)
        shape[given, axis], start[given, axis] = size[given], first[given]
        wrong |= given & outside[:, i]
    return WindowBatch(start, shape), wrong


def _check_extents(sizes: Sequence[float]) -> None:
    for size in sizes:
        if 0 < size < 1 or not size <= MOST:
            raise ArgumentError(
                f"the crop has the extent {size}; extents count pixels, {MOST} at most, and 0 "
                "takes the whole axis (fn.slice has rel_shape for fractions of the sample)"
            )


def _start(letter: str, room: int, position: float, truncate: bool) -> int:
    if not 0 <= position <= 1:
        raise ArgumentError(
            f"the crop's position along {letter} is {position}; it must lie in [0, 1], where 0 "
            "puts the window at the start of the axis and 1 at its end"
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
