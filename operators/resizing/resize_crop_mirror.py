"""`fn.resize_crop_mirror`: resize, crop and mirror in one resampling."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...engine.operator import Array, Row, register
from ...engine.params import BOOL, INT, param
from ...engine.windows import CropArguments, Window, Windows
from .._rows import array_of
from ..moving.extract_batch import crops
from .resampler import Axes
from .size import Plan
from .sized import SizedResampler
from .sizes import Plans

if TYPE_CHECKING:
    from ...engine.batch import Batch

_SPATIAL = {2: "HW", 3: "DHW"}
_CROP = tuple(name for name, declared in CropArguments.params.items() if declared.per_sample)
_MIRROR_BITS = {"W": 1, "H": 2, "D": 4}


@register
class ResizeCropMirror(CropArguments, SizedResampler):
    """Resizes images, crops a window out of the result, and mirrors it.

    The same as `fn.resize`, `fn.crop` and `fn.flip` one after the other, but only the window is
    computed; where a sample lies just between two pixels, nearest neighbour may choose the other
    one. A window that reaches out of the resized image repeats its border. Of a video all frames
    are taken.

    Inputs:
        images: as for `fn.resize`.

    The result is as the input, of another height and width (and depth).

    Raises:
        ArgumentError: arguments contradict one another, or do not fit the sample.
    """

    name = "resize_crop_mirror"

    mirror = param(
        INT,
        0,
        "Axes to mirror, added up: 1 left to right, 2 top to bottom, 4 front to back.",
        per_sample=True,
    )

    def sample(self, row: Row, image: Array, *, mirror: int, **arguments: Any) -> Array:
        axes = self.axes(image.ndim)
        letters = _SPATIAL[axes.spatial]
        whole = self.plan(axes, self.extents(axes, image), **arguments)
        crop = {name: arguments[name] for name in _CROP}
        window = self.window(letters, whole.size, **crop)
        mirrored = tuple(bool(mirror & _MIRROR_BITS[letter]) for letter in letters)
        part = part_of(whole, window, mirrored)
        return self.resample(row, image, axes, part, self.filters(**arguments))

    def plan_batch(
        self, batch: Batch, axes: Axes, extents: NDArray[np.int64], **arguments: Any
    ) -> Plans:
        letters = _SPATIAL[axes.spatial]
        whole = super().plan_batch(batch, axes, extents, **arguments)
        windows = crops(self, batch, letters, whole.size, arguments)
        mirror = array_of(self, "mirror", arguments["mirror"], batch.size)
        bits = np.array([_MIRROR_BITS[letter] for letter in letters])
        return parts_of(whole, windows, (mirror & bits) != 0)


@register
class FastResizeCropMirror(ResizeCropMirror):
    """Like `fn.resize_crop_mirror`, without antialiasing unless that is asked for.

    Deprecated: use `fn.resize_crop_mirror(..., antialias=False)`.
    """

    name = "fast_resize_crop_mirror"

    antialias = param(BOOL, False, "Widen the filter of a shrinking axis.")


def part_of(whole: Plan, window: Window, mirrored: tuple[bool, ...]) -> Plan:
    """Return the plan that computes a window of what `whole` computes, mirrored afterwards."""
    if window.shape == whole.size and not any(window.start) and not any(mirrored):
        return whole
    start, end = [], []
    for axis, size in enumerate(whole.size):
        first, last = whole.start[axis], whole.end[axis]
        scale = (last - first) / size
        begin = window.start[axis]
        a = float(np.float32(first + scale * begin))
        b = float(np.float32(first + scale * (begin + window.shape[axis])))
        start.append(b if mirrored[axis] else a)
        end.append(a if mirrored[axis] else b)
    return Plan(window.shape, tuple(start), tuple(end))


def parts_of(whole: Plans, windows: Windows, mirrored: NDArray[np.bool_]) -> Plans:
    """Return `part_of` for each sample; `mirrored` is of shape (batch, axes)."""
    size, start, end = whole.size, whole.start, whole.end
    possible = whole.possible & (windows.shape > 0).all(1)
    scale = (end - start) / size
    first = (start + scale * windows.start).astype(np.float32).astype(np.float64)
    last = start + scale * (windows.start + windows.shape)
    last = last.astype(np.float32).astype(np.float64)
    changed = (windows.shape != size) | (windows.start != 0) | mirrored
    as_whole = ~changed.any(1, keepdims=True)
    return Plans(
        np.maximum(windows.shape, 1),
        np.where(as_whole, start, np.where(mirrored, last, first)),
        np.where(as_whole, end, np.where(mirrored, first, last)),
        possible,
    )
