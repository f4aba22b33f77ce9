"""`fn.resize_crop_mirror`: resize, crop and mirror in one resampling."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...engine.graph.context import BatchContext, Workspace
from ...engine.graph.operator import register
from ...engine.graph.params import BOOL, INT, param
from ...engine.graph.row_arguments import array_of
from ...engine.graph.rules import GpuRules
from ...geometry.windows import CropArguments, Window, WindowBatch
from .resampling_operator import ResamplingOperator
from .size_arguments import SizeArguments
from .sizing import ResizePlan, ResizePlans, Sizing, check_size, sizes_fit
from .spatial_axes import SpatialAxes

_SPATIAL = {2: "HW", 3: "DHW"}
_CROP = tuple(name for name, declared in CropArguments.params.items() if declared.per_sample)
_MIRROR_BITS = {"W": 1, "H": 2, "D": 4}


@register
class ResizeCropMirror(CropArguments, SizeArguments, ResamplingOperator):
    """Resizes images, crops a window out of the result, and mirrors it.

    The same as `fn.resize`, `fn.crop` and `fn.flip` one after the other, but only the window is
    computed. Where a sample lies just between two pixels, nearest neighbor may choose the other
    pixel. A window that reaches out of the resized image repeats its border. Of a video all frames
    are taken.

    Inputs:
        images: as for `fn.resize`.

    The result is as the input, of another height and width (and depth).

    Raises:
        ArgumentError: arguments contradict one another, or do not fit the sample.
    """

    name = "resize_crop_mirror"
    # The window of a made-up image is not known to be like those of photographs.
    on_gpu = GpuRules(rehearses=False)

    mirror = param(
        INT,
        0,
        "Axes to mirror, added up: 1 left to right, 2 top to bottom, 4 front to back.",
        per_sample=True,
    )

    def plan_sample(
        self,
        workspace: Workspace,
        axes: SpatialAxes,
        extents: tuple[int, ...],
        arguments: Mapping[str, Any],
    ) -> ResizePlan:
        letters = _SPATIAL[axes.count]
        whole = self.plan_size(axes, extents, Sizing.of(arguments))
        window = self.window(letters, whole.size, **_crop_of(arguments))
        mirror = arguments["mirror"]
        mirrored = tuple(bool(mirror & _MIRROR_BITS[letter]) for letter in letters)
        return crop_and_mirror(whole, window, mirrored)

    def plan_batch(
        self,
        batch: BatchContext,
        axes: SpatialAxes,
        extents: NDArray[np.int64],
        arguments: Mapping[str, object],
    ) -> ResizePlans:
        letters = _SPATIAL[axes.count]
        whole = self.plan_sizes(axes, extents, Sizing.of(arguments))
        windows = self.windows(batch, letters, whole.size, **_crop_of(arguments))
        mirror = array_of(self, "mirror", arguments["mirror"], batch.size)
        bits = np.array([_MIRROR_BITS[letter] for letter in letters])
        return crop_and_mirror_all(whole, windows, (mirror & bits) != 0)


@register
class FastResizeCropMirror(ResizeCropMirror):
    """Like `fn.resize_crop_mirror`, without antialiasing unless that is asked for.

    Deprecated: use `fn.resize_crop_mirror(..., antialias=False)`.

    >>> import numpy as np
    >>> from penstock import Pipeline, fn
    >>> image = np.zeros((60, 80, 3), np.uint8)
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     output = fn.fast_resize_crop_mirror(image, resize_shorter=32, crop=(24, 24))
    ...     pipe.set_outputs(output)
    ...     (result,) = pipe.run()
    ...     print(result.shape())
    [(24, 24, 3)]
    """

    name = "fast_resize_crop_mirror"

    antialias = param(BOOL, False, "Widen the filter of a shrinking axis.")


def _crop_of(arguments: Mapping[str, object]) -> dict[str, Any]:
    return {name: arguments[name] for name in _CROP}


def crop_and_mirror(whole: ResizePlan, window: Window, mirrored: tuple[bool, ...]) -> ResizePlan:
    """Return the plan that computes a window of the result of `whole`, mirrored afterwards."""
    if window.shape == whole.size and not any(window.start) and not any(mirrored):
        return whole
    check_size(window.shape)
    start, end = [], []
    for axis, size in enumerate(whole.size):
        first, last = whole.start[axis], whole.end[axis]
        scale = (last - first) / size
        offset = window.start[axis]
        a = float(np.float32(first + scale * offset))
        b = float(np.float32(first + scale * (offset + window.shape[axis])))
        start.append(b if mirrored[axis] else a)
        end.append(a if mirrored[axis] else b)
    return ResizePlan(window.shape, tuple(start), tuple(end))


def crop_and_mirror_all(
    whole: ResizePlans, windows: WindowBatch, mirrored: NDArray[np.bool_]
) -> ResizePlans:
    """Return `crop_and_mirror` of each sample; `mirrored` is of shape (batch, axes)."""
    size, start, end = whole.size, whole.start, whole.end
    fit = sizes_fit(windows.shape)
    windows.drop(np.flatnonzero(~fit).tolist())  # what follows has no room for their numbers
    possible = whole.possible & (windows.shape > 0).all(1)
    scale = (end - start) / size
    first = (start + scale * windows.start).astype(np.float32).astype(np.float64)
    last = start + scale * (windows.start + windows.shape)
    last = last.astype(np.float32).astype(np.float64)
    changed = (windows.shape != size) | (windows.start != 0) | mirrored
    as_whole = ~changed.any(1, keepdims=True)
    return ResizePlans(
        np.maximum(windows.shape, 1),
        np.where(as_whole, start, np.where(mirrored, last, first)),
        np.where(as_whole, end, np.where(mirrored, first, last)),
        possible,
    )
